"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head).

Whether passes may be compiled here is tried: a small random model is run by them and by numpy first, so that what a processor or
a compiler gets wrong is seen.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ...trace.events import Q8_ACTIVATIONS, Q8_UNFUSED, ModelInfo
from ..compiled.compiler import clear_cache, unavailable_reason
from ..model import (
    MAX_PASS,
    Capabilities,
    ForwardStep,
    Layer,
    Model,
    ModelError,
    Shape,
    Tree,
    Weights,
    check_append,
    one_line,
    rope_parameters,
    rotation,
)
from ..sampling import BLOCK_SIZE, BLOCKS, Array, Device, block_bits, concatenate, count_numbers, to_float32, to_type, type_name

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


class Llama(Model):
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
        self.dtype, self.capabilities = self.backend.dtype, Capabilities(torch_threads=self.backend.torch_threads)
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
            from ..compiled.registers import FUSES

            size = sum(weight.nbytes for weight in weights.values())
            self.info = replace(self.info, size=size, arithmetic=Q8_ACTIVATIONS if FUSES else Q8_UNFUSED)
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
        return self.stack.replay

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


SHAPE = Shape("llama", width=64, heads=4, kv_heads=2, size=16, inner=96, eps=1e-6)
VOCABULARY, CONTEXT = 40, 64


def not_compiled_reason(device: Device, dtype: str) -> str:
    """Why a pass there is not one compiled call, in a few words; empty if it is."""
    if device.type != "cpu":
        return f"the compiled pass is for a CPU, not {device.type}"
    return (
        unavailable_reason()
        or ("" if dtype == "float32" else f"the compiled pass sums in float32, not in {dtype}")
        or self_test()
    )


@cache
def self_test(layers: str = "bfloat16", table: str = "bfloat16") -> str:
    """What is wrong with compiled passes over weights of these types here; empty if they give what numpy gives. Once a process; it compiles
    what is not kept."""
    try:
        try:
            return difference(layers, table)
        except Exception:  # of what is kept a file may be cut short
            clear_cache()
            return difference(layers, table)
    except Exception as error:  # a compiler that does not know this processor, or does not fit on this machine
        return f"compiled passes fail: {one_line(error)}"


def difference(layers_type: str = "bfloat16", table_type: str = "bfloat16") -> str:
    """How passes of a small model, its layers and its embedding in these types, differ from numpy's; empty if they do not."""
    from ..backends.compiled import Compiled
    from ..compiled import rows
    from ..sampling import DraftSampler, Sampler

    weights, backend = _weights(layers_type, table_type), Compiled()
    angles = np.outer(np.arange(CONTEXT), 1e4 ** (-np.arange(0, SHAPE.size, 2) / SHAPE.size)).astype(np.float32)
    parts = Weights(weights, "a trial", backend, layers_type)
    matrix = backend.Linear(parts.take("embedding.weight", VOCABULARY, SHAPE.width))
    step = ForwardStep(backend.Table(matrix), backend.Head(SHAPE.norm(parts, "norm.weight"), matrix), vocabulary=VOCABULARY)
    layer = SHAPE.layer(parts, "")
    layers, rope = backend.pack_layers([layer], 1), backend.rope_cache(np.exp(1j * angles).astype(np.complex64)[:, None])
    stack = backend.stack(layers, SHAPE, rope, CONTEXT, step.head)
    ours = np.concatenate([stack.logits(step, [*range(i, i + n)], n, {}) for i, n in ((0, 9), (9, 1), (10, 5))])
    embedding = weights["embedding.weight"]
    table = to_float32(embedding)
    norm = to_float32(weights["norm.weight"])
    hidden = backend.stack(layers, SHAPE, rope, CONTEXT, step.head).forward(table[:3])
    drafted = stack.draft(step, DraftSampler(Sampler(0.0), VOCABULARY), [int(ours[-1].argmax())], 3, None)

    def plain(text: list[int]) -> np.ndarray:
        return _product(_rms_norm(_layer_output(layer, table[text], angles), norm), embedding)

    text = [*range(15)]
    for _ in range(4):
        text.append(int(plain(text)[-1].argmax()))
    pairs = (ours, plain(text[:15])), (hidden, _layer_output(layer, table[:3], angles))
    # of two numbers beside a half one may become the whole number below and one that above
    bound = 1e-3 if layers_type not in BLOCKS and table_type not in BLOCKS else 5e-2
    same = all(np.allclose(mine, other, atol=bound, rtol=1e-3) for mine, other in pairs)
    if not same or not drafted or drafted[0] != text[16:]:
        return "compiled passes differ from plain ones"
    return rows.self_test()


def _layer_output(layer: Layer, x: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """x [n, width], the first positions of a text, after one layer: as it is written in papers."""
    n, s = len(x), SHAPE
    qkv = _product(_rms_norm(x, to_float32(layer.attention_norm.weight)), layer.qkv.weight)
    heads = qkv.reshape(n, s.heads + 2 * s.kv_heads, s.size)
    pairs = heads[:, : s.heads + s.kv_heads].reshape(n, -1, s.size // 2, 2)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angles[:n])[:, None]
    qk = np.stack([turned.real, turned.imag], -1).reshape(n, -1, s.size)
    q, k, v = qk[:, : s.heads], qk[:, s.heads :], heads[:, s.heads + s.kv_heads :]
    k, v = (part.repeat(s.heads // s.kv_heads, 1) for part in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / s.size**0.5
    scores[:, np.triu_indices(n, 1)[0], np.triu_indices(n, 1)[1]] = -np.inf
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances /= chances.sum(-1, keepdims=True)
    x = x + _product(np.einsum("hij,jhd->ihd", chances, v).reshape(n, -1), layer.out.weight)
    gate, up = np.split(_product(_rms_norm(x, to_float32(layer.mlp_norm.weight)), layer.gate_up.weight), 2, -1)
    return x + _product(gate / (1 + np.exp(-gate)) * up, layer.down.weight)


def _product(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """x·Wᵀ; of a matrix in blocks of x rounded to blocks of whole numbers, each with its scale (compiled/blocks.py)."""
    if type_name(weight) in BLOCKS:
        blocks = x.astype(np.float32).reshape(*x.shape[:-1], -1, BLOCK_SIZE)
        scales = np.maximum(abs(blocks).max(-1, keepdims=True) / np.float32(127), np.float32(1e-32))
        x = (np.rint(blocks / scales) * scales).reshape(x.shape)
    return x @ to_float32(weight).T


def _rms_norm(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + SHAPE.eps) * weight


def _weights(layers: str, table: str) -> dict[str, np.ndarray]:
    chance, size = np.random.RandomState(0), SHAPE.size
    queries, keys, width, inner = SHAPE.heads * size, SHAPE.kv_heads * size, SHAPE.width, SHAPE.inner
    sizes = {"self_attn.q_proj": (queries, width), "self_attn.o_proj": (width, queries), "mlp.down_proj": (width, inner)}
    sizes |= {f"mlp.{part}_proj": (inner, width) for part in ("gate", "up")}
    sizes |= {f"self_attn.{part}_proj": (keys, width) for part in "kv"}
    weights = {f"{part}.weight": chance.normal(size=size) * size[1] ** -0.5 for part, size in sizes.items()}
    weights["embedding.weight"] = chance.normal(size=(VOCABULARY, width))
    weights |= {f"{norm}.weight": chance.uniform(size=width) for norm in ("input_layernorm", "post_attention_layernorm", "norm")}

    def convert(key: str, weight: np.ndarray) -> np.ndarray:
        kind = table if key.startswith("embedding") else layers if weight.ndim > 1 else "bfloat16"
        if kind not in BLOCKS:
            return to_type(weight.astype(np.float32), kind)
        blocks = np.zeros((len(weight), weight.shape[1] // BLOCK_SIZE), BLOCKS[kind])
        blocks["bits"] = chance.randint(0, 256, blocks["bits"].shape).astype(np.uint8).view(blocks["bits"].dtype)
        blocks["scale"] = weight.std() / block_bits(blocks).std() * chance.uniform(0.5, 1.5, blocks.shape)
        if "least" in (BLOCKS[kind].names or ()):
            blocks["least"] = -7.5 * blocks["scale"]
        return blocks

    return {key: convert(key, weight) for key, weight in weights.items()}
