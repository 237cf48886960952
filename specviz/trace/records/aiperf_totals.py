"""AIPerf: `profile_export_aiperf.json`, the totals of a run, as its version 0.13 writes them: {"total_draft_tokens": {"avg": 64.0, …}}."""

from .aiperf import histogram
from .document import inside, rate
from .record import Acceptance, Engine, RecordError

POOLED = "pooled_spec_decode_acceptance_histogram"
PREFIX = "spec_decode_"  # of what follows from the totals, or is of single requests
TOTALS = {"total_spec_decode_steps", "total_accepted_draft_tokens", "total_draft_tokens"}
ENGINE: Engine = "another engine"  # these files do not name it


def found(document: dict) -> dict | None:
    return document if POOLED in document or inside(document, "total_draft_tokens") else None


def read(document: dict) -> Acceptance:
    return Acceptance(
        num_draft_tokens=_total(document, "total_draft_tokens"),
        num_accepted_draft_tokens=_total(document, "total_accepted_draft_tokens"),
        num_spec_steps=_total(document, "total_spec_decode_steps"),
        acceptance_histogram=histogram(document[POOLED]) if POOLED in document else None,
        tokens_per_second=rate(inside(document, "output_token_throughput_per_user"), "avg"),
    )


def unread(part: dict) -> list[str]:
    return [name for name in part if "draft" in name and name not in TOTALS and not name.startswith((PREFIX, POOLED))]


def _total(document: dict, name: str) -> int:
    value = rate(inside(document, name), "avg") or 0.0
    if value != int(value) or not inside(document, name):
        raise RecordError(f"{name} must be a whole number under avg")
    return int(value)
