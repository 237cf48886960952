"""The parts of a layer for the few rows of decoding on a GPU (modules.py), as Triton kernels: five where PyTorch takes a dozen.

Attention over a long cache and few queries is split by pieces of the cache, so that all of the GPU reads; what the pieces found is
joined by the rule of the online softmax (flash-decoding: Dao, Haziza, Massa, Sizov 2023). Pieces past the end of the text are not
read. Sums are float32 whatever the weights are, and a piece is always the same positions: so a row's result depends neither on how
many rows are beside it nor on how long the cache is.

Without a GPU they run under Triton's interpreter (TRITON_INTERPRET=1), which is how tests/engine/backends/pytorch/test_kernels.py
looks at them.
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

from .modules import Branches, Norm, TorchParts

PIECE_POSITIONS = 64  # positions of the cache that one program reads
ROWS = 16  # and queries that it attends with: the least that a matrix unit takes. Never fewer, or sums would change their order
JOINED_PIECES = 16  # pieces that are joined at once
COLUMNS = 1024  # of a gate that one program computes


@dataclass(frozen=True, slots=True)
class CachePlace:
    """n positions of every text, the first of them `on` positions after `start` [1]. `tree`: depths [n] and sees [n, open] of a block that
    branches, and how many rows of it are open; None, None, n of a chain."""

    start: torch.Tensor
    on: int
    n: int
    tree: tuple[torch.Tensor | None, torch.Tensor | None, int]


class FusedParts(TorchParts):
    """By kernels of our own. Blocks are to be short: what a piece found is kept for every row."""

    def __init__(self, shape, rotation: torch.Tensor):
        super().__init__(shape, rotation)
        self.cos_sin = torch.view_as_real(rotation).contiguous()  # [context, 1, size/2, 2]: cos and sin
        self.half, self.dims = triton.next_power_of_2(shape.size // 2), max(16, triton.next_power_of_2(shape.size))

    # what it returns is for `attention` of the same class only
    def positions(self, start: torch.Tensor, on: int, n: int, bound: int, dtype, tree: Branches | None = None) -> CachePlace:  # type: ignore[override]
        return CachePlace(
            start, on, n, (None, None, n) if tree is None else (tree.depths, tree.sees.contiguous(), tree.sees.shape[1])
        )

    def norm(self, norm: Norm, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        block = triton.next_power_of_2(norm.size)
        _norm[(len(x),)](x, norm.weight, out, norm.eps, norm.size, block, num_warps=8 if block > 1024 else 4)
        return out

    def attention(self, qkv, qk_norm, cache, positions):
        s, n, bound, texts = self.shape, positions.n, cache.shape[2], len(qkv) // positions.n
        heads = s.heads, s.kv_heads, s.size
        weight, eps = (None, 0.0) if qk_norm is None else (qk_norm.weight, qk_norm.eps)
        where, (depths, sees, open_rows) = (positions.start, positions.on, n), positions.tree
        _keep[(texts * n, s.heads + 2 * s.kv_heads)](
            qkv, self.cos_sin, weight, cache, depths, *where, open_rows, texts, bound, eps, *heads, self.half
        )
        rows, pieces = self.group * n, triton.cdiv(bound, PIECE_POSITIONS)
        sums = torch.empty((texts * s.kv_heads, pieces, rows, self.dims), dtype=torch.float32, device=qkv.device)
        scales = sums.new_empty((texts * s.kv_heads, pieces, rows, 2))
        grid = texts * s.kv_heads, pieces, triton.cdiv(rows, ROWS)
        arguments = qkv, cache, sums, scales, sees, *where, open_rows, texts, bound, rows, pieces, s.size**-0.5
        # with 4 warps float32 does not fit into the registers
        _attend[grid](*arguments, *heads, self.dims, ROWS, PIECE_POSITIONS, num_warps=8)
        out = torch.empty((len(qkv), s.heads * s.size), dtype=qkv.dtype, device=qkv.device)
        _join[(texts * s.kv_heads, rows)](
            sums, scales, out, *where, rows, pieces, *heads, self.dims, PIECE_POSITIONS, JOINED_PIECES
        )
        return out

    def swiglu(self, gate_up):
        rows, inner = len(gate_up), gate_up.shape[1] // 2
        out = torch.empty((rows, inner), dtype=gate_up.dtype, device=gate_up.device)
        _gate[(rows, triton.cdiv(inner, COLUMNS))](gate_up, out, inner, COLUMNS)
        return out


@triton.jit
def _norm(x, weight, out, eps, size, BLOCK: tl.constexpr):
    """A row of RMSNorm."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    here = at < size
    values = tl.load(x + row * size + at, here, 0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, 0) / size + eps)
    tl.store(out + row * size + at, values * scale * tl.load(weight + at, here, 0.0).to(tl.float32), here)


@triton.jit(do_not_specialize=["on", "n", "open_rows"])
def _keep(
    qkv,
    cos_sin,
    weight,
    cache,
    depths,
    start,
    on,
    n,
    open_rows,
    texts,
    bound,
    eps,
    HEADS: tl.constexpr,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    HALF: tl.constexpr,
):
    """One head of one position: a query or key is normalised (if there is a weight) and rotated; keys and values go to the cache."""
    row, head = tl.program_id(0), tl.program_id(1)
    text, at = row // n, tl.load(start) + on + row % n
    position = at if depths is None else tl.load(start) + on + n - open_rows + tl.load(depths + row % n)
    source = qkv + (row * (HEADS + 2 * KV) + head) * SIZE
    pair = tl.arange(0, HALF)
    here = pair < SIZE // 2
    a = tl.load(source + 2 * pair, here, 0.0).to(tl.float32)
    b = tl.load(source + 2 * pair + 1, here, 0.0).to(tl.float32)
    if head < HEADS + KV:
        if weight is not None:
            scale = tl.rsqrt(tl.sum(a * a + b * b, 0) / SIZE + eps)
            a *= scale * tl.load(weight + head * SIZE + 2 * pair, here, 0.0).to(tl.float32)
            b *= scale * tl.load(weight + head * SIZE + 2 * pair + 1, here, 0.0).to(tl.float32)
        cos = tl.load(cos_sin + (position * (SIZE // 2) + pair) * 2, here, 0.0)
        sin = tl.load(cos_sin + (position * (SIZE // 2) + pair) * 2 + 1, here, 0.0)
        rotated = a * cos - b * sin
        b = a * sin + b * cos
        a = rotated
    if head < HEADS:
        tl.store(source + 2 * pair, a, here)
        tl.store(source + 2 * pair + 1, b, here)
    else:
        kind, key = (head - HEADS) // KV, (head - HEADS) % KV
        slot = cache + (((kind * texts + text) * KV + key).to(tl.int64) * bound + at) * SIZE
        tl.store(slot + 2 * pair, a, here)
        tl.store(slot + 2 * pair + 1, b, here)


@triton.jit(do_not_specialize=["on", "n", "open_rows", "rows"])
def _attend(
    qkv,
    cache,
    sums,
    scales,
    sees,
    start,
    on,
    n,
    open_rows,
    texts,
    bound,
    rows,
    pieces,
    scale,
    HEADS: tl.constexpr,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    DIMS: tl.constexpr,
    ROWS: tl.constexpr,
    PIECE: tl.constexpr,
):
    """One piece of one key head's cache, for ROWS of the queries that share it: the weighted sum of its values, unnormalised, to sums
    [heads, pieces, rows, DIMS], the largest score and the sum of the weights to scales [heads, pieces, rows, 2]."""
    head, piece, block = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    text, key = head // KV, head % KV
    text_length = tl.load(start) + on
    if piece * PIECE < text_length + n:
        row, dim, at = block * ROWS + tl.arange(0, ROWS), tl.arange(0, DIMS), piece * PIECE + tl.arange(0, PIECE)
        i, query = row % n, key * (HEADS // KV) + row // n
        real, wide, in_cache = row < rows, dim < SIZE, at < bound
        keys = cache + head.to(tl.int64) * bound * SIZE
        values = cache + (texts * KV + head).to(tl.int64) * bound * SIZE
        # all of the cache is asked for before anything is computed: to wait for memory once, not twice
        k = tl.load(keys + at[None, :] * SIZE + dim[:, None], in_cache[None, :] & wide[:, None], 0.0)
        v = tl.load(values + at[:, None] * SIZE + dim[None, :], in_cache[:, None] & wide[None, :], 0.0)
        q = tl.load(
            qkv + ((text * n + i) * (HEADS + 2 * KV) + query)[:, None] * SIZE + dim[None, :], real[:, None] & wide[None, :], 0.0
        )
        scores = tl.dot(q, k, input_precision="ieee") * scale
        if sees is None:
            visible = at[None, :] <= text_length + i[:, None]
        else:  # the text, and the rows after it that this one follows
            after = at - (text_length + n - open_rows)
            branch = tl.load(sees + i[:, None] * open_rows + after[None, :], (after >= 0) & (after < open_rows), 0)
            visible = (after < 0)[None, :] | (branch != 0)
        scores = tl.where(visible, scores, float("-inf"))
        peak = tl.max(scores, 1)  # −∞ for a row that sees nothing of this piece
        weights = tl.exp(scores - tl.where(peak == float("-inf"), 0.0, peak)[:, None])
        output = tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        to = (head * pieces + piece) * rows + row
        tl.store(sums + to[:, None] * DIMS + dim[None, :], output, real[:, None])
        tl.store(scales + to * 2, peak, real)
        tl.store(scales + to * 2 + 1, tl.sum(weights, 1), real)


@triton.jit(do_not_specialize=["on", "n", "rows"])
def _join(
    sums,
    scales,
    out,
    start,
    on,
    n,
    rows,
    pieces,
    HEADS: tl.constexpr,
    KV: tl.constexpr,
    SIZE: tl.constexpr,
    DIMS: tl.constexpr,
    PIECE: tl.constexpr,
    JOINED: tl.constexpr,
):
    """One row: what all pieces found, as if it had been one softmax. The first piece holds position 0, which every row sees."""
    head, row = tl.program_id(0), tl.program_id(1)
    text, key = head // KV, head % KV
    dim, count = tl.arange(0, DIMS), (tl.load(start) + on + n - 1) // PIECE + 1
    peak, total, output = float("-inf"), 0.0, tl.zeros((DIMS,), tl.float32)
    for first in range(0, count, JOINED):
        piece = first + tl.arange(0, JOINED)
        here = piece < count
        at = (head * pieces + piece) * rows + row
        peaks = tl.load(scales + at * 2, here, float("-inf"))
        higher = tl.maximum(peak, tl.max(peaks, 0))
        before, each = tl.exp(peak - higher), tl.exp(peaks - higher)
        total = total * before + tl.sum(each * tl.load(scales + at * 2 + 1, here, 0.0), 0)
        rest = tl.load(sums + at[:, None] * DIMS + dim[None, :], here[:, None], 0.0)
        output = output * before + tl.sum(each[:, None] * rest, 0)
        peak = higher
    to = out + (text * n + row % n) * (HEADS * SIZE) + (key * (HEADS // KV) + row // n) * SIZE
    tl.store(to + dim, output / total, dim < SIZE)


@triton.jit
def _gate(gate_up, out, inner, COLUMNS: tl.constexpr):
    """silu(gate)·up of COLUMNS of a row."""
    row, at = tl.program_id(0), tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    here = at < inner
    gate = tl.load(gate_up + row * 2 * inner + at, here, 0.0).to(tl.float32)
    up = tl.load(gate_up + row * 2 * inner + inner + at, here, 0.0).to(tl.float32)
    tl.store(out + row * inner + at, gate * tl.sigmoid(gate) * up, here)
