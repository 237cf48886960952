"""A sweep: its order makes Stop useful, its cells say what was measured, and its prediction is the formula's where that holds."""

from dataclasses import replace

import pytest

from specviz.acceptance import expected_tokens
from specviz.config import DecodeConfig
from specviz.lab.measure import RunPair
from specviz.lab.sweep import Sweep, SweepPoint, sweep

from .made_up import ByTheFormula

ALPHA, COST = {"good": 0.8, "cheap": 0.3, "poor": 0.2}, {"good": 0.2, "cheap": 0.01, "poor": 0.5}
V = 0.1
once = ByTheFormula(ALPHA, COST, V)


def steps(*args, **how) -> list[Sweep]:
    return list(sweep(once, *args, **how))


def test_cells_have_what_was_measured_and_the_formula_agrees_where_it_holds():
    result = steps(ALPHA, (1, 2, 4), turns=2)[-1]
    assert result.done == result.of == 18 and len(result.cells) == 9
    for cell in result.cells:
        c, alpha = COST[cell.where.drafter], ALPHA[cell.where.drafter]
        assert (cell.c, cell.alpha, cell.v) == (pytest.approx(c), alpha, pytest.approx(1 + V * cell.where.K))
        assert cell.predicted == pytest.approx(cell.speedup.median, rel=0.01) and cell.speedup.runs == 2
        assert cell.tokens_a_round == pytest.approx(expected_tokens(alpha, cell.where.K), rel=0.01)
        assert cell.drafted_a_round == cell.where.K


def test_each_drafter_runs_at_the_least_k_then_at_the_promised_best_then_the_rest_and_then_all_again():
    order, before = [], None
    for now in steps(ALPHA, (1, 2, 4, 8), turns=2):
        runs = {cell.where: cell.speedup.runs for cell in now.cells}
        order += [where for where, n in runs.items() if before is None or before.get(where) != n]
        before = runs
    assert [(where.drafter, where.K) for where in order[:3]] == [("good", 1), ("cheap", 1), ("poor", 1)]
    assert sorted((where.drafter, where.K) for where in order[3:6]) == [("cheap", 2), ("good", 4), ("poor", 2)]
    assert order[3] == SweepPoint("good", 4, 1.0)  # the most promising of them first
    assert order[12:] == order[:12]


def test_stopped_early_it_has_each_drafter_at_the_least_k():
    answers = iter([False] * 3 + [True])
    *_, result = sweep(once, ALPHA, (1, 2, 4), stop=lambda: next(answers))
    assert [cell.where.K for cell in result.cells] == [1, 1, 1] and {way.drafter for way in result.ways} == set(ALPHA)


def test_a_drafter_that_another_beats_in_cost_and_acceptance_is_not_among_the_best():
    result = steps(ALPHA, (1, 4), turns=1)[-1]
    assert {way.drafter: way.best for way in result.ways} == {"good": True, "cheap": True, "poor": False}
    good = next(way for way in result.ways if way.drafter == "good")
    assert (good.K, good.c, good.alpha) == (4, pytest.approx(0.2), 0.8)


def test_seeds_differ_by_turn_and_all_else_is_the_settings():
    runs = []

    def noting(drafter, config):
        runs.append((config.temperature, config.K, config.seed, config.max_new_tokens))
        return once(drafter, config)

    *_, result = sweep(noting, ["good"], [2], DecodeConfig(seed=5, temperature=1.5, max_new_tokens=9), turns=2)
    assert runs == [(1.5, 2, 5, 9), (1.5, 2, 6, 9)] and [cell.where.temperature for cell in result.cells] == [1.5]


def test_of_disturbed_runs_counts_are_used_and_times_are_not():
    def busy(drafter, config):
        pair = once(drafter, config)
        return replace(pair, mine=replace(pair.mine, processor_share=0.5)) if drafter == "good" else pair

    *_, result = sweep(busy, ALPHA, (1, 2), turns=2)  # of the vanilla runs nobody knows the processor time
    cells = {cell.where.drafter: cell for cell in result.cells}
    good = cells["good"]
    assert (good.speedup, good.c, good.v, good.predicted, good.disturbed, good.runs) == (None, None, None, None, 2, 2)
    assert good.alpha == 0.8 and good.tokens_a_round > 1
    assert cells["cheap"].speedup.runs == 2
    assert {way.drafter for way in result.ways} == {"cheap", "poor"}


def block(pair: RunPair, **more) -> RunPair:
    return RunPair(pair.vanilla, replace(pair.mine, **more))


def test_of_a_tree_nothing_is_predicted_and_c_is_the_cost_of_a_level():
    def tree(drafter: str, config: DecodeConfig) -> RunPair:
        pair = once(drafter, config)
        return block(pair, lengths=tuple(4 * n for n in pair.mine.lengths))

    for cell in list(sweep(tree, ["good"], (1, 2), turns=1))[-1].cells:
        assert cell.predicted is None and cell.c == pytest.approx(COST["good"])
        assert cell.drafted_a_round == 4 * cell.where.K


def test_a_block_of_one_pass_is_one_step_of_the_draft_however_long_it_is():
    def one_pass(drafter: str, config: DecodeConfig) -> RunPair:
        return block(once(drafter, config), one_pass=True)

    result = list(sweep(one_pass, ["good"], (1, 4), turns=1))[-1]
    assert [cell.c for cell in result.cells] == [pytest.approx(COST["good"] * K) for K in (1, 4)]
    assert all(cell.predicted == pytest.approx(cell.speedup.median, rel=0.01) for cell in result.cells)
