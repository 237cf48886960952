"""What heads that draft have in common: they read the target's features at every position of the text.

A head's position i holds what was made of the target's feature at i and of the token after it, x[i + 1]; so a text of n tokens
has n − 1 of them, and the last one drafts token n.
"""

from typing import cast

from ..arrays import Array
from ..backends.base import Model, ModelError
from ..models.llama import Llama, LlamaSequence
from .base import DraftContext


def needs_features(target: Model, what: str) -> Llama:
    """The target, if its features can be had; raises ModelError with the reason if not."""
    if isinstance(target, Llama):
        return target
    raise ModelError(
        f"{what} need a target that runs in our own forward pass; {target.info.name} does not: {target.info.why or target.info.family}"
    )


class Features:
    """The target's features of one text, as its passes go by: which rows are new since the last look."""

    def __init__(self, context: DraftContext, layers: tuple[int, ...]):
        self.sequence, self.layers = cast(LlamaSequence, context.target), layers  # of no other target: needs_features
        self.sequence.taps = layers
        self.length = 1  # of the text whose features were taken, and its one token that never was fed

    def new(self, length: int) -> list[Array]:
        """By layer, the rows of the positions that the text gained now that it is `length` tokens long; the rows of what
        was rejected are left out."""
        gained, self.length = length - self.length, length
        return [self.sequence.tapped[layer][:gained] for layer in self.layers]
