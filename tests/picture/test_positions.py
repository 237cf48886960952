"""Acceptance by position: counted, made into tokens a round and into a best K that goes no further than what was measured allows."""

import pytest

from specviz.acceptance import expected_speedup, expected_tokens, expected_tokens_by_position
from tests.view import call, plain

from ..fake_trace import fake_trace, rounds
from .test_account import speculative

FEW, MARGIN = 5, 2  # as the module has them


def by_position(lane):
    return call("picture/positions.js", "byPosition", plain(lane))


def three_ways(lane, alpha):
    return call("picture/positions.js", "threeWays", plain(lane), alpha)


def best(lane, *costs):
    return call("picture/positions.js", "best", plain(lane), *costs)


KEPT = [4, 4, 1, 0, 2, 0, 4, 3, 1, 1]  # of blocks of four


def test_a_position_says_how_many_reached_it_and_how_many_stayed():
    found = by_position(speculative(*KEPT))
    assert [(p["position"], p["reached"], p["accepted"]) for p in found] == [(1, 10, 8), (2, 8, 5), (3, 5, 4), (4, 4, 3)]
    assert [p["given_reached"] for p in found] == pytest.approx([8 / 10, 5 / 8, 4 / 5, 3 / 4])
    assert [p["of_blocks"] for p in found] == pytest.approx([0.8, 0.5, 0.4, 0.3])
    assert {p["drafted"] for p in found} == {10}


def test_the_published_marginal_acceptances_are_these_conditional_ones():
    """A public report of an engine: .844 .599 .385 .271 of all blocks."""
    reached, kept = [1000, 844, 599, 385], [844, 599, 385, 271]
    lane = speculative(*(n for n, count in enumerate([156, 245, 214, 114, 271]) for _ in range(count)))
    found = by_position(lane)
    assert [(p["reached"], p["accepted"]) for p in found] == list(zip(reached, kept, strict=True))
    assert [round(p["of_blocks"], 3) for p in found] == [0.844, 0.599, 0.385, 0.271]
    assert [round(p["given_reached"], 2) for p in found] == [0.84, 0.71, 0.64, 0.7]


def test_a_block_that_was_shorter_counts_where_it_had_a_token():
    found = by_position(speculative(4, 4) + speculative(1, 0, K=1) + speculative(0, K=0))
    assert [(p["drafted"], p["reached"], p["accepted"]) for p in found] == [(4, 4, 3), (2, 2, 2), (2, 2, 2), (2, 2, 2)]


def test_without_blocks_there_are_no_positions_and_nothing_is_expected_tokens_by_position():
    lane = speculative(0, 0, K=0)
    assert by_position(lane) == [] and set(three_ways(lane, 0.5).values()) == {None}
    assert set(best(lane, 0.1, 1.2, 4, 16).values()) == {None}


def test_tokens_by_position_are_the_measured_ones_where_all_blocks_are_of_one_length():
    found = three_ways(speculative(*KEPT), 0.75)
    assert found["positions"] == pytest.approx(found["measured"]) == pytest.approx(sum(KEPT) / len(KEPT) + 1)
    assert found["alpha"] == pytest.approx(expected_tokens(0.75, 4))


def test_in_a_run_the_positions_promise_what_was_measured_and_the_counts_add_up():
    for how in ({"K": 4}, {"K": 8, "verifier": "block"}, {"short": True, "K": 4}, {"drafting": "argmax"}):
        trace = fake_trace(**how)
        lane, end = rounds(trace.speculative), trace.speculative[-1]
        found = by_position(lane)
        assert sum(p["accepted"] for p in found) == end.accepted and sum(p["reached"] for p in found) == end.tested
        three = three_ways(lane, None)
        assert three["positions"] == pytest.approx(three["measured"], rel=0.1)


def test_the_best_K_stops_where_the_measuring_did_and_a_stated_margin_further():
    everything = best(speculative(*[4] * 20), 0.02, 1.0, 4, 16)
    assert (everything["best_measured"], everything["best_reach"], everything["best_K"]) == (4, 4 + MARGIN, 4 + MARGIN)
    assert everything["best_speedup"] == pytest.approx(expected_speedup(5 + MARGIN, 4 + MARGIN, 0.02))


def test_blocks_of_four_that_reached_the_end_once_promise_no_twelve():
    """α would: at a mean of .9 and c of .02 the formula says K = 16."""
    found = best(speculative(*[2] * 9, 4), 0.02, 1.0, 4, 16)
    assert found["best_measured"] == 3 and found["best_K"] <= 3 + MARGIN and found["best_speedup"] < 4


def test_past_what_was_measured_a_token_counts_as_the_worst_position():
    lane = speculative(*KEPT * FEW)
    found = best(lane, 0.0, 1.0, 4, 16)
    kept = [8 / 10, 5 / 8, 4 / 5, 3 / 4, 5 / 8, 5 / 8]
    assert found["best_K"] == 6 and found["best_speedup"] == pytest.approx(expected_tokens_by_position(kept, 6), rel=1e-5)


def test_the_best_K_is_no_more_than_the_limit_and_zero_where_drafting_does_not_pay():
    assert best(speculative(*[4] * 20), 0.02, 1.0, 4, 5)["best_K"] == 5
    assert best(speculative(*[0] * 20), 0.2, 1.2, 4, 16)["best_K"] == 0
