"""What is shown of a record follows from its counts: redone here by hand, and nothing where nothing is told."""

import json
from pathlib import Path

import pytest

from specviz.acceptance import expected_speedup
from specviz.picture.dictionary import engine_phrases
from specviz.picture.record import STEPS, by_position, means, record_picture
from specviz.picture.requests import BINS
from specviz.picture.words import RECORD
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import Acceptance, ServerRecord

from ..trace.records.test_read import EXAMPLES

ROOT = Path(__file__).parents[2]


def test_steps_of_vllm_give_each_position_what_a_hand_counts():
    record = read(EXAMPLES / "vllm_completion_output_spec_decode_metrics.json")  # kept 3 4 4 3 2 0 2 2 0 4 of 4 each
    picture = record_picture(record)
    at = [(p["reached"], p["accepted"], p["given_reached"], p["of_blocks"]) for p in picture["positions"]]
    assert at == [(10, 8, 0.8, 0.8), (8, 8, 1.0, 0.8), (8, 5, 0.625, 0.5), (5, 3, 0.6, 0.3)]
    assert picture["totals"]["tokens_per_step"] == 3.4 and picture["totals"]["accepted_of_drafted"] == 0.6
    assert picture["untold"] == ["pace"] and picture["spread"] is None
    assert picture["rounds"] == [{"request": 1, "steps": 10, "accepted": [3, 4, 4, 3, 2, 0, 2, 2, 0, 4], "drafted": [4] * 10}]


def test_a_histogram_gives_the_same_positions_as_the_steps_where_every_step_drafted_k():
    steps = read(EXAMPLES / "vllm_http_metrics.json").parts[0]
    summed = Acceptance(28, 18, 7, 4, acceptance_histogram=steps.acceptance_histogram)
    assert by_position([summed]) == by_position([steps])


def test_where_steps_drafted_fewer_the_reached_are_unknown_from_a_histogram_and_known_from_steps():
    steps = Acceptance(5, 3, 3, 2, per_step_accepted=(2, 0, 1), per_step_drafted=(2, 2, 1))
    assert [p["reached"] for p in by_position([steps])] == [3, 1]
    summed = Acceptance(5, 3, 3, 2, acceptance_histogram=(1, 1, 1))
    assert [(p["accepted"], p["reached"], p["given_reached"]) for p in by_position([summed])] == [
        (2, None, None),
        (1, None, None),
    ]


def test_one_long_step_among_many_short_ones_is_counted_without_going_through_all_for_each_position():
    steps = (1000, *[1] * 500_000)  # gone through for each position it takes minutes, and the suite's bound ends it
    long = Acceptance(sum(steps), sum(steps), len(steps), per_step_accepted=steps, per_step_drafted=steps)
    at = by_position([long])
    assert len(at) == 1000 and [p["reached"] for p in at] == [500_001, *[1] * 999]
    assert by_position([Acceptance(0, 0, 1, per_step_accepted=(0,), per_step_drafted=(0,))]) == []
    assert long.histogram[:3] == (0, 500_000, 0) and sum(long.histogram) == 500_001


def test_counters_of_a_server_give_positions_of_all_its_steps():
    picture = record_picture(read(EXAMPLES / "vllm_llm_get_metrics.json"))
    assert [p["of_blocks"] for p in picture["positions"]] == pytest.approx([16 / 24, 13 / 24, 8 / 24, 5 / 24], rel=1e-5)
    assert [p["reached"] for p in picture["positions"]] == [24, 16, 13, 8]
    assert picture["of"] == "server" and picture["untold"] == ["rounds", "pace"]


def test_tokens_alone_give_a_share_and_no_steps():
    picture = record_picture(ServerRecord("LM Studio", "requests", (Acceptance(40, 10, tokens_per_second=20.0),)))
    assert picture["totals"]["accepted_of_drafted"] == 0.25 and picture["totals"]["tokens_per_step"] is None
    assert picture["positions"] == [] and picture["untold"] == ["steps", "positions", "rounds"]
    assert all(f"untold_{name}" in RECORD for name in picture["untold"])


def test_requests_are_spread_over_bins_and_every_one_is_in_one():
    parts = tuple(Acceptance(40, accepted, 10) for accepted in (0, 5, 10, 30, 40))
    spread = record_picture(ServerRecord("vLLM", "requests", parts))["spread"]
    assert (spread["least"], spread["median"], spread["most"]) == (1.0, 2.0, 5.0) and len(spread["bins"]) == BINS
    assert sum(spread["bins"]) == 5 and spread["bins"][0] == 1 and spread["bins"][-1] == 1
    shares = record_picture(ServerRecord("vLLM", "requests", (Acceptance(40, 10), Acceptance(0, 0), Acceptance(10, 10))))[
        "spread"
    ]
    assert shares["what"] == "accepted_of_drafted" and sum(shares["bins"]) == 2  # of nothing drafted there is no share


def test_a_long_record_is_cut_to_what_a_screen_holds_and_says_how_long_it_is():
    part = Acceptance(5000, 5000, 5000, per_step_accepted=(1,) * 5000, per_step_drafted=(1,) * 5000)
    picture = record_picture(ServerRecord("vLLM", "requests", (part,) * 30))
    assert picture["rounds"][0]["steps"] == 5000 and len(picture["rounds"][0]["accepted"]) == STEPS
    assert len(json.dumps(picture)) < 60_000


# ---- what its numbers mean ----


NONE = {"tokens_per_step": None, "drafted_per_step": None, "accepted_of_drafted": None}


def shares(*each):
    return [{"of_blocks": share} for share in each]


def keys(*arguments):
    return [key for key, _ in means(*arguments)]


@pytest.mark.parametrize(
    "path", [path for path in sorted(EXAMPLES.iterdir()) if path.suffix != ".md"], ids=lambda path: path.name
)
def test_every_example_gets_sentences_that_are_filled_in(path):
    sentences = [RECORD[f"means_{key}"].format(**values) for key, values in record_picture(loads(path.read_bytes()))["means"]]
    assert all("{" not in sentence for sentence in sentences)
    # a response of llama.cpp has no steps, so nothing follows from it
    assert bool(sentences) == (path.stem not in ("llamacpp_2026-11_response", "llamacpp_2026-11_stream"))


def test_nothing_is_said_of_what_was_not_recorded():
    assert means(NONE, [], None) == []
    assert keys(NONE, shares(None, 0.5), None) == []
    assert keys({**NONE, "tokens_per_step": 2.0}, [], 7) == ["tokens"]
    assert keys(NONE, [], 8) == ["load"]


def test_the_position_that_ends_the_most_steps_is_named():
    assert keys(NONE, shares(0.6, 0.5), None) == ["first", "last"]
    assert means(NONE, shares(0.9, 0.4, 0.3), None)[0] == ["later", {"n": "2", "share": "50 %"}]
    assert means(NONE, shares(0.9, 0.4, 0.3), None)[1] == ["last", {"n": "3", "share": "30 %"}]


@pytest.mark.parametrize("shares", [(0.9, 0.7, 0.4), (0.6, 0.3), (0.95, 0.9, 0.85, 0.8)])
@pytest.mark.parametrize("c", [0.02, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("grows", [0.0, 0.1, 0.4])
def test_the_last_position_pays_only_if_it_costs_less_than_its_share_of_a_pass(shares, c, grows):
    """With it drafting is faster than without it, and faster than no drafting, only below that cost."""

    def speedup(K):
        return expected_speedup(1 + sum(shares[:K]), K, c, 1 + grows * K)

    K = len(shares)
    if c + grows >= shares[-1]:
        assert speedup(K) <= max(1.0, speedup(K - 1)) + 1e-12


# ---- the words of each engine ----


def test_a_run_of_llama_cpp_is_said_as_llama_cpp_said_it_and_as_the_others_would():
    phrases = {each["engine"]: each["says"] for each in engine_phrases(87, 259, 167, 3)}
    assert phrases["llama.cpp"] == "draft acceptance = 0.64479 (  167 accepted /   259 generated), mean acceptance length = 2.92"
    assert (
        phrases["vLLM"]
        == "Mean acceptance length: 2.92, Accepted: 167 tokens, Drafted: 259 tokens, Avg Draft acceptance rate: 64.5%"
    )
    # the log of 2025 in the examples says accept len: 2.17, accept rate: 0.54 at K = 3, which is 2.17/4
    assert phrases["SGLang"] == "accept len: 2.92, accept rate: 0.64 as of 2026, in 2025 0.73 = accept len ÷ 4"
    line = (EXAMPLES / "sglang_0.5_log.txt").read_text("utf-8").splitlines()[1]
    assert "accept len: 2.17, accept rate: 0.54," in line and round(2.17 / 4, 2) == 0.54


def test_what_is_not_known_is_left_out_of_every_sentence():
    assert engine_phrases(None, 0, 0, None) == []
    phrases = " ".join(each["says"] for each in engine_phrases(None, 40, 10, None))
    assert "None" not in phrases and "mean" not in phrases.lower() and "steps" not in phrases and "÷" not in phrases
