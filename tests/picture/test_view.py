"""A trace becomes plain values that a screen can show: drafters by kind, lanes that never began, what is missing."""

from dataclasses import replace

import pytest

from tests.view import view

from ..fake_trace import fake_trace


def test_a_lane_that_never_began_is_none_and_nothing_is_compared():
    shown = view(fake_trace(cancelled=0))
    assert shown["lanes"]["speculative"] is None and shown["comparison"] is None
    assert shown["lanes"]["vanilla"]["numbers"]["tokens"] == 60


def test_a_run_that_was_not_observed_still_draws():
    lane = view(fake_trace(observed=False))["lanes"]["speculative"]
    assert lane["numbers"]["alpha"] is None and lane["rounds"][0]["drafted"][0]["position"] is None


def test_a_table_that_nobody_knows_is_no_model():
    trace = fake_trace(drafter="bigram")
    odd = replace(trace.header, draft=replace(trace.header.draft, family="trigram"))
    assert view(replace(trace, header=odd))["header"]["draft"]["kind"] == "table"


@pytest.mark.parametrize("settings", [{"drafter": "lookup"}, {"confidence": 0.4}, {"adaptive": True}])
def test_what_may_stop_a_block_early_is_said(settings):
    assert view(fake_trace(**settings))["header"]["draft"]["fewer"] is True
    assert view(fake_trace())["header"]["draft"]["fewer"] is False
