"""Counters of a server since it started: `…num_drafts`, `…num_draft_tokens`, `…num_accepted_tokens` and that `…_per_pos`.

vLLM and llama.cpp count under these names, each behind its own prefix. Engines of one server are summed up, models are not.
"""

from collections.abc import Iterable
from math import isfinite

from .document import Sample, short
from .record import LONGEST, Acceptance, RecordError


def counted(samples: Iterable[Sample], prefix: str, tokens_per_second: float | None = None) -> Acceptance | None:
    """None where nothing of the kind is counted. RecordError if it was counted of several models, or is no count."""
    totals: dict[str, int] = {}
    positions: dict[int, int] = {}
    models = set()
    for name, labels, value in samples:
        name = name.removeprefix(prefix).removesuffix("_total") if name.startswith(prefix) else ""
        if name not in ("drafts", "draft_tokens", "accepted_tokens", "accepted_tokens_per_pos"):
            continue  # another counter, or when a counter began
        models.add(labels.get("model_name", ""))
        if not isfinite(value) or value != int(value):
            raise RecordError(f"{prefix}{name} must be a whole number, found {short(value)}")
        if name == "accepted_tokens_per_pos":
            at = labels.get("position", "")
            if not (at.isascii() and at.isdigit() and len(at) < 5 and int(at) < LONGEST):
                raise RecordError(f"position of {prefix}{name} must be from 0 to {LONGEST - 1}, found {short(at)}")
            positions[int(at)] = positions.get(int(at), 0) + int(value)
        else:
            totals[name] = totals.get(name, 0) + int(value)
    if not totals and not positions:
        return None
    if len(models) > 1:
        raise RecordError(f"counts of {len(models)} models are in it: give those of one")
    for name in ("draft_tokens", "accepted_tokens"):
        if name not in totals:
            raise RecordError(f"{prefix}{name} is missing; it must be a whole number")
    return Acceptance(
        num_draft_tokens=totals["draft_tokens"],
        num_accepted_draft_tokens=totals["accepted_tokens"],
        num_spec_steps=totals.get("drafts"),
        accepted_per_position=tuple(positions.get(i, 0) for i in range(max(positions) + 1)) if positions else None,
        tokens_per_second=tokens_per_second,
    )
