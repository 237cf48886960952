"""Drafters beside each other: what is said of pairs of runs, and when their times are not to be trusted."""

import pytest

from specviz.lab.compare import drafter_row
from specviz.lab.measure import RunPair, disturbed, trusted_clock

from .made_up import fake_run


def pairs(*times: tuple[float, float], vanilla: dict | None = None, mine: dict | None = None) -> list[RunPair]:
    return [RunPair(fake_run(a, rounds=20, **(vanilla or {})), fake_run(b, **(mine or {}))) for a, b in times]


def test_the_middle_pair_counts_and_the_lowest_and_the_highest_are_told():
    got = drafter_row("x", pairs((100, 50), (90, 60), (120, 80)), fake_run(50))
    assert (got.low, got.speedup, got.high) == (1.5, 1.5, 2.0)
    got = drafter_row("x", pairs((100, 50), (90, 60), (128, 80)), fake_run(50))
    assert (got.low, got.speedup, got.high, got.clock) == (1.5, 1.6, 2.0, "wall")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"vanilla": {"processor_share": 0.97}, "mine": {"processor_share": 0.95, "stalled": 0.02}}, False),
        ({"vanilla": {"processor_share": 0.7}, "mine": {"processor_share": 0.97}}, True),
        ({"mine": {"processor_share": 0.6}}, True),
        ({"mine": {"stalled": 0.4}}, True),
        ({}, False),  # where nobody tells
    ],
)
def test_a_lane_that_was_kept_waiting_disturbs_its_row(how, says):
    assert disturbed(pairs((100, 60), (100, 60), (100, 60), **how)) is says


def test_a_speedup_above_the_tokens_of_a_round_cannot_be():
    assert disturbed(pairs((228, 100))) and not disturbed(pairs((195, 100)))


def test_beside_other_programs_a_row_is_by_processor_time_unless_that_cannot_be_either():
    half = {"processor_share": 0.5}
    row = drafter_row("x", pairs((100, 60), (120, 70), vanilla=half, mine={"processor_share": 0.45}), fake_run(50))
    assert row.clock == "processor" and row.low == pytest.approx(100 * 0.5 / (60 * 0.45))
    assert trusted_clock(pairs((228, 100), vanilla=half, mine=half)) is None
    assert trusted_clock(pairs((100, 60), mine=half)) is None  # of the vanilla lane nobody knows it


def test_one_disturbed_pair_of_three_is_outvoted():
    mixed = [*pairs((100, 60), mine={"processor_share": 0.5}), *pairs((100, 60), (100, 60), mine={"processor_share": 0.99})]
    assert not disturbed(mixed)
