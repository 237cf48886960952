"""What an engine tells of speculative decoding without telling its rounds: counts by request, or of a whole server.

    difference(read("before.txt"), read("after.txt"))        # what a server did between two scrapes, or RecordError

The names are AIPerf's (`SpecDecodeAcceptanceRecord`), which no engine has to itself; a step is a round in which something was drafted.
What a file does not tell is None and never guessed. Ratios that it gives are left alone: they follow from the counts, and engines
differ in what they divide by. Standard library only.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, zip_longest
from operator import mul
from statistics import median
from typing import Literal

from ..file import short
from ..grammar import WHOLE

Engine = Literal["vLLM", "SGLang", "llama.cpp", "another engine"]
Of = Literal["requests", "server", "difference", "log", "gauges", "bench", "counts"]
SCALARS = (
    "num_draft_tokens",
    "num_accepted_draft_tokens",
    "num_spec_steps",
    "completion_tokens",
    "prompt_tokens",
    "tokens_per_second",
)
LISTS = ("acceptance_histogram", "accepted_per_position", "per_step_accepted", "per_step_drafted")
Notes = tuple[tuple[str, dict], ...]
LONGEST = 1000  # tokens that a step may draft: no engine comes near it
LIMITS = dict.fromkeys(("num_spec_tokens", "per_step_accepted", "per_step_drafted"), LONGEST)  # of others WHOLE


class RecordError(ValueError):
    """A file is no record that is understood, or its counts cannot be. One sentence, which names the field and where it stands."""


class OtherEngine(RecordError):
    """A file of an engine, or of a kind, that is not read: five numbers can be read off it (read.py)."""


class CountsError(RecordError):
    """Five numbers that cannot be true together (read.py)."""


class Idle(RecordError):
    """It is of a server which drafts, and says nothing since none of its requests was decoding."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What was drafted and kept in one request, or in all that a server did since it started.

    `acceptance_histogram`: how many steps kept 0, 1, … tokens; `accepted_per_position`: how many kept the first, the second, …;
    `per_step_*`: each step in its order. `num_spec_tokens`: the most that a step drafts (K). `tokens_per_second`: while decoding,
    as the engine timed it. `prompt_tokens`: of the request."""

    num_draft_tokens: int
    num_accepted_draft_tokens: int
    num_spec_steps: int | None = None
    num_spec_tokens: int | None = None
    acceptance_histogram: tuple[int, ...] | None = None
    accepted_per_position: tuple[int, ...] | None = None
    per_step_accepted: tuple[int, ...] | None = None
    per_step_drafted: tuple[int, ...] | None = None
    completion_tokens: int | None = None
    tokens_per_second: float | None = None
    prompt_tokens: int | None = None

    def __post_init__(self):
        """RecordError unless all counts can be true together."""
        for name in SCALARS:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= WHOLE:  # asked here too, since a file may have 100,000 of these
                _check_range(name, value)
        _check_range("num_spec_tokens", self.num_spec_tokens)
        drafted, kept = self.num_draft_tokens, self.num_accepted_draft_tokens
        if kept > drafted:
            raise RecordError(f"{kept} tokens were accepted of {drafted} drafted: too many")
        for name in LISTS:
            if counts := getattr(self, name):
                if not name.startswith("per_step"):
                    _check_range(f"the length of {name}", len(counts), LONGEST + 1)
                _check_range(name, min(counts))
                _check_range(name, max(counts))
        if self.per_step_accepted is not None or self.per_step_drafted is not None:
            self._check_steps()
        histogram, positions, steps = self.acceptance_histogram, self.accepted_per_position, self.num_spec_steps
        if histogram is not None:
            _check_sum("acceptance_histogram, summed up,", sum(histogram), "num_spec_steps", steps)
            accepted = sum(map(mul, histogram, range(len(histogram))))
            _check_sum("acceptance_histogram, tokens in all,", accepted, "num_accepted_draft_tokens", kept)
        if positions is not None:
            _check_sum("accepted_per_position, summed up,", sum(positions), "num_accepted_draft_tokens", kept)
            if any(later > earlier for earlier, later in pairwise([WHOLE if steps is None else steps, *positions])):
                raise RecordError(
                    "accepted_per_position must not rise, nor begin above num_spec_steps: a token is accepted only if all before it were"
                )
        most = LONGEST if self.num_spec_tokens is None else self.num_spec_tokens
        if steps is not None and drafted > steps * most:
            raise RecordError(f"{drafted} tokens cannot be drafted in {steps} steps of at most {most}")

    def _check_steps(self) -> None:
        accepted, drafted = self.per_step_accepted, self.per_step_drafted
        totals = self.num_accepted_draft_tokens, self.num_draft_tokens
        for name, each, total in zip(("per_step_accepted", "per_step_drafted"), (accepted, drafted), totals, strict=True):
            if each is not None:
                _check_sum(f"the length of {name}", len(each), "num_spec_steps", self.num_spec_steps)
                _check_sum(f"{name}, summed up,", sum(each), "the total", total)
        for i, (few, many) in enumerate(zip(accepted or (), drafted or (), strict=False), 1):
            if few > many:
                raise RecordError(f"step {i} accepted {few} tokens, but drafted only {many}")
        if max(drafted or (0,)) > (WHOLE if self.num_spec_tokens is None else self.num_spec_tokens):
            raise RecordError(f"a step drafted {max(drafted or ())} tokens, but the record says at most {self.num_spec_tokens}")

    @property
    def tokens_per_step(self) -> float | None:
        """With the extra token of each step; None where no number of steps is told."""
        return 1 + self.num_accepted_draft_tokens / self.num_spec_steps if self.num_spec_steps else None

    @property
    def accepted_of_drafted(self) -> float | None:
        """None where nothing was drafted."""
        return self.num_accepted_draft_tokens / self.num_draft_tokens if self.num_draft_tokens else None

    @property
    def histogram(self) -> tuple[int, ...] | None:
        """How many steps kept 0, 1, … tokens, from whatever tells it."""
        if self.acceptance_histogram is not None:
            return self.acceptance_histogram
        if self.per_step_accepted is not None:
            return dense_list(Counter(self.per_step_accepted))
        if self.accepted_per_position is not None and self.num_spec_steps is not None:
            return tuple(a - b for a, b in pairwise([self.num_spec_steps, *self.accepted_per_position, 0]))
        return None


@dataclass(frozen=True, slots=True)
class Moment:
    """What a server reported of an interval. `tokens_per_step`: with the extra token. `accepted_of_drafted`: a share of 1, as the
    engine printed it. `running`: requests. What was not reported is None."""

    tokens_per_step: float | None = None
    accepted_of_drafted: float | None = None
    drafted: int | None = None
    accepted: int | None = None
    running: float | None = None

    def __post_init__(self):
        for name in ("tokens_per_step", "accepted_of_drafted", "drafted", "accepted", "running"):
            _check_range(name, getattr(self, name))
        if (self.accepted_of_drafted or 0) > 1:
            raise RecordError(f"accepted_of_drafted must be from 0 to 1, found {self.accepted_of_drafted}")


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """`of`: what the record describes. `parts`: its counts, a request each under "requests", a run each under "bench", one
    for each K under "log", else one or none. `moments`: what was reported at one time. `silent`:
    how many documents of the file said nothing of speculative decoding. `at_once`: requests at a time. `num_spec_tokens`: K,
    where only the settings of the server give it. `rounded`: positions were printed with three digits, so their counts are
    off by up to 0.05 % of the steps. `unread`: fields of speculative decoding that no reader knows, with a value each.
    `notes`: what was left out and why, and what another engine means by a count: keys of sentences with what fills them in
    (words.RECORD, `note_…`). `contradicted`: counts of the file exclude each other, or are known to be wrong, so no rate
    follows from them; a note names them. `format`: what the file is, a row of formats.FORMATS."""

    engine: Engine
    of: Of
    parts: tuple[Acceptance, ...] = ()
    silent: int = 0
    moments: tuple[Moment, ...] = ()
    at_once: float | None = None
    num_spec_tokens: int | None = None
    rounded: bool = False
    unread: tuple[tuple[str, str], ...] = ()
    notes: Notes = ()
    contradicted: bool = False
    format: str = field(default="", compare=False)

    def __post_init__(self):
        for name in ("at_once", "num_spec_tokens"):
            _check_range(name, getattr(self, name))

    @property
    def most_drafted(self) -> int | None:
        """K: the most tokens that a step drafts."""
        sizes = [part.num_spec_tokens for part in self.parts if part.num_spec_tokens]
        return max(sizes) if sizes else self.num_spec_tokens


def total(parts: Sequence[Acceptance]) -> Acceptance:
    """The counts of all of them; a count that one of them lacks is None."""
    steps, rows = [part.num_spec_steps for part in parts], [part.accepted_per_position for part in parts]
    Ks = {part.num_spec_tokens for part in parts}
    return Acceptance(
        sum(part.num_draft_tokens for part in parts),
        sum(part.num_accepted_draft_tokens for part in parts),
        None if None in steps else sum(step or 0 for step in steps),
        Ks.pop() if len(Ks) == 1 else None,
        accepted_per_position=None if None in rows else tuple(map(sum, zip_longest(*(row or () for row in rows), fillvalue=0))),
    )


def undrafted_note(requests: int, paces: Sequence[float]) -> Notes:
    """Requests that drafted nothing, and their median pace where any told it."""
    if paces:
        return (("undrafted_pace", {"requests": requests, "pace": f"{median(paces):.1f}"}),)
    return (("undrafted", {"requests": requests}),) if requests else ()


def dense_list(histogram: dict[int, int]) -> tuple[int, ...]:
    """{accepted: steps} → steps that accepted 0, 1, …"""
    counts = [0] * (max(histogram, default=-1) + 1)
    for accepted, steps in histogram.items():
        counts[accepted] = steps
    return tuple(counts)


def _check_range(name: str, value: float | None, most: int = WHOLE) -> None:
    most = LIMITS.get(name, most)
    if value is not None and not 0 <= value <= most:
        raise RecordError(f"{name} must be from 0 to {most}, found {short(value)}")


def _check_sum(what: str, total: int, other: str, value: int | None) -> None:
    if value is not None and total != value:
        raise RecordError(f"{what} gives {total}, but {other} gives {value}: they must agree")


def difference(before: ServerRecord, after: ServerRecord) -> ServerRecord:
    """RecordError unless both are counts of one server, the later one second."""
    if before.engine != after.engine:
        raise RecordError(f"the first file is from {before.engine}, the second from {after.engine}: both must be from one server")
    for which, record in (("first", before), ("second", after)):
        if record.of == "gauges":
            gauges = f"gauges of {record.engine}: they show the last value, so two cannot be subtracted"
            raise RecordError(f"the {which} file has {gauges}")
        if record.of != "server":
            raise RecordError(f"the {which} file is not a metrics page: save one before and one after with curl URL/metrics")
    first, second = before.parts[0], after.parts[0]
    drafted = second.num_draft_tokens - first.num_draft_tokens
    accepted = second.num_accepted_draft_tokens - first.num_accepted_draft_tokens
    steps = positions = None
    if first.num_spec_steps is not None and second.num_spec_steps is not None:
        steps = second.num_spec_steps - first.num_spec_steps
    if (later := second.accepted_per_position) is not None:
        earlier = (*(first.accepted_per_position or ()), *[0] * len(later))
        positions = tuple(late - early for late, early in zip(later, earlier, strict=False))
    if min(drafted, accepted, steps or 0, *(positions or (0,))) < 0:
        raise RecordError(
            "a count of the second file is below that of the first: give the earlier file first, both since one start of the server"
        )
    if not drafted:
        raise RecordError("nothing was drafted between the two files: send requests in between")
    loads = [load for load in (before.at_once, after.at_once) if load]
    delta = Acceptance(drafted, accepted, steps, second.num_spec_tokens, accepted_per_position=positions)
    return replace(after, of="difference", parts=(delta,), at_once=max(loads) if loads else None)
