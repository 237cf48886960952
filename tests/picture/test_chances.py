"""What each rule would have kept, at a position and over a run: each number against the position's own entries."""

from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.picture import words
from specviz.trace.events import Position
from tests.view import call, plain, view

from ..fake_trace import fake_trace, rounds

RULES = ("rejection", "match", "argmax")


def at(position):
    return call("picture/chances.js", "at", position and plain(position))


def averaged(trace):
    return call(
        "picture/chances.js", "averaged", plain(trace.header.config), plain(rounds(trace.speculative)), trace.header.config.exact
    )


def examined(trace):
    return [d for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]


def test_drawn_from_the_softmax_the_overlap_is_what_rejection_keeps():
    for d in examined(fake_trace()):
        found = at(d.position)
        assert found["rejection"] == pytest.approx(d.position.beta, rel=1e-5)
        largest = max(d.position.entries, key=lambda entry: entry.q)
        assert found["argmax"] == pytest.approx(largest.p, rel=1e-5)
        assert found["match"] <= found["rejection"] + 1e-6


def test_where_the_argmax_was_drafted_the_other_rules_are_told_by_the_draft_s_own_softmax():
    for d in examined(fake_trace(drafting="argmax")):
        found = at(d.position)
        assert found["argmax"] == pytest.approx(d.p, rel=1e-5) and found["rejection"] == pytest.approx(
            d.position.own.beta, rel=1e-5
        )


def test_where_nothing_was_drafted_or_an_older_trace_does_not_say_there_are_no_chances():
    assert at(None) is None and at(Position((), 1.0, None, None, 0.0, None)) is None
    assert at(Position((), 1.0, 1.0, 0.5, 0.0, 0.0)) is None


@pytest.mark.parametrize("how", [{}, {"verifier": "match"}, {"drafting": "argmax"}, {"verifier": "block"}], ids=str)
def test_the_average_is_over_what_was_tested(how):
    trace = fake_trace(**how)
    found = averaged(trace)
    each = [at(d.position) for d in examined(trace)]
    assert found["positions"] == len(each) == trace.speculative[-1].tested
    for rule in RULES:
        assert found[rule] == pytest.approx(sum(chance[rule] for chance in each) / len(each), rel=1e-5)
    assert found[found["most"]] == max(found[rule] for rule in RULES)
    assert found["accepted"] == pytest.approx(trace.speculative[-1].accepted / trace.speculative[-1].tested, rel=1e-5)


def test_a_run_that_was_not_observed_has_no_average():
    trace = fake_trace(observed=False)
    assert averaged(trace) is None


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({}, "rejection"),
        ({"verifier": "match"}, "match"),
        ({"verifier": "block"}, "block"),
        ({"drafting": "argmax"}, "argmax"),
        ({"drafting": "argmax", "verifier": "block"}, "argmax"),
        ({"drafting": "argmax", "verifier": "typical"}, "typical"),
        ({"temperature": 0, "verifier": "typical"}, "greedy"),
    ],
    ids=str,
)
def test_the_rule_that_ran_has_one_name_and_words(settings, rule):
    config = DecodeConfig(**settings)
    trace = fake_trace(K=2, max_new_tokens=4)
    found = averaged(replace(trace, header=replace(trace.header, config=config)))
    assert found["ran"] == rule and ("not exact" in words.RULES[rule]) == (not config.exact)


def test_at_temperature_zero_no_rule_is_better():
    trace = fake_trace(temperature=0)
    found = averaged(trace)
    assert found["most"] is None and found["rejection"] == found["match"] == found["argmax"]


def test_a_trace_of_before_is_drawn_without_them():
    trace = fake_trace()

    def old(r):
        return replace(
            r,
            drafted=tuple(replace(d, position=d.position and replace(d.position, product=None, best=None)) for d in r.drafted),
        )

    lane = tuple(old(e) if hasattr(e, "drafted") and hasattr(e, "emitted") else e for e in trace.speculative)
    assert view(replace(trace, speculative=lane))["rules"] is None
