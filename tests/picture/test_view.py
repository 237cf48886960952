"""A trace becomes plain values that a screen can show: drafters by kind, lanes that never began, JSON without markup."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from specviz.picture.view import MARKUP, json_text, picture

from ..fake_trace import fake_trace


def test_a_lane_that_never_began_is_none_and_nothing_is_compared():
    shown = picture(fake_trace(cancelled=0))
    assert shown["lanes"]["speculative"] is None and shown["comparison"] is None
    assert shown["lanes"]["vanilla"]["numbers"]["tokens"] == 60


def test_a_run_that_was_not_observed_still_draws():
    lane = picture(fake_trace(observed=False))["lanes"]["speculative"]
    assert lane["numbers"]["alpha"] is None and lane["rounds"][0]["drafted"][0]["position"] is None


@pytest.mark.parametrize(
    ("drafter", "kind"),
    [("small", "model"), ("lookup", "lookup"), ("bigram", "bigram"), ("random", "random"), ("early-exit", "layers"), ("mtp", "heads"), ("eagle", "eagle"), ("block", "block"), ("oracle", "target")],
)  # fmt: skip
def test_a_drafter_is_told_by_what_its_trace_says_of_it(drafter, kind):
    assert picture(fake_trace(drafter=drafter))["header"]["draft"]["kind"] == kind


def test_a_table_that_nobody_knows_is_no_model():
    trace = fake_trace(drafter="bigram")
    odd = replace(trace.header, draft=replace(trace.header.draft, family="trigram"))
    assert picture(replace(trace, header=odd))["header"]["draft"]["kind"] == "table"


@pytest.mark.parametrize("settings", [{"drafter": "lookup"}, {"confidence": 0.4}, {"adaptive": True}])
def test_what_may_stop_a_block_early_is_said(settings):
    assert picture(fake_trace(**settings))["header"]["draft"]["fewer"] is True
    assert picture(fake_trace())["header"]["draft"]["fewer"] is False


@pytest.mark.parametrize(
    "settings", [{}, {"temperature": 0.0}, {"verifier": "match"}, {"hostile": True}, {"cancelled": 0}, {"K": 0}]
)
def test_the_picture_is_json_without_markup_and_reads_back_the_same(settings):
    shown = picture(fake_trace(**settings))
    text = json_text(shown)
    assert not MARKUP.search(text)
    assert json.loads(text) == json.loads(json.dumps(shown))


def test_a_text_of_angle_brackets_grows_by_nothing_and_no_tag_comment_or_end_of_a_script_is_left_in_it():
    assert len(json_text("<" * 1000)) == 1002
    assert "<" not in json_text("<b></b><!-- <?x ?> <SCRIPT>")


def test_what_an_account_lacks_reaches_the_page_as_its_reason_and_never_as_a_number_that_is_none():
    assert picture(fake_trace(K=0))["account"] == {"missing": "zero"}
    assert picture(fake_trace(cancelled=0))["account"] == {"missing": "lane"}


def test_the_view_needs_neither_models_nor_a_screen():
    code = "import sys, specviz.picture.view; print([m for m in ('torch', 'transformers', 'gradio', 'plotly', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
