"""Draft without a model: by a copy, by a table, or any token at all. No forward pass.

Prompt lookup copies what followed the same last tokens before, in the prompt or in what was written (Saxena 2023;
`prompt_lookup_num_tokens` in transformers). q is one-hot: the copy is certain of itself. It reads only the text, so a block never
depends on the uniforms that decide about it.

A bigram table holds what followed each token in the training text: "even this helps" (Leviathan et al. 2022 §4.2: α ≈ .2 on
translation, which is 1.25× by the formula with c = 0). A row of the table is q's logits. File: `model.safetensors` with `next`,
ids of any integer type, and `count`, numbers of any type (bundled: int16 and bfloat16), both [V, n]: the n most frequent
followers of each token.

Any token, each as likely as the next, is the lower end of the scale: nearly everything is rejected and the output is the target's
all the same.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from math import log

import numpy as np

from ...config import max_dynamic_nodes
from ..sampling import Array, concatenate, one_hot, twister_words
from .base import Block, BlockBuilder, DraftContext, Drafter, Stateless, TreePlan, table_info, to_device
from .branch import grow_tree

MAX_CONTINUATIONS = 1000  # earlier places that a tree is made of
MAX_NGRAM = 4  # tokens compared; the longest match wins, and of equals the latest


class NGram(Drafter):
    """Looks for the last 4, 3, 2, then 1 tokens."""

    kind = "lookup"
    branches = True

    def __init__(self, vocabulary: int):
        self.info = table_info("lookup", "n-gram", vocabulary)

    def begin(self, context: DraftContext) -> "NGramSession":
        return NGramSession(context)


class NGramSession(Stateless):
    """Keeps, for every n-gram of the text so far, where it was followed by something. An append costs MAX_NGRAM entries."""

    def __init__(self, context: DraftContext):
        super().__init__(context)
        self.indexed = 0
        self.positions: dict[tuple[int, ...], list[int]] = {}

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        for at in self._matches(tokens):
            return self._block(continuation_at(tokens, at, k), u)
        return Block([], None, "lookup")

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        """Every continuation of the longest matches, the latest first, as far as the tree has room for it."""
        plan = self.context.tree_plan
        assert plan
        parents, ids = merge_continuations((continuation_at(tokens, at, depth) for at in self._matches(tokens)), plan, depth)
        if not ids:
            return Block([], None, "lookup")
        return replace(self._block(ids, u), parents=parents, short_block_reason="lookup")

    def _matches(self, tokens: list[int]) -> Iterator[int]:
        """Where the last tokens stood before, the longest match first, of equals the latest."""
        for end in range(self.indexed + 1, len(tokens)):  # the n-grams that end just before position `end`
            for n in range(1, min(MAX_NGRAM, end) + 1):
                self.positions.setdefault(tuple(tokens[end - n : end]), []).append(end)
        self.indexed = len(tokens) - 1
        for n in range(min(MAX_NGRAM, len(tokens)), 0, -1):
            yield from reversed(self.positions.get(tuple(tokens[-n:]), ()))

    def _block(self, ids: list[int], u) -> Block:
        if u is None:
            return Block(ids, None)
        device, vocabulary = self.context.device, self.context.sampler.vocabulary
        if device.type == "cpu":
            return Block(ids, one_hot(ids, vocabulary))
        from .. import tensors  # made there: it is much to bring over, and the ids are little

        return Block(ids, tensors.one_hot_rows(ids, vocabulary, device))


def merge_continuations(texts: Iterable[list[int]], plan: TreePlan, depth: int) -> tuple[list[int], list[int]]:
    """Continuations that share their beginnings, level by level: parents and ids. A dynamic tree takes as many as fit."""
    children: dict[tuple[int, ...], dict[int, None]] = {}  # after the tokens of a path its children, in their order
    count, room = 0, max_dynamic_nodes(plan.nodes, plan.breadth, depth)
    for text in islice(texts, MAX_CONTINUATIONS):
        for d, id in enumerate(text):
            here = children.setdefault(tuple(text[:d]), {})
            if id in here:
                continue
            if count == room if plan.nodes else len(here) == plan.widths[d]:
                break
            here[id] = None
            count += 1
    parents, ids, level = list[int](), list[int](), list[tuple[tuple[int, ...], int]]([((), -1)])
    for _ in range(depth):
        below = []
        for path, at in level:
            for id in children.get(path, ()):
                below.append(((*path, id), len(ids)))
                parents.append(at)
                ids.append(id)
        level = below
    return parents, ids


def continuation_at(tokens: list[int], at: int, k: int) -> list[int]:
    """k tokens from position `at` on; where the text ends, what was copied is itself followed: a repetition goes on."""
    ids: list[int] = []
    for i in range(at, at + k):
        ids.append(tokens[i] if i < len(tokens) else ids[i - len(tokens)])
    return ids


UNSEEN = 1e-4  # what a follower that was never counted counts as: q has no zeros before filters, and a row never is empty


LEAST = log(np.float32(UNSEEN))


class Bigram(Drafter):
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


TIE = 1e-6  # a logit that is the largest of equals, and changes no chance that a screen could show


class Random(Drafter):
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
