"""Draft any token at all, each as likely as the next: the lower end of the scale, where nearly everything is rejected and the
output is the target's all the same."""

import numpy as np

from ..arrays import Array
from ..sampling import twister_words
from .base import Block, BlockBuilder, DraftContext, Stateless, table_info, to_device

TIE = 1e-6  # a logit that is the largest of equals, and changes no chance that a screen could show


class Random:
    kind = "random"

    def __init__(self, vocabulary: int):
        self.info = table_info("random", "random", vocabulary)

    def begin(self, context: DraftContext) -> "RandomSession":
        return RandomSession(context)


class RandomSession(Stateless):
    def __init__(self, context: DraftContext):
        super().__init__(context)
        self.slow_reason = context.slow_reason() if not context.sampler.sampler.greedy else ""  # greedy, it picks on the host

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        builder, V = BlockBuilder(self.context.sampler, k, u), self.context.sampler.vocabulary
        if u is None or self.context.sampler.argmax:
            # no uniform is used: a token that depends on where the text stands, and on nothing else
            rows = np.zeros((k, V), np.float32)
            rows[np.arange(k), twister_words(len(tokens))(k) % V] = TIE
            logits = rows if u is None else to_device(rows, self.context.device)
        else:
            logits = to_device(np.zeros((1, V), np.float32), self.context.device)
        while builder.is_open:
            row = min(len(builder.ids), len(logits) - 1)
            builder.draw(logits[row : row + 1])
        return builder.block()
