"""A stack of Llama-shaped decoder layers over a cache of keys and values that is theirs to fill and to roll back.

At one token a forward a small model spends its time on reading weights and on making calls, not on arithmetic, so: weights
laid out for that (linear.py), q, k, v in one product, gate and up in one product, a preallocated cache whose views are
taken once. Rotary pairs are stored side by side so that a rotation is one complex product.
"""

from dataclasses import dataclass
from functools import cache, lru_cache

import torch
import torch.nn.functional as F

from .base import ModelError, check_append, check_rollback
from .linear import Linear

SHORT = 17  # positions of the longest block that is verified: the largest K, and one
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

    def __contains__(self, key: str) -> bool:
        return key in self.tensors


class Norm:
    """RMSNorm over the last dimension, of `size`: x/√(mean x² + ε)·weight."""

    def __init__(self, weight: torch.Tensor, size: int, eps: float):
        self.weight, self.size, self.eps = weight, size, eps
        if weight.dtype == torch.float32:  # = x/√(|x|² + size·ε)·(√size·weight): four calls where F.rms_norm makes six
            self.scaled = weight * size**0.5
            self.floor = torch.tensor((size * eps) ** 0.5, device=weight.device)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if x.dtype != torch.float32:
            return F.rms_norm(x, (self.size,), None, self.eps) * self.weight
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return (x / length.hypot_(self.floor)).mul_(self.scaled)

    def fused(self, x: torch.Tensor) -> torch.Tensor:
        """The same in one kernel of a GPU, where launches cost more than sums. The product with the weight is not rounded twice."""
        if self.weight.ndim == 1:
            return F.rms_norm(x, (self.size,), self.weight, self.eps)
        return F.rms_norm(x, (self.size,), None, self.eps).mul_(self.weight)


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


class Stack:
    """The layers of one text: their keys and values, filled up to `length`. Views of the whole cache are taken once, here.

    rotation: [context, 1, size/2] complex, e^{i·position·frequency}."""

    eager = ""  # as of static.StaticStack: there is nothing here that could be slower than it should

    def __init__(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, capacity: int, device, dtype):
        self.layers, self.shape, self.rotation, self.capacity, self.length = layers, shape, rotation, capacity, 0
        self.device, self.dtype = device, dtype
        cache = torch.empty((len(layers), capacity, 2, shape.kv_heads, shape.size), dtype=dtype, device=device)
        self.rows = cache.flatten(2).unbind(0)  # a layer's [capacity, keys and values], as the projection writes them
        self.keys = cache[:, :, 0].permute(0, 2, 3, 1).unbind(0)  # [key heads, size, capacity]
        self.values = cache[:, :, 1].transpose(1, 2).unbind(0)  # [key heads, capacity, size]
        self.nothing = cache.new_zeros(1, 1, 1)

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    def forward(
        self, x: torch.Tensor, taps: dict[int, list] | None = None, until: int | None = None, beside=None
    ) -> torch.Tensor:
        """Hidden states [n, width] after the layers, or after the first `until` of them; n keys and values join the cache.

        `taps`: layer → list that gets what goes into that layer. `beside` [n, m]: put before the first layer's normed
        input (EAGLE's token embedding). x [n, width] is not changed."""
        s, n, start = self.shape, len(x), self.length
        check_append(n, start, self.capacity)
        end, rotation = start + n, self.rotation[start : start + n]
        group, queries, turned, scale = s.heads // s.kv_heads, s.heads * s.size, s.heads + s.kv_heads, s.size**-0.5
        # one position sees all that is there
        mask, masked = (self.nothing, 0) if n == 1 else (_mask(n, start, self.capacity, group, self.dtype, self.device), 1)
        for i, layer in enumerate(self.layers[:until]):
            if taps and i in taps:
                taps[i].append(x)
            normed = layer.attention_norm(x)
            if beside is not None and i == 0:
                normed = torch.cat([beside, normed], -1)
            qkv = layer.qkv(normed)
            if layer.qk_norm is not None:
                qk = qkv.view(n, -1, s.size)[:, :turned]
                qk.copy_(layer.qk_norm(qk))
            _rotate(qkv.view(n, -1, s.size // 2, 2), turned, rotation)
            self.rows[i].narrow(0, start, n).copy_(qkv[:, queries:])
            q = qkv[:, :queries]
            if n == 1:
                q = q.view(s.kv_heads, group, s.size)
            else:  # the queries that share a key head become rows of one product
                q = q.view(n, s.heads, s.size).transpose(0, 1)
                if group > 1:
                    q = q.reshape(s.kv_heads, group * n, s.size)
            scores = torch.baddbmm(mask, q, self.keys[i].narrow(2, 0, end), beta=masked, alpha=scale)
            attended = torch.bmm(scores.softmax(-1), self.values[i].narrow(1, 0, end))
            if n > 1:  # [heads, n, size] → [n, heads, size]; with one position they lie alike
                attended = attended.view(s.heads, n, s.size).transpose(0, 1)
            x = layer.out(attended.reshape(n, queries)).add_(x)
            gate, up = layer.gate_up(layer.mlp_norm(x)).chunk(2, -1)
            x = layer.down(F.silu(gate).mul_(up)).add_(x)
        self.length = end
        return x


def _rotate(pairs, turned, rotation):
    """Rotate, in place, the neighbouring pairs [n, heads, size/2, 2] of the first `turned` heads: the queries and keys."""
    if pairs.dtype == torch.float32:
        torch.view_as_complex(pairs)[:, :turned].mul_(rotation)
    else:
        pairs = pairs[:, :turned]
        pairs.copy_(torch.view_as_real(torch.view_as_complex(pairs.float()) * rotation))


def _mask(n, start, capacity, group, dtype, device):
    """What is added to the scores [1, group·n, start + n] of a block: −∞ where a position would see one after it.

    A window on a mask that was made once: all that lies before a block looks alike, so further on is only cut elsewhere."""
    if n > SHORT:
        return _whole_mask(n, start, group, dtype, device)
    room = 1 << (capacity - 1).bit_length()
    return _short_mask(n, room, group, dtype, device)[:, :, room - start :]


@lru_cache(256)
def _short_mask(n, past, group, dtype, device):
    return _whole_mask(n, past, group, dtype, device)


def _whole_mask(n, past, group, dtype, device):
    mask = torch.zeros(n, past + n, dtype=dtype, device=device)
    mask[:, past:] = _future(dtype, device)[:n, :n]
    return mask.repeat(group, 1)[None]


@cache
def _future(dtype, device):
    """−∞ above the diagonal [BLOCK, BLOCK]."""
    return torch.full((BLOCK, BLOCK), float("-inf"), dtype=dtype, device=device).triu(1)
