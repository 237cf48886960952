"""Load: the bound by reading and arithmetic, what a batch does, and the page's formulas, which are the same."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from specviz.acceptance import best_K, expected_speedup, expected_tokens
from specviz.config import ASSETS, ConfigError
from specviz.lab.load import Devices, Hardware, Passes, by_formula, measured_passes, pass_ms

HARDWARE = Hardware()
H100, BIG, SMALL = HARDWARE.card("h100"), HARDWARE.model("llama-3.1-70b"), HARDWARE.model("llama-3.1-8b")
EIGHT = Devices(H100, devices=8)
SERVED = Path(__file__).parents[1] / "assets" / "lab" / "served.json"


@dataclass
class Throughput:
    """What K drafts a step give at a load, as the page says it. `step`: ms; `tokens` of each text a step; `latency`: ms a token of one text;
    `pace`: tokens a second of all; `thrown`: the share of the target's checked positions that no token came of; `speedup` over K = 0."""

    K: int
    step: float
    tokens: float
    latency: float
    pace: float
    thrown: float
    speedup: float


def throughput(passes: Passes, alpha: float, K: int, texts: int) -> Throughput:
    step, tokens = K * passes.draft + passes.target[K], expected_tokens(alpha, K)
    latency = step / tokens
    return Throughput(K, step, tokens, latency, 1e3 * texts / latency, 1 - tokens / (K + 1), passes.target[0] / latency)


def fastest(passes: Passes, alpha: float, texts: int) -> Throughput:
    """At the K that pays most; at K = 0 where drafting does not pay."""
    by_K = [throughput(passes, alpha, K, texts) for K in range(len(passes.target))]
    return by_K[best_K([each.speedup for each in by_K])]


def test_a_pass_reads_the_weights_once_and_every_texts_cache_and_computes_for_every_token():
    read, compute, launch = pass_ms(BIG, EIGHT, 10, 1000, 4)
    assert BIG.cache == 2 * 80 * 8 * 128 * 2
    assert read == pytest.approx(1e3 * (141.2e9 + 10 * 1000 * 327_680) / (8 * 3.35e12))
    assert compute == pytest.approx(1e3 * 40 * (141.2e9 + 4 * 1000 * 80 * 64 * 128) / (8 * 989e12))
    assert launch == 0 and pass_ms(BIG, Devices(H100, 8, 0.5, 10), 1, 512)[2] == 0.8


def test_a_mixture_of_experts_reads_what_is_active_for_one_token_and_nearly_all_for_many():
    mixture = HARDWARE.model("qwen3-30b-a3b")
    assert mixture.weights_read(1) == pytest.approx(mixture.active)
    assert mixture.weights_read(10_000) == pytest.approx(mixture.parameters)
    assert mixture.weights_read(4) > 2 * mixture.weights_read(1)  # so a check is not free, even for one text
    assert BIG.weights_read(1) == BIG.weights_read(1000) == 70.6


def test_of_one_text_a_check_is_free_and_a_full_server_drafts_nothing():
    one, many = (by_formula(BIG, SMALL, EIGHT, texts, 512) for texts in (1, 1024))
    assert one.target[4] == pytest.approx(one.target[0], rel=0.001)
    assert many.target[4] == pytest.approx(5 * many.target[0])
    c = one.draft / one.target[0]
    assert best_K([expected_speedup(expected_tokens(0.7, K), K, c) for K in range(16)]) == fastest(one, 0.7, 1).K
    assert fastest(many, 0.7, 1024).K == 0


def test_a_mixture_gains_less_alone_than_among_some_texts_which_read_its_experts_anyway():
    where, models = Devices(H100), (HARDWARE.model("qwen3-30b-a3b"), HARDWARE.model("qwen3-0.6b"))
    gains = [fastest(by_formula(*models, where, texts, 512), 0.8, texts).speedup for texts in (1, 64, 2048)]
    assert gains[0] < 1.1 < 2 < gains[1] and gains[2] < 1.1


def test_a_step_gives_latency_pace_and_what_was_thrown_away():
    got = throughput(Passes((10.0, 10.0, 11.0), 1.0), 0.5, 2, 4)
    assert (got.step, got.tokens, got.latency) == (13.0, 1.75, 13 / 1.75)
    assert (got.pace, got.thrown, got.speedup) == pytest.approx((4000 * 1.75 / 13, 1 - 1.75 / 3, 17.5 / 13))
    assert throughput(Passes((10.0,), 1.0), 0.9, 0, 4).thrown == 0


def test_of_K_that_are_equally_fast_the_least_is_best():
    assert fastest(Passes((5.44,) * 8, 5.44), 1.0, 8).K == 0  # the target drafts for itself and all is kept: nothing gained


def test_measured_passes_are_read_at_the_texts_that_were_measured_and_no_others():
    file = json.loads(next((ASSETS / "costs").glob("*.json")).read_text("utf-8"))
    passes = measured_passes(file, 4)
    assert passes.target == tuple(file["curves"][0]["ms"][2]) and passes.draft == file["curves"][1]["ms"][2][0]
    with pytest.raises(ConfigError, match="texts is 3; it must be one of 1, 2, 4"):
        measured_passes(file, 3)
    with pytest.raises(ConfigError, match="card is 'abacus'"):
        HARDWARE.card("abacus")


def cases() -> list[dict]:
    """What the page's arithmetic must give too."""
    cases = []
    for target, draft, card, devices, texts, context, alpha in (
        ("llama-3.1-70b", "llama-3.1-8b", "h100", 8, 32, 2048, 0.7),
        ("qwen3-30b-a3b", "qwen3-0.6b", "a100-80", 1, 16, 512, 0.6),
        ("llama-2-7b", "vicuna-68m", "rtx-3090", 1, 1, 0, 0.5),
    ):
        where = Devices(HARDWARE.card(card), devices, 0.8, 5)
        passes = by_formula(HARDWARE.model(target), HARDWARE.model(draft), where, texts, context)
        settings = {"target": target, "draft": draft, "card": card, "devices": devices, "texts": texts, "context": context}
        best = fastest(passes, alpha, texts)
        cases.append({"asked": settings | {"alpha": alpha}, "passes": asdict(passes), "best": asdict(best)})
    return cases


def test_the_page_works_by_the_same_formulas():
    """served.json is what the test of the scripts asks of them. After a change: python -m tests.lab.test_load writes it again."""
    saved = json.loads(SERVED.read_text("utf-8"))
    assert json.loads(json.dumps(cases())) == saved


if __name__ == "__main__":
    SERVED.write_text("[" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases()) + "]\n", "utf-8")
