"""Draft any token at all, each as likely as the next: the lower end of the scale, where nearly everything is rejected and the
output is the target's all the same."""

import torch

from .base import Block, Growing, Start, Stateless, table


class Random:
    def __init__(self, vocabulary: int):
        self.info = table("random", "random", vocabulary)

    def begin(self, start: Start) -> "RandomDrafting":
        return RandomDrafting(start)


class RandomDrafting(Stateless):
    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        if u is None:  # greedy draws no uniform: a token that depends on where the text stands, and on nothing else
            chance = torch.Generator().manual_seed(len(tokens))
            return Block(torch.randint(self.start.vocabulary, (k,), generator=chance).tolist(), None)
        growing, level = Growing(self.start, k, u), torch.zeros(1, self.start.vocabulary, device=u.device)
        while growing.open:
            growing.draw(level)
        return growing.block()
