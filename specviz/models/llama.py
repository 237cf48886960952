"""Our own forward pass for Llama-shaped models: Llama, Qwen2, Qwen3, Mistral, SmolLM (rotary positions, RMSNorm,
grouped-query attention, gated MLP; optional bias on q, k, v; optional norm on q and k; tied or untied head).

At one token a forward a small model spends its time on calls, not on arithmetic, so: q, k, v in one product, gate and up
in one product, both residual sums inside a product, a preallocated cache, and in fp32 what can be folded into the weights
is (norm weights, the attention scale). Rotary pairs are stored side by side so that a rotation is one complex product.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from ..trace import ModelInfo
from .base import ModelError, check_append, check_rollback
from .linear import Linear

FAMILIES = ("llama", "qwen2", "qwen3", "mistral")
ROTARY = ("default", "linear", "llama3")  # rotations that do not depend on the length of the text
BLOCK = 512  # positions a forward at most: bounds the memory of a long prefill


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer. The norms are None where they are folded into the product that follows."""

    attention_norm: torch.Tensor | None
    qkv: Linear
    qk_norm: torch.Tensor | None  # [query heads + key heads, head size]
    out: Linear
    mlp_norm: torch.Tensor | None
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
        parameters = sum(w.numel() for w in weights.values())
        self.folded = dtype == torch.float32
        self._load(config, dict(weights), name)
        self.rotation = self._rotation(config)
        self.info = ModelInfo(
            name=name,
            family=config.model_type,
            layers=config.num_hidden_layers,
            width=self.width,
            vocabulary=self.vocabulary,
            parameters=parameters,
            dtype=str(dtype).removeprefix("torch."),
            forward="own",
        )

    def sequence(self, capacity: int) -> "LlamaSequence":
        return LlamaSequence(self, min(capacity, self.context))

    def _load(self, config, weights, name):
        def take(key, optional=False):
            tensor = weights.pop(key, None)
            if tensor is None and not optional:
                raise ModelError(f"{name}: the checkpoint lacks {key}")
            return None if tensor is None else tensor.to(self.device, torch.float32 if self.folded else self.dtype)

        def norm(key):
            """A norm's weight: (to fold into the next product, to apply on its own); one of the two is None."""
            weight = take(key)
            return (weight * self.width**0.5, None) if self.folded else (None, weight)

        def into(fold, weight):
            return weight if fold is None else weight * fold

        pairs = torch.arange(self.size).view(2, -1).t().reshape(-1)  # (i, i + D/2) → neighbours
        queries, keys = self.heads * self.size, self.kv_heads * self.size
        scale = torch.cat([torch.full((queries,), self.size**-0.5), torch.ones(2 * keys)]).to(self.device, self.dtype)

        def rotary_order(tensor, heads):
            return tensor.view(heads, self.size, -1)[:, pairs].reshape(tensor.shape)

        self.embedding = take("model.embed_tokens.weight")
        self.layers = []
        for i in range(config.num_hidden_layers):
            at = f"model.layers.{i}."
            fold, attention_norm = norm(at + "input_layernorm.weight")
            heads = {"q": self.heads, "k": self.kv_heads}
            qkv, bias = [], []
            for part in "qkv":
                weight = take(f"{at}self_attn.{part}_proj.weight")
                b = take(f"{at}self_attn.{part}_proj.bias", optional=True)
                qkv.append(rotary_order(weight, heads[part]) if part in heads else weight)
                if b is not None:
                    bias.append(rotary_order(b, heads[part]) if part in heads else b)
            qk_norm = self._qk_norm(take, at, pairs)
            if qk_norm is None:  # the attention scale rides on q; after a q norm it rides on that
                qkv, bias = [torch.cat(qkv) * scale[:, None]], [torch.cat(bias) * scale] if bias else []
            mlp_fold, mlp_norm = norm(at + "post_attention_layernorm.weight")
            gate_up = torch.cat([take(at + "mlp.gate_proj.weight"), take(at + "mlp.up_proj.weight")])
            self.layers.append(
                Layer(
                    attention_norm=attention_norm,
                    qkv=Linear(into(fold, torch.cat(qkv)), torch.cat(bias) if bias else None),
                    qk_norm=qk_norm,
                    out=Linear(take(at + "self_attn.o_proj.weight")),
                    mlp_norm=mlp_norm,
                    gate_up=Linear(into(mlp_fold, gate_up)),
                    down=Linear(take(at + "mlp.down_proj.weight")),
                )
            )
        fold, self.final_norm = norm("model.norm.weight")
        head = take("lm_head.weight", optional=True)
        if head is None and not config.tie_word_embeddings:
            raise ModelError(f"{name}: the checkpoint lacks lm_head.weight")
        if head is not None and config.tie_word_embeddings and not torch.equal(head, self.embedding):
            raise ModelError(f"{name}: the config ties the head to the embedding, the checkpoint does not")
        self.head = Linear(into(fold, self.embedding if config.tie_word_embeddings else head))
        weights = [key for key in weights if not key.endswith("rotary_emb.inv_freq")]
        if weights:
            raise ModelError(f"{name}: the checkpoint holds {weights[0]}, which our forward pass would leave out")
        # what `_normalise` divides by besides the length of x: √(width·ε), so that √(|x|² + width·ε) is one hypot
        self.floor = torch.full((1, 1), (self.width * self.eps) ** 0.5, device=self.device)
        self.head_floor = torch.full((1, 1, 1), (self.size * self.eps) ** 0.5, device=self.device)

    def _qk_norm(self, take, at, pairs):
        """Qwen3 normalises each query and key head: one weight [heads, size] for both, √size and attention scale folded in."""
        q, k = take(at + "self_attn.q_norm.weight", optional=True), take(at + "self_attn.k_norm.weight", optional=True)
        if q is None:
            return None
        unit = self.size**0.5 if self.folded else 1.0
        q, k = q[pairs] * (unit * self.size**-0.5), k[pairs] * unit
        return torch.cat([q.expand(self.heads, -1), k.expand(self.kv_heads, -1)])

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
    """One text's keys and values, [layers, 2, key heads, capacity, head size], filled up to `length`."""

    def __init__(self, model: Llama, capacity: int):
        self.model, self.capacity, self.length = model, capacity, 0
        shape = (len(model.layers), 2, model.kv_heads, capacity, model.size)
        self.cache = torch.empty(shape, dtype=model.dtype, device=model.device)

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    @torch.inference_mode()
    def append(self, ids, keep: int | None = None) -> torch.Tensor:
        check_append(len(ids), self.length, self.capacity)
        m = self.model
        ids = torch.as_tensor(ids, device=m.device)
        for block in ids.split(BLOCK):
            hidden = self._forward(block)
        keep = len(ids) if keep is None else keep
        if keep > len(hidden):  # only a prefill spans blocks, and it wants its last logits alone
            raise ValueError(f"logits are kept for at most {BLOCK} positions of a longer append")
        hidden = hidden[-keep:]
        return m.head(self._normalise(hidden, m.final_norm))

    def _normalise(self, x, weight):
        m = self.model
        if m.folded:  # x/√(|x|²/width + ε) without √width, which is in the weights: three calls where F.rms_norm makes six
            return x / torch.hypot(torch.linalg.vector_norm(x, dim=-1, keepdim=True), m.floor)
        return F.rms_norm(x, (m.width,), weight, m.eps)

    def _normalise_heads(self, qk, weight):
        m = self.model
        if m.folded:
            qk.div_(torch.hypot(torch.linalg.vector_norm(qk, dim=-1, keepdim=True), m.head_floor)).mul_(weight)
        else:
            qk.copy_(F.rms_norm(qk, (m.size,), None, m.eps) * weight)

    def _forward(self, ids):
        """Hidden states [n, width] of n ids after the last layer; their keys and values join the cache."""
        m, n, start = self.model, len(ids), self.length
        end, group = start + n, m.heads // m.kv_heads
        rotary = (m.heads + m.kv_heads) * m.size
        rotation = m.rotation[start:end]
        future = _future(n, m.dtype, m.device) if n > 1 else None
        slots = self.cache[:, :, :, start:end].unbind(0)
        keys = self.cache[:, 0, :, :end].transpose(-1, -2).unbind(0)
        values = self.cache[:, 1, :, :end].unbind(0)
        x = F.embedding(ids, m.embedding)
        for i, layer in enumerate(m.layers):
            qkv = layer.qkv(self._normalise(x, layer.attention_norm))
            qk = qkv[:, :rotary].view(n, -1, m.size)
            if layer.qk_norm is not None:
                self._normalise_heads(qk, layer.qk_norm)
            _rotate(qk, rotation)
            slots[i].copy_(qkv[:, m.heads * m.size :].view(n, 2, m.kv_heads, m.size).permute(1, 2, 0, 3))
            q = qk[:, : m.heads].transpose(0, 1)
            if group > 1:  # the queries that share a key head become rows of one product
                q = q.reshape(m.kv_heads, group * n, m.size)
            scores = torch.bmm(q, keys[i])
            if future is not None:
                scores.view(m.heads, n, end)[:, :, start:].add_(future)
            attended = torch.bmm(scores.softmax(-1), values[i])
            x = layer.out.add(x, attended.view(m.heads, n, m.size).transpose(0, 1).reshape(n, -1))
            gate, up = layer.gate_up(self._normalise(x, layer.mlp_norm)).chunk(2, -1)
            x = layer.down.add(x, F.silu(gate) * up)
        self.length = end
        return x


def _rotate(qk, rotation):
    """Rotate neighbouring pairs of qk [n, heads, size] in place."""
    if qk.dtype == torch.float32:
        torch.view_as_complex(qk.unflatten(-1, (-1, 2))).mul_(rotation)
    else:
        pairs = torch.view_as_complex(qk.float().unflatten(-1, (-1, 2)))
        qk.copy_(torch.view_as_real(pairs * rotation).flatten(-2))


_FUTURE: dict[tuple, torch.Tensor] = {}


def _future(n, dtype, device):
    """−∞ above the diagonal [n, n]: a position does not see those after it in its own block."""
    key = (n, dtype, device)
    if key not in _FUTURE:
        _FUTURE[key] = torch.full((n, n), float("-inf"), dtype=dtype, device=device).triu(1)
    return _FUTURE[key]
