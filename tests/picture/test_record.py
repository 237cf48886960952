"""What is shown of a record follows from its counts: redone here by hand, and nothing where nothing is told."""

from pathlib import Path

import pytest

from specviz.acceptance import expected_speedup
from specviz.picture.record import by_position, means, record_picture
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
    assert picture["untold"] == ["pace"]


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
    assert picture["of"] == "server" and picture["untold"] == ["pace"]


def test_a_response_of_llama_cpp_tells_the_tokens_of_a_pass():
    """96 tokens: the first is the prompt's, and of the others 70 were drafted, so 25 passes wrote 95. Its log: mean len 3.80."""
    for name in ("response.json", "stream.txt"):
        totals = record_picture(read(EXAMPLES / f"llamacpp_2026-11_{name}"))["totals"]
        assert (totals["tokens_per_pass"], totals["tokens_per_step"]) == (3.8, None)
    assert record_picture(read(EXAMPLES / "llamacpp_2026-11_log.txt"))["totals"]["tokens_per_pass"] is None  # it has the steps


def test_passes_are_not_told_where_the_counts_do_not_give_them():
    def tokens_per_pass(*parts, engine="llama.cpp"):
        return record_picture(ServerRecord(engine, "requests", parts))["totals"]["tokens_per_pass"]

    part = Acceptance(98, 70, completion_tokens=96)
    assert tokens_per_pass(part, part) == 3.8
    assert tokens_per_pass(part, engine="vLLM") is None
    assert tokens_per_pass(part, Acceptance(98, 70)) is None  # how many tokens it wrote is not told
    assert tokens_per_pass(Acceptance(70, 70, completion_tokens=96)) is None  # perhaps a hybrid target's: only whole steps count
    assert tokens_per_pass(Acceptance(98, 70, completion_tokens=71)) is None  # no pass would be left


def test_tokens_alone_give_a_share_and_no_steps():
    picture = record_picture(ServerRecord("llama.cpp", "requests", (Acceptance(40, 10, tokens_per_second=20.0),)))
    assert picture["totals"]["accepted_of_drafted"] == 0.25 and picture["totals"]["tokens_per_step"] is None
    assert picture["positions"] == [] and picture["untold"] == ["steps", "positions"]
    assert all(f"untold_{name}" in RECORD for name in picture["untold"])


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


def test_positions_of_which_nothing_is_kept_name_the_k_that_is_enough():
    """K = 15, and nothing is accepted after position 2."""
    sentence = RECORD["means_enough"].format(n="2")
    assert means(NONE, shares(0.6, 0.3, *[0.0] * 13), None)[-1] == ["enough", {"n": "2"}]
    assert "K = 2" in sentence and "try a smaller K" not in sentence
    assert keys(NONE, shares(0.0, 0.0), None) == ["first"]


def test_a_share_that_is_small_is_not_written_as_none():
    assert means(NONE, shares(0.5, 0.004), None)[-1] == ["last", {"n": "2", "share": "0.4 %"}]


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
