"""llama.cpp's server: `timings` of a response, and the counters of `/metrics`.

`timings` holds draft_n and draft_n_accepted where something was drafted; how many passes that took it does not say.
"""

from . import prometheus
from .document import inside, maybe, rate, whole
from .exposition import Sample
from .record import Acceptance, Record
from .unread import beside

FAMILY = "llamacpp:spec_decode_"
PREFIX = f"{FAMILY}num_"
KNOWN = {"draft_n", "draft_n_accepted"}


def found(document: dict) -> dict | None:
    part = inside(document, "timings")
    return part if part and "draft_n" in part else None


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    prompt = maybe(part, "prompt_n")
    return Acceptance(
        num_draft_tokens=whole(part, "draft_n"),
        num_accepted_draft_tokens=whole(part, "draft_n_accepted"),
        completion_tokens=maybe(part, "predicted_n"),
        tokens_per_second=rate(part, "predicted_per_second"),
        prompt_tokens=None if prompt is None else prompt + (maybe(part, "cache_n") or 0),
    )


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN, found(document), lambda name: name.startswith(("draft", "spec")))


def counted(samples: list[Sample]) -> Record | None:
    spoken = {name: value for name, _, value in samples}
    tokens, seconds = (spoken.get(f"llamacpp:tokens_predicted{end}") for end in ("_total", "_seconds_total"))
    part = prometheus.counted(samples, PREFIX, tokens / seconds if tokens and seconds and seconds > 0 else None)
    running = prometheus.gauge(samples, "llamacpp:requests_processing")
    left = prometheus.unread(samples, FAMILY, PREFIX)
    return Record("llama.cpp", "server", (part,), at_once=running or None, unread=left) if part else None
