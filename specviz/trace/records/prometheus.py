"""Counters of a server since it started: `…num_drafts`, `…num_draft_tokens`, `…num_accepted_tokens` and that `…_per_pos`.

vLLM and llama.cpp count under these names, each behind its own prefix. Engines of one server are summed up, models are not.
"""

from collections.abc import Iterable
from math import isfinite

from .document import short
from .exposition import Sample
from .record import LONGEST, Acceptance, RecordError
from .unread import Unread

NAMES = ("drafts", "draft_tokens", "accepted_tokens", "accepted_tokens_per_pos")


def counted(samples: Iterable[Sample], prefix: str, tokens_per_second: float | None = None) -> Acceptance | None:
    """None where nothing of the kind is counted. RecordError if it was counted of several models, or is no count."""
    totals: dict[str, int] = {}
    positions: dict[int, int] = {}
    models = set()
    for name, labels, value in samples:
        name = _name(name, prefix)
        if name not in NAMES:
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
        raise RecordError(f"it has the counts of {len(models)} models; it must have those of one")
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


def unread(samples: Iterable[Sample], family: str, prefix: str, known: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """What stands under `family` (`vllm:spec_decode_`) and is neither one of NAMES behind `prefix` nor `known`."""
    found, known = Unread(), set(known)
    for name, _, value in samples:
        if name.startswith(family) and not name.endswith("_created") and name not in known and _name(name, prefix) not in NAMES:
            found.add(name, value)
    return found.found()


def gauge(samples: Iterable[Sample], name: str) -> float | None:
    """A gauge of all engines of the server together; None where there is none, or no number."""
    values = [value for found, _, value in samples if found == name and isfinite(value) and value >= 0]
    return sum(values) if values else None


def _name(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).removesuffix("_total") if prefix and name.startswith(prefix) else ""
