"""A decision follows from the record and from costs that somebody names: by hand here, and the same on the page (decided.json).

After a change of the formulas: python -m tests.picture.test_decision writes the cases again.
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from specviz.picture.decision import FLAGS, Costs, costs_from, decide, evidence, flag_for, solve, unevenness, widest
from specviz.picture.record import by_position, record_picture
from specviz.picture.words import DECISION
from specviz.trace.records.read import read
from specviz.trace.records.record import Acceptance, Moment, ServerRecord

EXAMPLES = Path(__file__).parent.parent / "trace" / "records" / "examples"
DECIDED = Path(__file__).parents[1] / "assets" / "record" / "decided.json"
RECORD = ServerRecord("vLLM", "server", (Acceptance(4000, 1400, 1000, 4, accepted_per_position=(700, 400, 200, 100)),), at_once=8)


def evidence_of(record: ServerRecord) -> dict:
    return evidence(record, by_position(record.parts))


def test_chances_are_those_of_the_positions_and_their_intervals_hold_them():
    chances = evidence_of(RECORD)
    assert chances["middle"][:4] == pytest.approx([0.7, 4 / 7, 0.5, 0.5]) and chances["measured"] == 4
    assert all(
        low < middle < high for low, middle, high in zip(chances["low"][:4], chances["middle"], chances["high"], strict=False)
    )
    wilson = chances["low"][0], chances["high"][0]
    assert wilson == pytest.approx((0.6709, 0.7276), abs=1e-4)
    assert (chances["low"][4:], chances["middle"][4:]) == ([0.0, 0.0], [0.5, 0.5])  # two positions that nobody recorded
    assert chances["assumed"] == ["same", "later"] and chances["missing"] is None


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
    decision = decide(evidence_of(RECORD), [line(4, 0.1, 1.2)])
    # K = 2: (1 + .7 + .4)/(2·.1 + 1.1); K = 3: (2.1 + .2)/(.3 + 1.15)
    assert decision["by_K"][2][1] == pytest.approx(2.1 / 1.3) and decision["by_K"][3][1] == pytest.approx(2.3 / 1.45)
    assert decision["best"] == 2 and decision["verdict"] == "pays" and decision["Ks"] == [2, 2]
    assert decision["now"][1] == pytest.approx(2.4 / 1.6) and decision["by_K"][0] == [1.0, 1.0, 1.0]


def test_where_checking_costs_too_much_nothing_pays_and_between_the_record_cannot_say():
    assert decide(evidence_of(RECORD), [line(4, 0.5, 3.0)])["verdict"] == "none"
    few = ServerRecord("vLLM", "server", (Acceptance(40, 14, 10, 4, accepted_per_position=(7, 4, 2, 1)),))
    decision = decide(evidence_of(few), [line(4, 0.2, 1.8)])
    assert decision["verdict"] == "open" and decision["speedup"][0] < 1 < decision["speedup"][2]
    assert widest(evidence_of(few), [line(4, 0.2, 1.8)]) == "acceptance"
    ends = [line(4, 0.3, 2.0), line(4, 0.01, 1.0), line(4, 0.8, 4.0)]
    assert decide(evidence_of(RECORD), ends)["verdict"] == "open" and widest(evidence_of(RECORD), ends) == "costs"


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


def test_positions_that_were_hardly_reached_are_not_taken_for_measured():
    rare = ServerRecord("vLLM", "server", (Acceptance(400, 104, 100, 4, accepted_per_position=(100, 3, 1, 0)),))
    assert evidence_of(rare)["measured"] == 2


def test_requests_that_differ_by_more_than_chance_widen_the_interval():
    even = tuple(Acceptance(300, 150, 100, 3, accepted_per_position=(80, 50, 20)) for _ in range(20))
    odd = tuple(Acceptance(300, 150 + sign * 60, 100, 3, accepted_per_position=(80 + sign * 20, 50 + sign * 20, 20 + sign * 20)) for sign in (1, -1) * 10)  # fmt: skip
    first, second = (evidence_of(ServerRecord("vLLM", "requests", parts)) for parts in (even, odd))
    assert first["middle"] == second["middle"] and "uneven" in second["assumed"] and "uneven" not in first["assumed"]
    widths = [chances["high"][0] - chances["low"][0] for chances in (first, second)]
    # χ² over its degrees of freedom: 20 · 60²/(300/4) / 19 = 50.5
    assert unevenness(ServerRecord("vLLM", "requests", odd)) == pytest.approx(50.5, abs=0.1) and widths[1] > 6 * widths[0]


def test_requests_so_large_that_one_rejected_token_rounds_away_are_even():
    most = 2**53 - 1
    parts = (Acceptance(most, most), Acceptance(most, most)) * 3
    assert unevenness(ServerRecord("vLLM", "requests", (*parts, Acceptance(most, most - 1)))) == 1


def test_where_a_record_cannot_decide_it_says_what_to_record():
    assert evidence_of(ServerRecord("llama.cpp", "requests", (Acceptance(40, 10),)))["missing"] == "steps"
    assert evidence_of(read(EXAMPLES / "sglang_0.5_log.txt"))["missing"] == "K"
    for key in ("steps", "K"):
        assert "Save" in DECISION[f"missing_{key}"]


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
    assert len(pictures) > 6 and keys <= DECISION.keys() and {"assumed_same", "assumed_even", "missing_K"} <= keys


def cases() -> list[dict]:
    """What the page has to find too."""
    records = {
        "counted": RECORD,
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
            decisions.append(
                {
                    "name": f"{name}, {cost}", "evidence": chances, "costs": [asdict(one) for one in each], "decided": decided,
                    "widest": widest(chances, each),
                    "flags": {engine: [known, flag_for(engine, decided["best"])] for engine, known in FLAGS.items()},
                }
            )  # fmt: skip
    return decisions


def test_the_cases_of_the_page_are_those_of_this_code():
    assert json.loads(DECIDED.read_text("utf-8")) == json.loads(json.dumps(cases()))


if __name__ == "__main__":
    DECIDED.parent.mkdir(exist_ok=True)
    DECIDED.write_text(json.dumps(cases(), ensure_ascii=False).replace('{"name', '\n{"name') + "\n", "utf-8")
