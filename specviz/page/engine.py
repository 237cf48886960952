"""What the page asks of whatever decodes: the one place where the two halves meet.

The engine is handed to `build`; the page never imports it, and a fake with these few methods is enough to test every screen.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from ..config import DecodeConfig
from ..request import RunRequest
from ..trace.events import Event, Lane, Reason, Round, Token, Trace


class RunProgress(Protocol):
    """How far the run is: `tokens` of at most `of` in this lane. `again`: how often both lanes have run, where they are repeated.
    `event`: what has just happened in the lane, for whoever draws a run while it goes on; None in a repeat."""

    lane: Lane
    tokens: int
    of: int
    again: int
    event: Event | None


class Needs(Protocol):
    """What models cost that are not bundled. `gated`: their licence must be accepted and a login used."""

    gigabytes: float
    dtype: str
    licence: str
    gated: bool


class Counts(Protocol):
    """Of one round: tokens drafted, examined, kept; and the sum of β over those examined."""

    drafted: int
    tested: int
    accepted: int
    beta: float


class ClassroomRound(Protocol):
    """A round that `people` drafted, and what the `others`, by their keys, made of the same place. `ended`: why the text is over."""

    round: Round
    people: Counts
    others: Mapping[str, Counts]
    ended: Reason | None


class Classroom(Protocol):
    """An engine for which people can draft."""

    def cut(self, words: str, further: bool = False) -> list[Token]:
        """The tokens of a text's beginning, or of words that go `further` after one. A `ValueError` carries one line."""

    def score(
        self, text: Sequence[int], guesses: Sequence[Sequence[int]], config: DecodeConfig, others: Sequence[str] | None = None
    ) -> ClassroomRound:
        """One round after `text`, drafted from what people guessed, ids both. `others`: the keys of those who draft beside them, None for
        all; one that is not known is left out. A `ValueError` carries one line."""


class Engine(Protocol):
    """An engine may also have `block_times()`, what passes take (lab/costs.py); where it has not, the page does not offer to
    measure. And it may be one of `Classroom`; where it is not, nobody is asked to draft. And `luck`, `sweep` and `loads`, which
    yield after each run `done` of `of` and, by `as_json()`, all that was found (local.py); where it has not, the Lab says so."""

    def models(self) -> list[str]:
        """The models that can be chosen, the bundled ones first."""

    def needs(self, models: str) -> Needs | None:
        """What has to be fetched for `models`; None for what is there."""

    def chats(self, models: str) -> bool:
        """Whether a prompt of these models is what a user says to them."""

    def drafters(self, models: str | None = None) -> list[str]:
        """The keys of the ways to draft for `models` (None: the first), the default first; drafters.py says what a visitor
        reads for each."""

    def race(self, request: RunRequest) -> Iterator[RunProgress | Trace]:
        """Decode the prompt in both lanes, one after the other. Any number of `RunProgress`, then one `Trace`, whole or stopped.
        A `ValueError` (ConfigError, or one about the prompt) carries one line for the visitor."""
