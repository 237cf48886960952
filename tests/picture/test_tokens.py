"""A token is shown as what it adds to the text, cut when it is long, and no number of it is one that JSON lacks."""

import re
from dataclasses import replace

from specviz.picture.plain import json_text
from specviz.picture.words import BROWSER
from specviz.trace.events import Token
from tests.view import view

from ..fake_trace import fake_trace, rounds


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
    shown = view(replace(trace, vanilla=(replace(trace.vanilla[0], prompt=tuple(parts)), *trace.vanilla[1:])))
    prompt = shown["lanes"]["vanilla"]["prompt"]
    assert [(t["shown"], t["kind"]) for t in prompt] == [
        ("caf", "text"), ("⟨C3⟩", "bytes"), ("é", "completes"), ("⟨E2 80⟩", "bytes"), ("“", "completes")
    ]  # fmt: skip


def test_a_token_of_ten_thousand_spaces_is_cut_and_says_so():
    shown = view(fake_trace(hostile=True, max_new_tokens=300))
    longest = max((s["text"] for r in shown["lanes"]["vanilla"]["rounds"] for s in r["shown"]), key=len)
    assert len(longest) < 150 and "10,000 characters" in longest


def test_an_infinite_ratio_does_not_reach_the_page():
    trace = fake_trace()
    first = rounds(trace.speculative)[0]
    odd = replace(first, drafted=(replace(first.drafted[0], ratio=float("inf")), *first.drafted[1:]))
    shown = view(replace(trace, speculative=(trace.speculative[0], odd, trace.speculative[-1])))
    assert shown["lanes"]["speculative"]["rounds"][0]["drafted"][0]["ratio"] is None
    json_text(shown)


def test_each_sentence_told_of_a_position_is_one_of_ours_and_is_filled_in_by_its_numbers():
    for how in ({}, {"drafting": "argmax"}, {"temperature": 0.0}):
        lane = view(fake_trace(**how))["lanes"]["speculative"]
        placed = [token["position"] for r in lane["rounds"] for token in r["drafted"] + r["emitted"]]
        told = [sentence for position in placed if position for sentence in position["told"]]
        assert told and all(set(re.findall(r"{(\w+)}", BROWSER[name])) == set(numbers) for name, numbers in told)
