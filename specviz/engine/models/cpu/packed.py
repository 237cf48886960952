"""A weight matrix laid out for tile.py, and its product with a few rows or many.

W [N, K] becomes panels of 32 outputs, padded with zeros: in a panel, column after column, the 32 weights that one value of x meets. It
keeps the type it was stored in, of bf16 two to a word; nothing else of it is kept.
"""

import numpy as np
import torch

from .compiler import part
from .tile import LANES, PANEL, ROWS, WIDTH, element, tile


def pack(weight: torch.Tensor) -> np.ndarray:
    """weight [N, K] → [⌈N/32⌉, K, 16] of pairs of bf16 as uint32, or [⌈N/32⌉, K, 32] of float16 as uint16, or of float32."""
    rows, columns = weight.shape
    kind = weight.dtype if weight.dtype in (torch.bfloat16, torch.float16) else torch.float32
    found = torch.zeros((padded(rows), columns), dtype=kind)
    found[:rows] = weight
    if kind == torch.bfloat16:
        pairs = found.view(-1, 2, LANES, columns).permute(0, 3, 2, 1).contiguous()
        return pairs.view(torch.uint16).numpy().view(np.uint32)[..., 0]
    found = found.view(-1, PANEL, columns).transpose(1, 2).contiguous()
    return found.view(torch.uint16).numpy() if kind == torch.float16 else found.numpy()


def padded(n: int) -> int:
    """Outputs of the whole panels that hold n."""
    return -(-n // PANEL) * PANEL


@part
def embed(ids, w, x):
    """Rows `ids` [n] of a packed table into x [n, K]."""
    for m in range(len(ids)):
        for k in range(x.shape[1]):
            x[m, k] = element(w, ids[m], k)


@part
def share(n, rank, team):
    """Which of n things thread `rank` of `team` does: from, to."""
    return n * rank // team, n * (rank + 1) // team


@part
def product(x, w, y, columns, panel, end):
    """y [n, N] = x [n, ≥ columns]·Wᵀ over the first `columns` of packed w: the outputs of its panels from `panel` to `end`.

    Panels are outermost, so that a weight comes from memory once, whatever n is; rows go in groups that differ by one at most."""
    n = x.shape[0]
    groups = (n + ROWS - 1) // ROWS
    while panel < end:
        panels = min(WIDTH, end - panel)
        for g in range(groups):
            first, last = share(n, g, groups)
            tile(x, w, y, first, last - first, panel, panels, columns)
        panel += panels


@part
def largest(x, n):
    """Of the first n numbers: four at a time, since each comparison waits for the one before."""
    a = b = c = d = x[0]
    for j in range(n // 4):
        a, b, c, d = max(a, x[4 * j]), max(b, x[4 * j + 1]), max(c, x[4 * j + 2]), max(d, x[4 * j + 3])
    for j in range(n - n % 4, n):
        a = max(a, x[j])
    return max(max(a, b), max(c, d))


@part
def total(x, n):
    """Of the first n numbers. A loop that also wrote to another array would be compiled twice, for arrays that lie apart and for those that
    may not, each with its own order of sums: the bits would depend on where in memory they lie."""
    so_far = np.float32(0.0)
    for j in range(n):
        so_far += x[j]
    return so_far
