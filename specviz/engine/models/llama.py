"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head)."""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any

import torch

from ...trace.header import ModelInfo
from . import layers
from .base import ModelError, check_append, one_line
from .cpu.compiler import forget, why_not
from .cpu.trial import difference
from .layers import BLOCK, Shape, Weights
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


def why_plain(device: torch.device, dtype: torch.dtype) -> str:
    """Why a pass there is not one compiled call, in a few words; empty if it is."""
    if device.type != "cpu":
        return f"the compiled pass is for a CPU, not {device.type}"
    return why_not() or ("" if dtype == torch.float32 else f"the compiled pass sums in float32, not in {dtype}") or tried()


def compiles() -> bool:
    """Whether what a CPU does over and over is compiled here."""
    return not why_not() and not tried()


def _compiled():
    from .cpu import stack  # numba takes a third of a second to import

    return stack


@cache
def tried() -> str:
    """What is wrong with compiled passes here; empty if they give what the plain ones give. Once a process; it compiles what is not kept."""
    try:
        try:
            return difference(Llama)
        except Exception:  # of what is kept a file may be cut short
            forget()
            return difference(Llama)
    except Exception as error:  # a compiler that does not know this processor, or does not fit on this machine
        return f"compiled passes fail: {one_line(error)}"


def _rope(config) -> dict:
    return getattr(config, "rope_parameters", None) or {}


class Llama:
    """A Llama-shaped model from a transformers `config` and its state dict (names as `save_pretrained` writes them).

    `source`: what it was asked for by, where that is not its `name`. `compiled`: by one compiled call a pass (cpu/), which is how a CPU
    runs it where numba is to be had; None chooses. `emptied`: `weights` is given away, so that what was taken need not be there twice
    until all of it is. Raises ModelError if the config is not one that this forward
    computes exactly, or a weight is missing or left over."""

    def __init__(
        self,
        config,
        weights: dict[str, torch.Tensor],
        name: str,
        device="cpu",
        dtype=torch.float32,
        source: str = "",
        compiled: bool | None = None,
        emptied: bool = False,
    ):
        if reason := unfit(config):
            raise ModelError(f"{name}: our forward pass does not do {reason}")
        self.device, self.dtype, self.source = torch.device(device), dtype, source or name
        self.vocabulary, self.context = config.vocab_size, config.max_position_embeddings
        self.shape = Shape.of(config)
        why = why_plain(self.device, dtype) if compiled is None else ""
        self.way: Any = _compiled() if compiled or (compiled is None and not why) else layers
        self.shelf = Shelf() if self.way is layers else None
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=config.hidden_size,
            vocabulary=self.vocabulary,
            parameters=sum(w.numel() for w in weights.values()),
            dtype=str(self._stored(weights)).removeprefix("torch."),
            forward="own",
            why=why if self.device.type == "cpu" else "",
        )
        turns = rotation(config, self.context)
        self.rotation = self.turns(turns)
        parts = self.weights(weights, name)
        if emptied:
            weights.clear()
        self._load(config, parts)

    def weights(self, tensors: dict[str, torch.Tensor], name: str) -> Weights:
        """The checkpoint's tensors as this model's passes take them: what is compiled reads them as they are stored."""
        return Weights(tensors, name, self.device, self._stored(tensors))

    def _stored(self, tensors: dict[str, torch.Tensor]) -> torch.dtype:
        """What weights are kept as: one type for all of them."""
        kinds = {tensor.dtype for tensor in tensors.values() if tensor.ndim > 1}
        return self.dtype if self.shelf else self.way.kept_as(kinds.pop() if len(kinds) == 1 else torch.float32)

    def turns(self, rotation: torch.Tensor):
        """A rotation [context, 1, size/2] complex, where and as passes take it."""
        return rotation.to(self.device) if self.shelf else self.way.turns(rotation)

    def sequence(self, capacity: int) -> "LlamaSequence":
        return LlamaSequence(self, min(capacity, self.context))

    def stack(self, layers, capacity: int, shape: Shape | None = None, rotation=None):
        """A cache over `layers` as `way.lay` gives them: this model's, or of a head that drafts for it, whose shape and rotation may be
        its own. It stands still where graphs are recorded (static.py)."""
        shape, rotation = shape or self.shape, self.rotation if rotation is None else rotation
        if self.shelf:
            return self.shelf.lease(layers, shape, rotation, capacity, self.device, self.dtype)
        return self.way.CompiledStack(layers, shape, rotation, capacity)

    def lanes(self, each: list, capacity: int) -> Iterable:
        """A cache over each of some layers, which may hold one twice: of lengths of their own, but where they stand still, of one lease."""
        if self.shelf:
            return self.stack([layer for one in each for layer in one], capacity).lanes()
        return [self.stack(one, capacity) for one in each]

    def ids(self, ids: list[int]) -> torch.Tensor:
        """Ids on the device."""
        return self.embed.ids(ids)

    def _load(self, config, weights: Weights):
        name, table = self.info.name, (self.vocabulary, self.shape.width)
        tied, stored = config.tie_word_embeddings, "model.embed_tokens.weight"
        if tied and stored not in weights and "lm_head.weight" in weights:  # one matrix, stored under its other name
            stored = "lm_head.weight"
        embedding = weights.take(stored, *table)
        head = embedding if tied and "lm_head.weight" not in weights else weights.take("lm_head.weight", *table)
        if tied and not torch.equal(head, embedding):
            raise ModelError(f"{name}: the config ties the head to the embedding, the checkpoint does not")
        self.embedding = matrix = self.way.Linear(embedding)
        self.embed = self.way.Table(matrix)
        each = (self.shape.layer(weights, f"model.layers.{i}.") for i in range(config.num_hidden_layers))
        self.layers = self.way.lay(each, config.num_hidden_layers)
        self.norm = self.shape.norm(weights, "model.norm.weight")
        self.head = self.way.Head(self.norm, matrix if tied else self.way.Linear(head))
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
        why = self.model.info.why
        return self.stack.eager or (why and f"passes are not compiled: {why}")

    @property
    def replayed(self) -> Callable | None:
        """`replayed(key, function, *inputs)`: what else of a round is replayed from a graph; None where passes are not."""
        return self.stack.standing.replayed if isinstance(self.stack, StaticStack) else None

    def rollback(self, length: int) -> None:
        self.stack.rollback(length)

    def append(self, ids, keep: int | None = None, until: int | None = None) -> torch.Tensor:
        """`until`: leave after so many layers, through the same norm and head (early exit); the others' caches are not filled,
        so roll back before the next whole append."""
        n, m = len(ids), self.model
        check_append(n, self.length, self.capacity)
        if n > BLOCK and (keep is None or keep > 1):  # a long prefill goes in blocks: only the last one's logits are to be had
            raise ValueError(f"an append of more than {BLOCK} positions keeps one row of logits")
        kept: dict[int, list[torch.Tensor]] = {} if until else {layer: [] for layer in self.taps}
        for i in range(0, n, BLOCK):
            part = ids[i : i + BLOCK]
            rows = 0 if i + BLOCK < n else len(part) if keep is None else min(keep, len(part))
            logits = self.stack.logits(m.embed, m.head, part, rows, kept, until)
        if until is None:
            self.tapped = {layer: parts[0] if len(parts) == 1 else torch.cat(parts) for layer, parts in kept.items()}
        return logits

    def draft(
        self, feed: list[int], k: int, vocabulary: int, argmax: bool, temperature: float, u: torch.Tensor | None, until: int | None
    ):  # fmt: skip
        """k tokens after `feed`, as CompiledStack.draft draws them: ids and q [k, V] or None. None where passes are not compiled."""
        compiled, m = getattr(self.stack, "draft", None), self.model
        if compiled is None or len(feed) > BLOCK:
            return None
        return compiled(m.embed, m.head, feed, k, until, vocabulary, argmax, temperature, u)

    def chain(
        self, feed: list[int], k: int, pick: Callable, key: Hashable, chance: tuple[torch.Tensor, ...], until: int | None = None
    ):
        """k tokens after `feed`, as StaticStack.chain draws them: ids [k] and q [k, V] or None. None where the cache does not stand
        still. `until`: leave after so many layers, as in `append`."""
        if not isinstance(self.stack, StaticStack) or len(feed) > GRAPHED:
            return None
        m = self.model

        def step(layers, ids):
            return m.head(layers(m.embed(ids), until=until)[-1:]), ()

        return self.stack.chain((until, key), k, step, pick, chance, m.ids(feed))
