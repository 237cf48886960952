"""Requests of a record one by one: percentiles, the worst of them, acceptance against the length of the prompt. Plain values.

spread(parts)       # {"what": "tokens_per_step", "bins": […], "percentiles": {"5": 1.2, …}, "worst": […], "prompts": […]}
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from statistics import median

from ..trace.records.record import Acceptance
from .plain import ratio, short

BINS, WORST, POINTS, THIRDS = 10, 5, 400, 3
PERCENTILES = (5, 25, 50, 75, 95)


def spread(parts: Sequence[Acceptance]) -> dict | None:
    """In tokens a step where all tell their steps, else in the share that was accepted. None for fewer than two requests."""
    stepped = bool(parts) and all(part.num_spec_steps for part in parts)
    what = "tokens_per_step" if stepped else "accepted_of_drafted"
    by_request = [(i, value) for i, part in enumerate(parts) if (value := getattr(part, what)) is not None]
    if len(by_request) < 2:
        return None
    values = sorted(value for _, value in by_request)
    low, high = (1.0, float(max(2, ceil(values[-1])))) if stepped else (0.0, 1.0)
    width = (high - low) / BINS
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, int((value - low) / width))] += 1
    return {
        "what": what,
        "from": low,
        "width": short(width),
        "bins": bins,
        "least": short(values[0]),
        "median": short(median(values)),
        "most": short(values[-1]),
        "percentiles": {str(share): short(percentile(values, share)) for share in PERCENTILES},
        "worst": [_one(i, parts[i], value) for i, value in sorted(by_request, key=lambda each: each[1])[:WORST]],
        "prompts": _prompts(parts, by_request),
    }


def percentile(ordered: Sequence[float], share: float) -> float:
    """Linear between neighbours, as numpy's default."""
    at = (len(ordered) - 1) * share / 100
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def _one(index: int, part: Acceptance, value: float) -> dict:
    return {
        "request": index + 1,
        "value": short(value),
        "accepted": part.num_accepted_draft_tokens,
        "drafted": part.num_draft_tokens,
        "prompt": part.prompt_tokens,
        "tokens": part.completion_tokens,
    }


def _prompts(parts: Sequence[Acceptance], by_request: Sequence[tuple[int, float]]) -> dict | None:
    """Points of prompt length and value, evenly left out where there are many, and the share that was accepted in each third of the
    requests by prompt length. None unless prompts differ in length."""
    known = sorted(
        ((length, value, parts[i]) for i, value in by_request if (length := parts[i].prompt_tokens) is not None),
        key=lambda each: each[:2],
    )
    if len(known) < THIRDS or known[0][0] == known[-1][0]:
        return None
    every = ceil(len(known) / POINTS)
    cuts = [round(i * len(known) / THIRDS) for i in range(THIRDS + 1)]
    thirds = []
    for first, last in pairwise(cuts):
        group = known[first:last]
        accepted, drafted = (
            sum(getattr(part, name) for _, _, part in group) for name in ("num_accepted_draft_tokens", "num_draft_tokens")
        )
        middle = median(value for _, value, _ in group)
        thirds.append({"from": group[0][0], "to": group[-1][0], "requests": len(group), "accepted_of_drafted": ratio(accepted, drafted), "median": short(middle)})  # fmt: skip
    return {"points": [[length, short(value)] for length, value, _ in known[::every]], "of": len(known), "thirds": thirds}
