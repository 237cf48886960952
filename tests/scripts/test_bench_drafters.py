"""What the drafters' benchmark makes of runs: tokens a round by rule, and how well acceptance by position foretells them."""

import pytest

from scripts.bench_drafters import RULES, SEEDS, a_round, over, position_error
from specviz.config import DecodeConfig
from specviz.lab.measure import Run, positions
from tests.picture.test_account import speculative


def run_of(*kept: int) -> Run:
    """A run whose rounds kept so many of four."""
    rounds = speculative(*kept)
    accepted = sum(kept)
    return Run(
        tuple(range(accepted + len(kept))), 1.0, 1.0, len(kept), 4 * len(kept), accepted, accepted, 0, 0.0, 0.0, (), 0, 0,
        positions=positions([r.drafted for r in rounds]),
    )  # fmt: skip


def test_every_rule_of_the_table_is_one_that_is_exact():
    assert all(DecodeConfig(**how).exact for how in RULES.values())


def test_tokens_a_round_are_over_all_rounds_and_rules_are_compared_story_by_story():
    base, better = [run_of(0, 2)] * 2 * SEEDS, [run_of(1, 3)] * SEEDS + [run_of(0, 2)] * SEEDS
    assert a_round(base) == 2
    ruled = {("small", "base", 1.0): base, ("small", "better", 1.0): better}
    assert over(ruled, "better", "base") == pytest.approx((3 / 2 + 1) / 2)


def test_positions_of_one_half_foretell_the_other_where_they_are_alike():
    assert position_error([run_of(4, 2, 0, 1), run_of(1, 0, 2, 4)]) == pytest.approx(0)
    assert position_error([run_of(4, 4), run_of(0, 0)]) == pytest.approx(4)


def test_a_position_counts_the_blocks_that_tested_it():
    assert run_of(4, 2, 0, 1).positions == ((4, 3), (3, 2), (2, 1), (1, 1))
