"""`vllm bench serve --save-result` (0.20 to 0.32), and `sglang.bench_serving --output-file`: one JSON object a run.

spec_decode_num_drafts, …_draft_tokens, …_accepted_tokens, …_per_position_acceptance_rates      the counters' difference over the run
accept_length                                                                                   SGLang's mean, no counts
"""

import re

from .document import maybe, rate, short, whole
from .record import Acceptance, Moment, RecordError
from .unread import beside

PREFIX = "spec_decode_"
SPEAKS = re.compile("spec|draft|accept")
KNOWN = {
    f"{PREFIX}{name}"
    for name in (
        "acceptance_rate", "acceptance_length", "num_drafts", "draft_tokens", "accepted_tokens", "per_position_acceptance_rates"
    )
}  # fmt: skip


def found(document: dict) -> dict | None:
    return document if f"{PREFIX}draft_tokens" in document and "output_throughput" in document else None


def read(document: dict) -> Acceptance:
    steps = whole(document, f"{PREFIX}num_drafts")
    accepted = whole(document, f"{PREFIX}accepted_tokens")
    rates = document.get(f"{PREFIX}per_position_acceptance_rates") or []
    if not isinstance(rates, list) or not all(type(each) in (int, float) and 0 <= each <= 1 for each in rates):
        raise RecordError(f"{PREFIX}per_position_acceptance_rates must be numbers from 0 to 1, found {short(rates)}")
    gap = rate(document, "mean_tpot_ms")
    return Acceptance(
        num_draft_tokens=whole(document, f"{PREFIX}draft_tokens"),
        num_accepted_draft_tokens=accepted,
        num_spec_steps=steps,
        num_spec_tokens=len(rates) or None,
        accepted_per_position=tuple(round(each * steps) for each in rates) or None,
        completion_tokens=maybe(document, "total_output_tokens"),
        tokens_per_second=1e3 / gap if gap else None,
    )


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, document, lambda name: name.startswith(PREFIX))


def at_once(document: dict) -> float | None:
    """Requests at a time, as the run was asked to keep up."""
    return rate(document, "max_concurrency")


def sglang(document: dict) -> Moment | None:
    """A run of SGLang's, which reports its mean length alone; None if the document is none."""
    length = rate(document, "accept_length") if "output_throughput" in document else None
    if length is None:
        return None
    return Moment(
        tokens_per_step=length,
        running=rate(document, "concurrency"),
        tokens_per_second=rate(document, "output_throughput"),
    )


def unread_of_sglang(document: dict) -> dict[str, object]:
    return beside({"accept_length"}, document, lambda name: SPEAKS.search(name) is not None)
