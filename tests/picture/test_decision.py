"""A decision follows from the record and from costs that somebody names: by hand here, and the same on the page (decided.json).

After a change of the formulas: python -m tests.picture.test_decision writes the cases again.
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from specviz.picture.decision import Costs, by_numbers, decide, evidence, solve, unevenness, widest
from specviz.picture.flags import FLAGS, flag_for, flags
from specviz.picture.record import by_position, record_picture
from specviz.picture.words import DECISION
from specviz.trace.records.read import read
from specviz.trace.records.record import Acceptance, Moment, ServerRecord

EXAMPLES = Path(__file__).parent.parent / "trace" / "records" / "examples"
DECIDED = Path(__file__).parents[1] / "assets" / "record" / "decided.json"
COUNTED = ServerRecord(
    "vLLM", "server", (Acceptance(4000, 1400, 1000, 4, accepted_per_position=(700, 400, 200, 100)),), at_once=8
)


def found_in(record: ServerRecord) -> dict:
    return evidence(record, by_position(record.parts))


def test_chances_are_those_of_the_positions_and_their_intervals_hold_them():
    found = found_in(COUNTED)
    assert found["middle"][:4] == pytest.approx([0.7, 4 / 7, 0.5, 0.5]) and found["measured"] == 4
    assert all(low < middle < high for low, middle, high in zip(found["low"][:4], found["middle"], found["high"], strict=False))
    assert found["low"][0] == pytest.approx(0.6709, abs=1e-4) and found["high"][0] == pytest.approx(0.7276, abs=1e-4)  # Wilson
    assert (found["low"][4:], found["middle"][4:]) == ([0.0, 0.0], [0.5, 0.5])  # two positions that nobody recorded
    assert found["assumed"] == ["same", "later"] and found["missing"] is None


def line(K: int, c: float, v: float) -> Costs:
    return by_numbers(K, c, v)[0]


def test_two_numbers_leave_open_what_a_shorter_block_costs_and_the_interval_holds_what_a_server_did():
    """vLLM 0.32 on a CPU, ten requests at a time: c and v of K = 4, the record of K = 4, and the speedups that it had at 1, 2 and 4."""
    served = ServerRecord("vLLM", "server", (Acceptance(13536, 6918, 3384, 4, accepted_per_position=(2529, 1841, 1426, 1122)),))
    made = decide(found_in(served), by_numbers(4, 0.292, 1.714))
    for K, speedup in ((1, 1.072), (2, 1.115), (4, 1.073)):
        assert made["by_K"][K][0] < speedup < made["by_K"][K][2], K
    assert made["verdict"] == "open" and widest(found_in(served), by_numbers(4, 0.292, 1.714)) == "costs"
    low, _, high = made["by_K"][2]
    assert low == pytest.approx((1 + 0.733 + 0.528) / (2 * 0.292 + 1.714), abs=0.01) and high > 1.19


def test_the_best_k_and_its_speedup_are_what_a_hand_finds():
    made = decide(found_in(COUNTED), [line(4, 0.1, 1.2)])
    # K = 2: (1 + .7 + .4)/(2·.1 + 1.1); K = 3: (2.1 + .2)/(.3 + 1.15)
    assert made["by_K"][2][1] == pytest.approx(2.1 / 1.3) and made["by_K"][3][1] == pytest.approx(2.3 / 1.45)
    assert made["best"] == 2 and made["verdict"] == "pays" and made["Ks"] == [2, 2]
    assert made["now"][1] == pytest.approx(2.4 / 1.6) and made["by_K"][0] == [1.0, 1.0, 1.0]


def test_where_checking_costs_too_much_nothing_pays_and_between_the_record_cannot_say():
    assert decide(found_in(COUNTED), [line(4, 0.5, 3.0)])["verdict"] == "none"
    few = ServerRecord("vLLM", "server", (Acceptance(40, 14, 10, 4, accepted_per_position=(7, 4, 2, 1)),))
    made = decide(found_in(few), [line(4, 0.2, 1.8)])
    assert made["verdict"] == "open" and made["speedup"][0] < 1 < made["speedup"][2]
    assert widest(found_in(few), [line(4, 0.2, 1.8)]) == "acceptance"
    ends = [line(4, 0.3, 2.0), line(4, 0.01, 1.0), line(4, 0.8, 4.0)]
    assert decide(found_in(COUNTED), ends)["verdict"] == "open" and widest(found_in(COUNTED), ends) == "costs"


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
    found, costs = found_in(of_one(accepted)), by_numbers(1, c, v)
    made = decide(found, costs)
    assert (made["verdict"], made["best"], widest(found, costs)) == ("open", best, says)


def test_positions_that_were_drafted_and_hardly_reached_need_more_steps_and_no_larger_k():
    few = found_in(ServerRecord("vLLM", "server", (Acceptance(40, 7, 20, 2, accepted_per_position=(4, 3)),)))
    assert few["measured"] == 1 and few["rare"] and not found_in(of_one(5))["rare"]
    costs = by_numbers(1, 0.01, 1.42)  # K = 1 gives 1.42/1.43 at most; K = 2 may give 1.59/1.44
    assert decide(few, costs)["verdict"] == "open" and widest(few, costs) == "acceptance"
    assert widest({**few, "rare": False}, costs) == "K"


def test_a_record_without_positions_gives_one_chance_for_all_and_says_so():
    found = found_in(ServerRecord("llama.cpp", "requests", (Acceptance(3000, 1500, 1000),)))
    alpha = found["middle"][0]
    assert 1 + alpha + alpha**2 + alpha**3 == pytest.approx(2.5) and found["measured"] == 3
    assert found["assumed"] == ["same", "even", "later"]
    gauges = found_in(read(EXAMPLES / "sglang_0.5_metrics.txt"))
    assert gauges["measured"] == 3 and gauges["low"][0] == pytest.approx(0, abs=1e-9)  # one look says nothing of how sure it is
    several = found_in(
        ServerRecord(
            "SGLang", "log", moments=tuple(Moment(tokens_per_step=2 + i % 2 / 10) for i in range(100)), num_spec_tokens=3
        )
    )
    assert several["high"][0] - several["low"][0] < 0.02


def test_positions_that_were_hardly_reached_are_not_taken_for_measured():
    rare = ServerRecord("vLLM", "server", (Acceptance(400, 104, 100, 4, accepted_per_position=(100, 3, 1, 0)),))
    assert found_in(rare)["measured"] == 2


def test_requests_that_differ_by_more_than_chance_widen_the_interval():
    even = tuple(Acceptance(300, 150, 100, 3, accepted_per_position=(80, 50, 20)) for _ in range(20))
    odd = tuple(Acceptance(300, 150 + sign * 60, 100, 3, accepted_per_position=(80 + sign * 20, 50 + sign * 20, 20 + sign * 20)) for sign in (1, -1) * 10)  # fmt: skip
    first, second = (found_in(ServerRecord("vLLM", "requests", parts)) for parts in (even, odd))
    assert first["middle"] == second["middle"] and "uneven" in second["assumed"] and "uneven" not in first["assumed"]
    widths = [found["high"][0] - found["low"][0] for found in (first, second)]
    # χ² over its degrees of freedom: 20 · 60²/(300/4) / 19 = 50.5
    assert unevenness(ServerRecord("vLLM", "requests", odd)) == pytest.approx(50.5, abs=0.1) and widths[1] > 6 * widths[0]


def test_requests_so_large_that_one_rejected_token_rounds_away_are_even():
    most = 2**53 - 1
    parts = (Acceptance(most, most), Acceptance(most, most)) * 3
    assert unevenness(ServerRecord("vLLM", "requests", (*parts, Acceptance(most, most - 1)))) == 1


def test_where_a_record_cannot_decide_it_says_what_to_record():
    assert found_in(ServerRecord("LM Studio", "requests", (Acceptance(40, 10),)))["missing"] == "steps"
    assert found_in(read(EXAMPLES / "sglang_0.5_log.txt"))["missing"] == "K"
    for key in ("steps", "K"):
        assert "Save" in DECISION[f"missing_{key}"]


@pytest.mark.parametrize(("length", "K"), [(1.0, 4), (2.5, 3), (5.0, 4)])
def test_a_mean_length_is_solved_for_its_chance(length, K):
    assert sum(solve(length, K) ** i for i in range(K + 1)) == pytest.approx(length)


def test_a_k_is_a_flag_of_each_engine():
    assert flag_for("vLLM", [(None, 3)]) == """--speculative-config '{…, "num_speculative_tokens": 3}'"""
    by_load = flag_for("vLLM", [(1, 6), (4, 6), (64, 3), (256, 0)])
    assert (
        by_load
        == """--speculative-config '{…, "num_speculative_tokens": 6, "num_speculative_tokens_per_batch_size": [[1, 4, 6], [5, 64, 3], [65, 256, 0]]}'"""
    )
    assert (
        flag_for("TensorRT-LLM", [(4, 4), (8, 2)]) == "speculative_config: {max_draft_len: 4, draft_len_schedule: {4: 4, 8: 2}}"
    )
    assert flag_for("SGLang", [(8, 3)]) == "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"
    assert flag_for("llama.cpp", [(1, 2), (8, 0)]) == (
        "up to 1 at a time: --spec-draft-n-max 2 (--draft-max 2 before 2026); up to 8 at a time: leave out -md and --spec-type"
    )
    assert flag_for("vLLM", [(1, 0), (8, 0)]) == "leave out --speculative-config"
    assert flag_for("another engine", [(1, 3)]) is None


def test_every_sentence_that_a_decision_names_is_there():
    shown = [record_picture(read(path)) for path in EXAMPLES.iterdir() if path.suffix in (".txt", ".json")]
    keys = {f"assumed_{key}" for one in shown for key in one["evidence"]["assumed"]}
    keys |= {f"missing_{one['evidence']['missing']}" for one in shown if one["evidence"]["missing"]}
    assert len(shown) > 6 and keys <= DECISION.keys() and {"assumed_same", "assumed_even", "missing_K"} <= keys


def cases() -> list[dict]:
    """What the page has to find too."""
    records = {
        "counted": COUNTED,
        "log": read(EXAMPLES / "vllm_0.26_log.txt"),
        "gauges": read(EXAMPLES / "sglang_0.5_metrics.txt"),
        "one": of_one(700_000),
    }
    costs = {
        "typed": by_numbers(4, 0.1, 1.2),
        "line": [line(4, 0.1, 1.2)],
        "dear": [line(4, 0.5, 3.0)],
        "ends": [
            Costs(0.2, (1.0, 1.1, 1.3, 1.6, 2.0)),
            Costs(0.05, (1.0, 1.0, 1.0, 1.1, 1.2)),
            Costs(0.4, (1.0, 1.4, 1.8, 2.2, 2.6)),
        ],
    }
    made = []
    for name, record in records.items():
        found = found_in(record)
        for cost, each in costs.items():
            decided = decide(found, each)
            loads = [(4, decided["best"]), (64, max(0, decided["best"] - 1))]
            made.append(
                {
                    "name": f"{name}, {cost}", "evidence": found, "costs": [asdict(one) for one in each], "decided": decided,
                    "widest": widest(found, each), "loads": loads,
                    "flags": {engine: [flags(engine), flag_for(engine, loads)] for engine in FLAGS},
                }
            )  # fmt: skip
    return made


def test_the_cases_of_the_page_are_those_of_this_code():
    assert json.loads(DECIDED.read_text("utf-8")) == json.loads(json.dumps(cases()))


if __name__ == "__main__":
    DECIDED.parent.mkdir(exist_ok=True)
    DECIDED.write_text(json.dumps(cases(), ensure_ascii=False).replace('{"name', '\n{"name') + "\n", "utf-8")
