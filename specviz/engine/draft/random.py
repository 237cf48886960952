"""Draft any token at all, each as likely as the next: the lower end of the scale, where nearly everything is rejected and the
output is the target's all the same."""

import torch

from ..sampling import Law
from .base import Block, Growing, Start, Stateless, table

TIE = 1e-6  # a logit that is the largest of equals, and changes no chance that a screen could show


class Random:
    def __init__(self, vocabulary: int):
        self.info = table("random", "random", vocabulary)

    def begin(self, start: Start) -> "RandomDrafting":
        return RandomDrafting(start)


class RandomDrafting(Stateless):
    def __init__(self, start: Start):
        super().__init__(start)
        self.eager = start.waits if isinstance(start.distribution, Law) else ""  # greedy, it picks on the host

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        growing, V = Growing(self.start, k, u), self.start.vocabulary
        if u is None or self.start.argmax:
            # no uniform is used: a token that depends on where the text stands, and on nothing else
            picked = torch.randint(V, (k, 1), generator=torch.Generator().manual_seed(len(tokens)))
            logits = torch.zeros(k, V).scatter_(1, picked, TIE)
            logits = logits if u is None else logits.to(u.device)
        else:
            logits = torch.zeros(1, V, device=u.device).expand(k, -1)
        while growing.open:
            growing.draw(logits[len(growing.ids), None])
        return growing.block()
