"""A visitor's run from the settings to the screen: what is told meanwhile, what ends it, what it is drawn on."""

import json
from itertools import pairwise
from types import SimpleNamespace

import gradio as gr
import pytest

from specviz.page.keep.reader import unpacked_run
from specviz.page.keep.recorded import load
from specviz.page.queue import RunQueue
from specviz.page.settings import default_values
from specviz.page.status import LINE_SECONDS, LINE_TOKENS, Pace
from specviz.page.watch.run import Screen, render_recorded, run_steps
from specviz.page.watch.shelf import has_changed
from specviz.trace.events import Round
from specviz.trace.file import dumps

from ..browser.fake_engine import FakeEngine
from ..fake_trace import fake_trace
from ..fakes import Clock


def lines_and_trace(prompt, queue=None, stopped=False):
    values = default_values(FakeEngine()) | {"prompt": prompt}
    with (queue or RunQueue()).join("s", "a") as run:
        if stopped:
            run.stop()
        steps = list(run_steps(FakeEngine(), values, run))
    return [json.loads(line) for line, _ in steps], steps[-1][1]


def test_a_run_ends_with_what_it_has_when_it_takes_too_long_is_stopped_or_the_page_closes_down():
    lines, trace = lines_and_trace("slow", RunQueue(longest=0.2))
    assert lines[-1] == {"state": "stopped_long", "seconds": "0.2"} and trace.vanilla
    lines, trace = lines_and_trace("Once", RunQueue(longest=100))
    assert lines[-1] == {"state": "idle"} and trace.vanilla
    queue = RunQueue()
    queue.close(0)
    lines, trace = lines_and_trace("slow", queue)
    assert lines[-1]["state"] == "closing" and trace.vanilla
    assert lines_and_trace("slow", RunQueue(longest=0), stopped=True)[0][-1] == {"state": "stopped"}


def test_a_run_that_is_stopped_while_it_waits_loads_nothing():
    queue = RunQueue()
    queue.join("first", "a")
    with queue.join("second", "b") as run:
        assert [json.loads(line)["state"] for line, _ in run_steps(None, {}, run)] == ["never"]


@pytest.mark.parametrize(
    "prompt, sentence",
    [
        (" ", "The prompt is empty"),
        ("a\ud800", "half a character"),
        ("a\ufffd", "half a character"),
        ("a" * 20_001, "has 20,001 characters: at most 20,000"),
    ],
)
def test_a_prompt_that_nothing_can_be_made_of_is_refused(prompt, sentence):
    lines, trace = lines_and_trace(prompt)
    assert lines[-1]["state"] == "error" and sentence in lines[-1]["message"] and trace is None


TRACE = fake_trace(max_new_tokens=48)


def step(lane, tokens, of, event=None, again=0):
    return SimpleNamespace(lane=lane, tokens=tokens, of=of, event=event, again=again)


def play(each: float, chat: bool = False):
    """The status lines of TRACE, whose rounds take `each` second; the pace itself, too."""
    clock = Clock()
    pace, lines = Pace(clock, chat), []
    for lane in ("vanilla", "speculative"):
        tokens = 0
        for event in getattr(TRACE, lane):
            tokens += len(getattr(event, "emitted", ()))
            if line := pace.status_line(step(lane, tokens, 48, event), 48):
                lines.append((clock.now, json.loads(line)))
            clock.now += each
    return lines, pace


def texts(lane):
    for round_ in (event for event in lane if isinstance(event, Round)):
        yield from (d.verdict for d in round_.drafted)
        yield from (e.role for e in round_.emitted if e.role != "accepted")


def test_of_a_short_run_nobody_says_how_long_it_takes_but_its_rounds_are_told_from_the_first_line_and_lines_are_apart():
    lines, _ = play(each=0.01)
    assert lines and not any("left" in status for _, status in lines)
    assert all(status["live"]["vanilla"]["spans"] for _, status in lines if status["lane"] == "vanilla")
    times = [at for at, _ in lines]
    assert all(b - a >= LINE_SECONDS - 1e-9 for a, b in pairwise(times))


def test_what_is_answered_begins_on_a_line_of_its_own():
    lines, _ = play(each=0.1, chat=True)
    assert lines[0][1]["live"]["vanilla"]["spans"][:2] == [["prompt", "\n"], ["plain", TRACE.vanilla[1].emitted[0].token.text]]


def test_a_long_run_is_told_round_by_round_without_a_gap_also_to_a_page_that_misses_a_line():
    lines, _ = play(each=0.5)
    spans_by_lane = {"vanilla": [], "speculative": []}
    for _, status in lines:
        for lane, part in status.get("live", {}).items():
            assert part["from"] <= len(spans_by_lane[lane])
            spans_by_lane[lane][part["from"] :] = part["spans"]
    for lane, spans in spans_by_lane.items():
        assert [role for role, _ in spans] == list(texts(getattr(TRACE, lane)))
    assert "".join(text for _, text in spans_by_lane["vanilla"]).startswith(TRACE.vanilla[-1].text[:30])
    had = 0
    for i, (_, status) in enumerate(lines):
        part = status.get("live", {}).get("vanilla")
        if part and i % 2:  # every second one is lost
            assert part["from"] <= had
            had = part["from"] + len(part["spans"])
    assert had


def test_what_is_told_at_once_is_bounded():
    clock = Clock()
    pace = Pace(clock)
    rounds = [event for event in TRACE.speculative if isinstance(event, Round)]
    for i in range(LINE_TOKENS):
        pace.status_line(step("speculative", 4 * i, 4096, rounds[i % len(rounds)]), 4096)
        clock.now += LINE_SECONDS / 100
    clock.now += LINE_SECONDS
    status = json.loads(pace.status_line(step("speculative", 1600, 4096), 4096))["live"]["speculative"]
    assert len(status["spans"]) == LINE_TOKENS and status["from"] > 0


def test_the_time_left_counts_both_lanes_by_the_pace_of_the_one_under_way():
    lines, _ = play(each=1.0)
    vanilla = next(status for at, status in lines if status["lane"] == "vanilla" and status["tokens"] == 24 and "left" in status)
    assert vanilla["left"] == 72  # 24 tokens in 24 s, 24 + 48 to come
    last = [status for _, status in lines if status["lane"] == "speculative"][-1]
    assert last["left"] == 1


@pytest.fixture
def screen():
    return Screen(None, None, None, None)


def test_a_run_is_shown_in_one_step_with_its_place_in_the_list_and_joins_the_visit_under_its_own_id(screen):
    run = render_recorded("opening")
    message, race, listed, kept = screen.update("told", run, "opening")
    assert (message, listed["value"]) == ("told", "opening")
    assert json.loads(race)["id"] == json.loads(kept)["id"] == run.run.id
    assert unpacked_run(json.loads(kept)) == (dumps(load("opening")), "recorded")


def test_without_a_run_the_message_alone_is_new_and_the_runs_of_the_visit_are_left_alone(screen):
    message, *rest = screen.update("told")
    assert message == "told" and rest == [gr.skip()] * 3


START, RUN = {"prompt": "Once", "K": 4, "drafter": "small"}, {"prompt": "def", "K": 3, "drafter": "lookup"}


def test_what_the_page_began_with_is_nobodys():
    assert not has_changed(dict(START), [START]) and has_changed({**START, "prompt": "My own"}, [START])


@pytest.mark.parametrize("name", START)
def test_a_field_that_a_run_has_not_reached_yet_is_not_taken_for_typed(name):
    assert not has_changed(dict(RUN), [START, RUN])
    assert not has_changed({**RUN, name: START[name]}, [START, RUN])


@pytest.mark.parametrize(("name", "value"), [("prompt", "My own"), ("K", 7), ("drafter", "eagle")])
def test_a_field_that_was_changed_after_a_run_filled_it_is(name, value):
    assert has_changed({**RUN, name: value}, [START, RUN])
