"""Figures of a GPU are ratios of runs, and of several the worst."""

import pytest

from scripts.gpu.figures import compared, figures
from specviz.lab.measure import Run


def test_predicted_speedup_is_tokens_a_round_over_what_drafting_and_verifying_cost():
    one = {"ids": tuple(range(100)), "wall": 0.0, "tested": 0, "accepted": 0, "betas": (), "blocks": 0, "first_accepted": 0}
    alone = Run(**one, decode=500.0, rounds=100, drafted=0, forwards=0, draft=0.0, verify=400.0)
    mine = Run(**one, decode=250.0, rounds=40, drafted=160, forwards=160, draft=64.0, verify=176.0)
    found = compared([alone], [mine])
    assert (found["c"], found["v"]) == pytest.approx((0.1, 1.1))
    assert found["tokens_a_round"] == 2.5 and found["speedup"] == 2.0
    assert found["predicted"] == pytest.approx(2.5 / (4 * 0.1 + 1.1))
    assert found["measured_vs_predicted"] == pytest.approx(2.0 / (2.5 / 1.5))


def test_the_figures_are_the_worst_of_what_was_measured_at_the_context_they_are_of_and_null_where_nothing_was():
    row = {
        "context": 1024,
        "K": 4,
        "measured_vs_predicted": 0.95,
        "vs_assisted": 3.0,
        "host_gap": 0.02,
        "observing": 1.01,
        "same_text": True,
    }
    base = {"context": 1024, "floor_of_measured": 0.85, "vs_generate": 2.4}
    rows = [
        row,
        row | {"measured_vs_predicted": 0.91, "host_gap": 0.025},
        row | {"K": 12, "measured_vs_predicted": 0.5, "vs_assisted": None},
    ]
    rows += [row | {"context": 128, "measured_vs_predicted": 0.1}]
    said = figures({"synthetic": {"T, d": {"vanilla": [base, base | {"context": 128, "floor_of_measured": 0.2}], "rows": rows},
                                  "other, d": {"vanilla": [], "rows": [row | {"measured_vs_predicted": 0.0, "same_text": False}]}}}, "T", 1024)  # fmt: skip
    assert said["vanilla_vs_floor"] == 0.85 and said["vanilla_vs_generate"] == 2.4
    assert said["measured_vs_predicted_min"] == 0.91 and said["host_gap"] == 0.025 and said["speculative_vs_assisted"] == 3.0
    assert set(figures({}, "T", 1024).values()) == {None}


def test_trees_are_held_against_the_chain_of_the_same_drafter_and_the_drafter_that_gains_least_counts():
    def block(tokens: float, speedup: float) -> dict:
        return {"tokens_a_round": tokens, "speedup": speedup}

    small, eagle = [block(2.0, 1.5), block(2.6, 1.8), block(3.0, 1.2)], [block(2.0, 1.1), block(2.4, 0.9)]
    said = figures({"trees": {"small": small, "eagle": eagle}}, "T", 1024)
    assert said["tree_tokens_over_chain"] == pytest.approx(1.2) and said["tree_best_speedup"] == 1.8
    only_a_chain = figures({"trees": {"small": small[:1]}}, "T", 1024)
    assert only_a_chain["tree_tokens_over_chain"] is None and only_a_chain["tree_best_speedup"] is None
