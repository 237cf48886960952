"""Draft from a table of what followed each token in the training text: "even this helps" (Leviathan et al. 2022 §4.2: α ≈ .2 on
translation, which is 1.25× by the formula with c = 0). No forward pass; a row of the table is q's logits.

File: `model.safetensors` with `next`, ids of any integer type, and `count`, numbers of any type (bundled: int16 and bfloat16), both
[V, n]: the n most frequent followers of each token.
"""

from math import log

import numpy as np

from ..arrays import Array, concatenate
from .base import Block, BlockBuilder, DraftContext, Stateless, table_info, to_device
from .branch import grow_tree

UNSEEN = 1e-4  # what a follower that was never counted counts as: q has no zeros before filters, and a row never is empty


LEAST = log(np.float32(UNSEEN))


class Bigram:
    """next, count: [V, n]; a count of 0 fills a row that has fewer followers."""

    kind = "bigram"
    branches = True

    def __init__(self, next: np.ndarray, count: np.ndarray, name: str = "bigram"):
        self.next, self.count = np.asarray(next, np.int64), np.asarray(count, np.float32)
        self.info = table_info(name, "bigram", len(next), int((count > 0).sum()))

    def begin(self, context: DraftContext) -> "BigramSession":
        return BigramSession(self, context)

    def logits(self, id: int, vocabulary: int) -> np.ndarray:
        """[1, V], logarithms of counts."""
        row, logits = np.full(vocabulary, UNSEEN, np.float32), np.full((1, vocabulary), LEAST, np.float32)
        if id < len(self.next):
            np.add.at(row, here := self.next[id], self.count[id])
            logits[0, here] = np.log(row[here].astype(np.float64))  # rounded once, so the same on every processor
        return logits


class BigramSession(Stateless):
    def __init__(self, bigram: Bigram, context: DraftContext):
        super().__init__(context)
        self.bigram, self.slow_reason = bigram, context.slow_reason()

    def _logits(self, id: int) -> Array:
        return to_device(self.bigram.logits(id, self.context.sampler.vocabulary), self.context.device)

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        builder, id = BlockBuilder(self.context.sampler, k, u), tokens[-1]
        while builder.is_open:
            id = builder.draw(self._logits(id))
        return builder.block()

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        def level(ids: list[int], parents: list[int]) -> Array:
            return concatenate([self._logits(id) for id in ids])

        return grow_tree(self.context, depth, u, level(tokens[-1:], []), level)
