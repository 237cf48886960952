"""TensorRT-LLM: `request_perf_metrics.speculative_decoding` of a request, or `perf_metrics` of its `/perf_metrics` route.

It tells tokens drafted and accepted, no steps.
"""

from .document import inside, whole
from .record import Acceptance

KNOWN = {"acceptance_rate", "total_draft_tokens", "total_accepted_draft_tokens"}


def found(document: dict) -> dict | None:
    places = ("request_perf_metrics", "speculative_decoding"), ("perf_metrics", "speculative_decoding"), ("speculative_decoding",)
    parts = [inside(document, *names) for names in places]
    return next((part for part in parts if part and "total_draft_tokens" in part), None)


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    return Acceptance(
        num_draft_tokens=whole(part, "total_draft_tokens"),
        num_accepted_draft_tokens=whole(part, "total_accepted_draft_tokens"),
    )


def unread(part: dict) -> list[str]:
    return [name for name in part if name not in KNOWN]
