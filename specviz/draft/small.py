"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023."""

import torch
import torch.nn.functional as F

from ..models.base import Model
from ..sampling import Distribution, draw
from .base import NOTHING, Block


class SmallModel:
    """A drafter over any `Model` that shares the target's tokenizer."""

    def __init__(self, model: Model):
        self.model, self.info = model, model.info

    def begin(self, distribution: Distribution, vocabulary: int, capacity: int) -> "SmallModelDrafting":
        return SmallModelDrafting(self.model, distribution, vocabulary, capacity)


class SmallModelDrafting:
    """Its cache lags behind the text by one token, or by two after all of a block was accepted: the last draft token was
    drawn but never fed. `propose` therefore feeds whatever is missing."""

    def __init__(self, model: Model, distribution: Distribution, vocabulary: int, capacity: int):
        self.sequence = model.sequence(min(capacity, model.context))
        self.room, self.known = min(capacity, model.context), model.vocabulary
        self.distribution, self.vocabulary = distribution, vocabulary
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
        ids, rows, feed = [], [], tokens[self.sequence.length :]
        for i in range(k):
            logits = fit(self._append(feed), self.vocabulary)
            if u is None:
                id = int(logits.argmax(-1))
            else:
                rows.append(self.distribution(logits))
                id = int(draw(rows[-1], u[i : i + 1]))
            ids.append(id)
            feed = [id]
        self.forwards += k
        return Block(ids, torch.cat(rows) if rows else None)

    def _append(self, ids: list[int]) -> torch.Tensor:
        """The logits after `ids`. An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return self.sequence.append([id if id < self.known else 0 for id in ids], keep=1)

    def observe(self, tokens: list[int]) -> None:
        self.sequence.rollback(min(self.sequence.length, len(tokens) - 1))


def fit(logits: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Cut or pad [n, V] to the target's vocabulary: ids past either end are padding that no tokenizer writes.

    It happens before q is formed, so q is still what tokens are drawn from."""
    missing = vocabulary - logits.shape[-1]
    if missing == 0:
        return logits
    return F.pad(logits, (0, missing), value=float("-inf")) if missing > 0 else logits[:, :vocabulary]
