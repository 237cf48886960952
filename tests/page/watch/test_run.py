"""A visitor's run from the settings to the screen: what ends it, and what is said then."""

import json
from threading import Event

import pytest

from specviz.page.settings import first
from specviz.page.turns import Turns
from specviz.page.watch.run import follow

from ...browser.fake_engine import FakeEngine


def told(prompt, turns, event=None):
    """The status lines of a run, and its trace."""
    values = first(FakeEngine()) | {"prompt": prompt}
    steps = list(follow(FakeEngine(), values, event or Event(), turns))
    return [json.loads(line) for line, _ in steps], steps[-1][1]


def test_a_run_that_takes_too_long_is_stopped_with_what_it_has():
    lines, trace = told("slow", Turns(longest=0))
    assert lines[-1] == {"state": "stopped_long", "seconds": "0"} and trace.vanilla


def test_a_run_that_ends_in_time_says_nothing_of_a_bound():
    lines, trace = told("Once", Turns(longest=100))
    assert lines[-1] == {"state": "idle"} and trace.vanilla


def test_where_nobody_else_is_there_is_no_bound():
    lines, _ = told("Once", Turns())
    assert lines[-1] == {"state": "idle"}


def test_when_the_page_closes_down_a_run_ends_with_what_it_has():
    turns = Turns()
    turns.close(0)
    lines, trace = told("slow", turns)
    assert lines[-1]["state"] == "closing" and trace.vanilla


def test_stop_says_that_it_was_stopped_whatever_else_holds():
    pressed, turns = Event(), Turns(longest=0)
    pressed.set()
    assert told("slow", turns, pressed)[0][-1] == {"state": "stopped"}


@pytest.mark.parametrize(
    "prompt, said",
    [
        (" ", "The prompt is empty"),
        ("a\ud800", "half a character"),
        ("a\ufffd", "half a character"),
        ("a" * 20_001, "has 20,001 characters: at most 20,000"),
    ],
)
def test_a_prompt_that_nothing_can_be_made_of_is_refused(prompt, said):
    lines, trace = told(prompt, Turns())
    assert lines[-1]["state"] == "error" and said in lines[-1]["message"] and trace is None
