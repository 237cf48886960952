"""Products of settings: `make test` meets every value of two of them, every pair of three or as many, of one as many as are named; all
cells are met by `make test-all`."""

from collections.abc import Iterable
from itertools import combinations, product

import pytest


def some(values: Iterable, *met) -> list:
    """The values of one axis, for a parametrize. What is met in any case: those that are named, by default every second one."""
    values = list(values)
    return [value if value in (met or values[::2]) else pytest.param(value, marks=pytest.mark.full) for value in values]


def later(rows: Iterable[tuple]) -> list:
    """Rows of several axes that only `make test-all` meets."""
    return [pytest.param(*row, marks=pytest.mark.full) for row in rows]


def every(together: int | None = None, **axes: Iterable):
    """A parametrize over the product of the axes, a name each. What is met in any case: all values of any `together` axes, by default of
    all but one. Other cells are marked full. Values are shown as they are written."""
    values = [list(axis) for axis in axes.values()]
    cover = set(covering([len(axis) for axis in values], together))
    cells = []
    for cell in product(*(range(len(axis)) for axis in values)):
        picked = [axis[i] for axis, i in zip(values, cell, strict=True)]
        marks = [] if cell in cover else [pytest.mark.full]
        cells.append(pytest.param(*picked, marks=marks, id="-".join(getattr(value, "__name__", str(value)) for value in picked)))
    return pytest.mark.parametrize(tuple(axes), cells)


def covering(sizes: list[int], together: int | None = None) -> list[tuple[int, ...]]:
    """Cells of a product, few of them, in which all values of any `together` axes meet, by default of all but one."""
    axes = list(combinations(range(len(sizes)), together or len(sizes) - 1))
    cells = list(product(*map(range, sizes)))

    def parts(cell: tuple[int, ...]) -> set:
        return {(some, tuple(cell[axis] for axis in some)) for some in axes}

    missing, cover = set().union(*map(parts, cells)), []
    while missing:
        cover.append(max(cells, key=lambda cell: len(parts(cell) & missing)))
        missing -= parts(cover[-1])
    return cover
