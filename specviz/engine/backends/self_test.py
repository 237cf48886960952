"""Whether passes may be compiled here: a small random model is run by them and by numpy first, so that what a processor or a compiler gets wrong is seen."""

from functools import cache

import numpy as np

from ..arrays import BLOCK_SIZE, BLOCKS, Device, block_bits, to_float32, to_type
from ..compiled.compiler import clear_cache, unavailable_reason
from .base import ForwardStep, one_line
from .layers import Layer, Shape, Weights

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
    from ..compiled import rows
    from ..sampling import DraftSampler, Sampler
    from .compiled import Compiled

    weights, backend = _weights(layers_type, table_type), Compiled()
    angles = np.outer(np.arange(CONTEXT), 1e4 ** (-np.arange(0, SHAPE.size, 2) / SHAPE.size)).astype(np.float32)
    parts = Weights(weights, "a trial", backend, layers_type)
    matrix = backend.Linear(parts.take("embedding.weight", VOCABULARY, SHAPE.width))
    step = ForwardStep(backend.Table(matrix), backend.Head(SHAPE.norm(parts, "norm.weight"), matrix), vocabulary=VOCABULARY)
    layer = SHAPE.layer(parts, "")
    layers, rope = backend.pack_layers([layer], 1), backend.rope_cache(np.exp(1j * angles).astype(np.complex64)[:, None])
    stack = backend.stack(layers, SHAPE, rope, CONTEXT, step.head)
    ours = np.concatenate([stack.logits(step, [*range(i, i + n)], n, {}) for i, n in ((0, 9), (9, 1), (10, 5))])
    table = to_float32(weights["embedding.weight"])
    norm = to_float32(weights["norm.weight"])
    hidden = backend.stack(layers, SHAPE, rope, CONTEXT, step.head).forward(table[:3])
    drafted = stack.draft(step, DraftSampler(Sampler(0.0), VOCABULARY), [int(ours[-1].argmax())], 3, None)

    def plain(text: list[int]) -> np.ndarray:
        return _rms_norm(_layer_output(layer, table[text], angles), norm) @ table.T

    text = [*range(15)]
    for _ in range(4):
        text.append(int(plain(text)[-1].argmax()))
    pairs = (ours, plain(text[:15])), (hidden, _layer_output(layer, table[:3], angles))
    same = all(np.allclose(mine, other, atol=1e-3, rtol=1e-3) for mine, other in pairs)
    if not same or not drafted or drafted[0] != text[16:]:
        return "compiled passes differ from plain ones"
    return rows.self_test()


def _layer_output(layer: Layer, x: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """x [n, width], the first positions of a text, after one layer: as it is written in papers."""
    n, s = len(x), SHAPE
    qkv = _rms_norm(x, to_float32(layer.attention_norm.weight)) @ to_float32(layer.qkv.weight).T
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
    x = x + np.einsum("hij,jhd->ihd", chances, v).reshape(n, -1) @ to_float32(layer.out.weight).T
    gate, up = np.split(_rms_norm(x, to_float32(layer.mlp_norm.weight)) @ to_float32(layer.gate_up.weight).T, 2, -1)
    return x + (gate / (1 + np.exp(-gate)) * up) @ to_float32(layer.down.weight).T


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
