"""A Llama's forward pass as one compiled function: what it computes, line by line, is the definition.

Rows are positions. Whatever is summed is summed in an order that depends on the row alone, so its logits are the same bits alone and in a
block, on one thread and on several: speculative and vanilla greedy decoding cannot part here.
"""

from typing import NamedTuple

import numpy as np

from .compiler import compiled, device_function, inline
from .packed import copy, embed, product, share
from .threads import barrier, disband, gather, this_call
from .tile import PANEL
from .vector import argmax, exp, norm, rotate, sample, softmax, softmax_at, softmax_path


class PackedLayers(NamedTuple):
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


class KVCache(NamedTuple):
    """What the layers hold of their texts, laid out as weights are, so that attention is two products: keys [L, texts, kv_heads,
    capacity/32, size, 32], with a position for an output, and values [L, texts, kv_heads, size/32, capacity, 32], with one for a column."""

    keys: np.ndarray
    values: np.ndarray


class InputArrays(NamedTuple):
    """How the first layer's input is made. Of a head that drafts: tokens are normed and stand beside its features, or features are
    normed too, and both joined (multi-token modules)."""

    table: np.ndarray  # packed [V, width], the embedding
    token_norm: np.ndarray  # [width], or [0] of a model
    feature_norm: np.ndarray  # [width], or [0] where nothing is joined
    join: np.ndarray  # packed [width, 2·width], tokens before features


class OutputArrays(NamedTuple):
    """What makes logits of what leaves the last layer: a norm [width] and a packed matrix [V, width]."""

    norm: np.ndarray
    matrix: np.ndarray


class DrawArrays(NamedTuple):
    """How the tokens of a block are drawn: token i with u[i], from the softmax q[i] at a temperature of the first `known` logits, or as the
    largest of them: by `argmax`, and where u and q are empty."""

    known: int
    columns: np.ndarray  # [known], where these logits lie among those of q, in ascending order; [0]: at its beginning
    temperature: np.float32
    argmax: bool
    u: np.ndarray  # [k] float64, or [0]
    q: np.ndarray  # [k, V], or [0, ·]
    ids: np.ndarray  # [k], which is found; [0]: nothing is drawn
    # what the token before adds to the logits of each row after the first: after·before[id], worked out in `added` [1, V]
    before: np.ndarray  # [V, rank], or [0, ·]
    after: np.ndarray  # packed [V, rank]
    added: np.ndarray


class TreeArrays(NamedTuple):
    """What n rows of a block that branches see, beside the `settled` positions of the text: row m the first `depths[m]` + 1 of `paths[m]`,
    which count from the text's end; the last of them is the row itself. Without rows, [0, 0] and [0], the block is a chain."""

    settled: int
    paths: np.ndarray
    depths: np.ndarray


class Workspace(NamedTuple):
    """Room for what a pass over n rows works out on its way."""

    x: np.ndarray  # [n, width], what goes from layer to layer
    normed: np.ndarray  # [threads, n, ·], the rows that a thread multiplies next: normed, with what may stand beside, or copied
    qkv: np.ndarray  # [threads·n, queries, keys and values]
    queries: np.ndarray  # [threads, n·group, size], of one key head
    scores: np.ndarray  # [threads, ·, capacity], of as many of them as attend at once
    found: np.ndarray  # [threads, n·group, size], padded
    attended: np.ndarray  # [n, heads·size]
    summed: np.ndarray  # [threads·n, width], padded
    gate_up: np.ndarray  # [threads·n, 2·inner]
    gated: np.ndarray  # [n, inner]


@inline
def attend(queries, rows, keys, values, scores, found, start, each, tree):
    """found [rows, size] = softmax(queries·keys/√size)·values: row r is at position start + r // (rows/each), and sees what is up to there, or
    its path of the tree. As many rows at once as `scores` has room for, which stays in the nearest caches, over what the last of them sees:
    what would come after counts nothing, and adding nothing changes no sum."""
    size, group, most = queries.shape[1], rows // each, len(scores)
    scale = np.float32(1.0) / np.sqrt(np.float32(size))
    for first in range(0, rows, most):
        n = min(most, rows - first)
        end = start + (each if len(tree.depths) else (first + n - 1) // group + 1)
        product(queries[first:], n, keys, scores, size, 0, (end + PANEL - 1) // PANEL)
        for r in range(n):
            m = (first + r) // group
            if len(tree.depths):
                softmax_path(scores[r], scale, tree.settled, tree.paths[m, : tree.depths[m] + 1], end)
            else:
                softmax(scores[r], scale, start + m + 1, end)
        product(scores, n, values, found[first:], end, 0, values.shape[0])


@inline
def ours(x, n, w, y, rank, team):
    """y [n, ·] = x·Wᵀ, in the columns that are this thread's."""
    first, end = share(w.shape[0], rank, team)
    product(x, n, w, y, w.shape[1], first, end)
    return first * PANEL, end * PANEL


@inline
def join_heads(x, n, w, y, dims, size, rank, team):
    """y [n, ·] = x·Wᵀ of queries, keys and values, of the key heads that are this thread's, where heads are whole panels."""
    heads, kv_heads, _ = dims
    first, end = share(kv_heads, rank, team)
    group, wide = heads // kv_heads, size // PANEL
    product(x, n, w, y, w.shape[1], first * group * wide, end * group * wide)
    for part in (heads, heads + kv_heads):
        product(x, n, w, y, w.shape[1], (part + first) * wide, (part + end) * wide)


@inline
def onto(x, n, y, w, summed, near, rank, team):
    """x [n, ·] += y·Wᵀ, in the columns that are this thread's. Of several rows each thread copies y into its own `near` first: a copy asks for all
    lines that another thread wrote at once, a product for one after the other."""
    several = team > 1 and n > 1
    if several:
        copy(y, 0, n, near)
    first, end = ours(near if several else y, n, w, summed, rank, team)
    for m in range(n):
        for k in range(first, min(end, x.shape[1])):
            x[m, k] += summed[m, k]


@inline
def gate(gate_up, n, gated, first, end):
    """gated [n, ·] = silu(gate)·up, in the columns from `first` to `end`; silu(g) = g/(1 + e^−g)."""
    for m in range(n):
        for k in range(first, end):
            g = gate_up[m, k]
            small = exp(-abs(g))
            sigmoid = (np.float32(1.0) if g >= 0 else small) / (np.float32(1.0) + small)
            gated[m, k] = g * sigmoid * gate_up[m, gated.shape[1] + k]


@inline
def heads_of(w, kv_cache, s, qkv, n, made, rotation, dims, eps, layer, start, tree, rank, team):
    """qkv → s.attended, of the key heads that are this thread's: rotate, keep, attend. Rows of qkv from `made` on are as the one before."""
    heads, kv_heads, texts = dims
    size, group, each = rotation.shape[2] * 2, heads // kv_heads, n // texts
    queries, scores, found = s.queries[rank], s.scores[rank], s.found[rank]
    first, end = share(kv_heads, rank, team)
    for key in range(first, end):
        for text in range(texts):
            keys, values = kv_cache.keys[layer, text, key], kv_cache.values[layer, text, key]
            for m in range(each - 1, -1, -1):  # a row that others are as comes after them: what is rotated is rotated in place
                row, at = qkv[text * each + m], start + m
                turn = rotation[tree.settled + tree.depths[m] if len(tree.depths) else at]
                for j in range(group + 2):  # its queries, then its key, then its value
                    head = key * group + j if j < group else heads + key + (j - group) * kv_heads
                    part = row[head * size : (head + 1) * size]
                    if m >= made:
                        for i in range(size):
                            part[i] = qkv[made - 1, head * size + i]
                    if w.bias.shape[1]:
                        for i in range(size):
                            part[i] += w.bias[layer, head * size + i]
                    if j <= group and w.qk_norm.shape[1]:
                        norm(part, w.qk_norm[layer, head], eps, part, 0)
                    if j <= group:
                        rotate(part, turn)
                    for i in range(size):
                        if j < group:
                            queries[m * group + j, i] = part[i]
                        elif j == group:
                            keys[at // PANEL, i, at % PANEL] = part[i]
                        else:
                            values[i // PANEL, at, i % PANEL] = part[i]
            attend(queries, group * each, keys, values, scores, found, start, each, tree)
            for j in range(group):
                for m in range(each):
                    for i in range(size):
                        s.attended[text * each + m, (key * group + j) * size + i] = found[m * group + j, i]


@device_function
def norms(x, first, n, weight, eps, y, on):
    """y [n, ·], from place `on`, = the norm of n rows of x from `first` on."""
    for m in range(n):
        norm(x[first + m], weight, eps, y[m], on)


@inline
def enter(x, n, tokens, features, step, last, entry, beside, eps, rank, team):
    """What the first layer takes, into x [n, width] and `beside`: embeddings of tokens, features, or both. Past the first step of a block a
    head's feature is what left its own last pass. Each thread makes rows of its own."""
    width = x.shape[1]
    for m in range(rank, n, team):
        row, token = x[m : m + 1], tokens[m : m + 1]
        if len(features) == 0:
            embed(token, entry.table, row)
            continue
        copy(x if step else features, last if step else m, 1, row)
        embed(token, entry.table, beside[m : m + 1])
        norms(beside, m, len(token), entry.token_norm, eps, beside[m:], 0)
        if len(entry.feature_norm):
            norms(x, m, 1, entry.feature_norm, eps, beside[m:], width)
            for k in range(width):
                x[m, k] = np.float32(0.0)


@inline
def draw(logits, draws, step):
    """One token, by the logits of those that are known."""
    own = len(draws.columns) > 0
    if len(draws.u):
        q = draws.q[step]
        if own:
            q[:] = -np.float32(np.inf)
            for j in range(len(logits)):
                q[draws.columns[j]] = logits[j]
            softmax_at(q, draws.temperature, q)
        else:
            softmax_at(logits, draws.temperature, q)
    if draws.argmax or len(draws.u) == 0:
        at = argmax(logits)
        draws.ids[step] = draws.columns[at] if own else at
    else:
        draws.ids[step] = sample(draws.q[step], draws.u[step])


@inline
def follow(logits, draws, i):
    """What token i adds to the logits of the next."""
    id = draws.ids[i]
    product(draws.before[id : id + 1], 1, draws.after, draws.added, draws.after.shape[1], 0, draws.after.shape[0])
    for v in range(len(logits)):
        logits[v] += draws.added[0, v]


@compiled
def run(
    feed,
    features,
    entry,
    beside,
    w,
    kv_cache,
    s,
    rotation,
    dims,
    eps,
    start,
    until,
    taps,
    tapped,
    exit,
    y,
    draws,
    tree,
    alike,
    spare,
    rank,
    team,
    state,
):
    """A pass, or those of a block, one after the other: between them nothing returns to Python, whose own code would have to come from far
    away each time, since weights have gone through the caches meanwhile.

    A pass takes the ids `feed` [n], or `features` [n, width] as they are, with `beside` [n, m] put before the first layer's normed
    input; m may be 0. Of both, as heads that draft take them, `beside` is made here. Through the first `until` layers, in s.x; of its
    last rows the logits y [keep, V]. n/texts rows of each text join what is held, from position `start` on. `tapped` [taps, n, width]: what
    goes into the layers `taps`.

    `tree`: of a block that branches. `draws`: then a token by each pass, which the next one is fed, for a head with what left its own last pass;
    or all of them by one, a token by each row of y.

    Rows that need no work of their own: the last `alike` of the first pass, of one text, go into the first layer with the same numbers, which become
    queries, keys and values once; of its first `spare` nothing is asked past the last layer's keys and values, and what they hold in s.x is no result.

    `dims`: heads, kv_heads, texts. `rotation` [context, 2, size/2]. `rank` 0 is whoever calls this, `team` how many threads it may have: those
    that are there join it, and wait for each other at barriers of this `state` (threads.py)."""
    if rank == 0 and team > 1:
        team = gather(state, team, this_call())
    x, wide, n, joined = s.x, s.normed[rank], max(len(feed), len(features)), len(entry.feature_norm) > 0
    # a thread goes on without the others where it needs only what it made itself
    size, inner = rotation.shape[2] * 2, s.gated.shape[1]
    heads_whole, gate_whole = team > 1 and size % PANEL == 0 and dims[1] % team == 0, team > 1 and inner % PANEL == 0
    first, end = share(inner // PANEL, rank, team)
    # what no other thread reads has rows of its own: a processor that fetches ahead would take what another writes beside them
    mine = rank * len(x)
    summed, qkv, gate_up = s.summed[mine:], s.qkv[mine if heads_whole else 0 :], s.gate_up[mine if gate_whole else 0 :]
    for step in range(max(1, len(draws.ids) - len(y) + 1)):
        tokens, last = feed, n - 1
        if step:
            tokens, start, n = draws.ids[step - 1 : step], start + n, 1
        enter(x, n, tokens, features, step, last, entry, beside, eps, rank, team)
        barrier(state, team)
        if joined:
            onto(x, n, beside, entry.join, summed, wide, rank, team)
            barrier(state, team)
        for layer in range(until):
            if rank == 0:
                for t in range(len(taps)):
                    if taps[t] == layer:
                        copy(x, 0, n, tapped[t])
            before = beside.shape[1] if layer == 0 and not joined else 0
            made = n - alike + 1 if layer == 0 and step == 0 and alike else n
            for m in range(n):
                for k in range(before):
                    wide[m, k] = beside[m, k]
            norms(x, 0, n, w.attention_norm[layer], eps, wide, before)
            if heads_whole:
                join_heads(wide, made, w.qkv[layer], qkv, dims, size, rank, team)
            else:
                ours(wide, made, w.qkv[layer], qkv, rank, team)
                barrier(state, team)
            heads_of(w, kv_cache, s, qkv, n, made, rotation, dims, eps, layer, start, tree, rank, team)
            barrier(state, team)
            gone = spare if layer + 1 == until and step == 0 else 0
            rows, asked = n - gone, x[gone:]
            onto(asked, rows, s.attended[gone:], w.out[layer], summed, wide, rank, team)
            barrier(state, team)
            norms(asked, 0, rows, w.mlp_norm[layer], eps, wide, 0)
            if gate_whole:
                for half in (0, inner // PANEL):
                    product(wide, rows, w.gate_up[layer], gate_up, w.gate_up.shape[2], half + first, half + end)
                gate(gate_up, rows, s.gated, first * PANEL, end * PANEL)
            else:
                ours(wide, rows, w.gate_up[layer], gate_up, rank, team)
                barrier(state, team)
                columns = share(inner, rank, team)
                gate(gate_up, rows, s.gated, columns[0], columns[1])
            barrier(state, team)
            onto(asked, rows, s.gated, w.down[layer], summed, wide, rank, team)
            barrier(state, team)
        keep = y.shape[0]
        if keep:
            norms(x, n - keep, keep, exit.norm, eps, wide, 0)
            ours(wide, keep, exit.matrix, y, rank, team)
            barrier(state, team)
        if len(draws.ids):
            if len(draws.before) == 0:
                for row in range(rank, keep, team):
                    draw(y[row, : draws.known], draws, step + row)
            elif rank == 0:
                for row in range(keep):
                    if row:
                        follow(y[row, : draws.known], draws, step + row - 1)
                    draw(y[row, : draws.known], draws, step + row)
            barrier(state, team)
    if rank == 0 and team > 1:
        disband(state, team)


@compiled
def multiply(x, w, y):
    """y [n, N] = x [n, K]·Wᵀ."""
    product(x, x.shape[0], w, y, w.shape[1], 0, w.shape[0])


@compiled
def normalise(x, weight, eps, y):
    """y [n, width] = the norm of each row of x."""
    norms(x, 0, len(x), weight, eps, y, 0)


@compiled
def look_up(ids, w, x):
    """x [n, K] = rows `ids` of packed w."""
    embed(ids, w, x)
