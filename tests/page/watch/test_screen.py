"""What a finished run is drawn on, how it joins the runs of a visit, and what a visitor typed beside it."""

import json
from types import SimpleNamespace

import gradio as gr
import pytest

from specviz.page import words
from specviz.page.keep.files import KINDS
from specviz.page.keep.recorded import load
from specviz.page.status import status_text
from specviz.page.watch.screen import Screen, render_run
from specviz.page.watch.shelf import has_changed


@pytest.fixture
def screen():
    return Screen(None, None, [], None, None)


def test_a_run_is_shown_in_one_step_with_its_files_and_place_in_the_list_and_joins_the_visit(screen):
    run = render_run(load("opening"), "run")
    [(message, race, *saves, listed, kept)] = screen.updates("told", run, "opening")
    assert (message, race, listed["value"], len(saves)) == ("told", run.race, "opening", len(KINDS))
    assert json.loads(kept)["id"] == run.run.id


def test_without_a_run_the_message_alone_is_new_and_the_runs_of_the_visit_are_left_alone(screen):
    [(message, *rest)] = screen.updates("told", None)
    assert message == "told" and rest == [gr.skip()] * (len(KINDS) + 3)


def test_on_a_full_disk_the_run_is_shown_and_a_sentence_says_that_it_cannot_be_saved(screen, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    [(message, race, *saves, _, kept)] = screen.updates(status_text("idle"), render_run(load("opening"), "run"))
    assert json.loads(message) == {"state": "error", "message": words.RUN_UNSAVED}
    assert race and kept and all(not save["interactive"] and save["value"] is None for save in saves)


START, RUN = {"prompt": "Once", "K": 4, "drafter": "small"}, {"prompt": "def", "K": 3, "drafter": "lookup"}


def test_what_the_page_began_with_is_nobodys():
    assert not has_changed(dict(START), [START])
    assert has_changed({**START, "prompt": "My own"}, [START])


@pytest.mark.parametrize("name", START)
def test_a_field_that_a_run_has_not_reached_yet_is_not_taken_for_typed(name):
    assert not has_changed(dict(RUN), [START, RUN])
    assert not has_changed({**RUN, name: START[name]}, [START, RUN])


@pytest.mark.parametrize(("name", "value"), [("prompt", "My own"), ("K", 7), ("drafter", "eagle")])
def test_a_field_that_was_changed_after_a_run_filled_it_is(name, value):
    assert has_changed({**RUN, name: value}, [START, RUN])
