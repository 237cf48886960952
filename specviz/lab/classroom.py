"""People as the draft: what they guess is the block, and how their guesses are spread is q, a q that nobody had to compute.

    played = play_round(setup, ids, [[262, 524], [262, 1303], [812]], DecodeConfig(temperature=0.8, seed=3))

One person says one thing, so q is 1 for it: the engine's rule u < p/q keeps it with chance p(x), at temperature 0 if it is what
the target would write. Of a room a guess is drawn as from any draft, and kept with chance p/q; its β is Σ min(p, q).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..config import DecodeConfig
from ..engine.decode import decode
from ..engine.draft.base import Block, DraftContext, Drafter, Stateless, table_info, to_device
from ..engine.draft.choose import Setup
from ..engine.sampling import Array, concatenate, draw
from ..trace.events import Reason, Round

SEEDS = 2**32  # as many as a config takes


class Guesses(Drafter):
    """Draft what people guessed to follow one text, `guesses` [n] of ids each: the first token by how many guessed it, the next by
    how many of those who guessed the first guessed that, and so on, until the guesses that begin so have no more to say."""

    def __init__(self, guesses: Sequence[Sequence[int]], vocabulary: int):
        self.guesses = [tuple(guess) for guess in guesses if guess]
        self.info = table_info("people", "people", vocabulary)

    def begin(self, context: DraftContext) -> "GuessesSession":
        return GuessesSession(context, self.guesses)


class GuessesSession(Stateless):
    def __init__(self, context: DraftContext, guesses: list[tuple[int, ...]]):
        super().__init__(context)
        self.guesses = guesses

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        """Where a block ends depends on tokens that are in it already, so its q is the one that it was drawn from."""
        ids: list[int] = []
        rows: list[Array] = []
        while len(ids) < k and (nexts := self._next_ids(tuple(ids))):
            counts = np.bincount(nexts, minlength=self.context.sampler.vocabulary)
            if u is None:
                ids.append(int(counts.argmax()))
            else:
                q = to_device((counts[None] / len(nexts)).astype(np.float32), self.context.device)
                ids.append(int(draw(q, u[len(rows) : len(rows) + 1])[0]))
                rows.append(q)
        return Block(ids, concatenate(rows) if rows else None)

    def _next_ids(self, prefix: tuple[int, ...]) -> list[int]:
        n = len(prefix)
        return [guess[n] for guess in self.guesses if len(guess) > n and guess[:n] == prefix]


@dataclass(frozen=True, slots=True)
class DraftCounts:
    """Of one round: tokens drafted, examined and kept, and the β of each that was examined, summed."""

    drafted: int
    tested: int
    accepted: int
    beta: float

    @classmethod
    def of(cls, round: Round) -> "DraftCounts":
        examined = [drafted for drafted in round.drafted if drafted.verdict != "unexamined"]
        beta = sum(drafted.position.beta or 0.0 for drafted in examined if drafted.position)
        accepted = sum(drafted.verdict == "accepted" for drafted in examined)
        return cls(len(round.drafted), len(examined), accepted, beta)


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """`others`: what each other drafter made of the same text, by its key. `ended`: why the text cannot go on, None if it can."""

    round: Round
    people: DraftCounts
    others: dict[str, DraftCounts]
    ended: Reason | None


def play_round(
    setup: Setup,
    text: list[int],
    guesses: Sequence[Sequence[int]],
    config: DecodeConfig,
    others: dict[str, Drafter] | None = None,
) -> PlayedRound:
    """One round after `text` (ids) that people draft, K being their longest guess, and for each of `others` one round after the
    same text, with as many tokens as people drafted. Of `config` only what says how to draw and to verify is asked; each place of a
    text has its own seed. Raises PromptError for a text that fills the context, ConfigError for a guess of more tokens than K may be."""
    k = max(map(len, guesses))
    here = replace(config, K=k, max_new_tokens=k + 1, seed=(config.seed * 1_000_003 + len(text)) % SEEDS)
    round, reason = _one_round(setup, Guesses(guesses, setup.target.vocabulary), text, here)
    k = len(round.drafted)
    as_many = replace(here, K=k, max_new_tokens=k + 1)
    tested = {key: DraftCounts.of(_one_round(setup, drafter, text, as_many)[0]) for key, drafter in (others or {}).items()}
    return PlayedRound(round, DraftCounts.of(round), tested, reason)


def _one_round(setup: Setup, drafter: Drafter, text: list[int], config: DecodeConfig) -> tuple[Round, Reason | None]:
    """The first round of a run, and what ended the text in it, if something did."""
    events = decode(setup.target, drafter, text, config, setup.text)
    round = next(event for event in events if isinstance(event, Round))
    reason = None
    if len(text) + len(round.emitted) >= setup.target.context:
        reason = "context"
    elif round.emitted and round.emitted[-1].token.id in setup.text.eos:
        reason = "eos"
    return round, reason
