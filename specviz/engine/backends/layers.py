"""A checkpoint → Llama-shaped decoder layers: q, k, v in one product, gate and up in one product, rotary pairs side by side.

What runs them: compiled/ on a CPU; pytorch/ on a GPU, and where nothing can be compiled.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .base import ModelError

BLOCK = 512  # positions a forward at most: bounds the memory of a long prefill


class Weights:
    """The tensors of a checkpoint, taken out one by one under their names; what is left at the end belongs to nobody."""

    def __init__(self, tensors: dict[str, torch.Tensor], name: str, device, dtype):
        self.tensors, self.name, self.device, self.dtype = dict(tensors), name, device, dtype

    def take(self, key: str, *shape: int) -> torch.Tensor:
        tensor = self.tensors.pop(key, None)
        if tensor is None:
            raise ModelError(f"{self.name}: the checkpoint lacks {key}")
        if tensor.shape != shape:
            raise ModelError(f"{self.name}: {key} is {list(tensor.shape)} in the checkpoint and {list(shape)} by its config")
        return tensor.to(self.device, self.dtype)

    def size(self, key: str, dim: int) -> int:
        """Of a dimension that no config gives; 1 where the tensor lacks it or is not there, which `take` then refuses."""
        return (self.tensors[key].shape or (1,))[dim] if key in self else 1

    def __contains__(self, key: str) -> bool:
        return key in self.tensors


class Norm:
    """RMSNorm over the last dimension, of `size`: x/√(mean x² + ε)·weight."""

    def __init__(self, weight: torch.Tensor, size: int, eps: float):
        self.weight, self.size, self.eps = weight, size, eps

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (self.size,), None, self.eps) * self.weight

    def fused(self, x: torch.Tensor) -> torch.Tensor:
        """The same in one kernel of a GPU, where launches cost more than sums. The product with the weight is not rounded twice."""
        if self.weight.ndim == 1:
            return F.rms_norm(x, (self.size,), self.weight, self.eps)
        return F.rms_norm(x, (self.size,), None, self.eps).mul_(self.weight)


class Linear:
    """A fixed linear map. weight [out, in], bias [out] or None; call with x [n, in] → [n, out]."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None):
        self.weight, self.bias = weight, bias

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight, self.bias)

    def onto(self, x: torch.Tensor, sum: torch.Tensor, own: bool) -> torch.Tensor:
        """sum + the map of x, in one kernel where there is one that adds. `own`: the sum may be overwritten."""
        if self.bias is not None:
            return self(x).add_(sum)
        turned = self.weight.t()  # of this moment: a kept view is packed as a second tensor where tensors are (zero.py)
        return sum.addmm_(x, turned) if own else torch.addmm(sum, x, turned)

    def holds(self, weight: torch.Tensor) -> bool:
        return torch.equal(weight.to(self.weight), self.weight)


class Table:
    """A matrix [V, width] as embedding: n ids, a list or a tensor on the device → [n, width]."""

    def __init__(self, matrix: Linear):
        self.weight = matrix.weight

    def ids(self, ids) -> torch.Tensor:
        """`ids` on the device. Nothing waits for the copy: what is small is staged before the call returns."""
        return ids if isinstance(ids, torch.Tensor) else torch.tensor(ids).to(self.weight.device, non_blocking=True)

    def __call__(self, ids) -> torch.Tensor:
        return self.weight.index_select(0, self.ids(ids))


class Head:
    """The last norm and the matrix that makes logits: hidden states [n, width] → [n, V]."""

    def __init__(self, norm: Norm, matrix: Linear):
        self.norm, self.matrix = norm, matrix

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.matrix(self.norm(x))


class Entry:
    """How a head that drafts takes features and the embeddings of the tokens that follow them, [n, width] each: features with normed
    embeddings beside them (arXiv 2503.01840 §3.1), or both normed and joined by a map of [embedding, feature] (multi-token
    modules, arXiv 2412.19437 §2.2). Gives what its layer takes, and what stands beside that or None."""

    def __init__(self, token_norm: Norm, feature_norm: Norm | None = None, join: Callable | None = None):
        self.token_norm, self.feature_norm, self.join = token_norm, feature_norm, join

    def __call__(self, features: torch.Tensor, embedded: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        tokens = self.token_norm(embedded)
        if self.feature_norm is None or self.join is None:
            return features, tokens
        return self.join(torch.cat([tokens, self.feature_norm(features)], -1)), None


class TokenLink:
    """What a token adds to the logits of the place after it, in a block whose places know nothing of one another otherwise: a product of
    low rank. `before` [V, rank], `after` from rank to V. The id of a token [1] → [1, V]."""

    def __init__(self, before: torch.Tensor, after: Linear):
        self.before, self.after = before, after

    def __call__(self, id: torch.Tensor) -> torch.Tensor:
        return self.after(self.before.index_select(0, id))


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer."""

    attention_norm: Norm
    qkv: Linear
    qk_norm: Norm | None  # over each of the query and key heads
    out: Linear
    mlp_norm: Norm
    gate_up: Linear
    down: Linear


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
        pairs = torch.arange(self.size).view(2, -1).t().reshape(-1)  # (i, i + D/2) → neighbours
        queries, keys, columns = self.heads * self.size, self.kv_heads * self.size, columns or self.width
        attention = at + "self_attn."

        def neighbours(tensor):
            """Output rows of a q or k projection, reordered so that each rotary pair lies side by side."""
            return tensor.view(-1, self.size, *tensor.shape[1:])[:, pairs].reshape(tensor.shape)

        def qkv(kind, *columns):
            rows = ("q", queries), ("k", keys), ("v", keys)
            q, k, v = (weights.take(f"{attention}{part}_proj.{kind}", n, *columns) for part, n in rows)
            return torch.cat([neighbours(q), neighbours(k), v])

        qk_norm = None
        if self.family == "qwen3":  # normalises each query and key head: one weight [heads, size] for all of them
            q, k = (weights.take(f"{attention}{part}_norm.weight", self.size) for part in "qk")
            both = torch.cat([q[pairs].expand(self.heads, -1), k[pairs].expand(self.kv_heads, -1)])
            qk_norm = Norm(both, self.size, self.eps)
        gate_up = [weights.take(f"{at}mlp.{part}_proj.weight", self.inner, self.width) for part in ("gate", "up")]
        return Layer(
            attention_norm=self.norm(weights, f"{at}{norm}.weight"),
            qkv=Linear(qkv("weight", columns), qkv("bias") if self.family == "qwen2" else None),
            qk_norm=qk_norm,
            out=Linear(weights.take(attention + "o_proj.weight", self.width, queries)),
            mlp_norm=self.norm(weights, at + "post_attention_layernorm.weight"),
            gate_up=Linear(torch.cat(gate_up)),
            down=Linear(weights.take(at + "mlp.down_proj.weight", self.width, self.inner)),
        )

    def norm(self, weights: Weights, key: str) -> Norm:
        return Norm(weights.take(key, self.width), self.width, self.eps)


def rotation(config, context: int) -> torch.Tensor:
    """e^{i·position·frequency} for every position, [context, 1, size/2] complex: worked out in double precision and rounded, which gives the
    same numbers on every processor and in a browser."""
    size, kind = Shape.of(config).size, rope_parameters(config).get("rope_type", "default")
    if kind == "default":
        base = rope_parameters(config).get("rope_theta") or config.rope_theta
        frequency, factor = (base ** (-torch.arange(0, size, 2, dtype=torch.float32) / size).double()).float(), 1.0
    else:
        from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

        frequency, factor = ROPE_INIT_FUNCTIONS[kind](config, "cpu")
    angle = torch.outer(torch.arange(context, dtype=torch.float32), frequency)
    return torch.polar(torch.full_like(angle, factor).double(), angle.double()).to(torch.complex64)[:, None]


def rope_parameters(config) -> dict:
    return getattr(config, "rope_parameters", None) or {}
