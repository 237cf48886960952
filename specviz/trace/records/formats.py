"""The eight formats that are read, by words/records.toml: where counts stand, what each is called there and here, and how sure that is.

    FORMATS["vllm_requests"].evidence           # "run here: 0.32"

The names on the left are ours (record.py), each with one meaning whoever counted it. Of several names on the right the first that is there
is read: versions differ, newest first. `a/b` is b inside a; a name that begins with / stands at the document's root, not beside the
counts. Ratios are not read where there are counts: they follow from these, and engines divide by different things.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...words import records
from ..grammar import WHOLE
from .document import count_list, count_of, nested, number_of, short
from .record import LISTS, Acceptance, Engine, Of, RecordError

RATES = ("tokens_per_second", "running", "ms_per_token")


@dataclass(frozen=True)
class Format:
    """`name`: what such a file is called in a sentence. `evidence`: a run here or a public sample, and of what version.
    `places`: (path, names that must be there) of the part with the counts. `fields`: ours → theirs. `known`: theirs that are
    not read. `foreign`: a name beside the same ones in another engine's files. `draft_pattern`: which other names of the part
    are of speculative decoding, so that they are shown as unknown. `save`, `contains`: what to save to get such a file, and
    what is in it, for docs/records.md."""

    engine: Engine
    name: str
    evidence: str
    of: Of = "requests"
    places: tuple[tuple[str, str], ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    known: str = ""
    foreign: str = ""
    draft_pattern: str = ""
    save: str = field(kw_only=True)
    contains: str = field(kw_only=True)

    @cached_property
    def paths(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        return tuple((tuple(filter(None, path.split("/"))), tuple(names.split())) for path, names in self.places)

    @cached_property
    def names(self) -> tuple[tuple[str, tuple[tuple[bool, tuple[str, ...]], ...]], ...]:
        """Our name, and of each of theirs whether it stands at the root, and its path."""
        return tuple(
            (ours, tuple((name.startswith("/"), tuple(name.strip("/").split("/"))) for name in theirs.split()))
            for ours, theirs in self.fields.items()
        )

    @cached_property
    def all_known(self) -> frozenset[str]:
        beside = {path[0] for _, theirs in self.names for root, path in theirs if not root}
        return frozenset(beside | set(self.known.split()) | {name for _, names in self.paths for name in names})

    def part(self, document: dict) -> dict | None:
        """The part of a document that holds the counts; None if it is of another format."""
        for path, names in self.paths:
            part = nested(document, *path)
            if part is not None and self.foreign not in part and all(part.get(name) is not None for name in names):
                return part
        return None

    def unread(self, part: dict) -> dict[str, object]:
        """Names of speculative decoding that are unknown, with their values."""
        return {name: value for name, value in part.items() if name not in self.all_known and re.search(self.draft_pattern, name)}


FORMATS = {name: Format(**fields) for name, fields in records.FORMATS.items()}
DOCUMENTS = {name: one for name, one in FORMATS.items() if one.places}
"""Those of one JSON document a request or a run; the others a reader of their own puts together: pages.py, logs.py."""


def values(document: dict, format: Format, part: dict) -> dict[str, Any]:
    """Our names → what the document says, each of its type and within its bounds. What is not told is absent.
    RecordError names the field."""
    by_name = {}
    for ours, theirs in format.names:
        for root, path in theirs:
            holder: dict | None = document if root else part
            if len(path) > 1:
                holder = nested(holder, *path[:-1])
            if holder is not None and holder.get(path[-1]) is not None and (value := _value(ours, holder, path[-1])) is not None:
                by_name[ours] = value
                break
    return by_name


def _value(ours: str, holder: dict, name: str) -> Any:
    if ours in RATES:
        return number_of(holder, name)
    if ours == "position_shares":
        return _shares(name, holder[name])
    return count_list(holder, name) if ours in LISTS else count_of(holder, name)


def _shares(name: str, shares: object) -> tuple[float, ...] | None:
    if not isinstance(shares, list) or not all(type(each) in (int, float) and 0 <= each <= 1 for each in shares):
        raise RecordError(f"{name} must be numbers from 0 to 1, found {short(shares)}")
    return tuple(shares) or None


def acceptance(fields: dict[str, Any], theirs: dict[str, str]) -> Acceptance:
    """What one document counted. `fields`: as `values` gives it; `theirs`: what its names are called in the file. RecordError
    if it cannot be."""
    histogram, steps = fields.get("acceptance_histogram"), fields.get("num_spec_steps")
    accepted, drafted = fields.get("num_accepted_draft_tokens"), fields.get("num_draft_tokens")
    if accepted is None and histogram is not None:
        accepted = sum(i * n for i, n in enumerate(histogram))
    for name, value in (("num_draft_tokens", drafted), ("num_accepted_draft_tokens", accepted)):
        if value is None:
            raise RecordError(f"{theirs[name]} is missing; it must be a whole number from 0 to {WHOLE}")
    assert accepted is not None and drafted is not None
    shares, gap, prompt = fields.get("position_shares"), fields.get("ms_per_token"), fields.get("prompt_tokens")
    return Acceptance(
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        num_spec_steps=sum(histogram) if steps is None and histogram is not None else steps,
        num_spec_tokens=fields.get("num_spec_tokens") or (len(shares) if shares else None),
        acceptance_histogram=histogram,
        accepted_per_position=tuple(round(each * steps) for each in shares) if shares and steps else None,
        per_step_accepted=fields.get("per_step_accepted"),
        per_step_drafted=fields.get("per_step_drafted"),
        completion_tokens=fields.get("completion_tokens"),
        tokens_per_second=1e3 / gap if gap else fields.get("tokens_per_second"),
        prompt_tokens=None if prompt is None else prompt + fields.get("cached_tokens", 0),
    )
