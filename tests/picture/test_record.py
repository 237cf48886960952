"""What is shown of a record follows from its counts: redone here by hand, and nothing where nothing is told."""

import json
from pathlib import Path

import pytest

from specviz.picture.record import STEPS, by_position, record_picture
from specviz.picture.requests import BINS
from specviz.picture.words import RECORD
from specviz.trace.records.read import read
from specviz.trace.records.record import Acceptance, ServerRecord

EXAMPLES = Path(__file__).parent.parent / "trace" / "records" / "examples"


def test_steps_of_vllm_give_each_position_what_a_hand_counts():
    record = read(EXAMPLES / "vllm_completion_output_spec_decode_metrics.json")  # kept 3 4 4 3 2 0 2 2 0 4 of 4 each
    shown = record_picture(record)
    at = [(p["reached"], p["accepted"], p["given_reached"], p["of_blocks"]) for p in shown["positions"]]
    assert at == [(10, 8, 0.8, 0.8), (8, 8, 1.0, 0.8), (8, 5, 0.625, 0.5), (5, 3, 0.6, 0.3)]
    assert shown["totals"]["tokens_per_step"] == 3.4 and shown["totals"]["accepted_of_drafted"] == 0.6
    assert shown["untold"] == ["pace"] and shown["spread"] is None
    assert shown["rounds"] == [{"request": 1, "steps": 10, "accepted": [3, 4, 4, 3, 2, 0, 2, 2, 0, 4], "drafted": [4] * 10}]


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
    shown = record_picture(read(EXAMPLES / "vllm_llm_get_metrics.json"))
    assert [p["of_blocks"] for p in shown["positions"]] == pytest.approx([16 / 24, 13 / 24, 8 / 24, 5 / 24], rel=1e-5)
    assert [p["reached"] for p in shown["positions"]] == [24, 16, 13, 8]
    assert shown["of"] == "server" and shown["untold"] == ["rounds", "pace"]


def test_tokens_alone_give_a_share_and_no_steps():
    shown = record_picture(ServerRecord("LM Studio", "requests", (Acceptance(40, 10, tokens_per_second=20.0),)))
    assert shown["totals"]["accepted_of_drafted"] == 0.25 and shown["totals"]["tokens_per_step"] is None
    assert shown["positions"] == [] and shown["untold"] == ["steps", "positions", "rounds"]
    assert all(f"untold_{name}" in RECORD for name in shown["untold"])


def test_requests_are_spread_over_bins_and_every_one_is_in_one():
    parts = tuple(Acceptance(40, kept, 10) for kept in (0, 5, 10, 30, 40))
    spread = record_picture(ServerRecord("vLLM", "requests", parts))["spread"]
    assert (spread["least"], spread["median"], spread["most"]) == (1.0, 2.0, 5.0) and len(spread["bins"]) == BINS
    assert sum(spread["bins"]) == 5 and spread["bins"][0] == 1 and spread["bins"][-1] == 1
    shares = record_picture(ServerRecord("vLLM", "requests", (Acceptance(40, 10), Acceptance(0, 0), Acceptance(10, 10))))[
        "spread"
    ]
    assert shares["what"] == "accepted_of_drafted" and sum(shares["bins"]) == 2  # of nothing drafted there is no share


def test_a_long_record_is_cut_to_what_a_screen_holds_and_says_how_long_it_is():
    part = Acceptance(5000, 5000, 5000, per_step_accepted=(1,) * 5000, per_step_drafted=(1,) * 5000)
    shown = record_picture(ServerRecord("vLLM", "requests", (part,) * 30))
    assert shown["rounds"][0]["steps"] == 5000 and len(shown["rounds"][0]["accepted"]) == STEPS
    assert len(json.dumps(shown)) < 60_000
