"""Both lanes again, by turns: the same tokens, the middle run, the times of all; and none where that would cost somebody time."""

from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine import race as module
from specviz.engine.race import Progress, median_run, race, repeat_runs
from specviz.trace.events import Finished
from specviz.trace.file import dumps, loads

from ..fake_trace import fake_trace
from ..fakes import tokens
from .test_race import tiny_pair

CONFIG = DecodeConfig(K=3, temperature=1.0, max_new_tokens=12, ignore_eos=True, seed=5)


@pytest.fixture
def patient(monkeypatch):
    """As much time for repeats as they take, and five runs."""
    monkeypatch.setattr(module, "REPEAT_SECONDS", 1e9)
    monkeypatch.setattr(module, "MAX_RUNS", 5)


def run(vanilla: float = 60.0, speculative: float = 40.0, reason="length", seed=3) -> dict:
    """A run of which only the totals differ."""
    trace = fake_trace(seed=seed)
    ends = {"vanilla": vanilla, "speculative": speculative}
    lanes = {name: list(getattr(trace, name)) for name in ends}
    for name, ms in ends.items():
        lanes[name][-1] = replace(lanes[name][-1], decode_ms=ms, reason=reason, processor_ms=ms / 2, prefill_ms=0, observe_ms=0)
    return lanes


def events(lanes: dict):
    return iter([(name, event) for name, lane in lanes.items() for event in lane])


def never():
    return False


def test_a_race_is_repeated_and_every_repeat_is_in_the_trace_the_shown_one_among_them(patient):
    *progress, trace = race(tiny_pair(), "Once upon a time", CONFIG)
    assert len(trace.header.repeats) == 5
    assert [step.again for step in progress if step.again] == [2, 3, 4, 5]
    times = tuple(getattr(trace, lane)[-1].decode_ms for lane in ("vanilla", "speculative"))
    speedups = [r.vanilla.decode_ms / r.speculative.decode_ms for r in trace.header.repeats]
    assert times in [(r.vanilla.decode_ms, r.speculative.decode_ms) for r in trace.header.repeats]
    assert times[0] / times[1] == sorted(speedups)[2]
    assert all(r.vanilla.processor_ms and r.speculative.processor_ms for r in trace.header.repeats)
    assert loads(dumps(trace)) == trace


def test_a_repeated_race_has_the_tokens_of_one_that_is_not(patient, monkeypatch):
    *_, often = race(tiny_pair(), "Once upon a time", CONFIG)
    monkeypatch.setattr(module, "REPEAT_SECONDS", 0.0)
    *_, once = race(tiny_pair(), "Once upon a time", CONFIG)
    assert not once.header.repeats and len(often.header.repeats) == 5
    for lane in ("vanilla", "speculative"):
        assert tokens(getattr(often, lane)) == tokens(getattr(once, lane))
        assert next(e for e in getattr(often, lane) if isinstance(e, Finished)).tokens == 12


@pytest.mark.parametrize("why", ["awaited", "stopped"])
def test_nothing_is_repeated_where_somebody_waits_or_stops(patient, why):
    steps = []
    over = lambda: len(steps) >= 26  # noqa: E731, both lanes are done
    how = {"awaited": {"awaited": lambda: True}, "stopped": {"stop": over}}[why]
    for step in race(tiny_pair(), "Once upon a time", CONFIG, **how):
        steps.append(step)
        if why == "stopped" and isinstance(step, Progress) and step.lane == "speculative" and step.tokens == 12:
            steps += [None] * 26
    trace = steps[-1]
    assert trace.header.repeats == () and trace.speculative[-1].reason == "length"


def test_repeats_end_when_one_more_would_not_fit(monkeypatch):
    monkeypatch.setattr(module, "REPEAT_SECONDS", 1.0)
    calls = []

    def slow():
        calls.append(True)
        return events(run(300.0, 150.0))

    assert len(list(repeat_runs(run(300.0, 150.0), slow, never))) == 2 and len(calls) == 2  # .45 s each, into a second
    assert not list(repeat_runs(run(3000.0, 1500.0), slow, never)) and len(calls) == 2  # a long run stays one run


def test_a_run_that_ended_early_or_wrote_other_tokens_is_no_repeat(patient):
    assert not list(repeat_runs(run(), lambda: events(run(reason="cancelled")), never))
    assert not list(repeat_runs(run(), lambda: events(run(seed=4)), never))
    assert not list(repeat_runs(run(reason="error"), lambda: events(run()), never))
    assert len(list(repeat_runs(run(), lambda: events(run()), never))) == 4


@pytest.mark.parametrize(
    ("speedups", "ratio"), [((1.0, 3.0, 2.0), 2.0), ((1.0, 1.9, 1.1, 2.0), 1.1), ((2.0, 1.0), 1.0), ((5.0, 5.0, 1.0), 5.0)]
)
def test_the_middle_run_is_shown_and_of_two_middle_ones_the_slower(speedups, ratio):
    median, times = median_run([run(60.0 * x, 60.0) for x in speedups])
    assert median["vanilla"][-1].decode_ms == 60.0 * ratio
    assert [t.vanilla.decode_ms / t.speculative.decode_ms for t in times] == list(speedups)
    assert median_run([only := run()]) == (only, ())  # one run is no repeat
