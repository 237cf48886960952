"""A trace becomes plain values that a screen can show: lanes that never began, tokens as what they add to the text, and what another
engine does not tell is named, not guessed."""

import re
from dataclasses import replace

import pytest

from specviz.picture.plain import json_text
from specviz.picture.words import BROWSER
from specviz.trace.events import Token
from tests.view import csv_text, view

from ..fake_trace import fake_trace, reticent, rounds


def test_a_lane_that_never_began_is_none_and_nothing_is_compared():
    picture = view(fake_trace(cancelled=0))
    assert picture["lanes"]["speculative"] is None and picture["comparison"] is None
    assert picture["lanes"]["vanilla"]["numbers"]["tokens"] == 60


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


def test_greedy_tokens_carry_no_uniform():
    lane = view(fake_trace(temperature=0.0))["lanes"]["speculative"]
    assert all(d["u"] is None for r in lane["rounds"] for d in r["drafted"])


def test_half_a_character_is_shown_as_its_bytes_and_the_other_half_completes_it():
    lanes = [view(fake_trace(seed=s, max_new_tokens=200))["lanes"]["vanilla"] for s in range(4)]
    spans = [s for lane in lanes for r in lane["rounds"] for s in r["shown"] if s["kind"] != "text"]
    assert {s["text"] for s in spans} >= {"⟨C3⟩", "é"}


def test_a_character_of_the_prompt_is_put_together_from_its_bytes():
    trace = fake_trace()
    parts = [Token(1, "caf"), Token(2, "⟨C3⟩", True), Token(3, "⟨A9⟩", True), Token(4, "⟨E2 80⟩", True), Token(5, "⟨9C⟩", True)]
    picture = view(replace(trace, vanilla=(replace(trace.vanilla[0], prompt=tuple(parts)), *trace.vanilla[1:])))
    prompt = picture["lanes"]["vanilla"]["prompt"]
    assert [(t["shown"], t["kind"]) for t in prompt] == [
        ("caf", "text"), ("⟨C3⟩", "bytes"), ("é", "completes"), ("⟨E2 80⟩", "bytes"), ("“", "completes")
    ]  # fmt: skip


def test_a_token_of_ten_thousand_spaces_is_cut_and_says_so():
    picture = view(fake_trace(hostile=True, max_new_tokens=300))
    longest = max((s["text"] for r in picture["lanes"]["vanilla"]["rounds"] for s in r["shown"]), key=len)
    assert len(longest) < 150 and "10,000 characters" in longest


def test_an_infinite_ratio_does_not_reach_the_page():
    trace = fake_trace()
    first = rounds(trace.speculative)[0]
    odd = replace(first, drafted=(replace(first.drafted[0], ratio=float("inf")), *first.drafted[1:]))
    picture = view(replace(trace, speculative=(trace.speculative[0], odd, trace.speculative[-1])))
    assert picture["lanes"]["speculative"]["rounds"][0]["drafted"][0]["ratio"] is None
    json_text(picture)


def test_each_sentence_told_of_a_position_is_one_of_ours_and_is_filled_in_by_its_numbers():
    for how in ({}, {"drafting": "argmax"}, {"temperature": 0.0}):
        lane = view(fake_trace(**how))["lanes"]["speculative"]
        placed = [token["position"] for r in lane["rounds"] for token in r["drafted"] + r["emitted"]]
        sentences = [sentence for position in placed if position for sentence in position["told"]]
        assert sentences and all(set(re.findall(r"{(\w+)}", BROWSER[name])) == set(numbers) for name, numbers in sentences)


TRACE = fake_trace(K=3)
BARE = reticent(TRACE)


def test_our_own_engine_leaves_nothing_out():
    header = view(TRACE)["header"]
    assert header["left_out"] == [] and header["engine"] == "specviz"


def test_each_thing_that_is_missing_has_a_name_on_the_page():
    left_out = view(BARE)["header"]["left_out"]
    assert left_out == ["p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill"]
    assert all(f"left_out_{key}" in BROWSER for key in left_out)


def test_greedy_decoding_draws_nothing_that_could_be_missing():
    assert not {"u", "chance"} & set(view(reticent(fake_trace(K=3, temperature=0)))["header"]["left_out"])


def test_what_the_prefill_wrote_counts_as_text_and_in_no_rate():
    whole, bare = (view(trace)["lanes"]["speculative"]["numbers"] for trace in (TRACE, BARE))
    assert bare["tokens"] == whole["tokens"] + 1
    for name in ("tokens_per_second", "tokens_per_forward", "tokens_per_round", "drafted_per_round", "undrafted", "by_position"):
        assert bare[name] == whole[name], name


def test_no_number_stands_for_what_was_not_told():
    picture = view(BARE)
    numbers = picture["lanes"]["speculative"]["numbers"]
    assert [numbers[name] for name in ("prefill_ms", "draft_forwards", "alpha", "tokens_per_second_end_to_end")] == [None] * 4
    assert numbers["split"] | {"rest": None} == dict.fromkeys(("draft", "verify", "decide", "rest"))
    assert picture["account"] == {"missing": "untold"} and "missing_untold" in BROWSER
    assert picture["comparison"]["speedup"] == view(TRACE)["comparison"]["speedup"]
    row = csv_text(BARE).splitlines()[-1].split(",")
    assert row[3:6] == ["", "", ""] and "None" not in csv_text(BARE)


def test_an_engine_with_a_name_without_end_is_cut():
    header = replace(BARE.header, engine="x" * 1000)
    assert len(json_text(view(replace(BARE, header=header))["header"]["engine"])) < 60
