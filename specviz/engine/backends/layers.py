"""A checkpoint → Llama-shaped decoder layers: q, k, v in one product, gate and up in one product, rotary pairs side by side.

What runs them: compiled/ on a CPU; pytorch/ on a GPU, and where nothing can be compiled.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array, concatenate, shape_of
from .base import ModelError

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
    """e^{i·position·frequency} for every position, [context, 1, size/2] complex: worked out in double precision and rounded, which gives the
    same numbers on every processor and in a browser."""
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
