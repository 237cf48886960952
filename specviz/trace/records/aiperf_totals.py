"""AIPerf: `profile_export_aiperf.json`, the totals of a run, as its version 0.13 writes them: {"total_draft_tokens": {"avg": 64.0, …}}."""

from .aiperf import histogram
from .document import inside, rate
from .record import Acceptance, Engine, RecordError
from .unread import beside

POOLED = "pooled_spec_decode_acceptance_histogram"
KNOWN = {  # those of single requests, and what follows from the totals, are not read
    POOLED, "total_spec_decode_steps", "total_accepted_draft_tokens", "total_draft_tokens", "spec_decode_acceptance_length",
    "spec_decode_token_weighted_acceptance_length", "spec_decode_draft_acceptance_rate", "spec_decode_overall_draft_acceptance_rate",
    "spec_decode_accepted_per_verified", "spec_decode_steps", "spec_decode_accepted_draft_tokens", "spec_decode_draft_tokens",
}  # fmt: skip
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


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, document, lambda name: "draft" in name or "spec_" in name)


def _total(document: dict, name: str) -> int:
    value = rate(inside(document, name), "avg") or 0.0
    if value != int(value) or not inside(document, name):
        raise RecordError(f"{name} must be a whole number under avg")
    return int(value)
