"""TensorRT-LLM: `request_perf_metrics.speculative_decoding` of a request, or `perf_metrics` of its `/perf_metrics` route; and the counters of
its Prometheus page.

Each tells tokens drafted and accepted, no steps.
"""

from . import prometheus
from .document import inside, whole
from .exposition import Sample
from .record import Acceptance, Record
from .unread import beside

FAMILY = "trtllm_spec_decode_"
PREFIX = f"{FAMILY}num_"
LAST = (f"{FAMILY}acceptance_length", f"{FAMILY}draft_overhead")  # gauges of the last pass
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


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, found(document))


def counted(samples: list[Sample]) -> Record | None:
    part = prometheus.counted(samples, PREFIX)
    left = prometheus.unread(samples, FAMILY, PREFIX, LAST)
    return Record("TensorRT-LLM", "server", (part,), unread=left) if part else None
