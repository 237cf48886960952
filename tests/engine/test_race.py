"""Both lanes of one prompt, one after the other, one race at a time in a process, stopped at any moment without harm."""

import gc
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from specviz.config import ConfigError, DecodeConfig
from specviz.engine import machine
from specviz.engine import race as races
from specviz.engine.decode import decode
from specviz.engine.draft.choose import Setup
from specviz.engine.draft.model import SmallModel
from specviz.engine.model import ModelError
from specviz.engine.race import Progress, race
from specviz.engine.text import TokenizerText
from specviz.trace.events import Round, Trace
from specviz.trace.file import dumps, loads

from .. import tiny
from ..fakes import tokens

CONFIG = DecodeConfig(K=3, temperature=1.0, max_new_tokens=24, ignore_eos=True, seed=5)
PROMPT = "Once upon a time"


def tiny_pair(draft: bool = True, context: int = 1100, fail_after: int | None = None) -> Setup:
    """Two random models over one byte-level tokenizer; `Recorded`, so a test sees what ran."""
    tokenizer = tiny.byte_level()
    shape = {"vocab_size": len(tokenizer), "max_position_embeddings": context}
    target = tiny.Recorded(tiny.own(tiny.make(tiny.config("llama", **shape)), "target"), fail_after)
    helper = tiny.Recorded(tiny.own(tiny.make(tiny.config("llama", **shape, num_hidden_layers=1), seed=1), "draft"))
    return Setup(target, SmallModel(helper) if draft else None, TokenizerText(tokenizer, frozenset({0})))


@pytest.fixture
def pair() -> Setup:
    return tiny_pair()


@pytest.fixture(autouse=True)
def the_lock_is_free():
    """No race leaves the lock behind, however it ended, nor a Python that looks for no garbage."""
    yield
    assert gc.isenabled() and machine.TIMED_RUN.acquire(0)
    machine.TIMED_RUN.release()


def test_a_race_says_how_far_it_is_and_ends_with_one_trace(pair):
    *progress, trace = race(pair, PROMPT, CONFIG)
    assert isinstance(trace, Trace) and all(isinstance(step, Progress) for step in progress)
    lanes = [step.lane for step in progress]
    assert lanes == sorted(lanes, reverse=True)  # vanilla first, then speculative
    for lane in ("vanilla", "speculative"):
        counts = [step.tokens for step in progress if step.lane == lane]
        assert counts == sorted(counts) and counts[0] == 0
        assert counts[-1] == getattr(trace, lane)[-1].tokens == 24
    assert {step.of for step in progress} == {24}


def test_the_header_says_what_ran_and_where(pair):
    before = datetime.now(UTC) - timedelta(seconds=1)
    *_, trace = race(pair, PROMPT, CONFIG)
    header = trace.header
    assert (header.prompt, header.config) == (PROMPT, CONFIG)
    assert (header.target, header.draft) == (pair.target.info, pair.drafter.info)
    assert (header.drafter, header.eos, header.chat) == ("model", (0,), False)
    assert header.machine == machine.describe_machine()
    created = datetime.fromisoformat(header.created)
    assert created.utcoffset() == timedelta(0) and before <= created <= datetime.now(UTC)


def test_the_vanilla_lane_is_a_decode_that_drafts_nothing(pair):
    *_, trace = race(pair, PROMPT, CONFIG)
    alone = DecodeConfig(K=0, temperature=1.0, max_new_tokens=24, ignore_eos=True, seed=5)
    assert tokens(trace.vanilla) == tokens(decode(pair.target, None, pair.text.encode(PROMPT), alone, pair.text))
    assert all(not event.drafted and len(event.emitted) == 1 for event in trace.vanilla if isinstance(event, Round))
    assert any(event.drafted for event in trace.speculative if isinstance(event, Round))


def test_without_drafting_the_lanes_write_the_same_and_no_draft_is_needed():
    *_, trace = race(tiny_pair(draft=False), PROMPT, DecodeConfig(K=0, max_new_tokens=8, ignore_eos=True))
    assert trace.header.draft is None and tokens(trace.vanilla) == tokens(trace.speculative)
    assert loads(dumps(trace)) == trace


def test_settings_by_name_are_those_of_a_config_and_replace_what_one_says(pair):
    *_, whole = race(pair, PROMPT, CONFIG)
    *_, by_name = race(pair, PROMPT, K=3, temperature=1.0, max_new_tokens=24, ignore_eos=True, seed=5)
    assert by_name.header.config == CONFIG and tokens(by_name.speculative) == tokens(whole.speculative)
    *_, other = race(pair, PROMPT, CONFIG, K=1, max_new_tokens=4)
    assert other.header.config == replace(CONFIG, K=1, max_new_tokens=4)


def test_an_unknown_setting_one_out_of_bounds_and_drafting_without_a_drafter_are_refused_before_anything_runs():
    pair, nothing = tiny_pair(draft=False), "K is above 0 and nothing was chosen to draft with"
    for settings, error, says in (({"K": 99}, ConfigError, "K"), ({"speed": 9}, TypeError, "speed"), ({}, ModelError, nothing)):
        with pytest.raises(error, match=says):
            next(race(pair, PROMPT, CONFIG, **settings))
    assert not pair.target.log


@pytest.mark.parametrize(("temperature", "waiting"), [(0, False), (0, True), (1.0, False)])
def test_beside_greedy_positions_stand_p_and_q_before_temperature_where_nobody_waits(pair, temperature, waiting):
    *_, trace = race(pair, PROMPT, CONFIG, temperature=temperature, awaited=lambda: waiting)
    rounds = [event for event in (*trace.vanilla, *trace.speculative) if isinstance(event, Round)]
    observed = [each.position for r in rounds for each in (*r.drafted, *r.emitted) if each.position]
    assert {position.softmax is not None for position in observed} == {temperature == 0 and not waiting}


def test_progress_counts_to_the_context_where_that_comes_first():
    pair = tiny_pair(context=32)
    *progress, trace = race(pair, PROMPT, DecodeConfig(K=3, max_new_tokens=500, ignore_eos=True))
    room = 32 - len(pair.text.encode(PROMPT))
    assert {step.of for step in progress} == {room}
    for lane in (trace.vanilla, trace.speculative):
        assert (lane[-1].reason, lane[-1].tokens) == ("context", room)


def test_stopped_before_it_starts_a_race_runs_nothing_and_still_ends_with_a_trace(pair):
    *progress, trace = race(pair, PROMPT, CONFIG, stop=lambda: True)
    assert isinstance(trace, Trace)
    assert not [event for event in (*trace.vanilla, *trace.speculative) if isinstance(event, Round)]
    assert all(step.tokens == 0 for step in progress) and not pair.target.log


@pytest.mark.parametrize("at", [0, 1, 7])
def test_stopped_in_the_vanilla_lane_a_race_ends_with_what_it_has(pair, at):
    steps = []
    for step in race(pair, PROMPT, CONFIG, stop=lambda: len(steps) > at):
        steps.append(step)
    trace = steps[-1]
    assert trace.vanilla[-1].reason == "cancelled"
    assert len(tokens(trace.vanilla)) == trace.vanilla[-1].tokens == at
    assert trace.speculative == () and loads(dumps(trace)) == trace


def test_stopped_in_the_speculative_lane_a_race_keeps_the_first_and_part_of_the_second(pair):
    steps = []
    for step in race(pair, PROMPT, CONFIG, stop=lambda: bool(steps) and steps[-1].lane == "speculative" and steps[-1].tokens > 3):
        steps.append(step)
    trace = steps[-1]
    assert trace.vanilla[-1].reason == "length" and trace.speculative[-1].reason == "cancelled"
    assert 3 < trace.speculative[-1].tokens < 24 and loads(dumps(trace)) == trace


def test_a_consumer_that_goes_away_leaves_the_lock_free(pair):
    steps = race(pair, PROMPT, CONFIG)
    next(steps)
    assert machine.TIMED_RUN.locked()
    steps.close()
    assert not machine.TIMED_RUN.locked()


def test_a_failure_inside_a_race_is_raised_and_the_next_race_runs(pair):
    broken = tiny_pair(fail_after=60)
    with pytest.raises(RuntimeError, match="the planted failure"):
        list(race(broken, PROMPT, CONFIG))
    *_, trace = race(pair, PROMPT, CONFIG)
    assert trace.speculative[-1].reason == "length"


def test_no_search_for_garbage_falls_on_a_lane_and_after_a_race_there_is_one_again(pair):
    enabled = {step.lane: gc.isenabled() for step in race(pair, PROMPT, CONFIG) if isinstance(step, Progress)}
    assert enabled == {"vanilla": False, "speculative": False} and gc.isenabled()


def test_two_races_at_once_run_one_after_the_other(pair):
    start, traces = threading.Barrier(2), []

    def visit():
        start.wait()
        traces.append([*race(pair, PROMPT, CONFIG)][-1])

    visitors = [threading.Thread(target=visit) for _ in range(2)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join(timeout=60)
    assert len(traces) == 2
    assert tokens(traces[0].speculative) == tokens(traces[1].speculative)
    threads = [thread for _, _, thread in pair.target.log]
    assert len(set(threads)) == 2
    assert sum(a != b for a, b in pairwise(threads)) == 1  # never back and forth


def test_a_race_stopped_while_it_waits_does_not_run(pair):
    calls = []

    def stop():
        calls.append(True)
        return len(calls) > 2

    with machine.TIMED_RUN:  # someone else is being timed
        *_, trace = race(pair, PROMPT, CONFIG, stop)
        assert machine.TIMED_RUN.locked()
    assert isinstance(trace, Trace) and not pair.target.log
    assert not pair.drafter.model.log


def test_a_race_right_after_one_of_the_same_models_and_settings_needs_no_warm_up(pair, monkeypatch):
    warmed, clock = [], 1000.0
    monkeypatch.setattr(races, "warm_up", lambda setup, ids, config: warmed.append(config.seed))
    monkeypatch.setattr(races.time, "monotonic", lambda: clock)
    monkeypatch.setattr(races, "STILL_WARM_SECONDS", 2.0)

    def run(seed: int, **settings) -> None:
        list(race(pair, PROMPT, replace(CONFIG, max_new_tokens=32, ignore_eos=True), seed=seed, **settings))

    run(1)
    run(2)
    run(3, K=CONFIG.K + 1)
    run(4, K=CONFIG.K + 1)
    clock += races.STILL_WARM_SECONDS
    run(5, K=CONFIG.K + 1)
    run(6, max_new_tokens=races.WARM_UP_TOKENS - 1)
    run(7, max_new_tokens=races.WARM_UP_TOKENS - 1)  # the one before wrote too little to warm anything up
    assert warmed == [1, 3, 5, 6, 7]
