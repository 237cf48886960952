"""Draft a whole block in one pass with a DFlash head (Chen et al. 2026, arXiv 2602.06036 §4): layers over the target's features.

Features of some layers of the target, fused and normed, are the keys and values of the text in every layer of the head. Queries come of the
block alone: the last token, which has no feature yet, and a mask token at each open place. These see the text and one another, and each gives
the token of its own place. What is drawn at one place says nothing to another, so every q is known before a token is drawn, and every rule
that is exact for a chain stays exact.

Read as transformers writes such heads (`encoder.fc`, `encoder.output_norm_enc`) and as their authors do (`fc`, `hidden_norm`; block_size, and
in `dflash_config` mask_token_id and target_layer_ids). Embedding and output matrix are the target's.
"""

from dataclasses import replace

import torch
import torch.nn.functional as F

from ...config import ConfigError
from ..arrays import Array, count_numbers
from ..backends.base import ForwardStep, Model, ModelError
from ..backends.layers import Layer, Shape, Weights, rotation
from ..backends.pytorch.backend import PyTorch
from ..backends.pytorch.modules import tensor
from ..models.llama import why_no_layer
from . import steps
from .base import NO_DRAFT, Block, DraftContext
from .block import dflash_field
from .heads import Features, check_config, check_width, mask_token, needs_features

FUSE, FUSED_NORM = ("encoder.fc.weight", "fc.weight"), ("encoder.output_norm_enc.weight", "hidden_norm.weight")


def windows(config, name: str) -> list[int | None]:
    """Of each layer the positions before and after its own that it sees; None for all."""
    kinds = getattr(config, "layer_types", None) or ["full_attention"] * config.num_hidden_layers
    window = getattr(config, "sliding_window", None)
    for kind in kinds:
        if kind not in ("full_attention", "sliding_attention"):
            raise ModelError(f"{name} has a layer of type {kind}; only full_attention and sliding_attention are read")
    if "sliding_attention" in kinds and not (isinstance(window, int) and window >= 1):
        raise ModelError(f"{name}: sliding_window is {window}; it must be at least 1")
    return [window if kind == "sliding_attention" else None for kind in kinds]


class DFlash:
    """A head for the target `model` from a state dict. Raises ModelError if it does not fit."""

    kind = "block"
    branches, one_pass = False, True

    def __init__(self, model: Model, weights: dict[str, Array], name: str, config):
        self.target = target = needs_features(model, "DFlash heads")
        layers, width, own = target.info.layers, target.shape.width, dflash_field(config, "target_layer_ids")
        block = dflash_field(config, "block_size")
        if not isinstance(fields := getattr(config, "dflash_config", None) or {}, dict):
            raise ModelError(f"{name}: dflash_config is {fields!r}; it must hold names and their values")
        # what leaves the last layer is read with the norm after it by some, and without it by others
        if not (own and isinstance(own, list) and all(isinstance(layer, int) and 0 <= layer < layers - 1 for layer in own)):
            raise ModelError(
                f"{name} reads layers {own} of its target; {target.info.name} has layers 0 to {layers - 2} below its last"
            )
        if not isinstance(block, int) or not 2 <= block <= 256:
            raise ModelError(f"{name}: block_size is {block}; it must be 2 to 256")
        check_config(name, why_no_layer(config))
        self.mask, self.block = mask_token(target, name, dflash_field(config, "mask_token_id")), block
        self.shape = replace(Shape.of(config), family="qwen3")  # whose layers norm each query and key head
        check_width(target, name, self.shape.width)
        backend = PyTorch(target.device, target.dtype)  # plain layers run in the target's dtype, whatever is stored
        parts = Weights(weights, name, backend, backend.weight_type(set()))
        fuse, norm = (next((key for key in keys if key in parts), keys[0]) for keys in (FUSE, FUSED_NORM))
        self.fuse, self.fused_norm = backend.Linear(parts.take(fuse, width, len(own) * width)), self.shape.norm(parts, norm)
        self.layers = [self.shape.layer(parts, f"layers.{i}.") for i in range(config.num_hidden_layers)]
        self.windows = windows(config, name)
        exit = Weights(weights, name, target.backend, backend.weight_type(set()))
        parts.tensors.pop("norm.weight", None)
        last, self.none = self.shape.norm(exit, "norm.weight"), backend.no_features(width)
        self.step = ForwardStep(target.step.embed, target.backend.Head(last, target.step.head.matrix))
        if parts.tensors:
            raise ModelError(f"{name}: the checkpoint holds {next(iter(parts.tensors))}, which our DFlash head would leave out")
        self.taps = tuple(layer + 1 for layer in own)  # what leaves a layer goes into the next
        self.rotation = backend.rope_cache(rotation(config, target.context + block))
        count = count_numbers(weights)
        self.info = replace(target.info, name=name, family="DFlash head", layers=len(self.layers), parameters=count, size=0)

    def begin(self, context: DraftContext) -> "DFlashSession":
        if context.max_block >= self.block:
            raise ConfigError(
                "K", context.max_block, f"at most {self.block - 1} with {self.info.name}, whose blocks hold that many"
            )
        return DFlashSession(self, context)

    def heads(self, layer: Layer, x: torch.Tensor, start: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """x [n, width] from position `start` on → queries [heads, n, size], keys and values [kv_heads, n, size]."""
        s, places = self.shape, self.rotation[start : start + len(x)]
        qkv = layer.qkv(x).view(len(x), s.heads + 2 * s.kv_heads, s.size)
        assert layer.qk_norm  # of this family
        qk = layer.qk_norm(qkv[:, : s.heads + s.kv_heads])
        pairs = torch.view_as_complex(qk.float().unflatten(-1, (-1, 2))) * places
        qk = torch.view_as_real(pairs).flatten(-2).to(x.dtype)
        q, k, v = qk[:, : s.heads], qk[:, s.heads : s.heads + s.kv_heads], qkv[:, s.heads + s.kv_heads :]
        return q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)


def append_rows(old: list[torch.Tensor], new: list[torch.Tensor]) -> list[torch.Tensor]:
    """Keys and values that are held, if any, and those after them."""
    return [torch.cat(each, 1) for each in zip(old, new, strict=True)] if old else new


class DFlashSession:
    """The cache holds keys and values of the text's positions, made of the target's features, then those of a block, which are dropped."""

    def __init__(self, head: DFlash, context: DraftContext):
        self.head, self.context = head, context
        self.features = Features(context, head.taps)
        self.cache: list[list[torch.Tensor]] = [[]] * len(head.layers)  # keys and values [kv_heads, n, size] by layer
        self.fused = head.none  # not in the cache yet
        self.cached_length = self.length = self.forwards = 0
        self.slow_reason = "" if context.device.type == "cpu" else "PyTorch passes through a DFlash head, kernel by kernel"

    def prefill(self, tokens: list[int]) -> None:
        if tokens:
            self._take(len(tokens) + 1)
            self._join()

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        if len(tokens) < 2:
            return NO_DRAFT  # nothing was fed to the target yet, so there is no feature to look at
        self._join()
        head, start = self.head, self.cached_length
        x = tensor(head.target.step.embed([tokens[-1], *[head.mask] * (head.block - 1)]))
        positions = torch.arange(start + len(x), device=x.device)
        for layer, window, cached in zip(head.layers, head.windows, self.cache, strict=True):
            q, *new = head.heads(layer, layer.attention_norm(x), start)
            keys, values = append_rows(cached, new)
            mask = None if window is None else (positions[start:, None] - positions).abs() <= window
            attended = F.scaled_dot_product_attention(q[None], keys[None], values[None], attn_mask=mask, enable_gqa=True)
            x = x + layer.out(attended[0].transpose(0, 1).flatten(1))
            gate, up = layer.gate_up(layer.mlp_norm(x)).chunk(2, -1)
            x = x + layer.down(F.silu(gate) * up)
        self.forwards += 1
        self.length = start + len(x)
        return steps.block_of_rows(self.context, head.step, head.step.logits(x[1 : k + 1]), u)

    def observe(self, tokens: list[int]) -> None:
        self.length = self.cached_length
        self._take(len(tokens))

    def _take(self, length: int) -> None:
        """The fused features of the positions that a text of `length` tokens has gained."""
        gained = torch.cat([tensor(rows) for rows in self.features.new(length)], -1)
        self.fused = torch.cat([self.fused, self.head.fused_norm(self.head.fuse(gained))])

    def _join(self) -> None:
        """What they are as keys and values joins the cache."""
        for i, layer in enumerate(self.head.layers):
            _, *new = self.head.heads(layer, self.fused, self.cached_length)
            self.cache[i] = append_rows(self.cache[i], new)
        self.cached_length = self.length = self.cached_length + len(self.fused)
        self.fused = self.fused[:0]
