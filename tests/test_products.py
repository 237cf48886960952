"""What is left out of a product leaves no value of two settings and no pair of three unmet."""

from itertools import product

import pytest

from .products import covering, every, some


@pytest.mark.parametrize("sizes", [(1, 1), (3, 5), (9, 6, 2), (2, 3, 4)], ids=str)
def test_every_value_of_two_and_every_pair_of_three_is_met(sizes):
    cells = covering(list(sizes))
    for left in range(len(sizes)):  # of all axes but this one every combination
        others = [axis for axis in range(len(sizes)) if axis != left]
        met = {tuple(cell[axis] for axis in others) for cell in cells}
        assert met == set(product(*(range(sizes[axis]) for axis in others)))
    assert len(set(cells)) == len(cells) <= max(sizes) * sorted(sizes)[-2] ** (len(sizes) - 2) + 2


def test_the_whole_product_is_there_and_only_what_is_left_out_is_marked():
    cells = every(a="xyz", b=[1, 2]).args[1]
    assert [cell.values for cell in cells] == list(product("xyz", [1, 2]))
    assert sum(not cell.marks for cell in cells) == 3 and {mark.name for cell in cells for mark in cell.marks} == {"full"}


def test_of_one_axis_every_second_value_is_met_or_those_that_are_named():
    def met(values):
        return [value for value in values if not hasattr(value, "marks")]

    assert met(some("abcde")) == ["a", "c", "e"] and met(some("abcde", "d")) == ["d"]
    assert [value.values for value in some("abc", "b") if hasattr(value, "marks")] == [("a",), ("c",)]
