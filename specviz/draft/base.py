"""What the engine asks of a way to draft: propose a block with its distributions, observe the outcome, say what it cost.

A `Drafter` is shared between runs; what it begins belongs to one run.
"""

from dataclasses import dataclass
from typing import Protocol

import torch

from ..sampling import Distribution
from ..trace import ModelInfo


@dataclass(frozen=True, slots=True)
class Block:
    """Drafted ids and q [k, V]: row i is the distribution that id i was really drawn from, V the target's vocabulary.

    When greedy, id i has all of q and `q` is None."""

    ids: list[int]
    q: torch.Tensor | None


NOTHING = Block([], None)


class Drafting(Protocol):
    """One run of a drafter."""

    length: int | None
    """Positions held by its cache; None if it keeps none."""
    forwards: int
    """Forward passes since the prefill: its cost in passes."""

    def prefill(self, tokens: list[int]) -> None:
        """Take in the prompt without its last token."""
        ...

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        """Draft up to k tokens to follow `tokens` (all of the text so far), token i drawn with uniform u[i]; u is None when greedy."""
        ...

    def observe(self, tokens: list[int]) -> None:
        """The round is over and the text is now `tokens`: forget what was not kept."""
        ...


class Drafter(Protocol):
    info: ModelInfo

    def begin(self, distribution: Distribution, vocabulary: int, capacity: int) -> Drafting:
        """Start a run: logits become q by `distribution`, q spans the target's `vocabulary`, the text stays below `capacity`."""
        ...
