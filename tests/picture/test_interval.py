"""How sure a speedup is said to be: the interval holds what it should, and nothing but the clock moves it."""

from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest

from specviz.trace.events import Round
from specviz.trace.header import LaneTime, Repeat, Trace
from tests.view import call, plain, view

from ..fake_trace import fake_trace, rounds


class Interval(NamedTuple):
    low: float
    high: float
    runs: int


def interval(trace: Trace, speedup: float) -> Interval:
    return Interval(**call("picture/interval.js", "speedupInterval", plain(trace), speedup))


def timed(trace: Trace, ms) -> Trace:
    """The trace with `ms(lane, index)` as the time of the target's pass and nothing else in a round."""

    def lane(name):
        for event in getattr(trace, name):
            if isinstance(event, Round):
                event = replace(event, times=replace(event.times, draft=0.0, verify=ms(name, event.index), decide=0.0, rest=0.0))
            yield event

    return Trace(trace.header, tuple(lane("vanilla")), tuple(lane("speculative")))


def repeated(trace: Trace, *speedups: float) -> Trace:
    """With as many repeats, each of the lanes' ratio of times."""
    repeats = tuple(Repeat(LaneTime(100.0 * x), LaneTime(100.0)) for x in speedups)
    return replace(trace, header=replace(trace.header, repeats=repeats))


def ratio(trace: Trace) -> float:
    """The vanilla lane's time over the speculative one's."""
    vanilla, speculative = (sum(r.times.timed for r in rounds(lane)) for lane in (trace.vanilla, trace.speculative))
    return vanilla / speculative


def speedup(trace: Trace) -> float:
    return ratio(trace) * trace.speculative[-1].tokens / trace.vanilla[-1].tokens


TRACE = timed(fake_trace(K=3, observed=False), lambda lane, _: 4.0 if lane == "vanilla" else 5.0)


def test_a_clock_without_noise_leaves_nothing_unsure_whichever_tokens_were_accepted():
    assert len({len(r.emitted) for r in rounds(TRACE.speculative)}) > 2
    low, high, runs = interval(TRACE, speedup(TRACE))
    assert (low, high, runs) == (pytest.approx(speedup(TRACE)), pytest.approx(speedup(TRACE)), 1)


def test_an_interval_of_one_run_holds_what_the_machine_gives_as_often_as_it_says():
    """Of 200 runs whose rounds vary by a fifth: 95 of 100, give or take what 200 can tell (three deviations are 4.6)."""
    chance, true, hits = Random(1), speedup(TRACE), 0
    for _ in range(200):
        sample = timed(TRACE, lambda lane, _: (4.0 if lane == "vanilla" else 5.0) * chance.lognormvariate(0, 0.2))
        low, high, _ = interval(sample, speedup(sample))
        hits += low <= true <= high
    assert 0.88 <= hits / 200 <= 0.99


def test_slow_stretches_make_it_wider_than_the_same_slow_rounds_scattered():
    slow = set(range(20, 35))
    stretch = timed(TRACE, lambda lane, i: 8.0 if lane == "vanilla" and i in slow else 4.0)
    scattered = timed(TRACE, lambda lane, i: 8.0 if lane == "vanilla" and i % 4 == 1 else 4.0)
    assert sum(r.times.timed for r in rounds(stretch.vanilla)) == sum(r.times.timed for r in rounds(scattered.vanilla))
    (low, high, _), (closer, close, _) = (interval(t, speedup(t)) for t in (stretch, scattered))
    assert low < closer and high > close


def test_of_enough_repeats_it_is_from_the_lowest_to_the_highest_of_all():
    true = speedup(TRACE)
    trace = repeated(TRACE, *(ratio(TRACE) * x for x in (1.0, 0.8, 1.3, 0.9, 1.1)))
    assert interval(trace, true) == (pytest.approx(0.8 * true), pytest.approx(1.3 * true), 5)


def test_few_repeats_alone_do_not_make_it_narrow():
    noisy = timed(TRACE, lambda lane, i: 4.0 + (i % 3 if lane == "vanilla" else 0.0) + i % 2)
    once = interval(noisy, speedup(noisy))
    same = interval(repeated(noisy, ratio(noisy), ratio(noisy)), speedup(noisy))
    assert same[:2] == once[:2] and same.runs == 2 and once.low < once.high
    wider = interval(repeated(noisy, ratio(noisy), 2 * ratio(noisy)), speedup(noisy))
    assert wider.low == once.low and wider.high == pytest.approx(2 * speedup(noisy))


def test_a_clock_that_stands_leaves_the_speedup_as_it_is():
    still = timed(TRACE, lambda *_: 0.0)
    assert interval(still, 1.5)[:2] == (1.5, 1.5)


def kinds(*speedups: float) -> tuple[str, str]:
    """What the screen calls a run of these repeats, of which the middle one is shown, and what it says the cause is."""
    middle = sorted(speedups)[len(speedups) // 2]
    pass_ms = 5.0 * speedup(TRACE) / middle
    trace = timed(TRACE, lambda lane, _: 4.0 if lane == "vanilla" else pass_ms)
    picture = view(repeated(trace, *(x * ratio(trace) / middle for x in speedups)))
    assert picture["comparison"]["speedup"] == pytest.approx(middle, rel=1e-4)
    return picture["comparison"]["kind"], picture["account"]["why"]["kind"]


@pytest.mark.parametrize(
    ("speedups", "kind"),
    [
        ((1.02, 1.03, 1.03, 1.04, 1.04), "faster"),  # little, and sure
        ((0.9, 1.2, 1.3, 1.4, 1.6), "level"),  # much, and not sure
        ((0.96, 0.97, 0.97, 0.98, 0.99), "slower"),
    ],
)
def test_what_a_speedup_is_called_follows_from_the_interval_and_from_no_fixed_bound(speedups, kind):
    assert kinds(*speedups) == (kind, kind)
