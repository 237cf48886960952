"""A visitor's run from the settings to the screen: what ends it, and what is said then."""

import json
from threading import Event

import pytest

from specviz.page.settings import default_values
from specviz.page.turns import Turns
from specviz.page.watch.run import run_steps

from ...browser.fake_engine import FakeEngine


def lines_and_trace(prompt, turns, event=None):
    """The status lines of a run, and its trace."""
    values = default_values(FakeEngine()) | {"prompt": prompt}
    steps = list(run_steps(FakeEngine(), values, event or Event(), turns))
    return [json.loads(line) for line, _ in steps], steps[-1][1]


def test_a_run_that_takes_too_long_is_stopped_with_what_it_has():
    lines, trace = lines_and_trace("slow", Turns(longest=0))
    assert lines[-1] == {"state": "stopped_long", "seconds": "0"} and trace.vanilla


def test_a_run_that_ends_in_time_says_nothing_of_a_bound():
    lines, trace = lines_and_trace("Once", Turns(longest=100))
    assert lines[-1] == {"state": "idle"} and trace.vanilla


def test_where_nobody_else_is_there_is_no_bound():
    lines, _ = lines_and_trace("Once", Turns())
    assert lines[-1] == {"state": "idle"}


def test_when_the_page_closes_down_a_run_ends_with_what_it_has():
    turns = Turns()
    turns.close(0)
    lines, trace = lines_and_trace("slow", turns)
    assert lines[-1]["state"] == "closing" and trace.vanilla


def test_stop_says_that_it_was_stopped_whatever_else_holds():
    pressed, turns = Event(), Turns(longest=0)
    pressed.set()
    assert lines_and_trace("slow", turns, pressed)[0][-1] == {"state": "stopped"}


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
    lines, trace = lines_and_trace(prompt, Turns())
    assert lines[-1]["state"] == "error" and sentence in lines[-1]["message"] and trace is None
