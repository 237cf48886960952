"""Draft by copying what followed the same last tokens before, in the prompt or in what was written: prompt lookup
(Saxena 2023; `prompt_lookup_num_tokens` in transformers). No model, no cost; q is one-hot: the copy is certain of itself.

It reads only the text, so a block never depends on the uniforms that decide about it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from ...config import max_dynamic_nodes
from ..arrays import Array
from ..sampling import one_hot
from .base import Block, DraftContext, Stateless, table_info
from .tree_plan import TreePlan

MAX_CONTINUATIONS = 1000  # earlier places that a tree is made of
LONGEST = 4  # tokens compared; the longest match wins, and of equals the latest


class NGram:
    """Looks for the last 4, 3, 2, then 1 tokens."""

    kind = "lookup"
    branches = True

    def __init__(self, vocabulary: int):
        self.info = table_info("lookup", "n-gram", vocabulary)

    def begin(self, context: DraftContext) -> "NGramSession":
        return NGramSession(context)


class NGramSession(Stateless):
    """Keeps, for every n-gram of the text so far, where it was followed by something. An append costs LONGEST entries."""

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
            for n in range(1, min(LONGEST, end) + 1):
                self.positions.setdefault(tuple(tokens[end - n : end]), []).append(end)
        self.indexed = len(tokens) - 1
        for n in range(min(LONGEST, len(tokens)), 0, -1):
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
    """Continuations that share their beginnings, level by level: parents and ids. A dynamic tree takes as many tokens as it has room for."""
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
