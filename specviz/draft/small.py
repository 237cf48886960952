"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023. The oracle is the target itself."""

import torch

from ..models.base import Model
from ..sampling import draw
from .base import NOTHING, Block, Growing, Start, fit


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
        # what the block's length depends on must be known on the host at every step; so must an id that only the draft has
        self.chained = not start.confidence and self.known <= start.vocabulary and hasattr(self.sequence, "chain")
        self.forwards = 0

    @property
    def length(self) -> int:
        return self.sequence.length

    def prefill(self, tokens: list[int]) -> None:
        if 0 < len(tokens) <= self.room:
            self._append(tokens)

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        k = min(k, self.room - len(tokens) + 1)  # past its own context a draft model has nothing to say
        if k < 1:
            return NOTHING
        feed = tokens[self.sequence.length :]
        if self.chained and (found := self._chain(feed, k, u)):
            return found
        growing = Growing(self.start, k, u)
        while growing.open:
            feed = [growing.draw(self._append(feed))]
            self.forwards += 1
        return growing.block()

    def _chain(self, feed: list[int], k: int, u: torch.Tensor | None) -> Block | None:
        """The whole block without a transfer, where the model can."""
        vocabulary, distribution = self.start.vocabulary, self.start.distribution

        def pick(logits, u):
            logits = fit(logits, vocabulary)
            if u is None:
                return logits.argmax(-1), None
            q = distribution(logits)
            return draw(q, u), q

        feed = [id if id < self.known else 0 for id in feed]
        found = self.sequence.chain(feed, k, pick, (vocabulary, distribution), u)
        if found is None:
            return None
        self.forwards += k
        return Block(*found)

    def _append(self, ids: list[int]) -> torch.Tensor:
        """The logits after `ids`. An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return self.sequence.append([id if id < self.known else 0 for id in ids], keep=1)

    def observe(self, tokens: list[int]) -> None:
        self.sequence.rollback(min(self.sequence.length, len(tokens) - 1))
