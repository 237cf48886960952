"""A record of another engine → what a screen shows of it: counts, acceptance by position, and what they mean.

    json_text(record_picture(record))        # what the page's panel is given

Shown is what follows from the counts and nothing more: what a record does not tell is None, and is said to be missing. Standard library
only.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, zip_longest
from math import ceil
from statistics import fmean, median

from ..trace.records.formats import FORMATS
from ..trace.records.record import Acceptance, Moment, ServerRecord, dense_list
from .decision import FLAGS, evidence
from .plain import ratio, six_digits

SHORTER = 0.1  # of the steps may lack a draft at the last position, and it counts as a rejected one
MANY = 8  # requests at a time, from which on arithmetic is probably not idle: chapter 11 of Learn


def record_picture(record: ServerRecord) -> dict:
    """All that one screen shows of a record; `untold`: keys of what it does not tell. `notes`: what was left out, and why. `tables`: one for
    each K, where steps of several stand in the record; then the largest K decides, and nothing is told by position of all together."""
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
        ends = [before - share for before, share in zip([1.0, *shares], shares, strict=False)]
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
    """Sums of the parts; where these have no steps, the mean of what was reported over time. `several`: of several K, so that no mean of all
    steps is one of any of them."""
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
    weights = [m.drafted for m in reported]
    return fmean(
        [m.tokens_per_step or 0 for m in reported], None if None in weights or not any(weights) else [w or 0 for w in weights]
    )


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
    """For each position of a step, as positions.py gives it of rounds. `reached` and `given_reached` are None where it is not told how
    many tokens each step drafted, and not every one drafted as many as it may."""
    detailed = [(a, d) for p in parts for a, d in zip(p.per_step_accepted or (), p.per_step_drafted or (), strict=False)]
    steps = _sum([p.num_spec_steps for p in parts])
    if steps and len(detailed) == steps:
        drafted = _above(dense_list(Counter(d for _, d in detailed)))
        accepted = _above(dense_list(Counter(a for a, _ in detailed)), len(drafted))
        whole = Counter(a for a, d in detailed if a == d)  # those kept the position before, and drafted no further one
        reached: Sequence[int | None] = [
            countached - whole[i] for i, countached in enumerate([steps, *accepted][: len(accepted)])
        ]
    else:
        histograms = [p.histogram for p in parts if p.histogram is not None]
        if len(histograms) < len(parts) or not steps:
            return []
        histogram = [sum(counts) for counts in zip_longest(*histograms, fillvalue=0)]
        full = {
            p.num_spec_tokens if p.num_draft_tokens == (p.num_spec_tokens or 0) * (p.num_spec_steps or 0) else None for p in parts
        }
        K = full.pop() if len(full) == 1 else None  # every step of every request drafted K
        accepted = _above(histogram, K)
        drafted = [steps] * len(accepted)
        reached = [steps, *accepted][: len(accepted)] if K else [None] * len(accepted)
    return [
        {
            "position": i + 1,
            "drafted": n_drafted,
            "reached": countached,
            "accepted": n_accepted,
            "given_reached": ratio(n_accepted, countached),
            "of_blocks": ratio(n_accepted, steps),
        }
        for i, (n_drafted, countached, n_accepted) in enumerate(zip(drafted, reached, accepted, strict=True))
    ]


def _above(counts: Sequence[int], length: int | None = None) -> list[int]:
    """Of how often 0, 1, 2, … came: how often more than 0, 1, … did, for so many of them."""
    totals = list(accumulate(reversed(counts[1:])))[::-1]
    return [*totals, *[0] * (length or 0)][: length or len(totals)]


def _sum(counts: Sequence[int | None]) -> int | None:
    """None unless all tell."""
    return None if not counts or any(count is None for count in counts) else sum(count or 0 for count in counts)
