"""A run that was disturbed is told from one that was not: by planted times, and by a race beside processes that keep every core busy.
Greedy lanes that wrote different texts are explained in a sentence; all others need none.
"""

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.race import race
from specviz.trace.disturbed import (
    ALIKE,
    MAX_STALLED,
    MIN_ROUND_COST,
    MIN_SHARE,
    SLOW,
    Sign,
    divergence_note,
    passes_disturbed,
    processor_share,
    signs,
    slowness,
    stalled_share,
)
from specviz.trace.events import LANES, LaneTime, Repeat, Round, Token, Trace
from specviz.trace.file import dumps, loads

from ..engine.test_race import tiny_pair
from ..fake_trace import fake_trace, rounds


def slow_lane(events: tuple, factor, had: float | None = None) -> tuple:
    """The lane with round i taking `factor(i)` times as long, whose thread had a processor for a share `had` of that."""
    every = [replace(e, times=_times(e.times, factor(e.index))) if isinstance(e, Round) else e for e in events]
    ms = sum(e.times.timed for e in every if isinstance(e, Round))
    return (*every[:-1], replace(every[-1], decode_ms=ms, processor_ms=None if had is None else had * ms))


def _times(times, by: float):
    return replace(times, draft=times.draft * by, verify=times.verify * by, decide=times.decide * by, rest=times.rest * by)


def trace_with(vanilla=lambda _: 1.0, speculative=lambda _: 1.0, had=(None, None), **settings) -> Trace:
    trace = fake_trace(**settings)
    lanes = slow_lane(trace.vanilla, vanilla, had[0]), slow_lane(trace.speculative, speculative, had[1])
    return Trace(trace.header, *lanes)


def kinds(trace: Trace) -> list[tuple[str, str | None]]:
    return [(sign.kind, sign.lane) for sign in signs(trace)]


@pytest.mark.parametrize(
    "settings", [{}, {"K": 0}, {"K": 4, "short": True}, {"temperature": 0.0}, {"drafter": "random"}, {"cancelled": 3}]
)
def test_a_quiet_run_shows_no_sign_whether_or_not_it_says_who_had_the_processor(settings):
    assert kinds(trace_with(**settings)) == []
    assert kinds(trace_with(had=(0.99, MIN_SHARE + 0.01), **settings)) == kinds(trace_with(had=(1.02, 1.0), **settings)) == []


def test_a_lane_that_was_kept_from_a_processor_is_named_with_its_share():
    (sign,) = signs(trace_with(had=(0.98, 0.7)))
    assert sign == Sign("processor", "speculative", pytest.approx(0.7))
    assert kinds(trace_with(had=(MIN_SHARE - 0.01, MIN_SHARE - 0.01))) == [("processor", "vanilla"), ("processor", "speculative")]


def test_of_several_runs_the_middle_one_speaks_whichever_is_shown():
    trace = trace_with(had=(0.5, 0.5))
    quiet, busy = Repeat(LaneTime(100.0, 99.0), LaneTime(50.0, 50.0)), Repeat(LaneTime(200.0, 90.0), LaneTime(90.0, 50.0))
    for repeats, says in (([busy, quiet, quiet], []), ([busy, quiet, busy], ["vanilla", "speculative"])):
        repeated = replace(trace, header=replace(trace.header, repeats=tuple(repeats)))
        assert [lane for _, lane in kinds(repeated)] == says
    assert processor_share([(100.0, None), (0.0, 0.0)]) is None and processor_share([(100.0, 50.0), (100.0, None)]) == 0.5


def test_time_that_went_into_a_few_slow_rounds_is_a_sign():
    trace = trace_with(speculative=lambda i: 9.0 if i in (3, 4) else 1.0)
    ((kind, lane), *_), lost = kinds(trace), stalled_share(rounds(trace.speculative))
    assert (kind, lane) == ("stalled", "speculative") and lost > MAX_STALLED
    assert kinds(trace_with(speculative=lambda i: 2.0 if i == 3 else 1.0)) == []  # one slow round of many is nothing


def test_a_round_is_measured_against_others_of_its_size_and_none_is_cheaper_than_the_pass_in_it():
    lane = rounds(trace_with(K=8, short=True).speculative)
    assert len({len(r.drafted) for r in lane}) > 2 and stalled_share(lane) == 0 and slowness(lane) == pytest.approx(1, abs=0.1)
    """Rounds of 2.91 tokens a pass gave 3.17×: the vanilla lane had been slowed down, evenly."""
    trace = trace_with(vanilla=lambda _: 2.0)
    (sign,) = signs(trace)
    mine, alone = trace.speculative[-1], trace.vanilla[-1]
    tokens, speedup = mine.tokens / mine.rounds, (mine.tokens / mine.decode_ms) / (alone.tokens / alone.decode_ms)
    assert sign == Sign("cheap", None, pytest.approx(tokens / speedup)) and sign.value < MIN_ROUND_COST and speedup > tokens


def test_lanes_that_do_the_same_work_and_differ_are_a_sign():
    assert kinds(trace_with(K=0, speculative=lambda _: ALIKE * 1.01)) == [("unlike", None)]
    (sign,) = signs(trace_with(K=0, vanilla=lambda _: 2.78))
    assert sign == Sign("unlike", None, pytest.approx(2.78))
    assert kinds(trace_with(K=0, speculative=lambda _: ALIKE * 0.99)) == []


def test_a_speedup_far_from_what_usual_rounds_give_is_a_sign():
    """Not half of the rounds are slow, and each by too little to stand out by itself."""
    trace = trace_with(vanilla=lambda i: 1.0 if i % 20 < 11 else 1.2 * SLOW, speculative=lambda _: 1.3)
    assert ("apart", None) in kinds(trace) and stalled_share(rounds(trace.vanilla)) < MAX_STALLED


def test_a_clock_that_stands_and_a_lane_that_never_began_are_no_sign():
    assert kinds(trace_with(lambda _: 0.0, lambda _: 0.0)) == kinds(fake_trace(cancelled=0)) == []


CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
BUSY = "print(flush=True)\nwhile True: pass"
precise_clock = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells a thread's time in ticks longer than a round")


@contextmanager
def busy():
    """Two processes a core that never pause, all begun."""
    with ExitStack() as stack:
        for _ in range(2 * CORES):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE))
            stack.callback(process.kill)
            assert process.stdout.readline()
        yield


def raced(tokens: int) -> Trace:
    return list(race(tiny_pair(), "Once upon a time", DecodeConfig(K=3, max_new_tokens=tokens, ignore_eos=True)))[-1]


@precise_clock
@pytest.mark.slow
def test_beside_busy_processes_a_race_shows_that_it_was_disturbed_and_its_screen_is_by_processor_time():
    raced(2)  # what compiles for minutes beside them does so before
    with busy():
        trace = raced(200)
    assert {("processor", "vanilla"), ("processor", "speculative")} <= set(kinds(trace))
    from tests.view import view

    picture = view(loads(dumps(trace)))  # also from a file
    assert picture["comparison"]["clock"] == "processor" and picture["account"] == {"missing": "disturbed"}
    for name in LANES:
        ran = getattr(trace, name)[-1].processor_ms
        assert picture["lanes"][name]["numbers"]["decode_ms"] == pytest.approx(ran, rel=1e-3)


@pytest.mark.parametrize(
    ("ms", "had", "disturbed"),
    [
        ({1: [1.0] * 5, 8: [1.5] * 5}, None, False),
        ({1: [1.0] * 5, 8: [1.5] * 5}, 12.4, False),
        ({1: [1.0] * 5, 8: [1.5] * 5}, 8.0, True),  # another program had the processor
        ({1: [1.0] * 5, 8: [1.5, 1.5, 1.5, 1.5, 9.0]}, None, True),  # one pass stood still
        ({1: [1.0] * 5, 2: [0.61] * 5}, None, True),  # two tokens for less than one
        ({1: [1.0] * 5, 8: [8.7] * 5, 16: [4.0] * 5}, None, True),  # eight for more than sixteen
    ],
)
def test_passes_that_were_timed_alone_are_held_against_the_same_bounds(ms, had, disturbed):
    assert passes_disturbed(ms, had) is disturbed


GREEDY = fake_trace("Once", temperature=0.0)


def cut(lane: str, engine: str = "transformers") -> Trace:
    """GREEDY with a lane that lacks its last round, as if a stop string had ended it."""
    *events, _, end = getattr(GREEDY, lane)
    return replace(GREEDY, header=replace(GREEDY.header, engine=engine), **{lane: (*events, replace(end, reason="stop"))})


def other(dtype: str) -> Trace:
    """GREEDY in this precision, with another last token in the vanilla lane."""
    [*events, last, end] = GREEDY.vanilla
    changed = replace(last, emitted=(replace(last.emitted[0], token=Token(99, "other")),))
    header = replace(GREEDY.header, target=replace(GREEDY.header.target, dtype=dtype))
    return replace(GREEDY, header=header, vanilla=(*events, changed, end))


@pytest.mark.parametrize("trace", [GREEDY, fake_trace("Once"), replace(GREEDY, vanilla=())], ids=["same", "sampled", "one lane"])
def test_lanes_that_wrote_the_same_or_were_sampled_need_no_sentence(trace):
    assert divergence_note(trace) == ""


@pytest.mark.parametrize(
    ("trace", "says", "omits"),
    [
        (cut("vanilla"), ["The speculative text goes on for 1 token", "ended by stop", "misses one that ends inside"], "\n"),
        (cut("vanilla", engine="specviz"), ["The speculative text goes on for 1 token"], "stop string"),
        (cut("speculative"), ["The vanilla text goes on for"], "speculative text"),
        (other("bfloat16"), ["differ from token", "In bfloat16 two logits are often almost equal"], "another order"),
        (other("float32"), ["differ from token", "sums in another order"], "bfloat16"),
    ],
)
def test_lanes_that_part_say_where_and_why(trace, says, omits):
    sentence = divergence_note(trace)
    assert all(part in sentence for part in says) and omits not in sentence


def test_a_trace_of_ours_has_no_departures_and_its_bytes_do_not_name_them():
    assert b"departures" not in dumps(GREEDY) and loads(dumps(GREEDY)) == GREEDY
