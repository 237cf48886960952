"""Requests of a record one by one: percentiles, the worst of them, acceptance against the length of the prompt. Plain values.

spread(parts)       # {"what": "tokens_per_step", "bins": […], "percentiles": {"5": 1.2, …}, "worst": […], "prompts": […]}
"""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from statistics import median, quantiles

from ..trace.records.record import Acceptance
from .plain import ratio, six_digits

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
    twentieths = quantiles(values, n=20, method="inclusive")
    bins = [0] * BINS
    for value in values:
        bins[min(BINS - 1, int((value - low) / width))] += 1
    return {
        "what": what,
        "from": low,
        "width": six_digits(width),
        "bins": bins,
        "least": six_digits(values[0]),
        "median": six_digits(median(values)),
        "most": six_digits(values[-1]),
        "percentiles": {str(share): six_digits(twentieths[share // 5 - 1]) for share in PERCENTILES},
        "worst": [_request(i, parts[i], value) for i, value in sorted(by_request, key=lambda each: each[1])[:WORST]],
        "prompts": _prompts(parts, by_request),
    }


def _request(index: int, part: Acceptance, value: float) -> dict:
    return {
        "request": index + 1,
        "value": six_digits(value),
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
        thirds.append({"from": group[0][0], "to": group[-1][0], "requests": len(group), "accepted_of_drafted": ratio(accepted, drafted), "median": six_digits(middle)})  # fmt: skip
    return {"points": [[length, six_digits(value)] for length, value, _ in known[::every]], "of": len(known), "thirds": thirds}
