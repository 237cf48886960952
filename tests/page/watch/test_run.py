"""A visitor's run from the settings to the screen: what ends it, and what is said then."""

import json

import pytest

from specviz.page.queue import RunQueue
from specviz.page.settings import default_values
from specviz.page.watch.run import run_steps

from ...browser.fake_engine import FakeEngine


def lines_and_trace(prompt, queue=None, stopped=False):
    """The status lines of a run, and its trace."""
    values = default_values(FakeEngine()) | {"prompt": prompt}
    with (queue or RunQueue()).join("s", "a") as run:
        if stopped:
            run.stop()
        steps = list(run_steps(FakeEngine(), values, run))
    return [json.loads(line) for line, _ in steps], steps[-1][1]


def test_a_run_that_takes_too_long_is_stopped_with_what_it_has():
    lines, trace = lines_and_trace("slow", RunQueue(longest=0.2))
    assert lines[-1] == {"state": "stopped_long", "seconds": "0.2"} and trace.vanilla


def test_a_run_that_ends_in_time_says_nothing_of_a_bound():
    lines, trace = lines_and_trace("Once", RunQueue(longest=100))
    assert lines[-1] == {"state": "idle"} and trace.vanilla


def test_when_the_page_closes_down_a_run_ends_with_what_it_has():
    queue = RunQueue()
    queue.close(0)
    lines, trace = lines_and_trace("slow", queue)
    assert lines[-1]["state"] == "closing" and trace.vanilla


def test_stop_says_that_it_was_stopped_whatever_else_holds():
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
