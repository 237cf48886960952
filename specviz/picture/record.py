"""A record of another engine → what a screen shows of it: counts, acceptance by position, and what they mean.

    json_text(record_picture(record))        # what the page's panel is given

Shown is what follows from the counts and nothing more: what a record does not tell is None, and is said to be missing. Standard library
only.

From a record's acceptance by position, and what drafting and checking cost: the K that pays, as an interval. Plain values.

    evidence(record)                                # chance to keep each position, with an interval; what is assumed; what is missing
    decide(evidence, costs_from(4, c=0.1, v=1.2))   # {"verdict": "pays", "best": 4, "Ks": [3, 5], "speedup": [1.4, 1.5, 1.6], …}
    flag_for("vLLM", 4)                             # 0 where drafting does not pay

A step with K drafts takes K·c + v target passes over one token, and gives 1 + Σ ∏ of the chances. The page works by the same formulas
(assets/record/panel.js); tests/assets/record/decided.json holds both together. Source: specviz/acceptance.py.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from math import ceil, sqrt
from statistics import fmean, median, stdev

from ..acceptance import best_K, expected_speedup, expected_tokens, expected_tokens_by_position
from ..trace.records.formats import FORMATS
from ..trace.records.record import Acceptance, Moment, ServerRecord, dense_list
from .replay import ratio, six_digits

Z = 1.959964  # of 95 %
MAX_K = 15  # the largest that is tried
MIN_TESTS = 5  # a position that was tested less often than this is not one that was measured, but for the first
MARGIN_POSITIONS = 2  # positions past the last measured one that a best K may reach
FLAGS: dict[str, dict[str, str]] = {
    "vLLM": {"one": """--speculative-config '{…, "num_speculative_tokens": [K]}'""", "off": "leave out --speculative-config"},
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
    `positions`: as `by_position` gives them; `mixed`: steps drafted different numbers, so none decides."""
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
        fitted = _kept_by_mean_length(record, K, uneven)
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
    return {"low": low, "middle": middle, "high": high, "measured": measured, "rare": rare, "assumed": assumed, "missing": None}


def _no_evidence(missing: str) -> dict:
    return {"low": [], "middle": [], "high": [], "measured": 0, "rare": False, "assumed": [], "missing": missing}


def decide(evidence: dict, costs: Sequence[Costs]) -> dict:
    """The first of `costs` is the middle one, the others are the ends of what is assumed. `verdict`: pays, none or open. `Ks`: the least
    and the largest K that is best at an end. `speedup`: low, middle and high at the best K; `now`: the same at the K that was recorded."""
    limit = min(len(evidence["middle"]), *(len(each.v) - 1 for each in costs))
    levels = [evidence[level] for level in ("low", "middle", "high")]
    tokens = [[expected_tokens_by_position(chances, K) for K in range(limit + 1)] for chances in levels]
    table = [[[expected_speedup(n, K, each.c, each.v[K]) for K, n in enumerate(by_K)] for each in costs] for by_K in tokens]
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


def _kept_by_mean_length(record: ServerRecord, K: int | None, uneven: float) -> tuple[tuple[float, float, float], int] | str:
    """The one chance that gives the recorded mean length at K, and K; or the key of what is missing."""
    steps = [part.num_spec_steps for part in record.parts]
    if record.parts and None not in steps and (count := sum(step or 0 for step in steps)):
        K = max(1, round(sum(part.num_draft_tokens for part in record.parts) / count))
        alpha = solve(1 + sum(part.num_accepted_draft_tokens for part in record.parts) / count, K)
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


SHORTER = 0.1  # of the steps may lack a draft at the last position, and it counts as a rejected one
MANY = 8  # requests at a time, from which on arithmetic is probably not idle: chapter 11 of Learn


def record_picture(record: ServerRecord) -> dict:
    """All that one screen shows of a record; `untold`: keys of what it does not tell. `notes`: what was left out, and why. `tables`: one
    for each K, where steps of several stand in the record; then the largest K decides, and nothing is told by position of all together."""
    parts = () if record.contradicted else record.parts
    by_K = _by_K(parts)
    positions = [] if len(by_K) > 1 or mixed(parts) else by_position(parts)
    totals = _totals(record, parts, len(by_K) > 1)
    notes = record.notes
    if record.engine == "llama.cpp" and totals["drafted"] and totals["accepted"] == totals["drafted"]:
        notes += (("whole", {}),)
    if len(by_K) <= 1 and mixed(parts) and by_position(parts):
        notes += (("mixed", {"drafted": totals["drafted"], "steps": totals["steps"], "K": record.most_drafted}),)
    tables = [_table(K, parts_at_K) for K, parts_at_K in by_K.items()] if len(by_K) > 1 else []
    deciding = replace(record, parts=by_K[max(by_K)], moments=()) if tables else record
    missing = {
        "steps": totals["steps"] is None and totals["tokens_per_step"] is None,
        "counts": totals["steps"] is None and totals["tokens_per_step"] is not None,
        "positions": not positions and not any(table["positions"] for table in tables),
        "pace": totals["tokens_per_second"] is None,
    }
    return {
        "engine": record.engine,
        "of": record.of,
        "format": FORMATS[record.format].name if record.format else None,
        "evidence_of_format": FORMATS[record.format].evidence if record.format else None,
        "requests": len(record.parts),
        "silent": record.silent,
        "at_once": record.at_once,
        "K": record.most_drafted,
        "totals": totals,
        "positions": positions,
        "tables": tables,
        "notes": [[key, values] for key, values in notes],
        "means": means(totals, positions, record.at_once),
        "evidence": evidence(deciding, tables[-1]["positions"] if tables else positions, mixed(deciding.parts)),
        "flags": FLAGS.get(record.engine),
        "unread": [list(pair) for pair in record.unread],
        "untold": [name for name, absent in missing.items() if absent],
    }


def means(totals: dict, positions: Sequence[dict], at_once: float | None) -> list[list]:
    """What a record means: sentences of words.RECORD by key, each with its numbers as they are written.

    Each follows from the counts alone. Let s be the share of the steps that accept position n. One token more per step brings s tokens. A
    step brings at most as many tokens as it takes target passes, or drafting does not pay at all. So position n pays only if drafting and
    checking it takes less than s of a target pass (specviz/acceptance.py has the formula)."""
    sentences: list[list] = []
    if totals["tokens_per_step"] is not None:
        sentences.append(["tokens", {"tokens": f"{totals['tokens_per_step']:.2f}"}])
    if totals["drafted_per_step"] is not None and totals["accepted_of_drafted"] is not None:
        lost = totals["drafted_per_step"] * (1 - totals["accepted_of_drafted"])
        sentences.append(["lost", {"drafted": f"{totals['drafted_per_step']:.2f}", "lost": f"{lost:.2f}"}])
    shares = [at["of_blocks"] for at in positions]
    if shares and None not in shares:
        ends = [round(before - share, 9) for before, share in zip([1.0, *shares], shares, strict=False)]
        worst = ends.index(max(ends))
        sentences.append(["first" if worst == 0 else "later", {"n": str(worst + 1), "share": f"{100 * ends[worst]:.0f} %"}])
        kept = sum(share > 0 for share in shares)  # positions of which any token is kept: shares never rise
        if kept == len(shares):
            share = 100 * shares[-1]
            sentences.append(["last", {"n": str(kept), "share": f"{share:.0f} %" if share >= 1 else f"{share:.1g} %"}])
        elif kept:
            sentences.append(["enough", {"n": str(kept)}])
    if at_once is not None and at_once >= MANY:
        sentences.append(["load", {"requests": f"{at_once:.0f}"}])
    return sentences


def _totals(record: ServerRecord, parts: Sequence[Acceptance], several: bool = False) -> dict:
    """Sums of the parts; where these have no steps, the mean of what was reported over time. `several`: of several K, so that no
    mean of all steps is one of any of them."""
    drafted, accepted = _sum([p.num_draft_tokens for p in parts]), _sum([p.num_accepted_draft_tokens for p in parts])
    steps = _sum([p.num_spec_steps for p in parts])
    paces = [p.tokens_per_second for p in record.parts if p.tokens_per_second is not None]
    moments = () if record.contradicted else record.moments
    shares = [m.accepted_of_drafted for m in moments if m.accepted_of_drafted is not None]
    length = None if several else 1 + (accepted or 0) / steps if steps else _mean_length(moments, bool(parts))
    return {
        "drafted": drafted,
        "accepted": accepted,
        "steps": steps,
        "accepted_of_drafted": ratio(accepted, drafted) if parts else six_digits(fmean(shares)) if shares else None,
        "drafted_per_step": None if several else ratio(drafted, steps),
        "tokens_per_step": six_digits(length),
        "tokens_per_pass": None if length else _tokens_per_pass(record.engine, parts),
        "tokens": _sum([p.completion_tokens for p in record.parts]),
        "tokens_per_second": six_digits(median(paces)) if paces else None,
        "paced": len(paces),
    }


def _tokens_per_pass(engine: str, parts: Sequence[Acceptance]) -> float | None:
    """Of llama.cpp, which tells the tokens that a request wrote and those that were drafted: each of the others is one
    pass's, but for the first, which the pass over the prompt wrote. None where a request does not tell, or where all drafts
    are said to be accepted, as of a hybrid target (words.RECORD, `note_whole`)."""
    counts = [(part.completion_tokens, part.num_accepted_draft_tokens) for part in parts]
    written = sum((tokens or 0) - 1 for tokens, _ in counts)
    passes = written - sum(accepted for _, accepted in counts)
    whole = all(part.num_accepted_draft_tokens == part.num_draft_tokens for part in parts)
    if engine != "llama.cpp" or whole or any(not tokens or tokens - 1 <= accepted for tokens, accepted in counts):
        return None
    return ratio(written, passes)


def _mean_length(moments: Sequence[Moment], has_counts: bool) -> float | None:
    """Weighed by the tokens drafted where each report tells them. `has_counts`: the record has counts, so a report without a length is no
    idle one."""
    reported = [m for m in moments if m.tokens_per_step is not None]
    if not reported or (has_counts and len(reported) < sum(m.drafted != 0 for m in moments)):
        return None
    weights = [m.drafted or 0 for m in reported]
    known = any(weights) and all(m.drafted is not None for m in reported)
    return fmean([m.tokens_per_step or 0 for m in reported], weights if known else None)


def _by_K(parts: Sequence[Acceptance]) -> dict[int, tuple[Acceptance, ...]]:
    """The parts of each K, the least first; of those that do not say their K, all or none."""
    Ks = sorted({part.num_spec_tokens or 0 for part in parts})
    return {K: tuple(part for part in parts if (part.num_spec_tokens or 0) == K) for K in Ks}


def _table(K: int, parts: tuple[Acceptance, ...]) -> dict:
    totals = _totals(ServerRecord("another engine", "bench", parts), parts)
    names = ("drafted", "accepted", "steps", "accepted_of_drafted", "tokens_per_step")
    positions = [] if mixed(parts) else by_position(parts)
    return {"K": K or None, "requests": len(parts), **{name: totals[name] for name in names}, "positions": positions}


def mixed(parts: Sequence[Acceptance]) -> bool:
    """Whether more than a few steps drafted fewer tokens than the others, so that a position's counts are of steps which did not draft it,
    while nothing tells how many these are."""
    steps, drafted = _sum([p.num_spec_steps for p in parts]), _sum([p.num_draft_tokens for p in parts])
    if not steps or not drafted or all(p.per_step_accepted and p.per_step_drafted for p in parts):
        return False
    K = max((p.num_spec_tokens or 0 for p in parts), default=0) or ceil(drafted / steps)
    return K * steps - drafted > SHORTER * steps


def by_position(parts: Sequence[Acceptance]) -> list[dict]:
    """For each position of a step, as assets/player/account.js gives it of rounds. `reached` and `given_reached` are None where
    it is not told how many tokens each step drafted, and not every one drafted as many as it may."""
    detailed = [(a, d) for p in parts for a, d in zip(p.per_step_accepted or (), p.per_step_drafted or (), strict=False)]
    steps = _sum([p.num_spec_steps for p in parts])
    if steps and len(detailed) == steps:
        drafted = _above(dense_list(Counter(d for _, d in detailed)))
        accepted = _above(dense_list(Counter(a for a, _ in detailed)), len(drafted))
        whole = Counter(a for a, d in detailed if a == d)  # those kept the position before, and drafted no further one
        reached: Sequence[int | None] = [n - whole[i] for i, n in enumerate([steps, *accepted][: len(accepted)])]
    else:
        histograms = [p.histogram for p in parts if p.histogram is not None]
        if len(histograms) < len(parts) or not steps:
            return []
        histogram = [sum(counts) for counts in zip_longest(*histograms, fillvalue=0)]
        full = all(p.num_draft_tokens == (p.num_spec_tokens or 0) * (p.num_spec_steps or 0) for p in parts)
        Ks = {p.num_spec_tokens for p in parts}
        K = Ks.pop() if full and len(Ks) == 1 else None  # every step of every request drafted K
        accepted = _above(histogram, K)
        drafted = [steps] * len(accepted)
        reached = [steps, *accepted][: len(accepted)] if K else [None] * len(accepted)
    return [
        {
            "position": position,
            "drafted": n_drafted,
            "reached": n_reached,
            "accepted": n_accepted,
            "given_reached": ratio(n_accepted, n_reached),
            "of_blocks": ratio(n_accepted, steps),
        }
        for position, (n_drafted, n_reached, n_accepted) in enumerate(zip(drafted, reached, accepted, strict=True), 1)
    ]


def _above(counts: Sequence[int], length: int | None = None) -> list[int]:
    """Of how often 0, 1, 2, … came: how often more than 0, 1, … did, for so many of them."""
    totals = list(accumulate(reversed(counts[1:])))[::-1]
    return [*totals, *[0] * (length or 0)][: length or len(totals)]


def _sum(counts: Sequence[int | None]) -> int | None:
    """None unless all tell."""
    return None if not counts or any(count is None for count in counts) else sum(count or 0 for count in counts)
