"""llama.cpp's server: `timings` of a response, and the counters of `/metrics`.

`timings` holds draft_n and draft_n_accepted where something was drafted; how many passes that took it does not say.
"""

from . import prometheus
from .document import Sample, inside, maybe, rate, whole
from .record import Acceptance

PREFIX = "llamacpp:spec_decode_num_"


def found(document: dict) -> dict | None:
    part = inside(document, "timings")
    return part if part and "draft_n" in part else None


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    return Acceptance(
        num_draft_tokens=whole(part, "draft_n"),
        num_accepted_draft_tokens=whole(part, "draft_n_accepted"),
        completion_tokens=maybe(part, "predicted_n"),
        tokens_per_second=rate(part, "predicted_per_second"),
    )


def counted(samples: list[Sample]) -> Acceptance | None:
    spoken = {name: value for name, _, value in samples}
    tokens, seconds = (spoken.get(f"llamacpp:tokens_predicted{end}") for end in ("_total", "_seconds_total"))
    return prometheus.counted(samples, PREFIX, tokens / seconds if tokens and seconds and seconds > 0 else None)
