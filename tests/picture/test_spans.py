"""A round keeps to its lane's clock, and its spans are the text with what was rejected still in sight."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.view import view

from ..fake_trace import fake_trace, rounds, tree_trace


def test_a_round_begins_where_the_one_before_ended_and_each_phase_lasts_as_long_as_it_was_measured():
    trace, end = fake_trace(), 0.0
    lane = view(trace)["lanes"]["speculative"]
    marks = ("start", "drafted_at", "verified_at", "decided_at", "end")
    for r, span in zip(rounds(trace.speculative), lane["rounds"], strict=True):
        spans = [span[b] - span[a] for a, b in pairwise(marks)]
        assert spans == pytest.approx([r.times.draft, r.times.verify, r.times.decide, r.times.rest], abs=3e-4)
        assert span["start"] == pytest.approx(end)
        end = span["end"]
    assert lane["duration"] == pytest.approx(end) and lane["numbers"]["observe_ms"] > 0  # which is not on the clock


@pytest.mark.parametrize("settings", [{}, {"short": True, "K": 4}, {"ends_inside": True}, {"temperature": 0.0}], ids=str)
def test_phases_follow_each_other_and_what_happens_in_one_stays_inside_it(settings):
    for r in view(fake_trace(**settings))["lanes"]["speculative"]["rounds"]:
        assert r["start"] <= r["drafted_at"] < r["verified_at"] < r["decided_at"] < r["end"]
        drafted = [s for s in r["shown"] if s["drafted"] is not None]
        for moments in ([s["at"] for s in drafted], [s["decided"] for s in drafted if s["role"] != "unexamined"]):
            assert moments == sorted(set(moments))  # one after the other
        assert all(r["start"] < s["at"] < r["drafted_at"] for s in drafted)
        assert all(r["verified_at"] < s["decided"] < r["decided_at"] for s in drafted)
        assert all(s["at"] == s["decided"] == r["decided_at"] for s in r["shown"] if s["drafted"] is None)


def test_what_was_never_examined_falls_with_the_rejected_token():
    for r in view(fake_trace())["lanes"]["speculative"]["rounds"]:
        rejected = [s["decided"] for s in r["shown"] if s["role"] == "rejected"]
        assert all([s["decided"]] == rejected for s in r["shown"] if s["role"] == "unexamined")


def test_moments_keep_their_order_in_a_run_of_hours():
    trace = fake_trace()
    slow = [replace(r, times=replace(r.times, rest=400_000.0)) if i % 2 else r for i, r in enumerate(rounds(trace.speculative))]
    picture = view(replace(trace, speculative=(trace.speculative[0], *slow, trace.speculative[-1])))
    for r in picture["lanes"]["speculative"]["rounds"]:
        decided = [s["decided"] for s in r["shown"] if s["role"] in ("accepted", "rejected")]
        assert decided == sorted(set(decided))


def test_the_kept_spans_of_a_lane_are_its_text():
    trace = fake_trace()
    for name in ("vanilla", "speculative"):
        lane = view(trace)["lanes"][name]
        spans = [s for r in lane["rounds"] for s in r["shown"] if s["emitted"] is not None and s["kind"] != "bytes"]
        assert "".join(s["text"] for s in spans) == getattr(trace, name)[-1].text


def test_a_rejected_token_stays_on_screen_before_the_token_that_replaced_it():
    r = next(r for r in view(fake_trace())["lanes"]["speculative"]["rounds"] if r["residual"])
    roles = [s["role"] for s in r["shown"]]
    assert "rejected" in roles and roles[-1] == "corrected"


def test_a_round_without_a_draft_in_the_middle_of_a_run_is_one_plain_token():
    lane = view(fake_trace(short=True, K=4))["lanes"]["speculative"]
    sizes = [len(r["drafted"]) for r in lane["rounds"]]
    assert sizes[:8] == [4, 0, 1, 2, 4, 0, 1, 2]
    for r in lane["rounds"]:
        if not r["drafted"]:
            assert [s["role"] for s in r["shown"]] == ["plain"] and r["drafted_at"] == r["start"]
    assert lane["numbers"]["drafted_per_round"] == pytest.approx(sum(sizes) / len(sizes), rel=1e-5)


def test_draft_tokens_after_the_one_that_ended_the_run_are_shown_unexamined():
    last = view(fake_trace(ends_inside=True))["lanes"]["speculative"]["rounds"][-1]
    assert [s["role"] for s in last["shown"]] == ["accepted"] + ["unexamined"] * (len(last["drafted"]) - 1)
    assert [s["emitted"] for s in last["shown"]][:2] == [0, None]


def test_a_block_of_one_pass_is_drafted_at_once_a_chain_one_after_the_other_and_a_tree_level_by_level():
    trace = fake_trace(K=4, drafter="eagle")
    passes = iter(range(1, 99))
    block = tuple(
        replace(e, draft_forwards=next(passes)) if hasattr(e, "drafted") and hasattr(e, "times") else e for e in trace.speculative
    )
    for events, moments in ((trace.speculative, 4), (block, 1)):
        first = view(replace(trace, speculative=events))["lanes"]["speculative"]["rounds"][0]
        assert len({s["at"] for s in first["shown"] if s["drafted"] is not None}) == moments
    tree = view(tree_trace("3-2-1", K=3))["lanes"]["speculative"]["rounds"][0]["drafted"]
    assert len({d["at"] for d in tree}) == 3 and all(d["at"] > tree[d["parent"]]["at"] for d in tree if d["parent"] >= 0)
