"""TensorRT-LLM's iteration stats (`/metrics` of `trtllm-serve`, `LLM.get_stats()`): a JSON object a pass, with `specDecodingStats` in it.

    {"iter": 7, "iterLatencyMS": 9.1, "numActiveRequests": 2, "specDecodingStats": {"numDraftTokens": 6, "numAcceptedTokens": 4,
     "numRequestsWithDraftTokens": 2, "acceptanceLength": 3.0, "iterLatencyMS": 9.1, "draftOverhead": 0.2}}

A request with drafts takes one step in a pass: `acceptanceLength` = 1 + accepted ÷ requests. Written after NVIDIA's source.
"""

from collections.abc import Iterable

from .document import Unknown, count_of, nested, number_of, optional_count
from .record import Acceptance, Idle, Moment, ServerRecord, mean_load, total

DRAFT_PART = "specDecodingStats"
KNOWN = {
    "numDraftTokens",
    "numAcceptedTokens",
    "numRequestsWithDraftTokens",
    "acceptanceLength",
    "iterLatencyMS",
    "draftOverhead",
}


def is_pass(document: dict) -> bool:
    """With or without the part on drafts."""
    return "iterLatencyMS" in document or nested(document, DRAFT_PART) is not None


def read(documents: Iterable[dict]) -> ServerRecord | None:
    """All passes as one record, a moment for each. None where none has the part on drafts; Idle where nothing was drafted."""
    passes: list[Acceptance] = []
    moments: list[Moment] = []
    unread, at, silent = Unknown(), 0.0, 0
    for document in documents:
        part = nested(document, DRAFT_PART)
        at += (number_of(document, "iterLatencyMS") or 0.0) / 1e3
        # with attention parallelism each rank repeats what the first one counted
        if part is None or optional_count(document, "attentionDpRank"):
            silent += 1
            continue
        unread.add_all({name: value for name, value in part.items() if name not in KNOWN})
        steps, drafted, accepted = (count_of(part, name) for name in ("numRequestsWithDraftTokens", "numDraftTokens", "numAcceptedTokens"))  # fmt: skip
        passes.append(Acceptance(drafted, accepted, steps))
        if drafted and steps:
            moments.append(Moment.of(passes[-1], round(at, 6), running=number_of(document, "numActiveRequests")))
    if not passes:
        return None
    if not any(each.num_draft_tokens for each in passes):
        raise Idle("numDraftTokens is 0 in every pass: save the iteration stats while requests are running")
    at_once = mean_load(moment.running for moment in moments)
    return ServerRecord("TensorRT-LLM", "log", (total(passes),), silent, tuple(moments), at_once, unread=unread.all(), format="tensorrt_iterations")  # fmt: skip
