"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023. The oracle is the target itself."""

from dataclasses import replace

from ..arrays import Array
from ..backends.base import Model
from . import steps
from .base import Block, DraftContext
from .branch import grow
from .tree_plan import CachedTree


class SmallModel:
    """A drafter over any `Model` that shares the target's tokenizer."""

    def __init__(self, model: Model):
        self.model, self.info = model, model.info

    @property
    def branches(self) -> bool:
        return not getattr(self.model, "no_trees", "")

    def begin(self, context: DraftContext) -> "SmallModelSession":
        return SmallModelSession(self.model, context)


class SmallModelSession:
    """Its cache lags behind the text by one token, or by two after all of a block was accepted: the last draft token was
    drawn but never fed. `propose` therefore feeds whatever is missing."""

    def __init__(self, model: Model, context: DraftContext):
        self.context, self.room, self.known = context, min(context.capacity, model.context), model.vocabulary
        self.sequence = model.sequence(self.room)
        self.forwards = 0
        self.before, self.fed = 0, CachedTree()  # the length of the text that a tree followed, and what of that is in the cache

    @property
    def length(self) -> int:
        return self.sequence.length

    @property
    def slow_reason(self) -> str:
        return steps.slow_reason(self.context, self.sequence)

    @property
    def replayed(self):
        """Of a model that keeps states, what it has cost so far that they cannot be cut."""
        return self.sequence.replayed  # type: ignore[attr-defined]

    def prefill(self, tokens: list[int]) -> None:
        if 0 < len(tokens) <= self.room:
            self.sequence.append(self._known(tokens), keep=1)

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        wanted, k = k, min(k, self.room - len(tokens) + 1)  # past its own context a draft model has nothing to say
        if k < 1:
            return Block([], None, "context")
        block = steps.draft(self.context, self.sequence, self._known(tokens[self.sequence.length :]), k, u)
        self.forwards += len(block.ids)
        return block if block.short_block_reason or k == wanted else replace(block, short_block_reason="context")

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        growth, wanted = self.context.tree_plan, depth
        assert growth
        depth = growth.depth_that_fits(min(depth, self.room - len(tokens) + 1), self.room - len(tokens))
        if depth < 1:
            return Block([], None, "context")
        self.before, self.fed = len(tokens), CachedTree()
        first = self.sequence.append(self._known(tokens[self.sequence.length :]), keep=1)

        def level(ids: list[int], parents: list[int]) -> Array:
            self.forwards += 1
            self.fed.add(ids, parents)
            return self.sequence.append(self._known(ids), parents=parents)

        self.forwards += 1
        block = grow(self.context.sampler, growth, depth, u, first, level)
        return block if depth == wanted else replace(block, short_block_reason="context")

    def _known(self, ids: list[int]) -> list[int]:
        """An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return [id if id < self.known else 0 for id in ids]

    def observe(self, tokens: list[int]) -> None:
        if self.fed.ids:
            self.sequence.keep(self.fed.path(tokens[self.before :]))
            self.fed = CachedTree()
        self.sequence.rollback(min(self.sequence.length, len(tokens) - 1))
