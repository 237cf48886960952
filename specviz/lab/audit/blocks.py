"""A Llama over a GGUF file's blocks of 4 and 8 bits, and an EAGLE head in blocks of 8, with activations in blocks of 8, in numpy:
operation by operation in float32.

Whole numbers stand at both sides of a product, so the smallest difference in a number may make it another one, and after thirty layers
nothing is left of how near two passes were. What such a run computes is therefore said to the last bit: which numbers are summed in which
order, each sum and product rounded by itself but for those of attention, where one rounding follows both if the processor has that.
"""

from typing import Any, NamedTuple

import numpy as np
from gguf import GGUFReader
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

ONE, LANES, BLOCK = np.float32(1), 16, 32
LEAST_SCALED = np.float32(1e-30)


class Matrix(NamedTuple):
    """W [N, K]: whole numbers [K/32, 32, N], and of each block scale and least number [K/32, N]; `least` None where it is 0."""

    numbers: np.ndarray
    scale: np.ndarray
    least: np.ndarray | None

    @classmethod
    def of(cls, tensor, order: np.ndarray | None = None) -> "Matrix":
        kind, rows = tensor.tensor_type.name, int(tensor.shape[1])
        raw = np.asarray(tensor.data).reshape(rows, -1, {"Q4_0": 18, "Q4_1": 20, "Q8_0": 34}[kind])
        raw = raw if order is None else raw[order]
        head = 4 if kind == "Q4_1" else 2
        scales = np.ascontiguousarray(raw[..., :head]).view(np.float16).astype(np.float32)
        bits = raw[..., head:]
        numbers = bits.view(np.int8) if kind == "Q8_0" else np.concatenate([bits & 15, bits >> 4], -1)
        least = {"Q4_0": -8 * scales[..., 0], "Q4_1": scales[..., -1], "Q8_0": None}[kind]
        return cls(
            np.ascontiguousarray(numbers.transpose(1, 2, 0), np.float32),
            np.ascontiguousarray(scales[..., 0].T),
            None if least is None else np.ascontiguousarray(least.T),
        )

    @classmethod
    def rounded(cls, weight: np.ndarray) -> "Matrix":
        """weight [N, K] in blocks of 8 bits: 127 stands for the largest of each."""
        numbers = weight.astype(np.float32).reshape(len(weight), -1, BLOCK).transpose(1, 2, 0)
        scale = (abs(numbers).max(1) / np.float32(127)).astype(np.float16).astype(np.float32)
        whole = np.rint(numbers / np.where(scale > 0, scale, np.float32(np.inf))[:, None])
        return cls(np.ascontiguousarray(whole.clip(-127, 127)), scale, None)

    def rows(self, ids: np.ndarray | list[int]) -> np.ndarray:
        """W's rows [n, K]."""
        each = self.numbers[..., ids] * self.scale[:, None, ids]
        if self.least is not None:
            each += self.least[:, None, ids]
        return each.transpose(2, 0, 1).reshape(len(ids), -1)

    def product(self, x: np.ndarray) -> np.ndarray:
        """x [n, K] → [n, N]: sums of whole numbers are exact, and block after block joins them."""
        blocks = x.reshape(len(x), -1, BLOCK).transpose(1, 0, 2)
        largest = abs(blocks).max(-1, keepdims=True)
        tiny = largest < LEAST_SCALED
        scale = np.where(tiny, np.float32(0), largest / np.float32(127))
        whole = np.rint(blocks * np.where(tiny, np.float32(0), np.float32(127) / np.where(tiny, ONE, largest)))
        total, y = scale * whole.sum(-1, keepdims=True), np.zeros((len(x), self.numbers.shape[2]), np.float32)
        for b in range(len(blocks)):
            if self.least is not None:
                y += self.least[b] * total[b]
            y += (self.scale[b] * scale[b]) * (whole[b] @ self.numbers[b])
        return y


def lane_sum(x: np.ndarray) -> np.ndarray:
    """Over the last axis: number j in lane j % 16, then one half of the lanes and the other; what is past the last 16 comes one by one."""
    whole = x.shape[-1] // LANES * LANES
    lanes = np.zeros((*x.shape[:-1], LANES), np.float32)
    for at in range(0, whole, LANES):
        lanes += x[..., at : at + LANES]
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    total = lanes[..., 0]
    for at in range(whole, x.shape[-1]):
        total = total + x[..., at]
    return total


def exp(x: np.ndarray) -> np.ndarray:
    """e^x of x ≤ 0 (Cephes, expf): by powers of two and a polynomial."""
    small, x = x < np.float32(-80), np.maximum(x, np.float32(-80))
    n = (x * np.float32(1.44269504) - np.float32(0.5)).astype(np.int32)
    whole = n.astype(np.float32)
    r = whole * np.float32(2.12194440e-4) + (x - whole * np.float32(0.693359375))
    y = np.full_like(r, np.float32(1.9875691500e-4))
    for c in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        y = y * r + np.float32(c)
    y = ((y * r * r + r) + ONE) * ((n + 127) << 23).view(np.float32)
    return np.where(small, np.float32(0), y)


def norm(x: np.ndarray, weight: np.ndarray, eps: np.float32) -> np.ndarray:
    scale = ONE / np.sqrt(lane_sum(x * x) / np.float32(x.shape[-1]) + eps)
    return x * scale[..., None] * weight


class Layers:
    """How layers are computed that have a config's shape. `fused`: one rounding follows product and sum of attention."""

    def __init__(self, config: Any, fused: bool):
        self.fused, self.eps = fused, np.float32(config.rms_norm_eps)
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.size = size = getattr(config, "head_dim", None) or config.hidden_size // self.heads
        self.pair = np.arange(size).reshape(2, -1).T.reshape(-1)
        if (kind := config.rope_parameters.get("rope_type", "default")) == "default":
            exponents = -np.arange(0, size, 2, dtype=np.float32) / np.float32(size)
            self.frequency = (float(config.rope_parameters["rope_theta"]) ** exponents.astype(np.float64)).astype(np.float32)
        else:
            self.frequency = ROPE_INIT_FUNCTIONS[kind](config, "cpu")[0].numpy()

    def side_by_side(self, heads: int) -> np.ndarray:
        """Where rows of that many heads come from, that each rotary pair of them be together."""
        return np.arange(heads * self.size).reshape(heads, self.size)[:, self.pair].reshape(-1)

    def _rotate(self, x: np.ndarray, first: int) -> np.ndarray:
        """x [n, heads, size], pairs side by side, from position `first` on."""
        positions = np.arange(first, first + len(x), dtype=np.float32)
        angle = np.outer(positions, self.frequency).astype(np.float64)[:, None]
        cos, sin, a, b = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32), x[..., ::2], x[..., 1::2]
        return np.stack([a * cos - b * sin, b * cos + a * sin], -1).reshape(x.shape)

    def _sum_of_products(self, pairs, shape) -> np.ndarray:
        """Of numbers that come two by two: one after the other, rounded once or twice."""
        total = np.zeros(shape, np.float32)
        for a, b in pairs:
            if self.fused:
                total = (a.astype(np.float64) * b + total).astype(np.float32)
            else:
                total = total + a * b
        return total

    def layer(
        self, x: np.ndarray, w: dict[str, Any], kept: list[np.ndarray], first: int, beside: np.ndarray | None = None
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """x [n, width], at the positions from `first` on, after a layer; and keys and values of all, of which `kept` has those before.
        `beside` [n, ·]: what attention takes before the normed x."""
        n, normed = len(x), norm(x, w["attn_norm"], self.eps)
        if beside is not None:
            normed = np.concatenate([beside, normed], -1)
        parts = {}
        for part in "qkv":
            value = w[f"attn_{part}"].product(normed)
            if (bias := w[f"bias_{part}"]) is not None:
                value = value + bias
            value = value.reshape(n, -1, self.size)
            if (weight := w.get(f"norm_{part}")) is not None:
                value = norm(value, weight, self.eps)
            parts[part] = value if part == "v" else self._rotate(value, first)
        old = [each[:first] for each in kept] or [each[:0] for each in (parts["k"], parts["v"])]
        cache = [np.concatenate([before, parts[part]]) for before, part in zip(old, "kv", strict=True)]
        group = self.heads // self.kv_heads
        keys, values = (each.repeat(group, 1).transpose(1, 0, 2) for each in cache)  # [heads, positions, size]
        queries = parts["q"].transpose(1, 0, 2)
        columns = ((queries[:, :, None, i], keys[:, None, :, i]) for i in range(self.size))
        scores = self._sum_of_products(columns, (self.heads, n, keys.shape[1]))
        scale = ONE / np.sqrt(np.float32(self.size))
        for m in range(n):
            seen = scores[:, m, : first + m + 1]
            chances = exp((seen - seen.max(-1, keepdims=True)) * scale)
            scores[:, m, : first + m + 1] = chances * (ONE / lane_sum(chances))[:, None]
            scores[:, m, first + m + 1 :] = 0
        positions = ((scores[:, :, None, j], values[:, None, j, :]) for j in range(keys.shape[1]))
        attended = self._sum_of_products(positions, (self.heads, n, self.size)).transpose(1, 0, 2).reshape(n, -1)
        x = x + w["attn_output"].product(attended)
        normed = norm(x, w["ffn_norm"], self.eps)
        gate, up = w["ffn_gate"].product(normed), w["ffn_up"].product(normed)
        small = exp(-abs(gate))
        sigmoid = np.where(gate >= 0, ONE, small) / (ONE + small)
        return x + w["ffn_down"].product(gate * sigmoid * up), cache


class BlockModel(Layers):
    """The pass of one file. `config`: as transformers reads it. Rows that two texts begin with are computed once."""

    def __init__(self, file, config: Any, fused: bool):
        tensors = {tensor.name: tensor for tensor in GGUFReader(file).tensors}
        super().__init__(config, fused)
        self.layers, self.text = config.num_hidden_layers, list[int]()
        halves, size, pair = (
            config.model_type != "llama",
            self.size,
            self.pair,
        )  # llama.cpp keeps each rotary pair of a llama side by side

        def vector(name: str, heads: int = 0) -> np.ndarray | None:
            if name not in tensors:
                return None
            numbers = np.asarray(tensors[name].data, np.float32)
            return numbers.reshape(-1, size)[:, pair].reshape(-1) if heads and halves else numbers

        def matrix(name: str, heads: int = 0) -> Matrix:
            return Matrix.of(tensors[name], self.side_by_side(heads) if heads and halves else None)

        turned = {"q": self.heads, "k": self.kv_heads, "v": 0}
        self.weights: list[dict[str, Any]] = []
        for i in range(self.layers):
            at = f"blk.{i}."
            parts: dict[str, Any] = {f"attn_{part}": matrix(f"{at}attn_{part}.weight", heads) for part, heads in turned.items()}
            parts |= {name: matrix(f"{at}{name}.weight") for name in ("attn_output", "ffn_gate", "ffn_up", "ffn_down")}
            parts |= {f"bias_{part}": vector(f"{at}attn_{part}.bias", heads) for part, heads in turned.items()}
            parts |= {f"norm_{part}": vector(f"{at}attn_{part}_norm.weight", 1) for part in "qk"}
            self.weights.append(parts | {name: vector(f"{at}{name}.weight") for name in ("attn_norm", "ffn_norm")})
        self.table = matrix("token_embd.weight")
        self.head = matrix("output.weight") if "output.weight" in tensors else self.table
        self.last_norm = np.asarray(tensors["output_norm.weight"].data, np.float32)
        self.kept: list[list[np.ndarray]] = [[] for _ in range(self.layers)]  # keys and values [n, kv_heads, size] of each layer
        self.inputs: list[np.ndarray] = []  # of each layer, and what leaves the last one [n, width]

    def states(self, text: list[int], keep: bool = True) -> list[np.ndarray]:
        """What goes into each layer at each position [n, width], and last what leaves the last layer. What it shares with the text that was
        kept before is not computed again; `keep`: in place of that, unless that begins with it."""
        pairs = zip(self.text, text, strict=False)
        same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(self.text), len(text)))
        if same == len(text):
            return [each[:same] for each in self.inputs]
        x = self.table.rows(text[same:])
        new, caches = [x], []
        for w, kept in zip(self.weights, self.kept, strict=True):
            x, cache = self.layer(x, w, kept, same)
            new.append(x)
            caches.append(cache)
        inputs = [np.concatenate([old[:same], more]) for old, more in zip(self.inputs or new, new, strict=True)]
        if keep:
            self.text, self.inputs, self.kept = [*text], inputs, caches
        return inputs

    def logits(self, text: list[int], keep: int, layers: int | None = None) -> np.ndarray:
        """[keep, V] after the last `keep` tokens; by the first `layers` only."""
        x = self.states(text, False)[self.layers if layers is None else layers]
        return self.head.product(self.last_norm_of(x[len(text) - keep :]))

    def last_norm_of(self, x: np.ndarray) -> np.ndarray:
        return norm(x, self.last_norm, self.eps)


NAMES = {
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


class EagleHead(Layers):
    """The pass of an EAGLE head over `model`. `w`: its checkpoint; `layers`: what the names of each begin with; `ids`: of the target's
    vocabulary, the rows that it drafts by where it has no matrix of its own, None for all."""

    def __init__(self, model: BlockModel, w: dict[str, np.ndarray], config: Any, layers: list[str], ids: np.ndarray | None):
        super().__init__(config, model.fused)
        self.model, self.token_norm, self.last_norm = model, w[f"{layers[0]}input_layernorm.weight"], w["norm.weight"]
        self.join, self.weights = Matrix.rounded(w["fc.weight"]), [self._weights(w, at) for at in layers]
        own = w["lm_head.weight"] if "lm_head.weight" in w else None if ids is None else model.head.rows(ids)
        self.head = model.head if own is None else Matrix.rounded(own)
        self.inputs, self.kept = np.zeros((0, 0), np.float32), [list[np.ndarray]() for _ in layers]

    def _weights(self, w: dict[str, np.ndarray], at: str) -> dict[str, Any]:
        parts: dict[str, Any] = {name: Matrix.rounded(w[f"{at}{key}.weight"]) for name, key in NAMES.items()}
        for part, heads in zip("qkv", (self.heads, self.kv_heads, 0), strict=True):
            key, order = f"{at}self_attn.{part}_proj", self.side_by_side(heads) if heads else slice(None)
            parts[f"attn_{part}"] = Matrix.rounded(w[f"{key}.weight"][order])
            parts[f"bias_{part}"] = w[f"{key}.bias"][order] if f"{key}.bias" in w else None
            own = w.get(f"{at}self_attn.{part}_norm.weight")
            parts[f"norm_{part}"] = None if own is None else own[self.pair]
        first = f"{at}hidden_norm.weight"
        parts["attn_norm"] = w[first] if first in w else w[f"{at}input_layernorm.weight"]
        return parts | {"ffn_norm": w[f"{at}post_attention_layernorm.weight"]}

    def features(self, states: list[np.ndarray]) -> np.ndarray:
        """What it makes of the target's [n, width] of several layers."""
        return self.join.product(np.concatenate(states, -1))

    def outputs(self, features: np.ndarray, tokens: list[int], keep: int) -> np.ndarray:
        """The last `keep` rows [keep, width] of what its layers make of features [n, width] and the token after each. What this shares with
        what came before is not computed again."""
        embedded = norm(self.model.table.rows(tokens), self.token_norm, self.eps)
        inputs = np.concatenate([embedded, features], -1)
        most = min(len(self.inputs), len(inputs) - keep)
        different = (self.inputs[:most] != inputs[:most]).any(-1).nonzero()[0] if most else ()
        same = int(different[0]) if len(different) else most
        x, beside, caches = features[same:], embedded[same:], []
        for w, kept in zip(self.weights, self.kept, strict=True):
            x, cache = self.layer(x, w, kept, same, beside)
            caches.append(cache)
            beside = None
        self.inputs, self.kept = inputs, caches
        return x[-keep:]

    def logits(self, x: np.ndarray) -> np.ndarray:
        """x [n, width] → [n, own vocabulary]."""
        return self.head.product(norm(x, self.last_norm, self.eps))
