"""llama.cpp's line of statistics, after a request's line on acceptance → the steps of that request, where only it was decoding.

    statistics mtp: #calls(b,g,a) = 1 861 690, #gen drafts = 690, #acc drafts = 690, #gen tokens = 1207, #acc tokens = 1186, dur(b,g,a) = …

The line counts since the server started, for all requests. `#gen drafts` counts drafts that were made, also those that were never
checked. So it gives steps only where the tokens since the line before are those of the request: then each draft was checked in a step.
"""

import re

from .record import Acceptance
from .unread import Unread

LINE = re.compile(r"\bstatistics +([\w-]{1,40}): (#calls.*)")
FIELD = re.compile(r"(?:^|, +)(#?\w[\w ]{0,39}(?:\([\w,]{1,20}\)|/\w{1,20})?) = +(\([^()]{0,400}\)|[^,(]{0,80}(?:, +[\d.]{1,20}){0,9})")
COUNTS = ("#gen drafts", "#gen tokens", "#acc tokens")
KNOWN = {*COUNTS, "#calls", "#calls(b,g,a)", "#acc drafts", "#mean acc len", "#acc rate/pos", "dur(b,g,a)"}


class Statistics:
    """The last counts of each drafter of the server."""

    def __init__(self):
        self._before: dict[str, list[int]] = {}

    def steps(self, line: str, part: Acceptance, unread: Unread) -> int | None:
        """How many steps `part`, the request before this line, took; None where the line does not tell."""
        found = LINE.search(line)
        if found is None:
            return None
        fields = {name.strip(): value.strip() for name, value in FIELD.findall(found[2])}
        for name, value in fields.items():
            if name not in KNOWN:
                unread.add(f"statistics {name}", value)
        texts = [fields.get(name, "") for name in COUNTS]
        if not all(text.isascii() and text.isdigit() and len(text) < 13 for text in texts):
            return None
        now = [int(text) for text in texts]
        steps, drafted, accepted = (a - b for a, b in zip(now, self._before.get(found[1], [0, 0, 0]), strict=True))
        self._before[found[1]] = now
        told = (drafted, accepted) == (part.num_draft_tokens, part.num_accepted_draft_tokens)
        return steps if told and 0 < steps <= drafted else None
