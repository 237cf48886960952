"""Every number of a lane and of the comparison can be checked by hand."""

from dataclasses import replace

import pytest

from specviz.trace.events import Divergence, Finished, Logits, Prefill, Round
from tests.view import view

from ..fake_trace import fake_trace, rounds


def test_acceptance_is_given_under_its_three_definitions():
    trace = fake_trace()
    numbers, finished = view(trace)["lanes"]["speculative"]["numbers"], trace.speculative[-1]
    assert numbers["accepted_of_drafted"] == pytest.approx(finished.accepted / finished.drafted, rel=1e-5)
    assert numbers["accepted_of_tested"] == pytest.approx(finished.accepted / finished.tested, rel=1e-5)
    betas = [d.position.beta for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]
    assert numbers["alpha"] == pytest.approx(sum(betas) / len(betas), rel=1e-5)
    assert numbers["alpha_positions"] == finished.tested


def test_speedup_is_of_decoding_and_end_to_end_counts_prefill_too():
    trace = fake_trace()
    a, b = trace.vanilla[-1], trace.speculative[-1]
    comparison = view(trace)["comparison"]
    assert comparison["speedup"] == pytest.approx((b.tokens / b.decode_ms) / (a.tokens / a.decode_ms), rel=1e-4)
    rates = [f.tokens / (f.decode_ms + f.prefill_ms) for f in (a, b)]
    assert comparison["low"] <= comparison["speedup"] <= comparison["high"]
    assert comparison["speedup_end_to_end"] == pytest.approx(rates[1] / rates[0], rel=1e-4)


def test_a_speedup_is_given_no_name_where_both_lanes_did_the_same_or_where_there_is_none():
    assert view(fake_trace(K=0))["comparison"]["kind"] == "alike"
    trace = fake_trace()
    nothing = replace(trace, vanilla=tuple(e for e in trace.vanilla if not isinstance(e, Round)))
    assert view(nothing)["comparison"]["kind"] is None


def test_greedy_lanes_that_part_say_by_which_logits():
    trace, token = fake_trace(), fake_trace().speculative[1].emitted[0].token
    divergence = Divergence(3, token, token, Logits(-1.5, -1.500001), Logits(2.25, 2.5))
    logits = view(replace(trace, header=replace(trace.header, divergence=divergence)))["comparison"]["logits"]
    assert logits == {"alone_vanilla": -1.5, "alone_speculative": -1.5, "block_vanilla": 2.25, "block_speculative": 2.5}
    assert view(trace)["comparison"]["logits"] is None


def test_a_stopped_lane_has_the_numbers_of_what_it_did():
    picture = view(fake_trace(cancelled=3))
    lane = picture["lanes"]["speculative"]
    assert lane["stopped"]["reason"] == "cancelled" and lane["numbers"]["rounds"] == 3
    assert not picture["comparison"]["whole"]


def test_a_lane_stopped_before_its_first_round_has_no_rates():
    trace = fake_trace()
    prefill = next(e for e in trace.vanilla if isinstance(e, Prefill))
    error = Finished("error", "out of memory", "", 0, 0, 0, 0, 0, 0, 0, 1.0, 0.0, 0.0)
    picture = view(replace(trace, speculative=(prefill, error)))
    assert picture["lanes"]["speculative"]["numbers"]["tokens_per_second"] is None
    assert picture["comparison"]["speedup"] is None


def test_nothing_drafted_is_vanilla_in_both_lanes():
    numbers = view(fake_trace(K=0))["lanes"]["speculative"]["numbers"]
    assert numbers["accepted_of_drafted"] is None and numbers["tokens_per_forward"] == 1


def test_rounds_without_a_draft_are_counted_but_not_the_last_one_of_a_full_run_which_had_no_room():
    for settings in ({"short": True}, {}):
        trace = fake_trace(K=4, **settings)
        sizes = [len(r.drafted) for r in rounds(trace.speculative)]
        assert view(trace)["lanes"]["speculative"]["numbers"]["undrafted"] == sizes[:-1].count(0)
    stopped = fake_trace(K=4, short=True, cancelled=2)  # the second of the two drafted nothing
    assert view(stopped)["lanes"]["speculative"]["numbers"]["undrafted"] == 1
