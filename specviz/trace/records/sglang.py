"""SGLang: `meta_info` of a response, by its own route, in a choice, or as `sglext.spec_tokens_details`.

`spec_verify_ct` counts passes that verified something; what is a proposal was counted by older versions under
`spec_draft_token_num`, what was kept under `spec_accept_token_num`. `spec_accept_rate` is not read: versions divide by different things.
"""

from .document import inside, maybe, whole, wholes
from .record import Acceptance

DRAFTED, ACCEPTED = ("spec_num_proposed_drafts", "spec_draft_token_num"), ("spec_num_correct_drafts", "spec_accept_token_num")


def found(document: dict) -> dict | None:
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    places = (document.get("meta_info"), inside(choice, "meta_info"), inside(document, "sglext", "spec_tokens_details"), document)
    return next((each for each in places if isinstance(each, dict) and "spec_verify_ct" in each), None)


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    drafted, accepted = (next((name for name in names if name in part), names[0]) for names in (DRAFTED, ACCEPTED))
    tokens = maybe(part, "completion_tokens")
    return Acceptance(
        num_draft_tokens=whole(part, drafted),
        num_accepted_draft_tokens=whole(part, accepted),
        num_spec_steps=whole(part, "spec_verify_ct"),
        acceptance_histogram=wholes(part, "spec_correct_drafts_histogram"),
        completion_tokens=maybe(inside(document, "usage"), "completion_tokens") if tokens is None else tokens,
    )
