"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head)."""

from collections.abc import Callable, Hashable, Iterable

import torch

from ...trace.header import ModelInfo
from .base import ModelError, check_append
from .layers import BLOCK, Layer, Shape, Stack, Weights
from .linear import Linear
from .static import GRAPHED, Shelf, StaticStack

FAMILIES = ("llama", "qwen2", "qwen3", "mistral")
ROTARY = ("default", "linear", "llama3")  # rotations that do not depend on the length of the text


def unfit(config) -> str | None:
    """Why a transformers config cannot run here, or None if it can. What is not known to be right is not run."""
    if config.model_type not in FAMILIES:
        return f"model type {config.model_type}"
    if config.hidden_act != "silu":
        return f"activation {config.hidden_act}"
    if getattr(config, "mlp_bias", False):
        return "bias in the MLP"
    if config.model_type == "llama" and getattr(config, "attention_bias", False):
        return "bias on the attention output"
    if getattr(config, "quantization_config", None):
        return "quantised weights"
    if _rope(config).get("rope_type", "default") not in ROTARY or _rope(config).get("partial_rotary_factor", 1.0) != 1.0:
        return f"rotary positions of type {_rope(config).get('rope_type')}"
    window = getattr(config, "sliding_window", None)
    if window and getattr(config, "use_sliding_window", True) and window < config.max_position_embeddings:
        return f"attention in a window of {window} positions"
    if Shape.of(config).size % 2:
        return "an odd head size"
    return None


def _rope(config) -> dict:
    return getattr(config, "rope_parameters", None) or {}


class Llama:
    """A Llama-shaped model from a transformers `config` and its state dict (names as `save_pretrained` writes them).

    `source`: what it was asked for by, where that is not its `name`. Raises ModelError if the config is not one that this forward
    computes exactly, or a weight is missing or left over."""

    def __init__(self, config, weights: dict[str, torch.Tensor], name: str, device="cpu", dtype=torch.float32, source: str = ""):
        if reason := unfit(config):
            raise ModelError(f"{name}: our forward pass does not do {reason}")
        self.device, self.dtype, self.source = torch.device(device), dtype, source or name
        self.vocabulary, self.context = config.vocab_size, config.max_position_embeddings
        self.shape = Shape.of(config)
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            vocabulary=self.vocabulary,
            parameters=sum(w.numel() for w in weights.values()),
            dtype=str(dtype).removeprefix("torch."),
            forward="own",
        )
        self.shelf = Shelf() if self.device.type == "cuda" else None
        self._load(config, Weights(weights, name, self.device, dtype))
        self.rotation = rotation(config, self.context).to(self.device)

    def sequence(self, capacity: int) -> "LlamaSequence":
        return LlamaSequence(self, min(capacity, self.context))

    def stack(self, layers: list[Layer], capacity: int) -> Stack | StaticStack:
        """A cache over `layers` of this model's shape: its own, or those of a head that drafts for it."""
        return self.stack_of(layers, self.shape, self.rotation, capacity)

    def stack_of(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, capacity: int) -> Stack | StaticStack:
        """A cache over layers of any shape that stand beside this model: it stands still where graphs are recorded."""
        kind = self.shelf.lease if self.shelf else Stack
        return kind(layers, shape, rotation, capacity, self.device, self.dtype)

    def lanes(self, layers: list[Layer], capacity: int) -> Iterable[Stack | StaticStack]:
        """A cache over each of `layers`, which may hold one twice: of lengths of their own, but where they stand still, of one lease."""
        whole = self.stack(layers, capacity) if self.shelf else None
        return whole.lanes() if isinstance(whole, StaticStack) else [self.stack([layer], capacity) for layer in layers]

    def embed(self, ids) -> torch.Tensor:
        """[n, width] of n ids, a list or a tensor on the device."""
        if isinstance(ids, torch.Tensor):
            return self.embedding.index_select(0, ids)
        if len(ids) == 1:
            return self.embedding.narrow(0, ids[0], 1)
        return torch.embedding(self.embedding, self.ids(ids))

    def ids(self, ids: list[int]) -> torch.Tensor:
        """Ids on the device. Nothing waits for the copy: what is small is staged before the call returns."""
        return torch.tensor(ids).to(self.device, non_blocking=True)

    def _load(self, config, weights: Weights):
        name, table = self.info.name, (self.vocabulary, self.shape.width)
        tied, stored = config.tie_word_embeddings, "model.embed_tokens.weight"
        if tied and stored not in weights and "lm_head.weight" in weights:  # one matrix, stored under its other name
            stored = "lm_head.weight"
        self.embedding = weights.take(stored, *table)
        self.layers = [self.shape.layer(weights, f"model.layers.{i}.") for i in range(config.num_hidden_layers)]
        self.norm = self.shape.norm(weights, "model.norm.weight")
        head = self.embedding
        if not tied or "lm_head.weight" in weights:
            head = weights.take("lm_head.weight", *table)
        if tied and not torch.equal(head, self.embedding):
            raise ModelError(f"{name}: the config ties the head to the embedding, the checkpoint does not")
        self.head = Linear(head)
        left = [key for key in weights.tensors if not key.endswith("rotary_emb.inv_freq")]
        if left:
            raise ModelError(f"{name}: the checkpoint holds {left[0]}, which our forward pass would leave out")


def rotation(config, context: int) -> torch.Tensor:
    """e^{i·position·frequency} for every position, [context, 1, size/2] complex."""
    size, kind = Shape.of(config).size, _rope(config).get("rope_type", "default")
    if kind == "default":
        base = _rope(config).get("rope_theta") or config.rope_theta
        frequency, factor = base ** (-torch.arange(0, size, 2, dtype=torch.float32) / size), 1.0
    else:
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        frequency, factor = ROPE_INIT_FUNCTIONS[kind](config, "cpu")
    angle = torch.outer(torch.arange(context, dtype=torch.float32), frequency)
    return torch.polar(torch.full_like(angle, factor), angle)[:, None]


class LlamaSequence:
    """One text's keys and values. `taps`: layers whose input is kept for whoever drafts from the target's features; the
    number of layers stands for what leaves the last one. `tapped[layer]` is [n, width] of the latest append's n ids."""

    def __init__(self, model: Llama, capacity: int):
        self.model, self.capacity = model, capacity
        self.stack = model.stack(model.layers, capacity)
        self.taps: tuple[int, ...] = ()
        self.tapped: dict[int, torch.Tensor] = {}

    @property
    def length(self) -> int:
        return self.stack.length

    @property
    def eager(self) -> str:
        """Why passes are slower than they should be on this device; empty if they are not."""
        return self.stack.eager

    @property
    def replayed(self) -> Callable | None:
        """`replayed(key, function, *inputs)`: what else of a round is replayed from a graph; None where passes are not."""
        return self.stack.standing.replayed if isinstance(self.stack, StaticStack) else None

    def rollback(self, length: int) -> None:
        self.stack.rollback(length)

    def append(self, ids, keep: int | None = None, until: int | None = None) -> torch.Tensor:
        """`until`: leave after so many layers, through the same norm and head (early exit); the others' caches are not filled,
        so roll back before the next whole append."""
        check_append(len(ids), self.length, self.capacity)
        m = self.model
        kept: dict[int, list[torch.Tensor]] = {layer: [] for layer in self.taps}
        if len(ids) <= BLOCK:
            hidden = self.stack.forward(m.embed(ids), kept, until)
            if until is None and self.taps:
                self._tap(kept, [hidden])
        else:  # a long prefill goes in blocks, and only the last block's logits are to be had
            if keep is None or keep > 1:
                raise ValueError(f"an append of more than {BLOCK} positions keeps one row of logits")
            parts = [self.stack.forward(m.embed(ids[i : i + BLOCK]), kept, until) for i in range(0, len(ids), BLOCK)]
            self._tap(kept, parts)
            hidden = parts[-1]
        return m.head(m.norm(hidden if keep is None or keep >= len(ids) else hidden[-keep:]))

    def chain(self, feed: list[int], k: int, pick: Callable, key: Hashable, u: torch.Tensor | None, until: int | None = None):
        """k tokens after `feed`, as StaticStack.chain draws them: ids [k] and q [k, V] or None. None where the cache does not stand
        still. `until`: leave after so many layers, as in `append`."""
        if not isinstance(self.stack, StaticStack) or len(feed) > GRAPHED:
            return None
        m = self.model

        def step(layers, ids):
            return m.head(m.norm(layers(m.embed(ids), until=until)[-1:])), ()

        return self.stack.chain((until, key), k, step, pick, u, m.ids(feed))

    def _tap(self, kept, out):
        kept = {layer: out if layer == len(self.model.layers) else parts for layer, parts in kept.items()}
        self.tapped = {layer: parts[0] if len(parts) == 1 else torch.cat(parts) for layer, parts in kept.items()}
