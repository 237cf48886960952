"""A Llama's forward pass as one compiled function: what it computes, line by line, is the definition.

Rows are positions. Whatever is summed is summed in an order that depends on the row alone, so its logits are the same bits alone and in a
block, on one thread and on several: speculative and vanilla greedy decoding cannot part here.
"""

from typing import NamedTuple

import numpy as np

from .compiler import compiled
from .packed import embed, product, share
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
    normed: np.ndarray  # [threads, n·width], with what may stand beside
    qkv: np.ndarray
    queries: np.ndarray  # [threads, n·group, size], of one key head
    scores: np.ndarray  # [threads, n·group, capacity], likewise
    found: np.ndarray  # [threads, n·group, size], padded
    attended: np.ndarray  # [n, heads·size]
    summed: np.ndarray  # [n, width], padded
    gate_up: np.ndarray
    gated: np.ndarray  # [n, inner]


@compiled
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


@compiled
def norm(x, weight, eps, y):
    """y = x/√(mean x² + ε)·weight, of one row."""
    size = len(x)
    squares = np.float32(0.0)
    for k in range(size):
        squares += x[k] * x[k]
    scale = np.float32(1.0) / np.sqrt(squares / np.float32(size) + eps)
    for k in range(size):
        y[k] = x[k] * scale * weight[k]


@compiled
def rotate(head, turn):
    """Rotate a head's pairs [size] by `turn` [2, size/2], cosines and sines."""
    for i in range(turn.shape[1]):
        a, b = head[2 * i], head[2 * i + 1]
        head[2 * i] = a * turn[0, i] - b * turn[1, i]
        head[2 * i + 1] = a * turn[1, i] + b * turn[0, i]


@compiled
def softmax(scores, seen):
    """Of the first `seen` scores; what is not seen gets nothing."""
    largest = scores[0]
    for j in range(1, seen):
        largest = max(largest, scores[j])
    total = np.float32(0.0)
    for j in range(seen):
        scores[j] = exp(scores[j] - largest)
        total += scores[j]
    for j in range(seen):
        scores[j] /= total
    for j in range(seen, len(scores)):
        scores[j] = np.float32(0.0)


@compiled
def keep(key, value, keys, values, at):
    """Key and value [size] of a position → their places in what a layer holds of a head."""
    for i in range(len(key)):
        keys[at // PANEL, i, at % PANEL] = key[i]
        values[i // PANEL, at, i % PANEL] = value[i]


@compiled
def attend(queries, keys, values, scores, found, start, each):
    """found [rows, size] = softmax(queries·keys/√size)·values: row r is at position start + r % each, and sees what is up to there."""
    rows, size = queries.shape
    end = start + each
    scale = np.float32(1.0) / np.sqrt(np.float32(size))
    product(queries, keys, scores, size, 0, (end + PANEL - 1) // PANEL)
    for r in range(rows):
        for j in range(end):
            scores[r, j] *= scale
        softmax(scores[r, :end], start + r % each + 1)
    product(scores, values, found, end, 0, values.shape[0])


@compiled
def onto(x, y, w, summed, rank, team):
    """x += y·Wᵀ, in the columns that are this thread's."""
    first, end = share(w.shape[0], rank, team)
    product(y, w, summed, w.shape[1], first, end)
    for m in range(x.shape[0]):
        for k in range(first * PANEL, min(end * PANEL, x.shape[1])):
            x[m, k] += summed[m, k]


@compiled
def ours(x, w, y, rank, team):
    """y = x·Wᵀ, in the columns that are this thread's."""
    first, end = share(w.shape[0], rank, team)
    product(x, w, y, w.shape[1], first, end)


@compiled
def layers(w, held, s, beside, rotation, dims, eps, start, until, taps, tapped, rank, team, gate):
    """s.x [n, width] through the first `until` layers, in place; its rows join what is held, from position `start` on.

    `dims`: heads, kv_heads, and how many texts have n/texts rows each. `beside` [n, m] or [0, m]: put before the first layer's normed
    input. `rotation` [context, 2, size/2]. `tapped` [taps, n, width]: what goes into the layers `taps`."""
    x, normed = s.x, s.normed[rank]
    heads, kv_heads, texts = dims
    n, width = x.shape
    size, group, each = rotation.shape[2] * 2, heads // kv_heads, n // texts
    rows = group * each
    queries, scores, found = s.queries[rank, :rows], s.scores[rank, :rows], s.found[rank, :rows]
    first, end = share(kv_heads, rank, team)
    for layer in range(until):
        if rank == 0:
            for t in range(len(taps)):
                if taps[t] == layer:
                    tapped[t] = x
        before = beside.shape[1] if layer == 0 else 0
        wide = normed[: n * (before + width)].reshape(n, before + width)
        for m in range(n):
            wide[m, :before] = beside[m, :before]
            norm(x[m], w.attention_norm[layer], eps, wide[m, before:])
        ours(wide, w.qkv[layer], s.qkv, rank, team)
        meet(gate, team)
        for kv in range(first, end):
            for text in range(texts):
                keys, values = held.keys[layer, text, kv], held.values[layer, text, kv]
                for m in range(each):
                    row = s.qkv[text * each + m]
                    for j in range(group + 2):  # its queries, then its key, then its value
                        head = kv * group + j if j < group else heads + kv + (j - group) * kv_heads
                        part = row[head * size : (head + 1) * size]
                        if w.bias.shape[1]:
                            part += w.bias[layer, head * size : (head + 1) * size]
                        if j <= group:
                            if w.qk_norm.shape[1]:
                                norm(part, w.qk_norm[layer, head], eps, part)
                            rotate(part, rotation[start + m])
                        if j < group:
                            queries[j * each + m] = part
                    key, value = heads + kv, heads + kv_heads + kv
                    keep(row[key * size : (key + 1) * size], row[value * size : (value + 1) * size], keys, values, start + m)
                attend(queries, keys, values, scores, found, start, each)
                for j in range(group):
                    head = kv * group + j
                    for m in range(each):
                        s.attended[text * each + m, head * size : (head + 1) * size] = found[j * each + m, :size]
        meet(gate, team)
        onto(x, s.attended, w.out[layer], s.summed, rank, team)
        meet(gate, team)
        wide = normed[: n * width].reshape(n, width)
        for m in range(n):
            norm(x[m], w.mlp_norm[layer], eps, wide[m])
        ours(wide, w.gate_up[layer], s.gate_up, rank, team)
        meet(gate, team)
        inner = s.gated.shape[1]
        left, right = share(inner, rank, team)
        for m in range(n):
            for k in range(left, right):  # silu(gate)·up, silu(g) = g/(1 + e^−g)
                g, small = s.gate_up[m, k], exp(-abs(s.gate_up[m, k]))
                sigmoid = (np.float32(1.0) if g >= 0 else small) / (np.float32(1.0) + small)
                s.gated[m, k] = g * sigmoid * s.gate_up[m, inner + k]
        meet(gate, team)
        onto(x, s.gated, w.down[layer], s.summed, rank, team)
        meet(gate, team)


@compiled
def logits(x, weight, eps, head, normed, y, rank, team):
    """y [n, V] of the last n rows of x, which left the last layer: the norm of the model, then its head."""
    n, width = y.shape[0], x.shape[1]
    wide = normed[: n * width].reshape(n, width)
    for m in range(n):
        norm(x[len(x) - n + m], weight, eps, wide[m])
    ours(wide, head, y, rank, team)


@compiled
def whole(ids, table, w, held, s, nothing, rotation, dims, eps, start, until, taps, tapped, weight, head, y, rank, team, gate):
    """A pass from ids [n] to logits y [keep, V]: embedding, layers, norm, head."""
    if rank == 0:
        embed(ids, table, s.x)
    meet(gate, team)
    layers(w, held, s, nothing, rotation, dims, eps, start, until, taps, tapped, rank, team, gate)
    logits(s.x, weight, eps, head, s.normed[rank], y, rank, team)
    meet(gate, team)
