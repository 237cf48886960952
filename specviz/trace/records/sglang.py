"""SGLang: `meta_info` of a response, by its own route, in a choice, or as `sglext.spec_tokens_details`.

`spec_verify_ct` counts passes that verified something. Versions name the other counts differently, and some give two names at once;
the newest name that is there is read. `spec_accept_rate` is not: versions divide by different things.
"""

from .document import inside, maybe, whole, wholes
from .record import Acceptance
from .unread import beside

DRAFTED = ("spec_num_proposed_drafts", "spec_proposed_drafts", "spec_draft_token_num")
ACCEPTED = ("spec_num_correct_drafts", "spec_accepted_drafts", "spec_accept_token_num")
HISTOGRAM = ("spec_correct_drafts_histogram", "spec_accept_histogram")
KNOWN = {*DRAFTED, *ACCEPTED, *HISTOGRAM, "spec_verify_ct", "spec_accept_rate", "spec_accept_length"}
READ = {"completion_tokens", "prompt_tokens"}


def unread(document: dict) -> dict[str, object]:
    """Every unknown name of `spec_tokens_details`, those with `spec_` of another place, and choices after the first, which is read."""
    choices = document.get("choices")
    others = (
        {f"choices[{i}]": inside(each, "meta_info") for i, each in enumerate(choices) if i} if isinstance(choices, list) else {}
    )
    return {
        **beside(KNOWN, found(document), lambda name: name.startswith("spec_")),
        **beside(KNOWN | READ, inside(document, "sglext", "spec_tokens_details")),
        **{name: meta["spec_verify_ct"] for name, meta in others.items() if meta and "spec_verify_ct" in meta},
    }


def found(document: dict) -> dict | None:
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    places = (document.get("meta_info"), inside(choice, "meta_info"), inside(document, "sglext", "spec_tokens_details"), document)
    return next((each for each in places if isinstance(each, dict) and "spec_verify_ct" in each), None)


def read(document: dict) -> Acceptance:
    part = found(document) or {}
    drafted, accepted, histogram = (next((n for n in names if n in part), names[0]) for names in (DRAFTED, ACCEPTED, HISTOGRAM))
    tokens = maybe(part, "completion_tokens")
    return Acceptance(
        num_draft_tokens=whole(part, drafted),
        num_accepted_draft_tokens=whole(part, accepted),
        num_spec_steps=whole(part, "spec_verify_ct"),
        acceptance_histogram=wholes(part, histogram),
        completion_tokens=maybe(inside(document, "usage"), "completion_tokens") if tokens is None else tokens,
        prompt_tokens=_prompt(document, part),
    )


def _prompt(document: dict, part: dict) -> int | None:
    tokens = maybe(part, "prompt_tokens")
    return maybe(inside(document, "usage"), "prompt_tokens") if tokens is None else tokens
