"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...trace.events import ModelInfo
from ..arrays import BLOCKS, Array, Device, concatenate, count_numbers, type_name
from ..backends.base import ForwardStep, ModelError, check_append
from ..backends.layers import MAX_PASS, Shape, Weights, rope_parameters, rotation
from ..backends.self_test import not_compiled_reason, self_test
from ..backends.tree import Tree

FAMILIES = ("llama", "qwen2", "qwen3", "mistral")
ROTARY = ("default", "linear", "llama3")  # rotations that do not depend on the length of the text


def why_not_ours(config) -> str | None:
    """Why a transformers config cannot run here, or None if it can. What is not known to be right is not run."""
    if config.model_type not in FAMILIES:
        return f"model type {config.model_type}"
    window = getattr(config, "sliding_window", None)
    if window and getattr(config, "use_sliding_window", True) and window < config.max_position_embeddings:
        return f"attention in a window of {window} positions"
    if config.hidden_act != "silu":
        return f"activation {config.hidden_act}"
    if getattr(config, "mlp_bias", False):
        return "bias in the MLP"
    if config.model_type == "llama" and getattr(config, "attention_bias", False):
        return "bias on the attention output"
    if getattr(config, "quantization_config", None):
        return "quantised weights"
    rope = rope_parameters(config)
    if rope.get("rope_type", "default") not in ROTARY:
        return f"rotary positions of type {rope['rope_type']}"
    if (part := rope.get("partial_rotary_factor", 1.0)) != 1.0:
        return f"rotary positions of {part} of a head"
    numbers = ((name, value) for name, value in rope.items() if value is not None and not name.endswith("type"))
    if odd := next((f"{name} {value!r}" for name, value in numbers if not isinstance(value, int | float) or not value > 0), None):
        return f"rotary positions with {odd[:60]}"
    if Shape.of(config).size % 2:
        return "an odd head size"
    return None


class Llama:
    """A Llama-shaped model from a transformers `config` and its state dict (names as `save_pretrained` writes them).

    `source`: what it was asked for by, where that is not its `name`. `compiled`: whether a pass is one compiled call, which is how a CPU
    runs it where numba can be used; None chooses. `emptied`: `weights` is given away, so that what was taken need not be there twice
    until all of it is. Raises ModelError if the config is not one that this forward
    computes exactly, or a weight is missing or left over."""

    def __init__(
        self,
        config,
        weights: dict[str, Array],
        name: str,
        device="cpu",
        dtype="float32",
        source: str = "",
        compiled: bool | None = None,
        emptied: bool = False,
    ):
        if reason := why_not_ours(config):
            raise ModelError(f"{name}: our forward pass does not do {reason}")
        self.device, self.source, dtype = Device(device), source or name, str(dtype).removeprefix("torch.")
        self.vocabulary, self.context = config.vocab_size, config.max_position_embeddings
        self.shape = Shape.of(config)
        why = not_compiled_reason(self.device, dtype) if compiled is None else ""
        self.backend: Any = _compiled(weights) if compiled or (compiled is None and not why) else _pytorch(device, dtype)
        self.dtype = self.backend.dtype
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            vocabulary=self.vocabulary,
            parameters=count_numbers(weights),
            dtype=self._stored(weights),
            forward="own",
            why=why if self.device.type == "cpu" else "",
        )
        self.rope = self.backend.rope_cache(rotation(config, self.context))
        if self.info.dtype in BLOCKS:
            self.info = replace(self.info, size=sum(weight.nbytes for weight in weights.values()))
        parts = self.weights(weights, name)
        if emptied:
            weights.clear()
        self._load(config, parts)

    def weights(self, tensors: dict[str, Array], name: str) -> Weights:
        """A checkpoint's tensors, to be taken as this model's passes hold them."""
        return Weights(tensors, name, self.backend, self._stored(tensors))

    def _stored(self, tensors: dict[str, Array]) -> str:
        return self.backend.weight_type({type_name(tensor) for tensor in tensors.values() if tensor.ndim > 1})

    def sequence(self, capacity: int) -> "LlamaSequence":
        return LlamaSequence(self, min(capacity, self.context))

    def _load(self, config, weights: Weights):
        name, table = self.info.name, (self.vocabulary, self.shape.width)
        tied, stored = config.tie_word_embeddings, "model.embed_tokens.weight"
        if tied and stored not in weights and "lm_head.weight" in weights:  # one matrix, stored under its other name
            stored = "lm_head.weight"
        embedding = weights.take(stored, *table)
        head = embedding if tied and "lm_head.weight" not in weights else weights.take("lm_head.weight", *table)
        if tied and head is not embedding and not (head == embedding).all():
            raise ModelError(f"{name}: the config ties the head to the embedding, the checkpoint does not")
        self.embedding = matrix = self.backend.Linear(embedding)
        each = (self.shape.layer(weights, f"model.layers.{i}.") for i in range(config.num_hidden_layers))
        self.layers = self.backend.pack_layers(each, config.num_hidden_layers)
        exit = self.backend.Head(self.shape.norm(weights, "model.norm.weight"), matrix if tied else self.backend.Linear(head))
        self.step = ForwardStep(self.backend.Table(matrix), exit, vocabulary=self.vocabulary)
        left = [key for key in weights.tensors if not key.endswith("rotary_emb.inv_freq")]
        if left:
            raise ModelError(f"{name}: the checkpoint holds {left[0]}, which our forward pass would leave out")


def _compiled(weights: dict[str, Array]):
    from ..backends.compiled import Compiled  # numba takes a third of a second to import

    kinds = sorted({type_name(weight) for weight in weights.values()} & BLOCKS.keys())
    return Compiled(keeps_blocks=bool(kinds) and not self_test(kinds[0], kinds[-1]))


def _pytorch(device, dtype: str):
    from ..backends.pytorch.backend import PyTorch  # PyTorch takes two seconds

    return PyTorch(device, dtype)


class LlamaSequence:
    """One text's KV cache. `taps`: layers whose input is kept for whoever drafts from the target's features; the
    number of layers stands for what leaves the last one. `tapped[layer]` is [n, width] of the latest append's n ids."""

    def __init__(self, model: Llama, capacity: int):
        self.model, self.capacity, self.step = model, capacity, model.step
        self.stack = model.backend.stack(model.layers, model.shape, model.rope, capacity, model.step.head)
        self.taps: tuple[int, ...] = ()
        self.tapped: dict[int, Array] = {}

    @property
    def length(self) -> int:
        return self.stack.length

    @property
    def tree(self) -> Tree:
        return self.stack.tree

    @property
    def slow_reason(self) -> str:
        """Why passes are slower than they should be on this device; empty if they are not."""
        why = self.model.info.why
        return self.stack.slow_reason or (why and f"passes are not compiled: {why}")

    @property
    def replay(self) -> Callable | None:
        """replay(key, function, *inputs): what else of a round is recorded beside the passes; None where passes are not."""
        return getattr(self.stack, "replay", None)

    def rollback(self, length: int) -> None:
        self.stack.rollback(length)

    def keep(self, path) -> None:
        """Where the block branches, features are those of the path too."""
        branches = bool(self.stack.tree)
        self.stack.keep(path)
        if branches and self.tapped:
            rows = self.model.backend.index_array(list(path))
            self.tapped = {layer: features[rows] for layer, features in self.tapped.items()}

    def append(self, ids, keep: int | None = None, parents=None, until: int | None = None) -> Array:
        """`until`: leave after so many layers, through the same norm and head (early exit); the others' caches are not filled,
        so roll back before the next whole append."""
        n, step = len(ids), self.step if until is None else replace(self.step, until=until)
        check_append(n, self.length, self.capacity)
        if n > MAX_PASS and (keep is None or keep > 1):  # a long prefill goes in blocks: only the last one's logits are to be had
            raise ValueError(f"an append of more than {MAX_PASS} positions keeps one row of logits")
        self.stack.tree.check(n, parents)
        tapped_parts: dict[int, list[Array]] = {} if until else {layer: [] for layer in self.taps}
        for i in range(0, n, MAX_PASS):
            part = ids[i : i + MAX_PASS]
            rows = 0 if i + MAX_PASS < n else len(part) if keep is None else min(keep, len(part))
            logits = self.stack.logits(step, part, rows, tapped_parts, parents)
        if until is None:
            self.tapped = {layer: parts[0] if len(parts) == 1 else concatenate(parts) for layer, parts in tapped_parts.items()}
        return logits
