"""Causes of a slow server: judged by what four numbers give, and the same on the page (slow.json).

After a change of the table: python -m tests.picture.test_slow writes the cases again.
"""

import json
from itertools import product
from pathlib import Path

import pytest

from specviz.picture.slow import CAUSES, MODELS, WORDS, causes, numbers, table

CASES = Path(__file__).parents[1] / "assets" / "shared" / "slow.json"


def cases() -> list[dict]:
    arguments = product((0.35, 0.55, 0.8), (1, 4, 8), (1, 24.5, 512), MODELS)
    return [
        {
            "given": dict(zip(("accepted", "K", "texts", "model"), one, strict=True)),
            "causes": [f"{cause.key} {level}" for level, cause in causes(*one)],
        }
        for one in arguments
    ]


def levels(*arguments) -> dict[str, str]:
    return {cause.key: level for level, cause in causes(*arguments)}


def test_a_full_card_comes_first_where_verifying_takes_all_of_its_arithmetic():
    """64 requests and K = 4 are 320 tokens a pass, more than the 295 operations a byte that an H100 has."""
    assert causes(0.8, 4, 64, "dense")[0][1].key == "load"
    assert (levels(0.8, 4, 58, "dense")["load"], levels(0.8, 4, 59, "dense")["load"]) == ("possible", "likely")
    assert "load" not in levels(0.8, 4, 1, "dense")


def test_a_bad_draft_and_a_long_block_are_told_apart_by_how_many_guesses_are_thrown_away():
    short, long = levels(0.3, 2, 1, "dense"), levels(0.65, 8, 1, "dense")
    assert short["acceptance"] == "likely" and "block" not in short
    assert long["block"] == "possible" and "acceptance" not in long
    assert levels(0.5, 8, 1, "dense")["block"] == "likely"


def test_experts_are_a_cause_for_a_mixture_and_few_requests_only():
    assert [levels(0.8, 3, texts, "experts").get("experts") for texts in (1, 24, 256)] == ["likely", "possible", None]
    assert "experts" not in levels(0.8, 3, 1, "dense")
    one, four = (1 - (1 - 8 / 128) ** n for n in (1, 4))
    assert numbers(0.8, 3, 1, "experts")["experts"] == pytest.approx(four / one)


def test_a_small_target_makes_the_draft_dear_and_what_nobody_knows_is_always_possible():
    assert levels(0.9, 2, 1, "small")["draft"] == "likely" and "draft" not in levels(0.9, 2, 1, "dense")
    assert {levels(*case["given"].values())[key] for case in cases() for key in ("overhead", "comparison")} == {"possible"}


def test_the_likeliest_cause_stands_first_and_each_says_what_to_measure():
    for case in cases():
        levels_of_case = [("likely", "possible").index(cause.split()[1]) for cause in case["causes"]]
        assert levels_of_case == sorted(levels_of_case)
    assert all(cause.measure.startswith("Measure ") and cause.cause.endswith(".") for cause in CAUSES)


def test_the_page_judges_by_the_same_table():
    assert json.loads(CASES.read_text("utf-8")) == json.loads(json.dumps({"table": table(), "cases": cases()}))
    assert {"likely", "possible"} <= set(WORDS)


if __name__ == "__main__":
    CASES.write_text(
        json.dumps({"table": table(), "cases": cases()}, ensure_ascii=False).replace('{"given', '\n{"given') + "\n", "utf-8"
    )
