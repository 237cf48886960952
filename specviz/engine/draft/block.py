"""Draft a whole block in one pass: an EAGLE head with a learned feature at the places that are still open (P-EAGLE, arXiv 2602.01469; after
DFlash, Chen et al. 2026, arXiv 2602.06036, and PARD, An et al. 2025).

Where EAGLE takes the feature that it made itself, and so needs a pass for each token, each open place takes the same mask token and the
same feature, and sees the text and the places before it, so that its logits know nothing of the tokens drawn before it: later
places are accepted less often. A link of low rank may add to them what the token just drawn says of the next (DSpark, 2026). Each
token is drawn from the q that it is tested with, so every rule that is exact for a chain stays exact.

Read as P-EAGLE checkpoints are written: an EAGLE-3 head (eagle.py), mask_hidden [1, 3·width], and in its config the mask token,
`ptd_token_id` or `pard_token`. The link's names are our own: link_embed [V, rank], and link_lm_head [·, rank], by lm_head's rows.
"""

from dataclasses import replace
from math import prod
from typing import Any

from ..model import Capabilities, Model, ModelError
from ..sampling import Array, concatenate, count_numbers
from .base import MAX_K, NO_DRAFT, Block, DraftContext, draft_parallel
from .eagle import Eagle, EagleSession, block_bytes

LINK = ("link_embed.weight", "link_lm_head.weight")


class BlockHead(Eagle):
    """A head for the target `model` from a state dict. Raises ModelError if it does not fit."""

    kind = "block"
    branches, capabilities = False, Capabilities(one_pass=True)

    def __init__(self, model: Model, weights: dict[str, Array], name: str, config=None):
        own = dict(weights)
        feature, link = own.pop("mask_hidden", None), {key: own.pop(key) for key in LINK if key in own}
        mask = getattr(config, "ptd_token_id", getattr(config, "pard_token", None))
        if feature is None or mask is None:
            lacks = "mask_hidden" if feature is None else "ptd_token_id in its config"
            raise ModelError(f"{name} is no block head of P-EAGLE's form: the checkpoint lacks {lacks}")
        super().__init__(model, own, name, config)
        target = self.target
        if not isinstance(mask, int) or not 0 <= mask < target.vocabulary:
            raise ModelError(f"{name}: the mask token is {mask}; {target.info.name} has tokens 0 to {target.vocabulary - 1}")
        self.mask = mask
        if (numbers := prod(feature.shape)) != len(self.taps) * target.shape.width:
            raise ModelError(f"{name}: mask_hidden holds {numbers} numbers, not {len(self.taps) * target.shape.width}")
        if link:
            self.step = replace(self.step, link=self._link(link, name))
        self.open = concatenate([self.fuse(target.backend.as_features(feature).reshape(1, -1))] * MAX_K)
        count = count_numbers(weights)
        size = block_bytes(count) if self.info.size else 0
        self.info = replace(self.info, family="block head", parameters=count, size=size)

    def _link(self, weights: dict[str, Array], name: str) -> Any:
        target, parts = self.target, self.target.weights(weights, name)
        own = target.vocabulary if self.step.columns is None else len(self.step.columns)
        rank = parts.size(LINK[0], -1)
        before, after = (parts.take(key, n, rank) for key, n in zip(LINK, (target.vocabulary, own), strict=True))
        return target.backend.Link(target.backend.as_features(before), target.backend.Linear(after))

    def begin(self, context: DraftContext) -> "BlockSession":
        return BlockSession(self, context)


class BlockSession(EagleSession):
    """The cache holds true positions, then those of open places, which are rolled back after every round."""

    eagle: BlockHead

    def __init__(self, eagle: BlockHead, context: DraftContext):
        super().__init__(eagle, context)
        self.open = eagle.open[: context.max_block - 1]

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        if len(tokens) < 2:
            return NO_DRAFT
        open_ = k - 1  # the first token is drawn where the text ends
        feed = [*tokens[self.cache.length + 1 :], *[self.eagle.mask] * open_]
        end = len(self.features_with_open) - len(self.open)
        features = self.features_with_open[end - len(self.fused) : end + open_]
        self.forwards += 1
        return draft_parallel(self.context, self.cache, self.eagle.step, feed, k, u, features)
