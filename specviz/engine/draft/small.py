"""Draft with an independent, smaller model: Leviathan et al. 2022 §2.2, Chen et al. 2023. The oracle is the target itself."""

from dataclasses import replace

from ..arrays import Array
from ..backends.base import Model
from . import steps
from .base import Block, DraftContext
from .branch import grow_tree
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


class SmallModelSession(steps.CachedSession):
    """Its cache lags behind the text by one token, or by two after all of a block was accepted: the last draft token was
    drawn but never fed. `propose` therefore feeds whatever is missing."""

    def __init__(self, model: Model, context: DraftContext):
        self.room, self.vocabulary = min(context.capacity, model.context), model.vocabulary
        super().__init__(context, model.sequence(self.room))
        # the length of the text that a tree followed, and what of that is in the cache
        self.tree_start, self.cached_tree = 0, CachedTree()

    @property
    def replayed(self):
        """Of a model that keeps states, what it has cost so far that they cannot be cut."""
        return self.cache.replayed

    def prefill(self, tokens: list[int]) -> None:
        if 0 < len(tokens) <= self.room:
            self.cache.append(self._in_vocabulary(tokens), keep=1)

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        wanted, k = k, min(k, self.room - len(tokens) + 1)  # past its own context a draft model has nothing to say
        if k < 1:
            return Block([], None, "context")
        block = steps.draft_model(self.context, self.cache, self._in_vocabulary(tokens[self.cache.length :]), k, u)
        self.forwards += len(block.ids)
        return block if block.short_block_reason or k == wanted else replace(block, short_block_reason="context")

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        plan, wanted = self.context.tree_plan, depth
        assert plan
        depth = plan.depth_that_fits(min(depth, self.room - len(tokens) + 1), self.room - len(tokens))
        if depth < 1:
            return Block([], None, "context")
        self.tree_start, self.cached_tree = len(tokens), CachedTree()
        first = self.cache.append(self._in_vocabulary(tokens[self.cache.length :]), keep=1)

        def level(ids: list[int], parents: list[int]) -> Array:
            self.forwards += 1
            self.cached_tree.add(ids, parents)
            return self.cache.append(self._in_vocabulary(ids), parents=parents)

        self.forwards += 1
        block = grow_tree(self.context, depth, u, first, level)
        return block if depth == wanted else replace(block, short_block_reason="context")

    def _in_vocabulary(self, ids: list[int]) -> list[int]:
        """An id that only the target has is fed as another: the draft guesses worse, and q is still q."""
        return [id if id < self.vocabulary else 0 for id in ids]

    def observe(self, tokens: list[int]) -> None:
        if self.cached_tree.ids:
            self.cache.keep(self.cached_tree.path(tokens[self.tree_start :]))
            self.cached_tree = CachedTree()
        self.cache.rollback(min(self.cache.length, len(tokens) - 1))
