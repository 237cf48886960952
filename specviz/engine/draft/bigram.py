"""Draft from a table of what followed each token in the training text: "even this helps" (Leviathan et al. 2022 §4.2: α ≈ .2 on
translation, which is 1.25× by the formula with c = 0). No forward pass; a row of the table is q's logits.

File: `model.safetensors` with `next`, ids of any integer type, and `count`, numbers of any type (bundled: int16 and bfloat16), both
[V, n]: the n most frequent followers of each token.
"""

import torch

from ..sampling import Array
from .base import Block, BlockBuilder, DraftContext, Stateless, table
from .branch import grow

UNSEEN = 1e-4  # what a follower that was never counted counts as: q has no zeros before filters, and a row never is empty


class Bigram:
    """next, count: [V, n]; a count of 0 fills a row that has fewer followers."""

    kind = "bigram"
    branches = True

    def __init__(self, next: torch.Tensor, count: torch.Tensor, name: str = "bigram"):
        self.next, self.count = next.long(), count.float()
        self.info = table(name, "bigram", len(next), int((count > 0).sum()))

    def begin(self, context: DraftContext) -> "BigramSession":
        return BigramSession(self, context)

    def logits(self, id: int, vocabulary: int) -> torch.Tensor:
        """[1, V], logarithms of counts."""
        row = torch.full((1, vocabulary), UNSEEN, device=self.count.device)
        if id < len(self.next):
            row.scatter_add_(1, self.next[id][None], self.count[id][None])
        return row.log_()


class BigramSession(Stateless):
    def __init__(self, bigram: Bigram, context: DraftContext):
        super().__init__(context)
        self.bigram, self.slow_reason = bigram, context.waits()

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        builder, id = BlockBuilder(self.context.sampler, k, u), tokens[-1]
        while builder.open:
            id = builder.draw(self.bigram.logits(id, self.context.sampler.vocabulary))
        return builder.block()

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        growth, sampler = self.context.growth, self.context.sampler
        assert growth

        def level(ids: list[int], parents: list[int]) -> torch.Tensor:
            return torch.cat([self.bigram.logits(id, sampler.vocabulary) for id in ids])

        return grow(sampler, growth, depth, u, level(tokens[-1:], []), level)
