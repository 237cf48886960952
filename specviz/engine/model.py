"""What a model is to the engine: append tokens, as a chain or as a tree, and return their logits; keep one path of them; roll
back.

Weights belong to a `Model` and are shared between visitors, never changed by a run. The KV cache belongs to a `Sequence`,
which belongs to one run.

A block that branches: which row follows which, and what a row sees (SpecInfer, Miao et al. 2023, §4.2; Medusa, Cai et al. 2024,
§2.1.2).

tree.add([-1, 0, 0, 1])     after the text a token, after that two, after the first of these one more
tree.path(3)                [0, 1, 3]: row 3 sees the text and these rows

A checkpoint becomes Llama-shaped decoder layers: q, k, v in one product, gate and up in one product, rotary pairs side by side.
What runs them: backends/compiled.py on a CPU; backends/pytorch/ on a GPU, and where nothing can be compiled.
"""

from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..trace.events import ModelInfo
from .sampling import Array, DraftSampler, concatenate, is_tensor, shape_of


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the engine has to know of a model or of a way to draft before it runs one.

    `torch_threads`: its passes need PyTorch's. `waits`: they wait for a disk or another card, so that a thread that rests
    meanwhile is no sign of a busy machine. `one_pass`: a block is drafted in one pass."""

    torch_threads: bool = False
    waits: bool = False
    one_pass: bool = False


class Sequence(Protocol):
    """The KV cache of one text under one model. `stack`: what runs its layers, None where that is not ours. `replay(key,
    function, *inputs)`: what else of a round is recorded beside the passes; None where passes are not."""

    @property
    def stack(self) -> Any: ...

    @property
    def replay(self) -> Callable | None: ...

    @property
    def slow_reason(self) -> str:
        """Why passes are slower than they should be on this device; empty if they are not."""
        ...

    @property
    def length(self) -> int:
        """Positions held by the cache."""
        ...

    def append(self, ids: Ids[int] | Array, keep: int | None = None, parents: Ids[int] | None = None) -> Array:
        """Feed n ids after what is cached; the cache grows by n. Return the logits [min(keep, n), V] of the last `keep`
        of them (all by default): row i is the next-token distribution after that id. Ask for one row of a long prefill: a
        model may refuse to keep more than a block's.

        `parents` [n]: of a block that branches (Tree). Rows count from the first one after the settled text, so a tree may grow
        by several calls, level by level; −1 stands for the text. Raises ValueError for what is no tree, and where a chain would
        follow one."""
        ...

    def keep(self, path: Ids[int]) -> None:
        """Of the block that branches, or else of the latest append, keep the rows of `path` and forget the others: they stand one after
        the other behind the text, as if they had been fed alone. Raises ValueError for rows that do not follow each other."""
        ...

    def rollback(self, length: int) -> None:
        """Forget every position from `length` on. 0 ≤ length ≤ self.length, else ValueError."""
        ...


class Model(Protocol):
    """Weights that can start sequences. `vocabulary` counts logits, padding included; `context` is in positions; `source` is what it
    was asked for by: a bundled name, a folder or a hub id."""

    info: ModelInfo
    source: str
    vocabulary: int
    context: int
    device: Any  # a Device, or PyTorch's own
    capabilities: Capabilities = Capabilities(torch_threads=True)

    @property
    def no_trees(self) -> str:
        """Why a block cannot branch under this model; empty if it can."""
        return ""

    def sequence(self, capacity: int) -> Sequence:
        """An empty sequence with room for `capacity` positions, at most `context`."""
        ...


@dataclass(frozen=True, slots=True)
class ForwardStep:
    """What a pass does around the layers of our own forward pass: ids in, logits of the next token out.

    `embed`: ids [n] → [n, width]. `head`: hidden states [n, width] → logits. `entry`: of a head that drafts, how features and the tokens
    after them become the first layer's input (pytorch/modules.Entry). `until`: the number of layers after which the pass leaves; None is
    all. `columns`: where the ids of a head with a vocabulary of its own lie among the `vocabulary` of the target, ascending.
    `link`: of a head that makes a block at once, what a token of it adds to the logits of the next (pytorch/modules.TokenLink)."""

    embed: Any
    head: Any
    entry: Any = None
    until: int | None = None
    columns: Array | None = None
    vocabulary: int = 0
    link: Any = None

    def inputs(self, ids, features: Array | None = None) -> tuple[Array, Array | None]:
        """What the first layer takes [n, width], and what stands beside its normed input [n, m] or None."""
        return (self.embed(ids), None) if self.entry is None else self.entry(features, self.embed(ids))

    def logits(self, hidden: Array) -> Array:
        """[n, width] → [n, V]. An id that a head's own vocabulary lacks is impossible."""
        return self.to_target_vocabulary(self.head(hidden))

    def link_logits(self, ids: Ids[int] | Array) -> Array:
        """ids [n] → [n, V]: what they add to the logits of the next tokens."""
        return self.to_target_vocabulary(self.link(ids), fill=0.0)

    def to_target_vocabulary(self, logits: Array, fill=float("-inf")) -> Array:
        """Numbers of a head's own vocabulary [n, ·], over the target's [n, V]."""
        if self.columns is None:
            return logits
        if is_tensor(logits):
            return logits.new_full((len(logits), self.vocabulary), fill).index_copy_(1, self.columns, logits)
        whole = np.full((len(logits), self.vocabulary), fill, np.float32)
        whole[:, self.columns] = logits
        return whole


class ModelError(ValueError):
    """A model or a pair cannot be used; the message says which and why, in one line."""


def one_line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def check_append(n: int, length: int, capacity: int) -> None:
    """Refuse an append that has nothing to feed or does not fit: the two ways to misuse a cache."""
    if n < 1:
        raise ValueError("append needs at least one id")
    if length + n > capacity:
        raise ValueError(f"{length} cached positions and {n} more do not fit in {capacity}")


MAX_ROWS = 128  # rows of a tree, the last token of the text among them


class Tree:
    """The rows of a KV cache after its settled text: row i follows row `parents[i]`, −1 the last position of the text. Its position is
    the text's length and `depths[i]`. Without rows the cache holds a chain."""

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.depths: list[int] = []

    def __len__(self) -> int:
        return len(self.parents)

    def check(self, n: int, parents: Ids[int] | None) -> None:
        """Refuse n rows that cannot follow those that are here. Raises ValueError."""
        if parents is None:
            if self.parents:
                raise ValueError(
                    "the cache holds a block that branches: keep a path of it, or roll it back, before a chain follows"
                )
            return
        if len(parents) != n:
            raise ValueError(f"{n} ids have {len(parents)} parents")
        if len(self) + n > MAX_ROWS:
            raise ValueError(f"a block that branches has at most {MAX_ROWS} rows, not {len(self) + n}")
        for row, parent in enumerate(parents, len(self)):
            if not -1 <= parent < row:
                raise ValueError(f"row {row} follows row {parent}: a parent is an earlier row, or -1 for the text")

    def add(self, parents: Ids[int]) -> None:
        """Rows that were checked."""
        for parent in parents:
            self.parents.append(parent)
            self.depths.append(0 if parent < 0 else self.depths[parent] + 1)

    def truncate(self, rows: int) -> None:
        """Keep the first `rows`."""
        del self.parents[rows:], self.depths[rows:]

    def path(self, row: int) -> list[int]:
        """What a row sees after the text: its ancestors and itself, from the text on."""
        rows = []
        while row >= 0:
            rows.append(row)
            row = self.parents[row]
        return rows[::-1]

    def check_path(self, path: Ids[int]) -> None:
        """Refuse rows that do not follow each other, from the text on. Raises ValueError."""
        for parent, row in zip([-1, *path], path, strict=False):
            if not 0 <= row < len(self) or self.parents[row] != parent:
                raise ValueError(f"row {row} does not follow row {parent} of a block of {len(self)}")


class TreeCache:
    """A KV cache whose last rows may branch: how many positions it holds, what becomes of them, where the latest append began."""

    stack: Any = None  # as of Sequence
    replay: Any = None
    slow_reason: Any = ""

    def __init__(self) -> None:
        self.length, self.append_start, self.tree = 0, 0, Tree()

    @property
    def text_length(self) -> int:
        """Positions of the text before all that branches."""
        return self.length - len(self.tree)

    def grow(self, n: int) -> None:
        """n rows have joined."""
        self.append_start, self.length = self.length, self.length + n

    def rollback(self, length: int) -> None:
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot roll back to {length} positions: the cache holds {self.length}")
        if self.tree:
            self.tree.truncate(max(0, length - self.text_length))
        self._crop(length)
        self.length = length

    def keep(self, path: Ids[int]) -> None:
        if not self.tree:
            if list(path) != list(range(len(path))):
                raise ValueError("a path of a chain keeps the first rows")
            return self.rollback(self.append_start + len(path))
        self.tree.check_path(path)
        text_length = self.text_length
        if list(path) != list(range(len(path))):
            self._gather(text_length, path)
        self.rollback(text_length + len(path))
        self.tree.truncate(0)

    def _gather(self, text_length: int, path: Ids[int]) -> None:
        """Move the rows of an ascending path, which count from position `text_length`, together there."""
        raise NotImplementedError

    def _crop(self, length: int) -> None:
        """Where positions that are forgotten must be let go of."""


class Stack(TreeCache):
    """Layers over a KV cache of their own, as a backend makes them. What one cannot do it says by these defaults."""

    fuses_head = False  # a head's inputs, layers and logits are one call

    @property
    def stack(self) -> "Stack":
        return self

    def fuses_draft(self, sampler: DraftSampler) -> bool:
        """Whether a block is drafted without leaving the device."""
        return False

    @staticmethod
    def draft_modules(*inputs: Any) -> Any:
        """A token by each of several modules in one launch; None where that cannot be done."""
        return None


MAX_PASS = 512  # positions a forward at most: bounds the memory of a long prefill


class Weights:
    """The tensors of a checkpoint, taken out one by one under their names; what is left at the end belongs to nobody. They are held as
    `backend` holds weights, in the type of that name."""

    def __init__(self, tensors: dict[str, Array], name: str, backend: Any, dtype: str):
        self.tensors, self.name, self.backend, self.dtype = dict(tensors), name, backend, dtype

    def take(self, key: str, *shape: int) -> Array:
        tensor = self.tensors.pop(key, None)
        if tensor is None:
            raise ModelError(f"{self.name}: the checkpoint lacks {key}")
        if shape_of(tensor) != shape:
            raise ModelError(f"{self.name}: {key} is {list(shape_of(tensor))} in the checkpoint and {list(shape)} by its config")
        return self.backend.convert(tensor, self.dtype)

    def size(self, key: str, dim: int) -> int:
        """Of a dimension that no config gives; 1 where the tensor lacks it or is not there, which `take` then refuses."""
        return (self.tensors[key].shape or (1,))[dim] if key in self else 1

    def __contains__(self, key: str) -> bool:
        return key in self.tensors


@dataclass(frozen=True, slots=True)
class Norm:
    """RMSNorm over the last dimension, of `size`: x/√(mean x² + ε)·weight."""

    weight: Array
    size: int
    eps: float


@dataclass(frozen=True, slots=True)
class Linear:
    """A fixed linear map. weight [out, in], bias [out] or None."""

    weight: Array
    bias: Array | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer: a Norm and a Linear each, as the backend has them."""

    attention_norm: Any
    qkv: Any
    qk_norm: Any  # over each of the query and key heads, or None
    out: Any
    mlp_norm: Any
    gate_up: Any
    down: Any


@dataclass(frozen=True, slots=True)
class Shape:
    """What the layers of a model have in common. `family` as transformers names it; `inner` is the MLP's width."""

    family: str
    width: int
    heads: int
    kv_heads: int
    size: int
    inner: int
    eps: float

    @classmethod
    def of(cls, config) -> "Shape":
        """From a transformers config."""
        heads = config.num_attention_heads
        size = getattr(config, "head_dim", None) or config.hidden_size // heads
        kv_heads = getattr(config, "num_key_value_heads", None) or heads
        return cls(config.model_type, config.hidden_size, heads, kv_heads, size, config.intermediate_size, config.rms_norm_eps)

    def layer(self, weights: Weights, at: str, norm: str = "input_layernorm", columns: int | None = None) -> Layer:
        """Take the layer whose names begin with `at`. `norm` names what normalises the attention's input of `columns`."""
        backend = weights.backend
        queries, keys, columns = self.heads * self.size, self.kv_heads * self.size, columns or self.width
        attention = at + "self_attn."

        def interleave(tensor):
            """Output rows of a q or k projection, reordered so that each rotary pair lies side by side: (i, i + D/2) → neighbours."""
            return tensor.reshape(-1, 2, self.size // 2, *tensor.shape[1:]).swapaxes(1, 2).reshape(tensor.shape)

        def qkv(kind, *columns):
            rows = ("q", queries), ("k", keys), ("v", keys)
            q, k, v = (weights.take(f"{attention}{part}_proj.{kind}", n, *columns) for part, n in rows)
            return concatenate([interleave(q), interleave(k), v])

        qk_norm = None
        if self.family == "qwen3":  # normalises each query and key head: one weight [heads, size] for all of them
            q, k = (weights.take(f"{attention}{part}_norm.weight", self.size) for part in "qk")
            both = concatenate([interleave(q)[None]] * self.heads + [interleave(k)[None]] * self.kv_heads)
            qk_norm = backend.Norm(both, self.size, self.eps)
        gate_up = [weights.take(f"{at}mlp.{part}_proj.weight", self.inner, self.width) for part in ("gate", "up")]
        return Layer(
            attention_norm=self.norm(weights, f"{at}{norm}.weight"),
            qkv=backend.LayerLinear(qkv("weight", columns), qkv("bias") if self.family == "qwen2" else None),
            qk_norm=qk_norm,
            out=backend.LayerLinear(weights.take(attention + "o_proj.weight", self.width, queries)),
            mlp_norm=self.norm(weights, at + "post_attention_layernorm.weight"),
            gate_up=backend.LayerLinear(concatenate(gate_up)),
            down=backend.LayerLinear(weights.take(at + "mlp.down_proj.weight", self.width, self.inner)),
        )

    def norm(self, weights: Weights, key: str) -> Any:
        return weights.backend.Norm(weights.take(key, self.width), self.width, self.eps)


def rotation(config, context: int) -> np.ndarray:
    """e^{i·position·frequency} for every position, [context, 1, size/2] complex: worked out in double precision and rounded,
    which gives the same numbers on every processor and in a browser."""
    size, kind = Shape.of(config).size, rope_parameters(config).get("rope_type", "default")
    if kind == "default":
        base = rope_parameters(config).get("rope_theta") or config.rope_theta
        exponents = -np.arange(0, size, 2, dtype=np.float32) / np.float32(size)
        frequency, factor = (float(base) ** exponents.astype(np.float64)).astype(np.float32), 1.0
    else:
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        tensor, factor = ROPE_INIT_FUNCTIONS[kind](config, "cpu")
        frequency = tensor.numpy()
    angle = np.outer(np.arange(context, dtype=np.float32), frequency).astype(np.float64)
    return (factor * np.cos(angle) + 1j * (factor * np.sin(angle))).astype(np.complex64)[:, None]


def rope_parameters(config) -> dict:
    return getattr(config, "rope_parameters", None) or {}
