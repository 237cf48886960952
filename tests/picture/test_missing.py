"""What another engine does not tell is named, not guessed: on a screen, in sums, in a spreadsheet."""

from dataclasses import replace

from specviz.picture.plain import json_text
from specviz.picture.words import BROWSER
from tests.view import csv_text, view

from ..fake_trace import fake_trace, reticent

TRACE = fake_trace(K=3)
BARE = reticent(TRACE)


def test_our_own_engine_leaves_nothing_out():
    header = view(TRACE)["header"]
    assert header["left_out"] == [] and header["engine"] == "specviz"


def test_each_thing_that_is_missing_has_a_name_on_the_page():
    found = view(BARE)["header"]["left_out"]
    assert found == ["p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill"]
    assert all(f"left_out_{key}" in BROWSER for key in found)


def test_greedy_decoding_draws_nothing_that_could_be_missing():
    assert not {"u", "chance"} & set(view(reticent(fake_trace(K=3, temperature=0)))["header"]["left_out"])


def test_what_the_prefill_wrote_counts_as_text_and_in_no_rate():
    whole, bare = (view(trace)["lanes"]["speculative"]["numbers"] for trace in (TRACE, BARE))
    assert bare["tokens"] == whole["tokens"] + 1
    for name in ("tokens_per_second", "tokens_per_forward", "tokens_per_round", "drafted_per_round", "undrafted", "by_position"):
        assert bare[name] == whole[name], name


def test_no_number_stands_for_what_was_not_told():
    seen = view(BARE)
    numbers = seen["lanes"]["speculative"]["numbers"]
    assert [numbers[name] for name in ("prefill_ms", "draft_forwards", "alpha", "tokens_per_second_end_to_end")] == [None] * 4
    assert numbers["split"] | {"rest": None} == dict.fromkeys(("draft", "verify", "decide", "rest"))
    assert seen["account"] == {"missing": "untold"} and "missing_untold" in BROWSER
    assert seen["comparison"]["speedup"] == view(TRACE)["comparison"]["speedup"]
    row = csv_text(BARE).splitlines()[-1].split(",")
    assert row[3:6] == ["", "", ""] and "None" not in csv_text(BARE)


def test_an_engine_with_a_name_without_end_is_cut():
    header = replace(BARE.header, engine="x" * 1000)
    assert len(json_text(view(replace(BARE, header=header))["header"]["engine"])) < 60
