"""A Llama's forward pass as one compiled function: what it computes, line by line, is the definition.

Rows are positions. Whatever is summed is summed in an order that depends on the row alone, so its logits are the same bits alone and in a
block, on one thread and on several: speculative and vanilla greedy decoding cannot part here.

A weight matrix is laid out for tile.py. W [N, K] becomes panels of 32 outputs, padded with zeros: in a panel, column after
column, the 32 weights that one value of x meets. It keeps the type it was stored in, of bf16 two to a word; nothing else of it is
kept: [⌈N/32⌉, K, 16] of uint32, or [⌈N/32⌉, K, 32] of float16 as uint16, or of float32. In blocks of 32 columns (blocks.py)
[⌈N/32⌉, K, 20] of uint8 for 4 bits, [⌈N/32⌉, K, 34] of int8 for 8.
"""

from typing import NamedTuple

import numpy as np

from .blocks import ROWS_OF_BLOCKS, quantise
from .compiler import compiled, device_function, inline
from .registers import PANEL
from .threads import barrier, close_pass, open_pass, this_call
from .tile import ROWS, ROWS_OF_TWO, element, tile
from .vector import argmax, exp, norm, rotate, sample, softmax, softmax_at_temperature, softmax_path


def padded_length(n: int) -> int:
    """Outputs of the whole panels that hold n."""
    return -(-n // PANEL) * PANEL


@device_function
def embed_rows(ids, w, x):
    """Rows `ids` [n] of a packed table into x [n, ≥ K]."""
    for m in range(len(ids)):
        for k in range(w.shape[1]):
            x[m, k] = element(w, ids[m], k)


@device_function
def copy(x, first, n, to):
    """n rows of x, from `first` on. To assign slices would bring the code of its error message along: 4 s to compile."""
    for m in range(n):
        for k in range(x.shape[1]):
            to[m, k] = x[first + m, k]


@device_function
def product_rows(x, n, w):
    """The first n rows of x as a product with w takes them, in their place: as blocks of whole numbers, where w is in blocks."""
    for m in range(n):
        quantise(x, m, w)


@device_function
def thread_share(n, rank, team):
    """Which of n items thread `rank` of `team` does: from, to."""
    return n * rank // team, n * (rank + 1) // team


@device_function
def product(x, n, w, y, columns, panel, end):
    """y [n, N] = x [n, ≥ columns]·Wᵀ over the first `columns` of packed w: the outputs of its panels from `panel` to `end`. Of w
    in blocks x is what `product_rows` made of it.

    Panels are outermost, so that a weight comes from memory once, whatever n is; rows go in groups that differ by one at most. Few groups
    count for more than two panels at once: while a group after the first multiplies, nothing comes from memory."""
    rows, both = (ROWS_OF_BLOCKS, False) if w.itemsize == 1 else (ROWS, n <= ROWS_OF_TWO)
    groups = (n + rows - 1) // rows
    while panel < end:
        panels = 2 if both and panel + 1 < end else 1
        for g in range(groups):
            first, last = thread_share(n, g, groups)
            tile(x, w, y, first, last - first, panel, panels, columns)
        panel += panels


class PackedLayers(NamedTuple):
    """Weights of L layers, one array of each kind: packed products with L in front, the rest in float32.

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
    """How the tokens of a block are drawn: token i with u[i], from the softmax q[i] at a temperature of the first `vocabulary`
    logits, or as the largest of them: by `argmax`, and where u and q are empty."""

    vocabulary: int
    columns: np.ndarray  # [known], where these logits lie among those of q, in ascending order; [0]: at its beginning
    temperature: np.float32
    argmax: bool
    u: np.ndarray  # [k] float64, or [0]
    q: np.ndarray  # [k, V], or [0, ·]
    ids: np.ndarray  # [k], which is found; [0]: nothing is drawn
    # what the token before adds to the logits of each row after the first: after·before[id], worked out in `link_logits` [1, V]
    before: np.ndarray  # [V, rank], or [0, ·]
    after: np.ndarray  # packed [V, rank]
    link_logits: np.ndarray


class TreeArrays(NamedTuple):
    """What n rows of a block that branches see, beside the `text_length` positions of the text: row m the first `depths[m]` + 1
    of `paths[m]`, which count from the text's end; the last of them is the row itself. Without rows, [0, 0] and [0], the block is
    a chain."""

    text_length: int
    paths: np.ndarray
    depths: np.ndarray


class Workspace(NamedTuple):
    """Room for what a pass over n rows works out on its way."""

    x: np.ndarray  # [n, width], what goes from layer to layer
    inputs: np.ndarray  # [threads, n, ·], the rows that a thread multiplies next: normed, with what may stand beside, or copied
    qkv: np.ndarray  # [threads·n, queries, keys and values]
    queries: np.ndarray  # [threads, n·group, size], of one key head
    scores: np.ndarray  # [threads, ·, capacity], of as many of them as attend at once
    head_outputs: np.ndarray  # [threads, n·group, size], padded
    attention: np.ndarray  # [n, heads·size]
    products: np.ndarray  # [threads·n, width], padded
    gate_up: np.ndarray  # [threads·n, 2·inner]
    mlp: np.ndarray  # [n, inner]


@inline
def attend(queries, rows, keys, values, scores, outputs, start, rows_per_text, tree):
    """found [rows, size] = softmax(queries·keys/√size)·values: row r is at position start + r // (rows/each), and sees what is up
    to there, or its path of the tree. As many rows at once as `scores` has room for, which stays in the nearest caches, over what
    the last of them sees: what would come after counts nothing, and adding nothing changes no sum."""
    size, group, limit = queries.shape[1], rows // rows_per_text, len(scores)
    scale = np.float32(1.0) / np.sqrt(np.float32(size))
    for first in range(0, rows, limit):
        n = min(limit, rows - first)
        end = start + (rows_per_text if len(tree.depths) else (first + n - 1) // group + 1)
        product(queries[first:], n, keys, scores, size, 0, (end + PANEL - 1) // PANEL)
        for r in range(n):
            m = (first + r) // group
            if len(tree.depths):
                softmax_path(scores[r], scale, tree.text_length, tree.paths[m, : tree.depths[m] + 1], end)
            else:
                softmax(scores[r], scale, start + m + 1, end)
        product(scores, n, values, outputs[first:], end, 0, values.shape[0])


@inline
def product_share(x, n, w, y, rank, team):
    """y [n, ·] = x·Wᵀ, in the columns that are this thread's."""
    first, end = thread_share(w.shape[0], rank, team)
    product(x, n, w, y, w.shape[1], first, end)
    return first * PANEL, end * PANEL


@inline
def qkv_share(x, n, w, y, dims, size, rank, team):
    """y [n, ·] = x·Wᵀ of queries, keys and values, of the key heads that are this thread's, where heads are whole panels."""
    heads, kv_heads, _ = dims
    first, end = thread_share(kv_heads, rank, team)
    group, wide = heads // kv_heads, size // PANEL
    product(x, n, w, y, w.shape[1], first * group * wide, end * group * wide)
    for part in (heads, heads + kv_heads):
        product(x, n, w, y, w.shape[1], (part + first) * wide, (part + end) * wide)


@inline
def add_product(x, n, y, w, products, own_rows, rank, team):
    """x [n, ·] += y·Wᵀ, in the columns that are this thread's. Of several rows each thread copies y into its `own_rows` first: a
    copy asks for all lines that another thread wrote at once, a product for one after the other. Of w in blocks there become
    blocks of y."""
    copied = (team > 1 and n > 1) or w.itemsize == 1
    if copied:
        copy(y, 0, n, own_rows)
        product_rows(own_rows, n, w)
    first, end = product_share(own_rows if copied else y, n, w, products, rank, team)
    for m in range(n):
        for k in range(first, min(end, x.shape[1])):
            x[m, k] += products[m, k]


@inline
def swiglu(gate_up, n, mlp, first, end):
    """gated [n, ·] = silu(gate)·up, in the columns from `first` to `end`; silu(g) = g/(1 + e^−g)."""
    for m in range(n):
        for k in range(first, end):
            g = gate_up[m, k]
            small = exp(-abs(g))
            sigmoid = (np.float32(1.0) if g >= 0 else small) / (np.float32(1.0) + small)
            mlp[m, k] = g * sigmoid * gate_up[m, mlp.shape[1] + k]


@inline
def attend_heads(w, kv_cache, s, qkv, n, distinct, rotation, dims, eps, layer, start, tree, rank, team):
    """qkv → s.attention, of the key heads that are this thread's: rotate, keep, attend. Rows of qkv from `distinct` on are as the
    one before."""
    heads, kv_heads, texts = dims
    size, group, rows_per_text = rotation.shape[2] * 2, heads // kv_heads, n // texts
    queries, scores, outputs = s.queries[rank], s.scores[rank], s.head_outputs[rank]
    first, end = thread_share(kv_heads, rank, team)
    for key in range(first, end):
        for text in range(texts):
            keys, values = kv_cache.keys[layer, text, key], kv_cache.values[layer, text, key]
            for m in range(
                rows_per_text - 1, -1, -1
            ):  # a row that others are as comes after them: what is rotated is rotated in place
                row, at = qkv[text * rows_per_text + m], start + m
                turn = rotation[tree.text_length + tree.depths[m] if len(tree.depths) else at]
                for j in range(group + 2):  # its queries, then its key, then its value
                    head = key * group + j if j < group else heads + key + (j - group) * kv_heads
                    part = row[head * size : (head + 1) * size]
                    if m >= distinct:
                        for i in range(size):
                            part[i] = qkv[distinct - 1, head * size + i]
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
            attend(queries, group * rows_per_text, keys, values, scores, outputs, start, rows_per_text, tree)
            for j in range(group):
                for m in range(rows_per_text):
                    for i in range(size):
                        s.attention[text * rows_per_text + m, (key * group + j) * size + i] = outputs[m * group + j, i]


@device_function
def rms_norm_rows(x, first, n, weight, eps, y, offset):
    """y [n, ·], from column `offset`, = the norm of n rows of x from `first` on."""
    for m in range(n):
        norm(x[first + m], weight, eps, y[m], offset)


@inline
def make_input(x, n, tokens, features, step, last, entry, side_input, eps, rank, team):
    """What the first layer takes, into x [n, width] and `side_input`: embeddings of tokens, features, or both. Past the first
    step of a block a head's feature is what left its own last pass. Each thread makes rows of its own."""
    width = x.shape[1]
    for m in range(rank, n, team):
        row, token = x[m : m + 1], tokens[m : m + 1]
        if len(features) == 0:
            embed_rows(token, entry.table, row)
            continue
        copy(x if step else features, last if step else m, 1, row)
        embed_rows(token, entry.table, side_input[m : m + 1])
        rms_norm_rows(side_input, m, len(token), entry.token_norm, eps, side_input[m:], 0)
        if len(entry.feature_norm):
            rms_norm_rows(x, m, 1, entry.feature_norm, eps, side_input[m:], width)
            for k in range(width):
                x[m, k] = np.float32(0.0)


@inline
def draw_token(logits, draws, step):
    """One token, by the logits of those that are known. Of a head with a vocabulary of its own q is worked out and drawn from there: the
    target's is six times as large in the assistant, and nearly all of it impossible."""
    own = len(draws.columns) > 0
    if draws.argmax or len(draws.u) == 0:
        at = argmax(logits)
    if len(draws.u):
        q = draws.q[step]
        known = q[: len(logits)] if own else q
        softmax_at_temperature(logits, draws.temperature, known)
        if not draws.argmax:
            at = sample(known, draws.u[step])
        if own:
            end = len(q)
            for j in range(len(logits) - 1, -1, -1):  # from the last: no token's place is before its own
                place, value = draws.columns[j], q[j]
                q[place:end] = np.float32(0.0)
                q[place], end = value, place
            q[:end] = np.float32(0.0)
    draws.ids[step] = draws.columns[at] if own else at


@inline
def add_link(logits, draws, i):
    """What token i adds to the logits of the next."""
    id = draws.ids[i]
    product(draws.before[id : id + 1], 1, draws.after, draws.link_logits, draws.after.shape[1], 0, draws.after.shape[0])
    for v in range(len(logits)):
        logits[v] += draws.link_logits[0, v]


@compiled
def forward_pass(
    feed,
    features,
    entry,
    side_input,
    w,
    kv_cache,
    s,
    rotation,
    dims,
    eps,
    start,
    until,
    taps,
    tap_rows,
    exit,
    y,
    draws,
    tree,
    equal_rows,
    cache_only,
    rank,
    team,
    state,
):
    """A pass, or those of a block, one after the other: between them nothing returns to Python, whose own code would have to come from far
    away each time, since weights have gone through the caches meanwhile.

    A pass takes the ids `feed` [n], or `features` [n, width] as they are, with `side_input` [n, m] put before the first layer's normed
    input; m may be 0. Of both, as heads that draft take them, `side_input` is made here. Through the first `until` layers, in s.x; of its
    last rows the logits y [keep, V]. n/texts rows of each text join what is held, from position `start` on. `tap_rows` [taps, n,
    width]: what goes into the layers `taps`.

    `tree`: of a block that branches. `draws`: then a token by each pass, which the next one is fed, for a head with what left its
    own last pass; or all of them by one, a token by each row of y.

    Rows that need no work of their own: the last `equal_rows` of the first pass, of one text, go into the first layer with the
    same numbers, which become queries, keys and values once; of its first `cache_only` nothing is asked past the last layer's
    keys and values, and what they hold in s.x is no result.

    `dims`: heads, kv_heads, texts. `rotation` [context, 2, size/2]. `rank` 0 is whoever calls this, `team` how many threads it
    may have: those that are there join it, and wait for each other at barriers of this `state` (threads.py)."""
    if rank == 0 and team > 1:
        team = open_pass(state, team, this_call())
    x, inputs, n, joins_features = s.x, s.inputs[rank], max(len(feed), len(features)), len(entry.feature_norm) > 0
    # a thread goes on without the others where it needs only what it made itself
    size, inner = rotation.shape[2] * 2, s.mlp.shape[1]
    own_heads, own_columns = team > 1 and size % PANEL == 0 and dims[1] % team == 0, team > 1 and inner % PANEL == 0
    first, end_panel = thread_share(inner // PANEL, rank, team)
    # what no other thread reads has rows of its own: a processor that fetches ahead would take what another writes beside them
    own_first = rank * len(x)
    products, qkv, gate_up = (
        s.products[own_first:],
        s.qkv[own_first if own_heads else 0 :],
        s.gate_up[own_first if own_columns else 0 :],
    )
    for step in range(max(1, len(draws.ids) - len(y) + 1)):
        tokens, last = feed, n - 1
        if step:
            tokens, start, n = draws.ids[step - 1 : step], start + n, 1
        make_input(x, n, tokens, features, step, last, entry, side_input, eps, rank, team)
        barrier(state, team)
        if joins_features:
            add_product(x, n, side_input, entry.join, products, inputs, rank, team)
            barrier(state, team)
        for layer in range(until):
            if rank == 0:
                for t in range(len(taps)):
                    if taps[t] == layer:
                        copy(x, 0, n, tap_rows[t])
            side_columns = side_input.shape[1] if layer == 0 and not joins_features else 0
            distinct = n - equal_rows + 1 if layer == 0 and step == 0 and equal_rows else n
            for m in range(n):
                for k in range(side_columns):
                    inputs[m, k] = side_input[m, k]
            rms_norm_rows(x, 0, n, w.attention_norm[layer], eps, inputs, side_columns)
            for m in range(n):  # of a head's later layers, which take no tokens
                for k in range(side_columns + x.shape[1], w.qkv.shape[2]):
                    inputs[m, k] = np.float32(0.0)
            product_rows(inputs, n, w.qkv[layer])
            if own_heads:
                qkv_share(inputs, distinct, w.qkv[layer], qkv, dims, size, rank, team)
            else:
                product_share(inputs, distinct, w.qkv[layer], qkv, rank, team)
                barrier(state, team)
            attend_heads(w, kv_cache, s, qkv, n, distinct, rotation, dims, eps, layer, start, tree, rank, team)
            barrier(state, team)
            skipped_rows = cache_only if layer + 1 == until and step == 0 else 0
            rows, output_rows = n - skipped_rows, x[skipped_rows:]
            add_product(output_rows, rows, s.attention[skipped_rows:], w.out[layer], products, inputs, rank, team)
            barrier(state, team)
            rms_norm_rows(output_rows, 0, rows, w.mlp_norm[layer], eps, inputs, 0)
            product_rows(inputs, rows, w.gate_up[layer])
            if own_columns:
                for half in (0, inner // PANEL):
                    product(inputs, rows, w.gate_up[layer], gate_up, w.gate_up.shape[2], half + first, half + end_panel)
                swiglu(gate_up, rows, s.mlp, first * PANEL, end_panel * PANEL)
            else:
                product_share(inputs, rows, w.gate_up[layer], gate_up, rank, team)
                barrier(state, team)
                columns = thread_share(inner, rank, team)
                swiglu(gate_up, rows, s.mlp, columns[0], columns[1])
            barrier(state, team)
            add_product(output_rows, rows, s.mlp, w.down[layer], products, inputs, rank, team)
            barrier(state, team)
        keep = y.shape[0]
        if keep:
            rms_norm_rows(x, n - keep, keep, exit.norm, eps, inputs, 0)
            product_rows(inputs, keep, exit.matrix)
            product_share(inputs, keep, exit.matrix, y, rank, team)
            barrier(state, team)
        if len(draws.ids):
            if len(draws.before) == 0:
                for row in range(rank, keep, team):
                    draw_token(y[row, : draws.vocabulary], draws, step + row)
            elif rank == 0:
                for row in range(keep):
                    if row:
                        add_link(y[row, : draws.vocabulary], draws, step + row - 1)
                    draw_token(y[row, : draws.vocabulary], draws, step + row)
            barrier(state, team)
    if rank == 0 and team > 1:
        close_pass(state, team)


@compiled
def multiply(x, w, y):
    """y [n, N] = x [n, K]·Wᵀ; of w in blocks x is made blocks."""
    product_rows(x, x.shape[0], w)
    product(x, x.shape[0], w, y, w.shape[1], 0, w.shape[0])


@compiled
def normalise(x, weight, eps, y):
    """y [n, width] = the norm of each row of x."""
    rms_norm_rows(x, 0, len(x), weight, eps, y, 0)


@compiled
def embed_ids(ids, w, x):
    """x [n, K] = rows `ids` of packed w."""
    embed_rows(ids, w, x)
