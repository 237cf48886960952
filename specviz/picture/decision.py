"""From a record's acceptance by position, and what drafting and checking cost: the K that pays, as an interval. Plain values.

    evidence(record)                                # chance to keep each position, with an interval; what is assumed; what is missing
    decide(evidence, costs_from(4, c=0.1, v=1.2))   # {"verdict": "pays", "best": 4, "Ks": [3, 5], "speedup": [1.4, 1.5, 1.6], …}
    flag_for("vLLM", 4)                             # 0 where drafting does not pay

A step with K drafts takes K·c + v target passes over one token, and gives 1 + Σ ∏ of the chances. The page works by the same formulas
(assets/record/decision.js); tests/assets/record/decided.json holds both together. Source: specviz/acceptance.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from ..acceptance import best_K, expected_speedup, expected_tokens, expected_tokens_by_position
from ..trace.records.record import ServerRecord

Z = 1.959964  # of 95 %
MAX_K = 15  # the largest that is tried
MIN_TESTS = 5  # a position that was tested less often than this is not one that was measured, but for the first
MARGIN_POSITIONS = 2  # positions past the last measured one that a best K may reach
FLAGS: dict[str, dict[str, str]] = {
    "vLLM": {
        "one": """--speculative-config '{…, "num_speculative_tokens": [K]}'""",
        "off": "leave out --speculative-config",
    },
    "SGLang": {
        "one": "--speculative-num-steps [K] --speculative-eagle-topk 1 --speculative-num-draft-tokens [K1]",
        "off": "leave out --speculative-algorithm",
    },
    "llama.cpp": {"one": "--spec-draft-n-max [K] (--draft-max [K] before 2026)", "off": "leave out -md and --spec-type"},
}
"""A K as the flag of the engine that is to draft it; `off`: no drafts. Sources, looked up in November 2026: the documentation of vLLM
0.32 (speculative_config), SGLang 0.5 (server arguments), llama.cpp (llama-server --help)."""


@dataclass(frozen=True, slots=True)
class Costs:
    """`c`: of a draft step. `v`: of a pass over 1, 2, … tokens of each request, v[0] = 1. Both in target passes over one token."""

    c: float
    v: tuple[float, ...]


def costs_from(K: int, c: float, v: float) -> list[Costs]:
    """Costs of which two numbers are known, v at a block of K drafts: a line from 1 through v, and v from the first draft on. Where each
    further token costs no more than the one before it, every pass lies between the two. (vLLM on a CPU: 1.35, 1.51 and 1.71 over 2, 3
    and 5 tokens, where the line has 1.18, 1.36 and 1.71.)"""
    return [Costs(c, tuple(1 + (v - 1) * n / K for n in range(MAX_K + 1))), Costs(c, (1.0, *[v] * MAX_K))]


def evidence(record: ServerRecord, positions: Sequence[dict], mixed: bool = False) -> dict:
    """`low`, `middle`, `high`: the chance that position 1, 2, … is kept once it is reached. `rare`: positions after those `measured` were
    drafted, and reached too seldom. `assumed`: keys of sentences. `missing`: the key of what would have to be recorded, else None.
    `positions`: as picture/record.py gives them; `mixed`: as it says of the steps, of which then none decides."""
    if record.contradicted or mixed:
        return _no_evidence("contradicted" if record.contradicted else "mixed")
    K = record.most_drafted
    tested = _tested(positions)
    assumed, uneven = ["same"], unevenness(record)
    if uneven > 1:
        assumed.append("uneven")
    if tested:
        if any(at["reached"] is None for at in positions):
            assumed.append("shorter")
        chances = [_wilson(accepted / reached, reached / uneven) for accepted, reached in tested]
        measured = len(chances)
    else:
        fitted = _mean_length(record, K, uneven)
        if isinstance(fitted, str):
            return _no_evidence(fitted)
        chance, measured = fitted
        assumed.append("even")
        chances = [chance] * measured
    if record.rounded:
        assumed.append("rounded")
    if measured < MAX_K:
        assumed.append("later")
    last = min(low for low, _, _ in chances), min(middle for _, middle, _ in chances), max(high for _, _, high in chances)
    chances += [(0.0, last[1], last[2])] * min(MARGIN_POSITIONS, MAX_K - measured)
    low, middle, high = (list(column) for column in zip(*chances, strict=True))
    rare = bool(tested) and measured < len(positions)
    return {
        "low": low, "middle": middle, "high": high, "measured": measured, "rare": rare, "assumed": assumed, "missing": None,
    }  # fmt: skip


def _no_evidence(missing: str) -> dict:
    return {"low": [], "middle": [], "high": [], "measured": 0, "rare": False, "assumed": [], "missing": missing}


def decide(evidence: dict, costs: Sequence[Costs]) -> dict:
    """The first of `costs` is the middle one, the others are the ends of what is assumed. `verdict`: pays, none or open. `Ks`: the least and
    the largest K that is best at an end. `speedup`: low, middle and high at the best K; `now`: the same at the K that was recorded."""
    limit = min(len(evidence["middle"]), *(len(each.v) - 1 for each in costs))
    levels = [evidence[level] for level in ("low", "middle", "high")]
    table = [[[_speedup(chances, K, each) for K in range(limit + 1)] for each in costs] for chances in levels]
    best = best_K(table[1][0])
    Ks = [best_K(row) for rows in table for row in rows]

    def at(K: int) -> list[float]:
        return [min(row[K] for row in table[0]), table[1][0][K], max(row[K] for row in table[2])]

    every = [at(K) for K in range(limit + 1)]
    if best and every[best][0] > 1:
        verdict = "pays"
    elif max(high for _, _, high in every[1:]) <= 1:
        verdict = "none"
    else:
        verdict = "open"
    return {
        "verdict": verdict,
        "best": best,
        "Ks": [min(Ks), max(Ks)],
        "speedup": every[best] if best else at(max(1, min(evidence["measured"], limit))),
        "now": every[min(evidence["measured"], limit)],
        "by_K": every,
    }


def widest(evidence: dict, costs: Sequence[Costs]) -> str:
    """What to measure next where the decision is open: `K` if it is not without the positions that nobody drafted, else the key of what
    makes the interval widest, `costs` or `acceptance`."""
    recorded = {**evidence, **{level: evidence[level][: evidence["measured"]] for level in ("low", "middle", "high")}}
    if decide(recorded, costs)["verdict"] != "open":
        return "acceptance" if evidence["rare"] else "K"
    exact = {**evidence, "low": evidence["middle"], "high": evidence["middle"]}
    by_costs, by_acceptance = decide(exact, costs)["speedup"], decide(evidence, costs[:1])["speedup"]
    return "costs" if by_costs[2] - by_costs[0] > by_acceptance[2] - by_acceptance[0] else "acceptance"


def _speedup(chances: list[float], K: int, costs: Costs) -> float:
    return expected_speedup(expected_tokens_by_position(chances, K), K, costs.c, costs.v[K])


def _tested(positions: Sequence[dict]) -> list[tuple[int, int]]:
    """(kept, reached) of each position that was reached often enough. Where the record has no number of those that reached it, all steps
    that kept the position before are taken to have."""
    counts = []
    before = positions[0]["drafted"] if positions else 0
    for at in positions:
        reached = before if at["reached"] is None else at["reached"]
        if reached < MIN_TESTS:
            break
        counts.append((at["accepted"], reached))
        before = at["accepted"]
    return counts


def unevenness(record: ServerRecord) -> float:
    """How many times as much as by chance the requests, or the intervals of a log, differ in the share accepted: Pearson's χ² over its
    degrees of freedom, 1 at least. Counts are worth as many times less (McCullagh, Nelder 1989, §4.5)."""
    units = [(p.num_draft_tokens, p.num_accepted_draft_tokens) for p in record.parts]
    if len(units) < MIN_TESTS:
        units = [(m.drafted, m.accepted) for m in record.moments if m.drafted is not None and m.accepted is not None]
    units = [(drafted, accepted) for drafted, accepted in units if drafted]
    drafted, accepted = (sum(column) for column in zip(*units, strict=True)) if units else (0, 0)
    p = accepted / drafted if drafted else 0.0
    if len(units) < MIN_TESTS or not 0 < p < 1:
        return 1.0
    return max(1.0, sum((a - p * d) ** 2 / (d * p * (1 - p)) for d, a in units) / (len(units) - 1))


def _wilson(p: float, of: float) -> tuple[float, float, float]:
    """Low, middle and high of a share p of so many (Wilson 1927)."""
    middle = (p + Z * Z / (2 * of)) / (1 + Z * Z / of)
    off = Z * sqrt(p * (1 - p) / of + Z * Z / (4 * of * of)) / (1 + Z * Z / of)
    return max(0.0, middle - off), p, min(1.0, middle + off)


def _mean_length(record: ServerRecord, K: int | None, uneven: float) -> tuple[tuple[float, float, float], int] | str:
    """The one chance that gives the recorded mean length at K, and K; or the key of what is missing."""
    steps = [part.num_spec_steps for part in record.parts]
    if record.parts and None not in steps and (count := sum(step or 0 for step in steps)):
        drafted, accepted = (
            sum(getattr(p, name) for p in record.parts) for name in ("num_draft_tokens", "num_accepted_draft_tokens")
        )
        K = max(1, round(drafted / count))
        alpha = solve(1 + accepted / count, K)
        return _wilson(alpha, count * sum(alpha**i for i in range(K)) / uneven), K
    lengths = [moment.tokens_per_step for moment in record.moments if moment.tokens_per_step]
    if not lengths:
        return "steps"
    if not K:
        return "K"
    mean = fmean(lengths)
    off = Z * stdev(lengths) / sqrt(len(lengths)) if len(lengths) > 1 else mean - 1
    low, middle, high = (solve(each, K) for each in (mean - off, mean, mean + off))
    return (low, middle, high), K


def solve(length: float, K: int) -> float:
    """The chance α that gives a mean of `length` tokens a step at K, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_tokens(middle, K) < length else (low, middle)
    return (low + high) / 2


def flag_for(engine: str, K: int) -> str | None:
    if (known := FLAGS.get(engine)) is None:
        return None
    return known["one" if K else "off"].replace("[K1]", str(K + 1)).replace("[K]", str(K))
