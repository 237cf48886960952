"""Draft any token at all, each as likely as the next: the lower end of the scale, where nearly everything is rejected and the
output is the target's all the same."""

import torch

from ..sampling import Array
from .base import Block, BlockBuilder, DraftContext, Stateless, table

TIE = 1e-6  # a logit that is the largest of equals, and changes no chance that a screen could show


class Random:
    kind = "random"

    def __init__(self, vocabulary: int):
        self.info = table("random", "random", vocabulary)

    def begin(self, context: DraftContext) -> "RandomSession":
        return RandomSession(context)


class RandomSession(Stateless):
    def __init__(self, context: DraftContext):
        super().__init__(context)
        self.slow_reason = context.waits() if not context.sampler.sampler.greedy else ""  # greedy, it picks on the host

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        builder, V = BlockBuilder(self.context.sampler, k, u), self.context.sampler.vocabulary
        if u is None or self.context.sampler.argmax:
            # no uniform is used: a token that depends on where the text stands, and on nothing else
            picked = torch.randint(V, (k, 1), generator=torch.Generator().manual_seed(len(tokens)))
            logits = torch.zeros(k, V).scatter_(1, picked, TIE)
            logits = logits if u is None else logits.to(self.context.device)
        else:
            logits = torch.zeros(1, V, device=self.context.device).expand(k, -1)
        while builder.open:
            builder.draw(logits[len(builder.ids), None])
        return builder.block()
