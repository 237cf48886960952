"""A trace becomes plain values that a screen can show, and every number in it can be checked by hand."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import pytest

from specviz.picture.view import LONGEST_TOKEN, json_text, picture
from specviz.trace.events import Divergence, Finished, Logits, Prefill, Round, Token

from ..fake_trace import fake_trace


def rounds(lane):
    return [e for e in lane if isinstance(e, Round)]


@pytest.mark.parametrize("seed", range(5))
def test_the_fake_trace_keeps_its_own_rules(seed):
    trace = fake_trace(seed=seed)
    for r in rounds(trace.speculative):
        for d in r.drafted:
            assert d.ratio == pytest.approx(d.p / d.q)
            if d.verdict != "unexamined":
                assert (d.u < d.ratio) == (d.verdict == "accepted")
                assert sum(e.p for e in d.position.entries) + d.position.p_rest == pytest.approx(1)
        if r.residual:
            rejected = next(d for d in r.drafted if d.verdict == "rejected")
            assert r.residual.mass == pytest.approx(1 - rejected.position.beta)
            assert sum(e.probability for e in r.residual.entries) + r.residual.rest == pytest.approx(1)
    finished = trace.speculative[-1]
    assert finished.tokens == sum(len(r.emitted) for r in rounds(trace.speculative))


def test_a_round_begins_where_the_one_before_ended_and_observation_is_not_on_the_clock():
    lane = picture(fake_trace())["lanes"]["speculative"]
    ends = [0.0] + [r["end"] for r in lane["rounds"]]
    assert [r["start"] for r in lane["rounds"]] == pytest.approx(ends[:-1])
    timed = sum(r["times"][part] for r in lane["rounds"] for part in ("draft", "verify", "decide", "rest"))
    assert lane["duration"] == pytest.approx(timed, rel=1e-4)
    assert lane["numbers"]["observe_ms"] > 0


def test_what_recording_graphs_took_and_why_a_run_was_slower_than_its_device_allows_are_among_the_numbers():
    trace = fake_trace()
    assert [picture(trace)["lanes"]["vanilla"]["numbers"][key] for key in ("capture_ms", "eager")] == [0.0, ""]
    recorded = replace(trace.vanilla[-1], capture_ms=812.5, eager="no memory")
    numbers = picture(replace(trace, vanilla=(*trace.vanilla[:-1], recorded)))["lanes"]["vanilla"]["numbers"]
    assert (numbers["capture_ms"], numbers["eager"]) == (812.5, "no memory")


@pytest.mark.parametrize("settings", [{}, {"short": True, "K": 4}, {"ends_inside": True}, {"temperature": 0.0}], ids=str)
def test_phases_follow_each_other_and_what_happens_in_one_stays_inside_it(settings):
    for r in picture(fake_trace(**settings))["lanes"]["speculative"]["rounds"]:
        assert r["start"] <= r["drafted_at"] < r["verified_at"] < r["decided_at"] < r["end"]
        drafted = [s for s in r["shown"] if s["drafted"] is not None]
        for moments in ([s["at"] for s in drafted], [s["decided"] for s in drafted if s["role"] != "unexamined"]):
            assert moments == sorted(set(moments))  # one after the other
        assert all(r["start"] < s["at"] < r["drafted_at"] for s in drafted)
        assert all(r["verified_at"] < s["decided"] < r["decided_at"] for s in drafted)
        assert all(s["at"] == s["decided"] == r["decided_at"] for s in r["shown"] if s["drafted"] is None)


def test_what_was_never_examined_falls_with_the_rejected_token():
    for r in picture(fake_trace())["lanes"]["speculative"]["rounds"]:
        rejected = [s["decided"] for s in r["shown"] if s["role"] == "rejected"]
        assert all([s["decided"]] == rejected for s in r["shown"] if s["role"] == "unexamined")


def test_a_phase_lasts_as_long_as_it_was_measured():
    trace = fake_trace()
    shown = picture(trace)["lanes"]["speculative"]["rounds"]
    marks = ("start", "drafted_at", "verified_at", "decided_at", "end")
    for r, drawn in zip(rounds(trace.speculative), shown, strict=True):
        spans = [drawn[b] - drawn[a] for a, b in pairwise(marks)]
        assert spans == pytest.approx([r.times.draft, r.times.verify, r.times.decide, r.times.rest], abs=3e-4)


def test_moments_keep_their_order_in_a_run_of_hours():
    trace = fake_trace()
    slow = [replace(r, times=replace(r.times, rest=400_000.0)) if i % 2 else r for i, r in enumerate(rounds(trace.speculative))]
    for r in picture(replace(trace, speculative=(trace.speculative[0], *slow, trace.speculative[-1])))["lanes"]["speculative"][
        "rounds"
    ]:
        decided = [s["decided"] for s in r["shown"] if s["role"] in ("accepted", "rejected")]
        assert decided == sorted(set(decided))


def test_the_kept_spans_of_a_lane_are_its_text():
    trace = fake_trace()
    for name in ("vanilla", "speculative"):
        lane = picture(trace)["lanes"][name]
        kept = [s for r in lane["rounds"] for s in r["shown"] if s["emitted"] is not None and s["kind"] != "bytes"]
        assert "".join(s["text"] for s in kept) == getattr(trace, name)[-1].text


def test_a_rejected_token_stays_on_screen_before_the_token_that_replaced_it():
    r = next(r for r in picture(fake_trace())["lanes"]["speculative"]["rounds"] if r["residual"])
    roles = [s["role"] for s in r["shown"]]
    assert "rejected" in roles and roles[-1] == "corrected"


def test_acceptance_is_given_under_its_three_definitions():
    trace = fake_trace()
    numbers, finished = picture(trace)["lanes"]["speculative"]["numbers"], trace.speculative[-1]
    assert numbers["accepted_of_drafted"] == pytest.approx(finished.accepted / finished.drafted, rel=1e-5)
    assert numbers["accepted_of_tested"] == pytest.approx(finished.accepted / finished.tested, rel=1e-5)
    betas = [d.position.beta for r in rounds(trace.speculative) for d in r.drafted if d.verdict != "unexamined"]
    assert numbers["alpha"] == pytest.approx(sum(betas) / len(betas), rel=1e-5)
    assert numbers["alpha_positions"] == finished.tested


def test_speedup_is_of_decoding_and_end_to_end_counts_prefill_too():
    trace = fake_trace()
    a, b = trace.vanilla[-1], trace.speculative[-1]
    comparison = picture(trace)["comparison"]
    assert comparison["speedup"] == pytest.approx((b.tokens / b.decode_ms) / (a.tokens / a.decode_ms), rel=1e-4)
    rates = [f.tokens / (f.decode_ms + f.prefill_ms) for f in (a, b)]
    assert comparison["kind"] == (
        "faster" if comparison["speedup"] >= 1.05 else "slower" if comparison["speedup"] <= 0.95 else "level"
    )
    assert comparison["speedup_end_to_end"] == pytest.approx(rates[1] / rates[0], rel=1e-4)


def test_a_speedup_is_given_no_name_where_both_lanes_did_the_same_or_where_there_is_none():
    assert picture(fake_trace(K=0))["comparison"]["kind"] == "alike"
    trace = fake_trace()
    nothing = replace(trace, vanilla=[e for e in trace.vanilla if not isinstance(e, Round)])
    assert picture(nothing)["comparison"]["kind"] is None


def test_greedy_lanes_have_the_same_text_and_sampled_lanes_part_at_a_named_token():
    greedy = picture(fake_trace(temperature=0.0))["comparison"]
    assert greedy["same"] and greedy["greedy"] and not greedy["parts"]
    sampled = picture(fake_trace())["comparison"]
    assert not sampled["same"] and sampled["parts"] and 0 <= sampled["common"] < 60
    assert greedy["parted"] is None and sampled["parted"][0]["id"] != sampled["parted"][1]["id"]


def test_greedy_lanes_that_part_say_by_which_logits():
    trace, token = fake_trace(), fake_trace().speculative[1].emitted[0].token
    found = Divergence(3, token, token, Logits(-1.5, -1.500001), Logits(2.25, 2.5))
    shown = picture(replace(trace, header=replace(trace.header, divergence=found)))["comparison"]["logits"]
    assert shown == {"alone_vanilla": -1.5, "alone_speculative": -1.5, "block_vanilla": 2.25, "block_speculative": 2.5}
    assert picture(trace)["comparison"]["logits"] is None


def test_greedy_tokens_carry_no_uniform():
    lane = picture(fake_trace(temperature=0.0))["lanes"]["speculative"]
    assert all(d["u"] is None for r in lane["rounds"] for d in r["drafted"])


def test_a_lane_that_never_began_is_none_and_nothing_is_compared():
    shown = picture(fake_trace(cancelled=0))
    assert shown["lanes"]["speculative"] is None and shown["comparison"] is None
    assert shown["lanes"]["vanilla"]["numbers"]["tokens"] == 60


def test_a_stopped_lane_has_the_numbers_of_what_it_did():
    shown = picture(fake_trace(cancelled=3))
    lane = shown["lanes"]["speculative"]
    assert lane["stopped"]["reason"] == "cancelled" and lane["numbers"]["rounds"] == 3
    assert not shown["comparison"]["whole"]


def test_a_lane_stopped_before_its_first_round_has_no_rates():
    trace = fake_trace()
    prefill = next(e for e in trace.vanilla if isinstance(e, Prefill))
    error = Finished("error", "out of memory", "", 0, 0, 0, 0, 0, 0, 0, 1.0, 0.0, 0.0)
    shown = picture(replace(trace, speculative=(prefill, error)))
    assert shown["lanes"]["speculative"]["numbers"]["tokens_per_second"] is None
    assert shown["comparison"]["speedup"] is None


def test_a_run_that_was_not_observed_still_draws():
    lane = picture(fake_trace(observed=False))["lanes"]["speculative"]
    assert lane["numbers"]["alpha"] is None and lane["rounds"][0]["drafted"][0]["position"] is None


def test_nothing_drafted_is_vanilla_in_both_lanes():
    numbers = picture(fake_trace(K=0))["lanes"]["speculative"]["numbers"]
    assert numbers["accepted_of_drafted"] is None and numbers["tokens_per_forward"] == 1


def test_a_round_without_a_draft_in_the_middle_of_a_run_is_one_plain_token():
    lane = picture(fake_trace(short=True, K=4))["lanes"]["speculative"]
    sizes = [len(r["drafted"]) for r in lane["rounds"]]
    assert sizes[:8] == [4, 0, 1, 2, 4, 0, 1, 2]
    for r in lane["rounds"]:
        if not r["drafted"]:
            assert [s["role"] for s in r["shown"]] == ["plain"] and r["drafted_at"] == r["start"]
    assert lane["numbers"]["drafted_per_round"] == pytest.approx(sum(sizes) / len(sizes), rel=1e-5)


def test_rounds_without_a_draft_are_counted_but_not_the_last_one_of_a_full_run_which_had_no_room():
    for settings in ({"short": True}, {}):
        trace = fake_trace(K=4, **settings)
        sizes = [len(r.drafted) for r in rounds(trace.speculative)]
        assert picture(trace)["lanes"]["speculative"]["numbers"]["undrafted"] == sizes[:-1].count(0)
    stopped = fake_trace(K=4, short=True, cancelled=2)  # the second of the two drafted nothing
    assert picture(stopped)["lanes"]["speculative"]["numbers"]["undrafted"] == 1


@pytest.mark.parametrize(
    ("drafter", "kind"),
    [("small", "model"), ("lookup", "lookup"), ("bigram", "bigram"), ("random", "random"), ("early-exit", "layers"), ("mtp", "heads"), ("eagle", "eagle"), ("oracle", "target")],
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


def test_draft_tokens_after_the_one_that_ended_the_run_are_shown_unexamined():
    last = picture(fake_trace(ends_inside=True))["lanes"]["speculative"]["rounds"][-1]
    assert [s["role"] for s in last["shown"]] == ["accepted"] + ["unexamined"] * (len(last["drafted"]) - 1)
    assert [s["emitted"] for s in last["shown"]][:2] == [0, None]


def test_half_a_character_is_shown_as_its_bytes_and_the_other_half_completes_it():
    lanes = [picture(fake_trace(seed=s, max_new_tokens=200))["lanes"]["vanilla"] for s in range(4)]
    spans = [s for lane in lanes for r in lane["rounds"] for s in r["shown"] if s["kind"] != "text"]
    assert {s["text"] for s in spans} >= {"⟨C3⟩", "é"}


def test_a_character_of_the_prompt_is_put_together_from_its_bytes():
    trace = fake_trace()
    parts = [Token(1, "caf"), Token(2, "⟨C3⟩", True), Token(3, "⟨A9⟩", True), Token(4, "⟨E2 80⟩", True), Token(5, "⟨9C⟩", True)]
    shown = picture(replace(trace, vanilla=(replace(trace.vanilla[0], prompt=tuple(parts)), *trace.vanilla[1:])))
    prompt = shown["lanes"]["vanilla"]["prompt"]
    assert [(t["shown"], t["kind"]) for t in prompt] == [
        ("caf", "text"), ("⟨C3⟩", "bytes"), ("é", "completes"), ("⟨E2 80⟩", "bytes"), ("“", "completes")
    ]  # fmt: skip


def test_a_token_of_ten_thousand_spaces_is_cut_and_says_so():
    shown = picture(fake_trace(hostile=True, max_new_tokens=300))
    longest = max((s["text"] for r in shown["lanes"]["vanilla"]["rounds"] for s in r["shown"]), key=len)
    assert len(longest) < LONGEST_TOKEN + 30 and "10,000 characters" in longest


@pytest.mark.parametrize(
    "settings", [{}, {"temperature": 0.0}, {"verifier": "match"}, {"hostile": True}, {"cancelled": 0}, {"K": 0}]
)
def test_the_picture_is_json_without_markup_and_reads_back_the_same(settings):
    shown = picture(fake_trace(**settings))
    text = json_text(shown)
    assert "<" not in text
    assert json.loads(text) == json.loads(json.dumps(shown))


def test_an_infinite_ratio_does_not_reach_the_page():
    trace = fake_trace()
    first = rounds(trace.speculative)[0]
    odd = replace(first, drafted=(replace(first.drafted[0], ratio=float("inf")), *first.drafted[1:]))
    shown = picture(replace(trace, speculative=(trace.speculative[0], odd, trace.speculative[-1])))
    assert shown["lanes"]["speculative"]["rounds"][0]["drafted"][0]["ratio"] is None
    json_text(shown)


def test_what_an_account_lacks_reaches_the_page_as_its_reason_and_never_as_a_number_that_is_none():
    assert picture(fake_trace(K=0))["account"] == {"missing": "zero"}
    assert picture(fake_trace(cancelled=0))["account"] == {"missing": "lane"}


def test_the_view_needs_neither_models_nor_a_screen():
    code = "import sys, specviz.picture.view; print([m for m in ('torch', 'transformers', 'gradio', 'plotly', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
