"""Whether passes may be compiled here: a small random model is run both ways first, so that what a processor or a compiler gets wrong is seen."""

from functools import cache
from typing import Any

import torch

from ..compiled.compiler import forget, unavailable_reason
from .base import ForwardStep, one_line
from .layers import Shape, Weights
from .pytorch.backend import PyTorch

SHAPE = Shape("llama", width=64, heads=4, kv_heads=2, size=16, inner=96, eps=1e-6)
VOCABULARY, CONTEXT = 40, 64


def why_plain(device: torch.device, dtype: torch.dtype) -> str:
    """Why a pass there is not one compiled call, in a few words; empty if it is."""
    if device.type != "cpu":
        return f"the compiled pass is for a CPU, not {device.type}"
    return (
        unavailable_reason()
        or ("" if dtype == torch.float32 else f"the compiled pass sums in float32, not in {dtype}")
        or self_test()
    )


@cache
def self_test() -> str:
    """What is wrong with compiled passes here; empty if they give what the plain ones give. Once a process; it compiles what is not kept."""
    try:
        try:
            return difference()
        except Exception:  # of what is kept a file may be cut short
            forget()
            return difference()
    except Exception as error:  # a compiler that does not know this processor, or does not fit on this machine
        return f"compiled passes fail: {one_line(error)}"


@torch.inference_mode()
def difference() -> str:
    """How passes of a small model differ, compiled and plain; empty if they do not."""
    from ..compiled import rows
    from ..sampling import DraftSampler, Sampler
    from .compiled import Compiled

    weights, found = _weights(), []
    angles = torch.outer(torch.arange(CONTEXT, dtype=torch.float32), 1e4 ** (-torch.arange(0, 16, 2) / 16))
    backends: tuple[Any, ...] = Compiled(), PyTorch(torch.device("cpu"), torch.float32)
    for backend in backends:
        parts = Weights(weights, "a trial", "cpu", backend.stored({torch.bfloat16}))
        matrix = backend.Linear(parts.take("embedding.weight", VOCABULARY, SHAPE.width))
        step = ForwardStep(backend.Table(matrix), backend.Head(SHAPE.norm(parts, "norm.weight"), matrix), vocabulary=VOCABULARY)
        layers, rope = (
            backend.lay([SHAPE.layer(parts, "")], 1),
            backend.rope_cache(torch.polar(torch.ones_like(angles), angles)[:, None]),
        )
        stack = backend.stack(layers, SHAPE, rope, CONTEXT)
        logits = [stack.logits(step, [*range(i, i + n)], n, {}) for i, n in ((0, 9), (9, 1), (10, 5))]
        hidden = backend.stack(layers, SHAPE, rope, CONTEXT).forward(weights["embedding.weight"][:3].float())
        drafted = stack.draft(step, DraftSampler(Sampler(0.0), VOCABULARY), [int(logits[-1][-1].argmax())], 3, None)
        found.append((torch.cat([*(row.flatten() for row in logits), hidden.flatten()]), drafted and [*map(int, drafted[0])]))
    (ours, ids), (plain, expected) = found
    if not torch.allclose(ours, plain, atol=1e-3, rtol=1e-3) or ids != expected:
        return "compiled passes differ from plain ones"
    return rows.self_test()


def _weights() -> dict[str, torch.Tensor]:
    random, size = torch.Generator().manual_seed(0), SHAPE.size
    queries, keys, width, inner = SHAPE.heads * size, SHAPE.kv_heads * size, SHAPE.width, SHAPE.inner
    sizes = {"self_attn.q_proj": (queries, width), "self_attn.o_proj": (width, queries), "mlp.down_proj": (width, inner)}
    sizes |= {f"mlp.{part}_proj": (inner, width) for part in ("gate", "up")}
    sizes |= {f"self_attn.{part}_proj": (keys, width) for part in "kv"}
    weights = {f"{part}.weight": torch.randn(size, generator=random) * size[1] ** -0.5 for part, size in sizes.items()}
    weights["embedding.weight"] = torch.randn(VOCABULARY, width, generator=random)
    weights |= {
        f"{norm}.weight": torch.rand(width, generator=random) for norm in ("input_layernorm", "post_attention_layernorm", "norm")
    }
    return {key: w.bfloat16() for key, w in weights.items()}
