"""What a layer does between its matrix products, over a cache that stands still: norms, rotation, keeping, attention, gating.

Two ways, the same numbers: `Plain` by what PyTorch has, on any device and for blocks of any length; `Fused` (kernels.py) for the
few rows of decoding on a GPU, where at one token a dozen small kernels a layer take a quarter of the time that reading its weights
takes, and five do the same.
"""

from dataclasses import dataclass
from functools import cache

import torch
import torch.nn.functional as F

from .base import one_line
from .layers import Norm, Shape

TRIED = 128  # positions of the cache that both ways are compared on


@dataclass(frozen=True, slots=True)
class Place:
    """Where n positions of every text go: `rows` [n] on the device, their rotation, and what is added to their scores
    [group·n, bound]."""

    rows: torch.Tensor
    rotation: torch.Tensor
    mask: torch.Tensor


class Plain:
    """By PyTorch. rotation: [context, 1, size/2] complex, e^{i·position·frequency}."""

    def __init__(self, shape: Shape, rotation: torch.Tensor):
        self.shape, self.rotation = shape, rotation
        self.group = shape.heads // shape.kv_heads

    def place(self, start: torch.Tensor, on: int, n: int, bound: int, dtype) -> Place:
        """Of n positions, the first of them `on` positions after `start` [1]; a cache of `bound`."""
        rows = start + torch.arange(on, on + n, device=start.device)
        mask = torch.zeros((n, bound), dtype=dtype, device=start.device)
        mask.masked_fill_(torch.arange(bound, device=start.device) > rows[:, None], float("-inf"))
        return Place(rows, self.rotation.index_select(0, rows), mask.repeat(self.group, 1))

    def norm(self, norm: Norm, x: torch.Tensor) -> torch.Tensor:
        return norm.fused(x)

    def attended(self, qkv: torch.Tensor, qk_norm: Norm | None, cache: torch.Tensor, place: Place) -> torch.Tensor:
        """qkv [texts·n, (heads + 2·kv_heads)·size], which is overwritten; cache [2, texts·kv_heads, bound, size] of keys and values,
        which n positions of every text join → [texts·n, heads·size]."""
        s, n = self.shape, len(place.rows)
        heads = qkv.view(-1, n, s.heads + 2 * s.kv_heads, s.size)
        qk = heads[:, :, : s.heads + s.kv_heads]
        pairs = (qk if qk_norm is None else qk_norm.fused(qk)).float().unflatten(-1, (-1, 2))
        qk.copy_(torch.view_as_real(torch.view_as_complex(pairs) * place.rotation).flatten(-2))
        new = heads[:, :, s.heads :].unflatten(2, (2, s.kv_heads)).permute(2, 0, 3, 1, 4)
        cache.index_copy_(2, place.rows, new.reshape(2, -1, n, s.size))
        # the queries that share a key head become rows of one product
        q = heads[:, :, : s.heads].transpose(1, 2).reshape(1, -1, self.group * n, s.size)
        found = F.scaled_dot_product_attention(q, cache[:1], cache[1:], attn_mask=place.mask)
        return found.view(-1, s.heads, n, s.size).transpose(1, 2).reshape(len(qkv), -1)

    def gated(self, gate_up: torch.Tensor) -> torch.Tensor:
        """[n, 2·inner] → silu(gate)·up [n, inner]."""
        gate, up = gate_up.chunk(2, -1)
        return F.silu(gate).mul_(up)


def fused(shape: Shape, rotation: torch.Tensor, dtype: torch.dtype) -> Plain:
    """`Fused` where it may be used, else `Plain`."""
    return (Plain if why_plain(shape, rotation.device, dtype) else _kernels())(shape, rotation)


@cache
def why_plain(shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """Why PyTorch's kernels are used there and not our own; empty if our own are. They are tried once a process for each shape."""
    if device.type != "cuda":
        return f"our own are for CUDA, not {device.type}"
    if _kernels() is None:
        return "Triton is not installed"
    return tried(_kernels(), shape, device, dtype)


@cache
def _kernels() -> type[Plain] | None:
    try:
        from .kernels import Fused
    except ImportError:  # Triton comes with PyTorch for Linux
        return None
    return Fused


def tried(make: type[Plain], shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """What is wrong with `make`: the error that it raises, or where it differs from Plain. Empty if it agrees."""
    try:
        return _difference(make, shape, device, dtype)
    except Exception as error:  # a compiler that is not there, a kernel that does not fit on this device
        return one_line(error)


def _difference(make: type[Plain], shape: Shape, device, dtype) -> str:
    generator, how = torch.Generator(device).manual_seed(0), {"device": device, "dtype": torch.float32}
    close = 1e-4 if dtype == torch.float32 else 0.05

    def some(*size):
        return torch.randn(*size, generator=generator, **how)

    rotation = torch.polar(torch.ones(TRIED, 1, shape.size // 2, **how), some(TRIED, 1, shape.size // 2))
    ways = Plain(shape, rotation), make(shape, rotation)
    weights = Norm(some(shape.width).to(dtype), shape.width, shape.eps)
    over_heads = Norm(some(shape.heads + shape.kv_heads, shape.size).to(dtype), shape.size, shape.eps)
    qk_norm = over_heads if shape.family == "qwen3" else None
    for n, texts in ((1, 1), (5, 1), (3, 2)):
        held = some(2, texts * shape.kv_heads, TRIED, shape.size).to(dtype)
        qkv = some(texts * n, (shape.heads + 2 * shape.kv_heads) * shape.size).to(dtype)
        x, gate_up, start = some(n, shape.width).to(dtype), some(n, 2 * shape.inner).to(dtype), torch.tensor([70], device=device)
        found = []
        for way in ways:
            cache, place = held.clone(), way.place(start, 2, n, TRIED, dtype)
            attended = way.attended(qkv.clone(), qk_norm, cache, place)
            found.append(
                {"attention": attended, "the cache": cache, "a norm": way.norm(weights, x), "a gate": way.gated(gate_up)}
            )
        for what, expected in found[0].items():
            if not torch.allclose(found[1][what].float(), expected.float(), atol=close, rtol=close):
                return f"{what} over {n} positions differs"
    return ""
