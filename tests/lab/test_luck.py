"""Luck: what many runs say of the clock and of the draw, from runs that are made up and from one of real caches."""

import math
import random
from dataclasses import replace
from statistics import median

import pytest

from specviz.config import ConfigError, DecodeConfig
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.small import SmallModel
from specviz.lab.luck import Luck, Setting, luck
from specviz.lab.measure import PairRunner, RunPair
from specviz.lab.spread import bootstrap, quartiles, runs_to_estimate, runs_to_separate, spread
from specviz.lab.sweep import sweep

from ..fakes import FakeText, Markov, random_chain
from .made_up import fake_run

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
        assert low <= share <= high
        assert abs(share - clock**2 / (clock**2 + draw**2)) < 0.2


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
    assert quartiles([1, 2, 3, 4, 5]) == (2, 4)
    assert bootstrap([values], lambda sample: median(sample[0])) == (one.low, one.high)


def test_so_many_differences_are_needed_as_a_test_of_their_mean_needs():
    chance = random.Random(2)
    close = [0.1 + 0.2 * chance.gauss(0, 1) for _ in range(4000)]
    assert runs_to_separate(close) == pytest.approx((2.8 * 0.2 / 0.1) ** 2, rel=0.15)
    assert runs_to_separate([0.0, 0.0]) == math.inf and runs_to_separate([1.0, 1.0]) == 2
    assert runs_to_estimate(close, 0.05) == pytest.approx((1.96 * 1.2533 * 0.2 / 0.05) ** 2, rel=0.15)


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
        runs = [
            replace(run, decode=run.decode / share, processor_share=share)
            for run, share in zip((pair.vanilla, pair.mine), shares, strict=True)
        ]
        return RunPair(*runs)

    alone, result = last(quiet, (SMALL,), 10), last(shared, (SMALL,), 10)
    for dot, other in zip(alone.dots, result.dots, strict=True):
        assert dot.speedup == pytest.approx(other.speedup) and not other.disturbed
        assert other.by_processor is (other.seed >= 9)
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
