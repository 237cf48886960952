"""Luck, sweeps and drafters beside each other: what many runs say of the clock and of the draw, when their times are not to be trusted, an
order that makes Stop useful, a prediction that is the formula's.
"""

import math
import random
from dataclasses import replace
from statistics import median

import pytest

from specviz.acceptance import expected_tokens
from specviz.config import ConfigError, DecodeConfig
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.model import SmallModel
from specviz.lab import measure
from specviz.lab.luck import Luck, Setting, luck
from specviz.lab.measure import PairRunner, RunPair, disturbed, drafter_row, runs_to_separate, spread, trusted_clock
from specviz.lab.sweep import Sweep, SweepPoint, sweep

from ..fakes import FakeText, Markov, random_chain
from .made_up import ByTheFormula, fake_run

SMALL = Setting("small", DecodeConfig(K=4, temperature=0.8, seed=3))


def fake_pairs(draw: float, clock: float, gain=lambda drafter: 1.0):
    """Pairs whose speedup is 1.5 times chance by seed and chance by the clock, both of these deviations (of logarithms)."""
    ticks = random.Random(1)

    def fake_pairs(drafter: str, config: DecodeConfig) -> RunPair:
        by_seed = random.Random(config.seed).gauss(0, 1)
        speedup = 1.5 * gain(drafter) * math.exp(draw * by_seed + clock * ticks.gauss(0, 1))
        return RunPair(fake_run(60.0, rounds=20), fake_run(60.0 / speedup, rounds=8, betas=(0.5, 0.9)))

    return fake_pairs


def last(*args, **how) -> Luck:
    *_, result = luck(*args, **how)
    return result


def test_the_share_of_the_clock_is_found_where_it_is_known():
    for draw, clock in (0.2, 0.02), (0.02, 0.2), (0.1, 0.1):
        share, low, high = last(fake_pairs(draw, clock), (SMALL,), 100).summary().clock
        assert low <= share <= high and abs(share - clock**2 / (clock**2 + draw**2)) < 0.2


def test_each_seed_runs_once_and_the_first_as_often_in_between():
    result = last(fake_pairs(0.1, 0.1), (SMALL,), 5)
    assert [(dot.seed, dot.again) for dot in result.dots][:5] == [(3, False), (4, False), (3, True), (5, False), (3, True)]
    assert result.done == result.of == 9 and sum(dot.again for dot in result.dots) == 4
    assert result.dots[0].alpha == 0.7 and result.dots[0].tokens_a_round == 20 / 8


def test_two_settings_run_seed_by_seed_and_are_told_apart_by_their_ratio():
    other = Setting("large", DecodeConfig(K=2, seed=99))
    result = last(fake_pairs(0.2, 0.01, lambda drafter: 1.2 if drafter == "small" else 1.0), (SMALL, other), 20)
    summary = result.summary()
    assert {dot.seed for dot in result.dots if dot.setting == 1} == set(range(3, 23))  # the first setting's seeds
    assert 1.19 < summary.ratio.low < summary.ratio.median < summary.ratio.high < 1.21
    assert summary.needed == 2 and "These 20 seeds show a difference." in summary.sentence


def test_equal_settings_are_not_told_apart_and_the_sentence_says_how_many_seeds_it_takes():
    summary = last(fake_pairs(0.1, 0.2), (SMALL, Setting("large", SMALL.config)), 10).summary()
    assert summary.ratio.low < 1 < summary.ratio.high
    assert "show no clear difference. If there is one as large as here, about" in summary.sentence


def test_at_temperature_0_all_of_the_spread_is_the_clock():
    summary = last(fake_pairs(0.0, 0.1), (Setting("small", DecodeConfig(K=4, temperature=0)),), 6).summary()
    assert summary.clock == (1, 1, 1) and "nothing is drawn" in summary.sentence


def test_stopped_it_has_what_was_run_until_then():
    answers = iter([False] * 3 + [True])
    *_, result = luck(fake_pairs(0.1, 0.1), (SMALL,), 30, stop=lambda: next(answers))
    assert result.done == 3 and result.of == 59 and result.summary().sentence == "At least 4 seeds are needed to show a spread."


def test_what_drafts_nothing_is_refused_before_anything_runs():
    with pytest.raises(ConfigError, match="K is 0; it must be at least 1"):
        luck(None, (Setting("small", DecodeConfig(K=0)),), 5)


def test_a_median_has_an_interval_that_holds_it_and_the_same_one_each_time():
    values = [random.Random(0).gauss(2, 0.5) for _ in range(30)]
    one = spread(values)
    assert one == spread(values) and one.low <= one.median <= one.high and one.first <= one.median <= one.third
    assert spread([1.5]).low == spread([1.5]).high == 1.5 and spread([]) is None
    assert measure.quartiles([1, 2, 3, 4, 5]) == (2, 4)
    assert measure.bootstrap([values], lambda sample: median(sample[0])) == (one.low, one.high)


def test_so_many_differences_are_needed_as_a_test_of_their_mean_needs():
    chance = random.Random(2)
    close = [0.1 + 0.2 * chance.gauss(0, 1) for _ in range(4000)]
    assert runs_to_separate(close) == pytest.approx((2.8 * 0.2 / 0.1) ** 2, rel=0.15)
    assert runs_to_separate([0.0, 0.0]) == math.inf and runs_to_separate([1.0, 1.0]) == 2
    assert measure.runs_to_estimate(close, 0.05) == pytest.approx((1.96 * 1.2533 * 0.2 / 0.05) ** 2, rel=0.15)


def test_real_runs_write_as_many_tokens_in_both_lanes_and_a_prompt_without_room_is_refused():
    chain = random_chain(6, 0)
    setups = {"small": Setup(Markov(chain), SmallModel(Markov(random_chain(6, 1))), FakeText())}
    *_, result = luck(PairRunner(setups, "ab"), (Setting("small", DecodeConfig(K=3, max_new_tokens=12)),), 4)
    assert result.done == 7 and all(dot.speedup > 0 and 1 <= dot.tokens_a_round <= 4 for dot in result.dots)
    again = [(dot.alpha, dot.tokens_a_round) for dot in result.dots if dot.again or dot.seed == 0]
    assert len(again) == 4 and len(set(again)) == 1  # the same seed draws the same tokens
    for prompt in "", "a" * 63:
        with pytest.raises(ConfigError, match="prompt is"):
            PairRunner(setups, prompt)
    with pytest.raises(ConfigError, match="at least one"):
        PairRunner({}, "ab")


@pytest.mark.parametrize("rounds", [0, 1, 5, 40])
def test_a_run_that_is_long_ends_between_two_rounds_and_keeps_the_runs_before(rounds):
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > rounds

    setups = {"small": Setup(Markov(random_chain(6, 0)), SmallModel(Markov(random_chain(6, 1))), FakeText())}
    config = DecodeConfig(K=3, max_new_tokens=40)
    for results in (
        luck(PairRunner(setups, "ab", stop), (Setting("small", config),), 100, stop),
        sweep(PairRunner(setups, "ab", stop), ("small",), (1, 2, 3), config, stop=stop),
    ):
        asked.clear()
        assert len(list(results)) <= 1 and len(asked) == rounds + 1  # nothing decodes after it was said


def test_beside_other_programs_speedups_are_by_processor_time_where_it_is_known_and_that_is_said():
    quiet, again = fake_pairs(0.1, 0.1), fake_pairs(0.1, 0.1)

    def shared(drafter: str, config: DecodeConfig) -> RunPair:
        pair = again(drafter, config)
        shares = (0.5, 0.4) if config.seed >= 9 else (1.0, 1.0)
        runs = zip((pair.vanilla, pair.mine), shares, strict=True)
        return RunPair(*(replace(run, decode=run.decode / share, processor_share=share) for run, share in runs))

    alone, result = last(quiet, (SMALL,), 10), last(shared, (SMALL,), 10)
    for dot, other in zip(alone.dots, result.dots, strict=True):
        assert dot.speedup == pytest.approx(other.speedup) and other.clock == ("processor" if other.seed >= 9 else "wall")
    assert "4 of 19 runs are compared by processor time" in result.summary().sentence
    assert "times are not used" not in result.summary().sentence


def test_the_speedups_of_disturbed_runs_are_in_no_number_and_what_was_counted_is():
    quiet = fake_pairs(0.1, 0.1)

    def busy(drafter: str, config: DecodeConfig) -> RunPair:
        pair = quiet(drafter, config)
        return replace(pair, mine=replace(pair.mine, processor_share=0.5)) if config.seed >= 9 else pair

    result = last(busy, (SMALL,), 10)  # seeds 3 to 12, of which 9 to 12 are disturbed
    assert {(dot["disturbed"], dot["speedup"] is None) for dot in result.as_json()["dots"]} == {(True, True), (False, False)}
    summary = result.summary()
    assert (summary.spreads[0]["speedup"].runs, summary.spreads[0]["alpha"].runs, summary.disturbed) == (6, 10, 4)
    assert "6 seeds: the median speedup" in summary.sentence and "busy in 4 of 19 runs" in summary.sentence
    slow = fake_run(40.0, rounds=8, processor_share=0.5)
    all_busy = last(lambda drafter, config: replace(quiet(drafter, config), mine=slow), (SMALL,), 6).summary()
    assert all_busy.spreads[0]["speedup"] is None
    assert "median" not in all_busy.sentence and "busy in 11 of 11" in all_busy.sentence


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


def test_a_speedup_above_the_tokens_of_a_round_cannot_be_and_one_disturbed_pair_of_three_is_outvoted():
    assert disturbed(pairs((228, 100))) and not disturbed(pairs((195, 100)))
    mixed = [*pairs((100, 60), mine={"processor_share": 0.5}), *pairs((100, 60), (100, 60), mine={"processor_share": 0.99})]
    assert not disturbed(mixed)


def test_beside_other_programs_a_row_is_by_processor_time_unless_that_cannot_be_either():
    half = {"processor_share": 0.5}
    row = drafter_row("x", pairs((100, 60), (120, 70), vanilla=half, mine={"processor_share": 0.45}), fake_run(50))
    assert row.clock == "processor" and row.low == pytest.approx(100 * 0.5 / (60 * 0.45))
    assert trusted_clock(pairs((228, 100), vanilla=half, mine=half)) is None
    assert trusted_clock(pairs((100, 60), mine=half)) is None  # of the vanilla lane nobody knows it
