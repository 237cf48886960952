"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head).

At one token a forward a small model spends its time on reading weights and on making calls, not on arithmetic, so: weights
laid out for that (linear.py), q, k, v in one product, gate and up in one product, a preallocated cache whose views are
taken once a forward. Rotary pairs are stored side by side so that a rotation is one complex product.
"""

from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F

from ..trace import ModelInfo
from .base import ModelError, check_append, check_rollback
from .linear import Linear

FAMILIES = ("llama", "qwen2", "qwen3", "mistral")
ROTARY = ("default", "linear", "llama3")  # rotations that do not depend on the length of the text
BLOCK = 512  # positions a forward at most: bounds the memory of a long prefill


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
    if _head_size(config) % 2:
        return "an odd head size"
    return None


def _rope(config) -> dict:
    return getattr(config, "rope_parameters", None) or {}


def _head_size(config) -> int:
    return getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads


class Llama:
    """A Llama-shaped model from a transformers `config` and its state dict (names as `save_pretrained` writes them).

    Raises ModelError if the config is not one that this forward computes exactly, or a weight is missing or left over."""

    def __init__(self, config, weights: dict[str, torch.Tensor], name: str, device="cpu", dtype=torch.float32):
        if reason := unfit(config):
            raise ModelError(f"{name}: our forward pass does not do {reason}")
        self.device, self.dtype = torch.device(device), dtype
        self.vocabulary, self.context = config.vocab_size, config.max_position_embeddings
        self.heads, self.kv_heads, self.size = config.num_attention_heads, config.num_key_value_heads, _head_size(config)
        self.width, self.eps = config.hidden_size, config.rms_norm_eps
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=self.width,
            vocabulary=self.vocabulary,
            parameters=sum(w.numel() for w in weights.values()),
            dtype=str(dtype).removeprefix("torch."),
            forward="own",
        )
        self._load(config, dict(weights))
        self.rotation = self._rotation(config)

    def sequence(self, capacity: int) -> "LlamaSequence":
        return LlamaSequence(self, min(capacity, self.context))

    def _load(self, config, weights):
        name = self.info.name

        def take(key, *shape):
            tensor = weights.pop(key, None)
            if tensor is None:
                raise ModelError(f"{name}: the checkpoint lacks {key}")
            if tensor.shape != shape:
                raise ModelError(f"{name}: {key} is {list(tensor.shape)} in the checkpoint and {list(shape)} by its config")
            return tensor.to(self.device, self.dtype)

        def norm(key, size):
            return Norm(take(key, size), size, self.eps)

        pairs = torch.arange(self.size).view(2, -1).t().reshape(-1)  # (i, i + D/2) → neighbours

        def neighbours(tensor):
            """Output rows of a q or k projection, reordered so that each rotary pair lies side by side."""
            return tensor.view(-1, self.size, *tensor.shape[1:])[:, pairs].reshape(tensor.shape)

        def qkv(at):
            def parts(kind, *columns):
                q, k, v = (take(f"{at}{part}_proj.{kind}", n, *columns) for part, n in (("q", queries), ("k", keys), ("v", keys)))
                return torch.cat([neighbours(q), neighbours(k), v])

            return Linear(parts("weight", self.width), parts("bias") if config.model_type == "qwen2" else None)

        def qk_norm(at):
            """Qwen3 normalises each query and key head: one weight [heads, size] for all of them, None elsewhere."""
            if config.model_type != "qwen3":
                return None
            q, k = (take(f"{at}{part}_norm.weight", self.size) for part in "qk")
            return Norm(torch.cat([q[pairs].expand(self.heads, -1), k[pairs].expand(self.kv_heads, -1)]), self.size, self.eps)

        queries, keys, inner = self.heads * self.size, self.kv_heads * self.size, config.intermediate_size
        self.embedding = take("model.embed_tokens.weight", self.vocabulary, self.width)
        self.layers = []
        for i in range(config.num_hidden_layers):
            layer, attention = f"model.layers.{i}.", f"model.layers.{i}.self_attn."
            self.layers.append(
                Layer(
                    attention_norm=norm(layer + "input_layernorm.weight", self.width),
                    qkv=qkv(attention),
                    qk_norm=qk_norm(attention),
                    out=Linear(take(attention + "o_proj.weight", self.width, queries)),
                    mlp_norm=norm(layer + "post_attention_layernorm.weight", self.width),
                    gate_up=Linear(
                        torch.cat([take(f"{layer}mlp.{part}_proj.weight", inner, self.width) for part in ("gate", "up")])
                    ),
                    down=Linear(take(layer + "mlp.down_proj.weight", self.width, inner)),
                )
            )
        self.norm = norm("model.norm.weight", self.width)
        head = self.embedding
        if not config.tie_word_embeddings or "lm_head.weight" in weights:
            head = take("lm_head.weight", self.vocabulary, self.width)
        if config.tie_word_embeddings and not torch.equal(head, self.embedding):
            raise ModelError(f"{name}: the config ties the head to the embedding, the checkpoint does not")
        self.head = Linear(head)
        left = [key for key in weights if not key.endswith("rotary_emb.inv_freq")]
        if left:
            raise ModelError(f"{name}: the checkpoint holds {left[0]}, which our forward pass would leave out")

    def _rotation(self, config):
        """e^{i·position·frequency} for every position, [context, 1, size/2] complex."""
        kind = _rope(config).get("rope_type", "default")
        if kind == "default":
            base = _rope(config).get("rope_theta") or config.rope_theta
            frequency, factor = base ** (-torch.arange(0, self.size, 2, dtype=torch.float32) / self.size), 1.0
        else:
            from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

            frequency, factor = ROPE_INIT_FUNCTIONS[kind](config, "cpu")
        angle = torch.outer(torch.arange(self.context, dtype=torch.float32), frequency)
        return torch.polar(torch.full_like(angle, factor), angle)[:, None].to(self.device)


class LlamaSequence:
    """One text's keys and values, filled up to `length`; views of the whole cache are taken once, here."""

    def __init__(self, model: Llama, capacity: int):
        self.model, self.capacity, self.length = model, capacity, 0
        shape = (len(model.layers), capacity, 2, model.kv_heads, model.size)
        cache = torch.empty(shape, dtype=model.dtype, device=model.device)
        self.rows = cache.flatten(2).unbind(0)  # a layer's [capacity, keys and values], as the projection writes them
        self.keys = cache[:, :, 0].permute(0, 2, 3, 1).unbind(0)  # [key heads, size, capacity]
        self.values = cache[:, :, 1].transpose(1, 2).unbind(0)  # [key heads, capacity, size]
        self.nothing = cache.new_zeros(1, 1, 1)

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    def append(self, ids, keep: int | None = None) -> torch.Tensor:
        check_append(len(ids), self.length, self.capacity)
        m = self.model
        if len(ids) <= BLOCK:
            hidden = self._forward(ids)
        else:  # a long prefill goes in blocks, and only the last block's logits are to be had
            if keep is None or keep > 1:
                raise ValueError(f"an append of more than {BLOCK} positions keeps one row of logits")
            hidden = [self._forward(ids[i : i + BLOCK]) for i in range(0, len(ids), BLOCK)][-1]
        return m.head(m.norm(hidden if keep is None or keep >= len(ids) else hidden[-keep:]))

    def _forward(self, ids):
        """Hidden states [n, width] of n ids after the last layer; their keys and values join the cache."""
        m, n, start = self.model, len(ids), self.length
        end, group = start + n, m.heads // m.kv_heads
        queries, turned, scale = m.heads * m.size, m.heads + m.kv_heads, m.size**-0.5
        rotation = m.rotation[start:end]
        mask, masked = (self.nothing, 0) if n == 1 else (_mask(n, start, group, m.dtype, m.device), 1)
        x = m.embedding.narrow(0, ids[0], 1) if n == 1 else torch.embedding(m.embedding, torch.as_tensor(ids, device=m.device))
        for i, layer in enumerate(m.layers):
            qkv = layer.qkv(layer.attention_norm(x))
            if layer.qk_norm is not None:
                qk = qkv.view(n, -1, m.size)[:, :turned]
                qk.copy_(layer.qk_norm(qk))
            _rotate(qkv.view(n, -1, m.size // 2, 2), turned, rotation)
            self.rows[i].narrow(0, start, n).copy_(qkv[:, queries:])
            q = qkv[:, :queries]
            if n == 1:
                q = q.view(m.kv_heads, group, m.size)
            else:  # the queries that share a key head become rows of one product
                q = q.view(n, m.heads, m.size).transpose(0, 1).reshape(m.kv_heads, group * n, m.size)
            scores = torch.baddbmm(mask, q, self.keys[i].narrow(2, 0, end), beta=masked, alpha=scale)
            attended = torch.bmm(scores.softmax(-1), self.values[i].narrow(1, 0, end))
            if n > 1:  # [heads, n, size] → [n, heads, size]; with one position they lie alike
                attended = attended.view(m.heads, n, m.size).transpose(0, 1)
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


def _mask(n, start, group, dtype, device):
    """What is added to the scores [group·n, start + n] of a block: −∞ where a position would see one after it."""
    mask = torch.zeros(n, start + n, dtype=dtype, device=device)
    mask[:, start:] = _future(dtype, device)[:n, :n]
    return mask.repeat(group, 1)[None]


@cache
def _future(dtype, device):
    """−∞ above the diagonal [BLOCK, BLOCK]."""
    return torch.full((BLOCK, BLOCK), float("-inf"), dtype=dtype, device=device).triu(1)
