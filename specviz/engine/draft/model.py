"""Draft with a model: an independent, smaller one (Leviathan et al. 2022 §2.2, Chen et al. 2023; the oracle is the target
itself), or the target's own first layers and its head (self-speculation, LayerSkip, Elhoushi et al. 2024 §4.3).

The first layers need no second model and no second cache: their keys and values go where the target's own will go, and are
written again when the whole target verifies the block. (LayerSkip keeps them; a pass that is bound by reading weights gains
little by that, and this way p never depends on how a token was drafted.) It needs a target that was trained to be left early;
another one drafts too, and is seldom accepted.
"""

from dataclasses import replace
from typing import cast

from ..model import Capabilities, Model, ModelError
from ..models.llama import Llama, LlamaSequence
from ..sampling import Array
from .base import Block, CachedSession, CachedTree, DraftContext, Drafter, draft_model, slow_reason
from .branch import grow_tree


class SmallModel(Drafter):
    """A drafter over any `Model` that shares the target's tokenizer."""

    def __init__(self, model: Model):
        self.model, self.info = model, model.info
        self.capabilities = Capabilities(torch_threads=model.capabilities.torch_threads)

    @property
    def branches(self) -> bool:
        return not self.model.no_trees

    def begin(self, context: DraftContext) -> "SmallModelSession":
        return SmallModelSession(self.model, context)


class SmallModelSession(CachedSession):
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
        block = draft_model(self.context, self.cache, self._in_vocabulary(tokens[self.cache.length :]), k, u)
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


class EarlyExit(Drafter):
    """Leave `target` after the first `layers` of its layers. Raises ModelError if it cannot be left there."""

    kind = "early-exit"
    branches = True

    def __init__(self, target: Model, layers: int):
        name = target.info.name
        if not isinstance(target, Llama):
            why = target.info.why or target.info.family
            raise ModelError(f"early exit needs a target that runs in our own forward pass; {name} does not: {why}")
        if not 0 < layers < target.info.layers:
            raise ModelError(f"early exit from {name} must be after 1 to {target.info.layers - 1} layers, not {layers}")
        self.target, self.layers = target, layers
        self.info = replace(
            target.info, name=f"first {layers} of {target.info.layers} layers", layers=layers, parameters=0, size=0
        )

    def begin(self, context: DraftContext) -> "EarlyExitSession":
        return EarlyExitSession(self.layers, context)


class EarlyExitSession:
    length = None  # it borrows the target's cache

    def __init__(self, layers: int, context: DraftContext):
        self.layers, self.context = layers, context
        self.sequence = cast(LlamaSequence, context.target)  # EarlyExit takes no other target
        self.forwards = 0
        # how the target is passed through it says itself
        self.slow_reason = slow_reason(context, self.sequence.stack)

    def prefill(self, tokens: list[int]) -> None:
        pass

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        before = self.sequence.length
        try:
            block = draft_model(self.context, self.sequence, tokens[before:], k, u, self.layers)
        finally:  # whatever happens, the target finds its cache as it left it
            self.sequence.rollback(before)
        self.forwards += len(block.ids)
        return block

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        before = self.sequence.length

        def level(ids: list[int], parents: list[int] | None) -> Array:
            self.forwards += 1
            return self.sequence.append(ids, parents=parents, until=self.layers)

        try:
            return grow_tree(self.context, depth, u, level(tokens[before:], None)[-1:], level)
        finally:
            self.sequence.rollback(before)

    def observe(self, tokens: list[int]) -> None:
        pass
