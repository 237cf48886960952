"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023. The oracle is the target itself."""

from dataclasses import replace

import torch

from ..models.base import Model
from ..models.llama import LlamaSequence
from .base import Block, Growing, Start


class SmallModel:
    """A drafter over any `Model` that shares the target's tokenizer."""

    def __init__(self, model: Model):
        self.model, self.info = model, model.info

    def begin(self, start: Start) -> "SmallModelDrafting":
        return SmallModelDrafting(self.model, start)


class SmallModelDrafting:
    """Its cache lags behind the text by one token, or by two after all of a block was accepted: the last draft token was
    drawn but never fed. `propose` therefore feeds whatever is missing."""

    def __init__(self, model: Model, start: Start):
        self.start, self.room, self.known = start, min(start.capacity, model.context), model.vocabulary
        self.sequence = model.sequence(self.room)
        # an id that only the draft has must be known at every step
        self.whole = self.known <= start.vocabulary
        self.forwards = 0

    @property
    def length(self) -> int:
        return self.sequence.length

    @property
    def eager(self) -> str:
        stays = self.whole and isinstance(self.sequence, LlamaSequence) and self.start.stays(self.sequence.stack)
        return getattr(self.sequence, "eager", "") or ("" if stays else self.start.waits)

    def prefill(self, tokens: list[int]) -> None:
        if 0 < len(tokens) <= self.room:
            self._append(tokens)

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        asked, k = k, min(k, self.room - len(tokens) + 1)  # past its own context a draft model has nothing to say
        if k < 1:
            return Block([], None, "context")
        feed = tokens[self.sequence.length :]
        if self.whole and (found := self.start.at_once(self.sequence, self._known(feed), k, u)):
            self.forwards += k
            ids, q = found
            return Block(ids, q, "context" if k < asked else None)
        growing = Growing(self.start, k, u)
        while growing.open:
            feed = [growing.draw(self._append(feed))]
            self.forwards += 1
        block = growing.block()
        return block if block.fewer or k == asked else replace(block, fewer="context")

    def _append(self, ids: list[int]) -> torch.Tensor:
        """The logits after `ids`."""
        return self.sequence.append(self._known(ids), keep=1)

    def _known(self, ids: list[int]) -> list[int]:
        """An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return [id if id < self.known else 0 for id in ids]

    def observe(self, tokens: list[int]) -> None:
        self.sequence.rollback(min(self.sequence.length, len(tokens) - 1))
