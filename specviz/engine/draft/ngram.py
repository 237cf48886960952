"""Draft by copying what followed the same last tokens before, in the prompt or in what was written: prompt lookup
(Saxena 2023; `prompt_lookup_num_tokens` in transformers). No model, no cost; q is one-hot: the copy is certain of itself.

It reads only the text, so a block never depends on the uniforms that decide about it.
"""

import torch

from .base import Block, DraftContext, Stateless, table

LONGEST = 4  # tokens compared; the longest match wins, and of equals the latest


class NGram:
    """Looks for the last 4, 3, 2, then 1 tokens."""

    def __init__(self, vocabulary: int, longest: int = LONGEST):
        self.longest, self.info = longest, table("lookup", "n-gram", vocabulary)

    def begin(self, context: DraftContext) -> "NGramSession":
        return NGramSession(context, self.longest)


class NGramSession(Stateless):
    """Keeps, for every n-gram of the text so far, where it was last followed by something. An append costs `longest` entries."""

    def __init__(self, context: DraftContext, longest: int):
        super().__init__(context)
        self.longest, self.indexed = longest, 0
        self.last: dict[tuple[int, ...], int] = {}

    def propose(self, tokens: list[int], k: int, u: torch.Tensor | None) -> Block:
        for end in range(self.indexed + 1, len(tokens)):  # the n-grams that end just before position `end`
            for n in range(1, min(self.longest, end) + 1):
                self.last[tuple(tokens[end - n : end])] = end
        self.indexed = len(tokens) - 1
        for n in range(min(self.longest, len(tokens)), 0, -1):
            at = self.last.get(tuple(tokens[-n:]))
            if at is not None:
                return self._block(copied(tokens, at, k), u)
        return Block([], None, "lookup")

    def _block(self, ids: list[int], u) -> Block:
        if u is None:
            return Block(ids, None)
        return Block(
            ids, torch.nn.functional.one_hot(torch.tensor(ids, device=u.device), self.context.sampler.vocabulary).float()
        )


def copied(tokens: list[int], at: int, k: int) -> list[int]:
    """k tokens from position `at` on; where the text ends, what was copied is itself followed: a repetition goes on."""
    ids: list[int] = []
    for i in range(at, at + k):
        ids.append(tokens[i] if i < len(tokens) else ids[i - len(tokens)])
    return ids
