"""A Llama's forward pass as one compiled function: what it computes, line by line, is the definition.

Rows are positions. Whatever is summed is summed in an order that depends on the row alone, so its logits are the same bits alone and in a
block, on one thread and on several: speculative and vanilla greedy decoding cannot part here.
"""

from typing import NamedTuple

import numpy as np

from .compiler import compiled, part, spliced
from .packed import embed, largest, product, share
from .team import meet
from .tile import PANEL


class Layers(NamedTuple):
    """Weights of L layers, one array of each kind: packed products (packed.py) with L in front, the rest in float32.

    Queries and keys have each rotary pair side by side. `bias` [L, q + k + v] or [L, 0]; `qk_norm` [L, heads + kv_heads, size] or
    [L, 0, size]."""

    attention_norm: np.ndarray
    qkv: np.ndarray
    bias: np.ndarray
    qk_norm: np.ndarray
    out: np.ndarray
    mlp_norm: np.ndarray
    gate_up: np.ndarray
    down: np.ndarray


class Held(NamedTuple):
    """What the layers hold of their texts, laid out as weights are, so that attention is two products: keys [L, texts, kv_heads,
    capacity/32, size, 32], with a position for an output, and values [L, texts, kv_heads, size/32, capacity, 32], with one for a column."""

    keys: np.ndarray
    values: np.ndarray


class Scratch(NamedTuple):
    """Room for what a pass over n rows works out on its way."""

    x: np.ndarray  # [n, width], what goes from layer to layer
    normed: np.ndarray  # [threads, n, width], with what may stand beside
    qkv: np.ndarray
    queries: np.ndarray  # [threads, n·group, size], of one key head
    scores: np.ndarray  # [threads, n·group, capacity], likewise
    found: np.ndarray  # [threads, n·group, size], padded
    attended: np.ndarray  # [n, heads·size]
    summed: np.ndarray  # [n, width], padded
    gate_up: np.ndarray
    gated: np.ndarray  # [n, inner]


@part
def exp(x):
    """e^x of x ≤ 0, to 2 units in the last place: 2^n·e^r with |r| ≤ ln 2 / 2, e^r by its polynomial (Cephes, expf). Unlike the library's,
    sixteen at a time."""
    small = x < np.float32(-80.0)  # its products would leave the normal numbers, which takes a processor a hundred times as long
    x = max(x, np.float32(-80.0))
    n = np.int32(x * np.float32(1.44269504) - np.float32(0.5))
    r = (x - np.float32(n) * np.float32(0.693359375)) + np.float32(n) * np.float32(2.12194440e-4)
    y = np.float32(1.9875691500e-4)
    y = y * r + np.float32(1.3981999507e-3)
    y = y * r + np.float32(8.3334519073e-3)
    y = y * r + np.float32(4.1665795894e-2)
    y = y * r + np.float32(1.6666665459e-1)
    y = y * r + np.float32(5.0000001201e-1)
    y = y * r * r + r + np.float32(1.0)
    y *= np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)
    return np.float32(0.0) if small else y


@part
def norm(x, weight, eps, y, on):
    """y, from place `on`, = x/√(mean x² + ε)·weight, of one row."""
    size = len(x)
    squares = np.float32(0.0)
    for k in range(size):
        squares += x[k] * x[k]
    scale = np.float32(1.0) / np.sqrt(squares / np.float32(size) + eps)
    for k in range(size):
        y[on + k] = x[k] * scale * weight[k]


@spliced
def rotate(head, turn):
    """Rotate a head's pairs [size] by `turn` [2, size/2], cosines and sines."""
    for i in range(turn.shape[1]):
        a, b = head[2 * i], head[2 * i + 1]
        head[2 * i] = a * turn[0, i] - b * turn[1, i]
        head[2 * i + 1] = a * turn[1, i] + b * turn[0, i]


@spliced
def softmax(scores, scale, seen, end):
    """Of the first `seen` scores times `scale`; what is not seen, up to `end`, gets nothing."""
    top, total = largest(scores, seen), np.float32(0.0)
    for j in range(seen):
        scores[j] = exp((scores[j] - top) * scale)
        total += scores[j]
    part = np.float32(1.0) / total
    for j in range(seen):
        scores[j] *= part
    for j in range(seen, end):
        scores[j] = np.float32(0.0)


@spliced
def attend(queries, keys, values, scores, found, start, each):
    """found [rows, size] = softmax(queries·keys/√size)·values: row r is at position start + r % each, and sees what is up to there."""
    rows, size = queries.shape
    end = start + each
    product(queries, keys, scores, size, 0, (end + PANEL - 1) // PANEL)
    for r in range(rows):
        softmax(scores[r], np.float32(1.0) / np.sqrt(np.float32(size)), start + r % each + 1, end)
    product(scores, values, found, end, 0, values.shape[0])


@spliced
def ours(x, w, y, rank, team):
    """y = x·Wᵀ, in the columns that are this thread's."""
    first, end = share(w.shape[0], rank, team)
    product(x, w, y, w.shape[1], first, end)
    return first * PANEL, end * PANEL


@spliced
def onto(x, y, w, summed, rank, team):
    """x += y·Wᵀ, in the columns that are this thread's."""
    first, end = ours(y, w, summed, rank, team)
    for m in range(x.shape[0]):
        for k in range(first, min(end, x.shape[1])):
            x[m, k] += summed[m, k]


@spliced
def gate(gate_up, gated, rank, team):
    """gated = silu(gate)·up, in the columns that are this thread's; silu(g) = g/(1 + e^−g)."""
    first, end = share(gated.shape[1], rank, team)
    for m in range(gated.shape[0]):
        for k in range(first, end):
            g = gate_up[m, k]
            small = exp(-abs(g))
            sigmoid = (np.float32(1.0) if g >= 0 else small) / (np.float32(1.0) + small)
            gated[m, k] = g * sigmoid * gate_up[m, gated.shape[1] + k]


@spliced
def heads_of(w, held, s, rotation, dims, eps, layer, start, rank, team):
    """s.qkv → s.attended, of the key heads that are this thread's: rotate, keep, attend."""
    heads, kv_heads, texts = dims
    size, group, each = rotation.shape[2] * 2, heads // kv_heads, s.x.shape[0] // texts
    queries, scores, found = s.queries[rank, : group * each], s.scores[rank, : group * each], s.found[rank, : group * each]
    first, end = share(kv_heads, rank, team)
    for kv in range(first, end):
        for text in range(texts):
            keys, values = held.keys[layer, text, kv], held.values[layer, text, kv]
            for m in range(each):
                row, at = s.qkv[text * each + m], start + m
                for j in range(group + 2):  # its queries, then its key, then its value
                    head = kv * group + j if j < group else heads + kv + (j - group) * kv_heads
                    part = row[head * size : (head + 1) * size]
                    if w.bias.shape[1]:
                        for i in range(size):
                            part[i] += w.bias[layer, head * size + i]
                    if j <= group and w.qk_norm.shape[1]:
                        norm(part, w.qk_norm[layer, head], eps, part, 0)
                    if j <= group:
                        rotate(part, rotation[at])
                    for i in range(size):
                        if j < group:
                            queries[j * each + m, i] = part[i]
                        elif j == group:
                            keys[at // PANEL, i, at % PANEL] = part[i]
                        else:
                            values[i // PANEL, at, i % PANEL] = part[i]
            attend(queries, keys, values, scores, found, start, each)
            for j in range(group):
                for m in range(each):
                    for i in range(size):
                        s.attended[text * each + m, (kv * group + j) * size + i] = found[j * each + m, i]


@compiled
def run(ids, table, beside, w, held, s, rotation, dims, eps, start, until, taps, tapped, weight, head, y, rank, team, here):
    """A pass: ids [n], or what s.x [n, width] holds where there are none, through the first `until` layers, in s.x; of its last rows the
    logits y [keep, V], by the norm `weight` and `head`. n/texts rows of each text join what is held, from position `start` on.

    `dims`: heads, kv_heads, texts. `beside` [n, m]: put before the first layer's normed input; m may be 0. `rotation` [context, 2,
    size/2]. `tapped` [taps, n, width]: what goes into the layers `taps`. `rank` of a `team` of threads, which meet `here`."""
    x, n, width = s.x, s.x.shape[0], s.x.shape[1]
    wide = s.normed[rank, :n]
    if len(ids):
        if rank == 0:
            embed(ids, table, x)
        meet(here, team)
    for layer in range(until):
        if rank == 0:
            for t in range(len(taps)):
                if taps[t] == layer:
                    for m in range(n):
                        for k in range(width):
                            tapped[t, m, k] = x[m, k]
        before = beside.shape[1] if layer == 0 else 0
        for m in range(n):
            for k in range(before):
                wide[m, k] = beside[m, k]
            norm(x[m], w.attention_norm[layer], eps, wide[m], before)
        ours(wide, w.qkv[layer], s.qkv, rank, team)
        meet(here, team)
        heads_of(w, held, s, rotation, dims, eps, layer, start, rank, team)
        meet(here, team)
        onto(x, s.attended, w.out[layer], s.summed, rank, team)
        meet(here, team)
        for m in range(n):
            norm(x[m], w.mlp_norm[layer], eps, wide[m], 0)
        ours(wide, w.gate_up[layer], s.gate_up, rank, team)
        meet(here, team)
        gate(s.gate_up, s.gated, rank, team)
        meet(here, team)
        onto(x, s.gated, w.down[layer], s.summed, rank, team)
        meet(here, team)
    keep = y.shape[0]
    if keep:
        for m in range(keep):
            norm(x[n - keep + m], weight, eps, wide[m], 0)
        ours(wide[:keep], head, y, rank, team)
        meet(here, team)


@compiled
def multiply(x, w, y):
    """y [n, N] = x [n, K]·Wᵀ."""
    product(x, w, y, w.shape[1], 0, w.shape[0])


@compiled
def look_up(ids, w, x):
    """x [n, K] = rows `ids` of packed w."""
    embed(ids, w, x)
