"""What a layer does between its matrix products, over a cache that stands still: norms, rotation, keeping, attention, gating.

Two ways, the same numbers: `TorchParts` by what PyTorch has, on any device and for blocks of any length; `Fused` (kernels.py) for the
few rows of decoding on a GPU, where at one token a dozen small kernels a layer take a quarter of the time that reading its weights
takes, and five do the same.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from ..layers import Shape
from .modules import Norm


@dataclass(frozen=True, slots=True)
class Branches:
    """Rows of a block that branches, on the device: `depths` [n] below the settled text, and what each of them `sees` [n, open] of the
    `open` rows after that text, of which the n are the last."""

    depths: torch.Tensor
    sees: torch.Tensor


@dataclass(frozen=True, slots=True)
class Positions:
    """Where n positions of every text go: `rows` [n] on the device, their rotation, and what is added to their scores
    [group·n, bound]."""

    rows: torch.Tensor
    rotation: torch.Tensor
    mask: torch.Tensor


class TorchParts:
    """By PyTorch. rotation: [context, 1, size/2] complex, e^{i·position·frequency}."""

    def __init__(self, shape: Shape, rotation: torch.Tensor):
        self.shape, self.rotation = shape, rotation
        self.group = shape.heads // shape.kv_heads

    def positions(self, start: torch.Tensor, on: int, n: int, bound: int, dtype, tree: Branches | None = None) -> Positions:
        """Of n positions, the first of them `on` positions after `start` [1]; a cache of `bound`."""
        rows = start + torch.arange(on, on + n, device=start.device)
        mask = torch.zeros((n, bound), dtype=dtype, device=start.device)
        at = torch.arange(bound, device=start.device)
        if tree is None:
            mask.masked_fill_(at > rows[:, None], float("-inf"))
            return Positions(rows, self.rotation.index_select(0, rows), mask.repeat(self.group, 1))
        text_length = start + on + n - tree.sees.shape[1]
        mask.masked_fill_(at >= text_length, float("-inf"))
        open_rows = text_length + torch.arange(tree.sees.shape[1], device=start.device)
        mask.index_copy_(1, open_rows, torch.zeros_like(tree.sees, dtype=dtype).masked_fill_(~tree.sees, float("-inf")))
        return Positions(rows, self.rotation.index_select(0, text_length + tree.depths), mask.repeat(self.group, 1))

    def norm(self, norm: Norm, x: torch.Tensor) -> torch.Tensor:
        return norm.fused(x)

    def attention(self, qkv: torch.Tensor, qk_norm: Norm | None, cache: torch.Tensor, positions: Positions) -> torch.Tensor:
        """qkv [texts·n, (heads + 2·kv_heads)·size], which is overwritten; cache [2, texts·kv_heads, bound, size] of keys and values,
        which n positions of every text join → [texts·n, heads·size]."""
        s, n = self.shape, len(positions.rows)
        heads = qkv.view(-1, n, s.heads + 2 * s.kv_heads, s.size)
        qk = heads[:, :, : s.heads + s.kv_heads]
        pairs = (qk if qk_norm is None else qk_norm.fused(qk)).float().unflatten(-1, (-1, 2))
        qk.copy_(torch.view_as_real(torch.view_as_complex(pairs) * positions.rotation).flatten(-2))
        new = heads[:, :, s.heads :].unflatten(2, (2, s.kv_heads)).permute(2, 0, 3, 1, 4)
        cache.index_copy_(2, positions.rows, new.reshape(2, -1, n, s.size))
        # the queries that share a key head become rows of one product
        q = heads[:, :, : s.heads].transpose(1, 2).reshape(1, -1, self.group * n, s.size)
        values = F.scaled_dot_product_attention(q, cache[:1], cache[1:], attn_mask=positions.mask)
        # what attends may pad its heads, and hand over a part of them: then these are no view
        return values.reshape(-1, s.heads, n, s.size).transpose(1, 2).reshape(len(qkv), -1)

    def swiglu(self, gate_up: torch.Tensor) -> torch.Tensor:
        """[n, 2·inner] → silu(gate)·up [n, inner]."""
        gate, up = gate_up.chunk(2, -1)
        return F.silu(gate).mul_(up)
