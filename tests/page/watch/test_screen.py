"""What a finished run is drawn on, and how it joins the runs of a visit."""

import json
from types import SimpleNamespace

import gradio as gr

from specviz.page import words
from specviz.page.keep.files import KINDS
from specviz.page.keep.recorded import load
from specviz.page.status import status_text
from specviz.page.watch import screen
from specviz.page.watch.screen import drawn, show


def test_a_run_is_shown_in_one_step_with_its_files_plot_and_place_in_the_list():
    run = drawn(load("opening"), "run")
    [(message, race, plot, *saves, listed, kept)] = show("told", run, "opening")
    assert (message, race, kept) == ("told", run.race, run.kept)
    assert plot is not None and listed["value"] == "opening" and len(saves) == len(KINDS)


def test_without_a_run_the_message_alone_is_new():
    [(message, *rest)] = show("told", None)
    assert message == "told" and rest == [gr.skip()] * (len(KINDS) + 4)


def test_where_nothing_new_is_shown_the_runs_of_the_visit_are_left_alone():
    """Else a list that was read before the browser's own runs came back would be written after them."""
    assert screen._remember((), None) == (gr.skip(),) * 3


def test_a_new_run_joins_those_of_the_visit_and_is_told_once():
    new = drawn(load("opening"), "run").kept
    runs, shown, _ = screen._remember((), new)
    assert runs == (new,) and shown is None


def test_on_a_full_disk_the_run_is_shown_and_a_sentence_says_that_it_cannot_be_saved(monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    [(message, race, plot, *saves, _, kept)] = show(status_text("idle"), drawn(load("opening"), "run"))
    assert json.loads(message) == {"state": "error", "message": words.RUN_UNSAVED}
    assert race and plot and kept and all(not save["interactive"] and save["value"] is None for save in saves)
