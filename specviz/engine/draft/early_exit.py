"""Draft with the target's own first layers and its head: self-speculation, LayerSkip (Elhoushi et al. 2024 §4.3).

No second model and no second cache: the keys and values of the first layers go where the target's own will go, and are
written again when the whole target verifies the block. (LayerSkip keeps them; a pass that is bound by reading weights gains
little by that, and this way p never depends on how a token was drafted.) It needs a target that was trained to be left
early; another one drafts too, and is seldom accepted.
"""

from dataclasses import replace
from typing import cast

from ..arrays import Array
from ..backends.base import Model, ModelError
from ..models.llama import Llama, LlamaSequence
from . import steps
from .base import Block, DraftContext
from .branch import grow_tree


class EarlyExit:
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
        self.slow_reason = steps.slow_reason(context, self.sequence.stack)

    def prefill(self, tokens: list[int]) -> None:
        pass

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        before = self.sequence.length
        try:
            block = steps.draft_model(self.context, self.sequence, tokens[before:], k, u, self.layers)
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
