"""A weight matrix laid out for tile.py, and its product with a few rows or many.

W [N, K] becomes panels of 32 outputs, padded with zeros: in a panel, column after column, the 32 weights that one value of x meets. It
keeps the type it was stored in, of bf16 two to a word; nothing else of it is kept: [⌈N/32⌉, K, 16] of uint32, or [⌈N/32⌉, K, 32] of
float16 as uint16, or of float32. In blocks of 32 columns, behind 32 scales: [⌈N/32⌉, K, 20] of uint8 for 4 bits, [⌈N/32⌉, K, 34] of int8
for 8.
"""

from .compiler import device_function
from .tile import PANEL, ROWS, ROWS_OF_BLOCKS, ROWS_OF_TWO, element, tile


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
def thread_share(n, rank, team):
    """Which of n items thread `rank` of `team` does: from, to."""
    return n * rank // team, n * (rank + 1) // team


@device_function
def product(x, n, w, y, columns, panel, end):
    """y [n, N] = x [n, ≥ columns]·Wᵀ over the first `columns` of packed w: the outputs of its panels from `panel` to `end`.

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
