"""LM Studio: `stats` of a response, or `usage` in later versions. It tells tokens drafted and accepted, no steps."""

from .document import inside, maybe, rate, whole
from .record import Acceptance, RecordError
from .unread import beside

KNOWN = {f"{name}_draft_tokens_count" for name in ("total", "accepted", "rejected", "ignored")}
OTHERS = {  # of `stats` and `usage`, whether or not something was drafted
    "tokens_per_second", "time_to_first_token", "time_to_first_token_seconds", "generation_time", "stop_reason", "input_tokens",
    "total_output_tokens", "reasoning_output_tokens", "model_load_time_seconds", "prompt_tokens", "completion_tokens", "total_tokens",
    "prompt_tokens_details", "completion_tokens_details",
}  # fmt: skip


def found(document: dict) -> dict | None:
    parts = [inside(document, name) for name in ("stats", "usage")]
    return next((part for part in parts if part and "total_draft_tokens_count" in part), None)


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    drafted, accepted = whole(part, "total_draft_tokens_count"), whole(part, "accepted_draft_tokens_count")
    others = [maybe(part, f"{name}_draft_tokens_count") or 0 for name in ("rejected", "ignored")]
    if min(others) < 0 or accepted + sum(others) > drafted:
        raise RecordError(
            f"{accepted} accepted, {others[0]} rejected and {others[1]} ignored tokens do not add up to {drafted} drafted ones"
        )
    return Acceptance(
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        completion_tokens=maybe(inside(document, "usage"), "completion_tokens"),
        tokens_per_second=rate(inside(document, "stats"), "tokens_per_second"),
        prompt_tokens=maybe(inside(document, "usage"), "prompt_tokens"),
    )


def unread(document: dict) -> dict[str, object]:
    return beside(KNOWN | OTHERS, found(document))
