"""What is shown of a record follows from its counts, and a decision from these and from costs that somebody names: by hand here, and the
same on the page (decided.json).

After a change of the formulas: python -m tests.picture.test_record writes the cases again.
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from specviz.acceptance import expected_speedup
from specviz.picture.record import (
    FLAGS,
    Costs,
    by_position,
    costs_from,
    decide,
    evidence,
    flag_for,
    means,
    record_picture,
    solve,
    unevenness,
    widest,
)
from specviz.trace.records.read import loads, read
from specviz.trace.records.record import Acceptance, Moment, ServerRecord
from specviz.words import picture as words

from ..trace.records.test_read import EXAMPLES

ROOT = Path(__file__).parents[2]


def test_steps_and_counters_of_vllm_give_each_position_what_a_hand_counts():
    record = read(EXAMPLES / "vllm_completion_output_spec_decode_metrics.json")  # kept 3 4 4 3 2 0 2 2 0 4 of 4 each
    picture = record_picture(record)
    at = [(p["reached"], p["accepted"], p["given_reached"], p["of_blocks"]) for p in picture["positions"]]
    assert at == [(10, 8, 0.8, 0.8), (8, 8, 1.0, 0.8), (8, 5, 0.625, 0.5), (5, 3, 0.6, 0.3)]
    assert picture["totals"]["tokens_per_step"] == 3.4 and picture["totals"]["accepted_of_drafted"] == 0.6
    assert picture["untold"] == ["pace"]
    picture = record_picture(read(EXAMPLES / "vllm_llm_get_metrics.json"))
    assert [p["of_blocks"] for p in picture["positions"]] == pytest.approx([16 / 24, 13 / 24, 8 / 24, 5 / 24], rel=1e-5)
    assert [p["reached"] for p in picture["positions"]] == [24, 16, 13, 8]
    assert picture["of"] == "server" and picture["untold"] == ["pace"]


def test_a_histogram_gives_the_positions_of_the_steps_and_who_reached_them_only_where_every_step_drafted_k():
    steps = read(EXAMPLES / "vllm_http_metrics.json").parts[0]
    summed = Acceptance(28, 18, 7, 4, acceptance_histogram=steps.acceptance_histogram)
    assert by_position([summed]) == by_position([steps])
    steps = Acceptance(5, 3, 3, 2, per_step_accepted=(2, 0, 1), per_step_drafted=(2, 2, 1))
    assert [p["reached"] for p in by_position([steps])] == [3, 1]
    summed = Acceptance(5, 3, 3, 2, acceptance_histogram=(1, 1, 1))
    at = [(p["accepted"], p["reached"], p["given_reached"]) for p in by_position([summed])]
    assert at == [(2, None, None), (1, None, None)]


def test_one_long_step_among_many_short_ones_is_counted_without_going_through_all_for_each_position():
    steps = (1000, *[1] * 500_000)  # gone through for each position it takes minutes, and the suite's bound ends it
    long = Acceptance(sum(steps), sum(steps), len(steps), per_step_accepted=steps, per_step_drafted=steps)
    at = by_position([long])
    assert len(at) == 1000 and [p["reached"] for p in at] == [500_001, *[1] * 999]
    assert by_position([Acceptance(0, 0, 1, per_step_accepted=(0,), per_step_drafted=(0,))]) == []
    assert long.histogram[:3] == (0, 500_000, 0) and sum(long.histogram) == 500_001


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
    assert tokens_per_pass(part, part) == 3.8 and tokens_per_pass(part, engine="vLLM") is None
    assert tokens_per_pass(part, Acceptance(98, 70)) is None  # how many tokens it wrote is not told
    assert tokens_per_pass(Acceptance(70, 70, completion_tokens=96)) is None  # perhaps a hybrid target's: only whole steps count
    assert tokens_per_pass(Acceptance(98, 70, completion_tokens=71)) is None  # no pass would be left


def test_tokens_alone_give_a_share_and_no_steps():
    picture = record_picture(ServerRecord("llama.cpp", "requests", (Acceptance(40, 10, tokens_per_second=20.0),)))
    assert picture["totals"]["accepted_of_drafted"] == 0.25 and picture["totals"]["tokens_per_step"] is None
    assert picture["positions"] == [] and picture["untold"] == ["steps", "positions"]
    assert all(f"untold_{name}" in words.RECORD for name in picture["untold"])


NONE = {"tokens_per_step": None, "drafted_per_step": None, "accepted_of_drafted": None}


def shares(*each):
    return [{"of_blocks": share} for share in each]


def keys(*arguments):
    return [key for key, _ in means(*arguments)]


@pytest.mark.parametrize(
    "path", [path for path in sorted(EXAMPLES.iterdir()) if path.suffix != ".md"], ids=lambda path: path.name
)
def test_every_example_gets_sentences_that_are_filled_in(path):
    sentences = [
        words.RECORD[f"means_{key}"].format(**values) for key, values in record_picture(loads(path.read_bytes()))["means"]
    ]
    assert all("{" not in sentence for sentence in sentences)
    # a response of llama.cpp has no steps, so nothing follows from it
    assert bool(sentences) == (path.stem not in ("llamacpp_2026-11_response", "llamacpp_2026-11_stream"))


def test_nothing_is_said_of_what_was_not_recorded():
    assert means(NONE, [], None) == [] and keys(NONE, shares(None, 0.5), None) == []
    assert keys({**NONE, "tokens_per_step": 2.0}, [], 7) == ["tokens"]
    assert keys(NONE, [], 8) == ["load"]


def test_the_position_that_ends_the_most_steps_is_named_and_a_small_share_is_not_written_as_none():
    assert keys(NONE, shares(0.6, 0.5), None) == ["first", "last"]
    assert means(NONE, shares(0.9, 0.4, 0.3), None)[0] == ["later", {"n": "2", "share": "50 %"}]
    assert means(NONE, shares(0.9, 0.4, 0.3), None)[1] == ["last", {"n": "3", "share": "30 %"}]
    assert means(NONE, shares(0.8, 0.6, 0.45), None)[0][0] == "first"  # as many end at position 2: the first is named
    assert means(NONE, shares(0.5, 0.004), None)[-1] == ["last", {"n": "2", "share": "0.4 %"}]


def test_positions_of_which_nothing_is_kept_name_the_k_that_is_enough():
    """K = 15, and nothing is accepted after position 2."""
    sentence = words.RECORD["means_enough"].format(n="2")
    assert means(NONE, shares(0.6, 0.3, *[0.0] * 13), None)[-1] == ["enough", {"n": "2"}]
    assert "K = 2" in sentence and "try a smaller K" not in sentence
    assert keys(NONE, shares(0.0, 0.0), None) == ["first"]


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


DECIDED = Path(__file__).parents[1] / "assets" / "record" / "decided.json"
COUNTED = ServerRecord(
    "vLLM", "server", (Acceptance(4000, 1400, 1000, 4, accepted_per_position=(700, 400, 200, 100)),), at_once=8
)


def evidence_of(record: ServerRecord) -> dict:
    return evidence(record, by_position(record.parts))


def test_chances_are_those_of_the_positions_that_were_reached_and_their_intervals_hold_them():
    chances = evidence_of(COUNTED)
    assert chances["middle"][:4] == pytest.approx([0.7, 4 / 7, 0.5, 0.5]) and chances["measured"] == 4
    measured = zip(chances["low"][:4], chances["middle"], chances["high"], strict=False)
    assert all(low < middle < high for low, middle, high in measured)
    wilson = chances["low"][0], chances["high"][0]
    assert wilson == pytest.approx((0.6709, 0.7276), abs=1e-4)
    assert (chances["low"][4:], chances["middle"][4:]) == ([0.0, 0.0], [0.5, 0.5])  # two positions that nobody recorded
    assert chances["assumed"] == ["same", "later"] and chances["missing"] is None
    rare = ServerRecord("vLLM", "server", (Acceptance(400, 104, 100, 4, accepted_per_position=(100, 3, 1, 0)),))
    assert evidence_of(rare)["measured"] == 2


def line(K: int, c: float, v: float) -> Costs:
    return costs_from(K, c, v)[0]


def test_two_numbers_leave_open_what_a_shorter_block_costs_and_the_interval_holds_what_a_server_did():
    """vLLM 0.32 on a CPU, ten requests at a time: c and v of K = 4, the record of K = 4, and the speedups that it had at 1, 2 and 4."""
    served = ServerRecord("vLLM", "server", (Acceptance(13536, 6918, 3384, 4, accepted_per_position=(2529, 1841, 1426, 1122)),))
    decision = decide(evidence_of(served), costs_from(4, 0.292, 1.714))
    for K, speedup in ((1, 1.072), (2, 1.115), (4, 1.073)):
        assert decision["by_K"][K][0] < speedup < decision["by_K"][K][2], K
    assert decision["verdict"] == "open" and widest(evidence_of(served), costs_from(4, 0.292, 1.714)) == "costs"
    low, _, high = decision["by_K"][2]
    assert low == pytest.approx((1 + 0.733 + 0.528) / (2 * 0.292 + 1.714), abs=0.01) and high > 1.19


def test_the_best_k_and_its_speedup_are_what_a_hand_finds():
    decision = decide(evidence_of(COUNTED), [line(4, 0.1, 1.2)])
    # K = 2: (1 + .7 + .4)/(2·.1 + 1.1); K = 3: (2.1 + .2)/(.3 + 1.15)
    assert decision["by_K"][2][1] == pytest.approx(2.1 / 1.3) and decision["by_K"][3][1] == pytest.approx(2.3 / 1.45)
    assert decision["best"] == 2 and decision["verdict"] == "pays" and decision["Ks"] == [2, 2]
    assert decision["now"][1] == pytest.approx(2.4 / 1.6) and decision["by_K"][0] == [1.0, 1.0, 1.0]


def test_where_checking_costs_too_much_nothing_pays_and_between_the_record_cannot_say():
    assert decide(evidence_of(COUNTED), [line(4, 0.5, 3.0)])["verdict"] == "none"
    few = ServerRecord("vLLM", "server", (Acceptance(40, 14, 10, 4, accepted_per_position=(7, 4, 2, 1)),))
    decision = decide(evidence_of(few), [line(4, 0.2, 1.8)])
    assert decision["verdict"] == "open" and decision["speedup"][0] < 1 < decision["speedup"][2]
    assert widest(evidence_of(few), [line(4, 0.2, 1.8)]) == "acceptance"
    ends = [line(4, 0.3, 2.0), line(4, 0.01, 1.0), line(4, 0.8, 4.0)]
    assert decide(evidence_of(COUNTED), ends)["verdict"] == "open" and widest(evidence_of(COUNTED), ends) == "costs"


def of_one(accepted: int) -> ServerRecord:
    """A million steps of K = 1."""
    return ServerRecord("vLLM", "server", (Acceptance(10**6, accepted, 10**6, 1, accepted_per_position=(accepted,)),))


@pytest.mark.parametrize(
    ("accepted", "c", "v", "best", "says"),
    [
        (700_000, 0.2, 1.2, 2, "K"),  # K = 1 gives 1.7/1.4 for sure; K = 2, the best, may keep nothing after it
        (500_000, 0.1, 1.5, 0, "K"),  # K = 1 gives 1.5/1.6; K = 2 may give 1.75/1.7
        (300_000, 0.1, 1.2, 0, "acceptance"),  # K = 1 gives 1.3/1.3, so no later position decides: 1.39/1.4 at most
    ],
)
def test_where_later_positions_decide_a_larger_k_is_to_be_recorded(accepted, c, v, best, says):
    evidence, costs = evidence_of(of_one(accepted)), costs_from(1, c, v)
    decision = decide(evidence, costs)
    assert (decision["verdict"], decision["best"], widest(evidence, costs)) == ("open", best, says)


def test_positions_that_were_drafted_and_hardly_reached_need_more_steps_and_no_larger_k():
    few = evidence_of(ServerRecord("vLLM", "server", (Acceptance(40, 7, 20, 2, accepted_per_position=(4, 3)),)))
    assert few["measured"] == 1 and few["rare"] and not evidence_of(of_one(5))["rare"]
    costs = costs_from(1, 0.01, 1.42)  # K = 1 gives 1.42/1.43 at most; K = 2 may give 1.59/1.44
    assert decide(few, costs)["verdict"] == "open" and widest(few, costs) == "acceptance"
    assert widest({**few, "rare": False}, costs) == "K"


def test_a_record_without_positions_gives_one_chance_for_all_and_says_so():
    chances = evidence_of(ServerRecord("llama.cpp", "requests", (Acceptance(3000, 1500, 1000),)))
    alpha = chances["middle"][0]
    assert 1 + alpha + alpha**2 + alpha**3 == pytest.approx(2.5) and chances["measured"] == 3
    assert chances["assumed"] == ["same", "even", "later"]
    gauges = evidence_of(read(EXAMPLES / "sglang_0.5_metrics.txt"))
    assert gauges["measured"] == 3 and gauges["low"][0] == pytest.approx(0, abs=1e-9)  # one look says nothing of how sure it is
    several = evidence_of(
        ServerRecord(
            "SGLang", "log", moments=tuple(Moment(tokens_per_step=2 + i % 2 / 10) for i in range(100)), num_spec_tokens=3
        )
    )
    assert several["high"][0] - several["low"][0] < 0.02


def test_requests_that_differ_by_more_than_chance_widen_the_interval_and_none_by_rounding():
    even = tuple(Acceptance(300, 150, 100, 3, accepted_per_position=(80, 50, 20)) for _ in range(20))
    sides = [[n + sign * 20 for n in (80, 50, 20)] for sign in (1, -1)]
    odd = tuple(Acceptance(300, sum(by_position), 100, 3, accepted_per_position=tuple(by_position)) for by_position in sides * 10)
    first, second = (evidence_of(ServerRecord("vLLM", "requests", parts)) for parts in (even, odd))
    assert first["middle"] == second["middle"] and "uneven" in second["assumed"] and "uneven" not in first["assumed"]
    widths = [chances["high"][0] - chances["low"][0] for chances in (first, second)]
    # χ² over its degrees of freedom: 20 · 60²/(300/4) / 19 = 50.5
    assert unevenness(ServerRecord("vLLM", "requests", odd)) == pytest.approx(50.5, abs=0.1) and widths[1] > 6 * widths[0]
    most = 2**53 - 1
    parts = (Acceptance(most, most), Acceptance(most, most)) * 3
    assert unevenness(ServerRecord("vLLM", "requests", (*parts, Acceptance(most, most - 1)))) == 1


def test_where_a_record_cannot_decide_it_says_what_to_record():
    assert evidence_of(ServerRecord("llama.cpp", "requests", (Acceptance(40, 10),)))["missing"] == "steps"
    assert evidence_of(read(EXAMPLES / "sglang_0.5_log.txt"))["missing"] == "K"
    for key in ("steps", "K"):
        assert "Save" in words.DECISION[f"missing_{key}"]


@pytest.mark.parametrize(("length", "K"), [(1.0, 4), (2.5, 3), (5.0, 4)])
def test_a_mean_length_is_solved_for_its_chance(length, K):
    assert sum(solve(length, K) ** i for i in range(K + 1)) == pytest.approx(length)


def test_a_k_is_a_flag_of_each_engine():
    assert flag_for("vLLM", 3) == """--speculative-config '{…, "num_speculative_tokens": 3}'"""
    assert flag_for("SGLang", 3) == "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
    assert flag_for("llama.cpp", 2) == "--spec-draft-n-max 2 (--draft-max 2 before 2026)"
    assert flag_for("vLLM", 0) == "leave out --speculative-config"
    assert flag_for("another engine", 3) is flag_for("another engine", 0) is None


def test_every_sentence_that_a_decision_names_is_there():
    pictures = [record_picture(read(path)) for path in EXAMPLES.iterdir() if path.suffix in (".txt", ".json")]
    keys = {f"assumed_{key}" for one in pictures for key in one["evidence"]["assumed"]}
    keys |= {f"missing_{one['evidence']['missing']}" for one in pictures if one["evidence"]["missing"]}
    assert len(pictures) > 6 and keys <= words.DECISION.keys() and {"assumed_same", "assumed_even", "missing_K"} <= keys


def cases() -> list[dict]:
    """What the page has to find too."""
    records = {
        "counted": COUNTED,
        "log": read(EXAMPLES / "vllm_0.26_log.txt"),
        "gauges": read(EXAMPLES / "sglang_0.5_metrics.txt"),
        "one": of_one(700_000),
    }
    costs = {
        "typed": costs_from(4, 0.1, 1.2),
        "line": [line(4, 0.1, 1.2)],
        "dear": [line(4, 0.5, 3.0)],
        "ends": [
            Costs(0.2, (1.0, 1.1, 1.3, 1.6, 2.0)),
            Costs(0.05, (1.0, 1.0, 1.0, 1.1, 1.2)),
            Costs(0.4, (1.0, 1.4, 1.8, 2.2, 2.6)),
        ],
    }
    decisions = []
    for name, record in records.items():
        chances = evidence_of(record)
        for cost, each in costs.items():
            decided = decide(chances, each)
            costs_given = [asdict(one) for one in each]
            flags = {engine: [known, flag_for(engine, decided["best"])] for engine, known in FLAGS.items()}
            decision = {"name": f"{name}, {cost}", "evidence": chances, "costs": costs_given, "decided": decided}
            decisions.append(decision | {"widest": widest(chances, each), "flags": flags})
    return decisions


def test_the_cases_of_the_page_are_those_of_this_code():
    assert json.loads(DECIDED.read_text("utf-8")) == json.loads(json.dumps(cases()))


if __name__ == "__main__":
    DECIDED.parent.mkdir(exist_ok=True)
    DECIDED.write_text(json.dumps(cases(), ensure_ascii=False).replace('{"name', '\n{"name') + "\n", "utf-8")
