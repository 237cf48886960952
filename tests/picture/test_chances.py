"""What each rule would have kept, at a position and over a run: each number against the position's own entries."""

from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.picture import words
from specviz.trace.events import Position, Round
from specviz.trace.header import Trace
from tests.view import call, plain, view

from ..fake_trace import fake_trace, rounds

RULES = ("rejection", "match", "argmax")


def at(position):
    return call("picture/chances.js", "chancesAt", position and plain(position))


def averaged(trace):
    return call(
        "picture/chances.js",
        "meanChances",
        plain(trace.header.config),
        plain(rounds(trace.speculative)),
        trace.header.config.exact,
    )


def examined(trace):
    return [d for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]


@pytest.mark.parametrize("drafting", ["sample", "argmax"])
def test_each_rule_keeps_what_the_draft_s_own_softmax_says(drafting):
    for d in examined(fake_trace(drafting=drafting)):
        chances, own = at(d.position), d.position.own
        assert chances["rejection"] == pytest.approx((own or d.position).beta, rel=1e-5)
        largest = d.p if own else max(d.position.entries, key=lambda entry: entry.q).p
        assert chances["argmax"] == pytest.approx(largest, rel=1e-5)
        assert chances["match"] <= chances["rejection"] + 1e-6


def test_where_nothing_was_drafted_or_an_older_trace_does_not_say_there_are_no_chances():
    assert at(None) is None and at(Position((), 1.0, None, None, 0.0, None)) is None
    assert at(Position((), 1.0, 1.0, 0.5, 0.0, 0.0)) is None


@pytest.mark.parametrize("how", [{}, {"verifier": "match"}, {"drafting": "argmax"}, {"verifier": "block"}], ids=str)
def test_the_average_is_over_what_was_tested(how):
    trace = fake_trace(**how)
    average = averaged(trace)
    each = [at(d.position) for d in examined(trace)]
    assert average["positions"] == len(each) == trace.speculative[-1].tested
    for rule in RULES:
        assert average[rule] == pytest.approx(sum(chance[rule] for chance in each) / len(each), rel=1e-5)
    assert average[average["most"]] == max(average[rule] for rule in RULES)
    assert average["accepted"] == pytest.approx(trace.speculative[-1].accepted / trace.speculative[-1].tested, rel=1e-5)


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
    average = averaged(replace(trace, header=replace(trace.header, config=config)))
    assert average["ran"] == rule and ("not exact" in words.RULES[rule]) == (not config.exact)


def test_at_temperature_zero_no_rule_is_better():
    trace = fake_trace(temperature=0)
    average = averaged(trace)
    assert average["most"] is None and average["rejection"] == average["match"] == average["argmax"]


def old_trace() -> Trace:
    """As it was written before other rules had chances."""

    def old(d):
        return replace(d, position=d.position and replace(d.position, product=None, best=None))

    trace = fake_trace()
    lane = (replace(e, drafted=tuple(map(old, e.drafted))) if isinstance(e, Round) else e for e in trace.speculative)
    return replace(trace, speculative=tuple(lane))


@pytest.mark.parametrize("trace", [fake_trace(observed=False), old_trace()], ids=["not observed", "old"])
def test_where_a_trace_does_not_say_them_there_are_no_averages(trace):
    assert averaged(trace) is None and view(trace)["rules"] is None
