"""vLLM: what it says of each request, `per_request_spec_decode_metrics` in a script or over HTTP, and what its server counts.

    CompletionOutput.spec_decode_metrics        histogram, num_draft_tokens, per_step_accepted, …
    metrics.speculative_decoding                the same over HTTP, with the times of `metrics` beside it
    LLM.get_metrics(), /metrics                 vllm:spec_decode_num_drafts, …, all requests since the server started

Steps are rounds with drafts: a round without, or the prefill's own token, is in none of these. Tried with 0.32.
"""

from dataclasses import replace

from . import prometheus
from .document import inside, maybe, rate, short, whole, wholes
from .exposition import Sample
from .record import LONGEST, Acceptance, Record, RecordError
from .unread import beside

FAMILY = "vllm:spec_decode_"
PREFIX = f"{FAMILY}num_"
RUNNING = "vllm:num_requests_running"
KNOWN = {
    "histogram", "acceptance_histogram", "num_draft_tokens", "num_accepted_draft_tokens", "num_spec_steps", "num_spec_tokens",
    "per_step_accepted", "per_step_drafted", "mean_acceptance_length", "draft_acceptance_rate",
}  # fmt: skip


def found(document: dict) -> dict | None:
    """The part that holds the counts."""
    part = inside(document, "metrics", "speculative_decoding") or inside(document, "speculative_decoding")
    if part is None and "histogram" in document and "num_draft_tokens" in document:
        part = document
    # TensorRT-LLM has a part of the same name, with other fields
    return part if part and "num_draft_tokens" in part else None


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    times = inside(document, "metrics") or document
    histogram = wholes(part, "acceptance_histogram" if "acceptance_histogram" in part else "histogram")
    accepted = maybe(part, "num_accepted_draft_tokens")
    if accepted is None and histogram is None:
        raise RecordError("num_accepted_draft_tokens is missing, and no histogram gives it")
    steps = maybe(part, "num_spec_steps")
    return Acceptance(
        num_draft_tokens=whole(part, "num_draft_tokens"),
        num_accepted_draft_tokens=sum(i * n for i, n in enumerate(histogram or ())) if accepted is None else accepted,
        num_spec_steps=sum(histogram) if steps is None and histogram is not None else steps,
        num_spec_tokens=maybe(part, "num_spec_tokens"),
        acceptance_histogram=histogram,
        per_step_accepted=wholes(part, "per_step_accepted"),
        per_step_drafted=wholes(part, "per_step_drafted"),
        completion_tokens=maybe(inside(document, "usage"), "completion_tokens"),
        tokens_per_second=rate(times, "tokens_per_second"),
        prompt_tokens=maybe(inside(document, "usage"), "prompt_tokens"),
    )


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, found(document))


def listed(documents: list[dict]) -> list[Sample] | None:
    """What `LLM.get_metrics()` gave, as samples; None if it is something else."""
    if not all(
        {"name", "type"} <= each.keys() and ("value" in each or "values" in each or "count" in each) for each in documents
    ):
        return None
    samples = []
    for each in documents:
        name, labels = each["name"], each.get("labels")
        if not isinstance(name, str) or not name.startswith((FAMILY, RUNNING)):
            continue
        if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
            raise RecordError(f"the labels of {short(name)} must have names and texts")
        if "values" in each:
            values = (wholes(each, "values") or ())[: LONGEST + 1]  # the one too many is refused
            samples += [Sample(name, {**labels, "position": str(i)}, value) for i, value in enumerate(values)]
        elif "value" not in each:  # a histogram: none is known here, and it is named by how many it counted
            samples.append(Sample(f"{name}_count", labels, whole(each, "count")))
        else:
            samples.append(Sample(name, labels, _value(each)))
    return samples


def counted(samples: list[Sample]) -> Record | None:
    """It counts every position that a step may draft, also those of which none was kept: their number is K."""
    part = prometheus.counted(samples, PREFIX)
    if part is None:
        return None
    positions = part.accepted_per_position
    part = replace(part, num_spec_tokens=len(positions)) if positions else part
    running = prometheus.gauge(samples, RUNNING)
    return Record("vLLM", "server", (part,), at_once=running or None, unread=prometheus.unread(samples, FAMILY, PREFIX))


def _value(each: dict) -> float:
    """A counter is whole; a gauge may be any number."""
    value = each.get("value")
    return value if each["type"] == "Gauge" and isinstance(value, float) else whole(each, "value")
