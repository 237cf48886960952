"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023. The oracle is the target itself."""

from dataclasses import replace

import torch

from ..backends.base import Model
from . import steps
from .base import Block, DraftContext


class SmallModel:
    """A drafter over any `Model` that shares the target's tokenizer."""

    def __init__(self, model: Model):
        self.model, self.info = model, model.info

    def begin(self, context: DraftContext) -> "SmallModelSession":
        return SmallModelSession(self.model, context)


class SmallModelSession:
    """Its cache lags behind the text by one token, or by two after all of a block was accepted: the last draft token was
    drawn but never fed. `propose` therefore feeds whatever is missing."""

    def __init__(self, model: Model, context: DraftContext):
        self.context, self.room, self.known = context, min(context.capacity, model.context), model.vocabulary
        self.sequence = model.sequence(self.room)
        self.forwards = 0

    @property
    def length(self) -> int:
        return self.sequence.length

    @property
    def slow_reason(self) -> str:
        return steps.slow_reason(self.context, self.sequence)

    def prefill(self, tokens: list[int]) -> None:
        if 0 < len(tokens) <= self.room:
            self.sequence.append(self._known(tokens), keep=1)

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        asked, k = k, min(k, self.room - len(tokens) + 1)  # past its own context a draft model has nothing to say
        if k < 1:
            return Block([], None, "context")
        block = steps.draft(self.context, self.sequence, self._known(tokens[self.sequence.length :]), k, u)
        self.forwards += len(block.ids)
        return block if block.fewer or k == asked else replace(block, fewer="context")

    def _known(self, ids: list[int]) -> list[int]:
        """An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return [id if id < self.known else 0 for id in ids]

    def observe(self, tokens: list[int]) -> None:
        self.sequence.rollback(min(self.sequence.length, len(tokens) - 1))
