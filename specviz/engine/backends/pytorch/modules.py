"""What a layer and a head are made of, by PyTorch's operations.

What a layer does between its matrix products, over a cache that stands still: norms, rotation, keeping, attention, gating.

Two ways, the same numbers: `TorchParts` by what PyTorch has, on any device and for blocks of any length; `Fused` (kernels.py) for the
few rows of decoding on a GPU, where at one token a dozen small kernels a layer take a quarter of the time that reading its weights
takes, and five do the same.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from ... import model
from ...model import Shape
from ...sampling import BLOCKS, Array, is_tensor, to_type, type_name


def tensor(weight: Array) -> torch.Tensor:
    """A stored weight as a tensor over the same memory, or decoded to bfloat16 where it lies in blocks."""
    if is_tensor(weight):
        return weight
    if type_name(weight) in BLOCKS:
        weight = to_type(weight, "bfloat16")
    loaded = torch.from_numpy(weight)
    return loaded.view(torch.bfloat16) if loaded.dtype == torch.uint16 else loaded


def on_device(ids: list[int] | torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """`ids` where another tensor is. Nothing waits for the copy: what is small is staged before the call returns."""
    return ids if isinstance(ids, torch.Tensor) else torch.tensor(ids).to(other.device, non_blocking=True)


class Norm(model.Norm):
    """Call with x [n, size]."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (self.size,), None, self.eps) * self.weight

    def fused(self, x: torch.Tensor) -> torch.Tensor:
        """The same in one kernel of a GPU, where launches cost more than sums. The product with the weight is not rounded twice."""
        if self.weight.ndim == 1:
            return F.rms_norm(x, (self.size,), self.weight, self.eps)
        return F.rms_norm(x, (self.size,), None, self.eps).mul_(self.weight)


class Linear(model.Linear):
    """Call with x [n, in] → [n, out]."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, self.weight, self.bias)

    def add_to(self, x: torch.Tensor, sum: torch.Tensor, own: bool) -> torch.Tensor:
        """sum + the map of x, in one kernel where there is one that adds. `own`: the sum may be overwritten."""
        if self.bias is not None:
            return self(x).add_(sum)
        transposed = self.weight.t()  # of this moment: a kept view is packed as a second tensor where tensors are (zero.py)
        return sum.addmm_(x, transposed) if own else torch.addmm(sum, x, transposed)

    def equals(self, weight: Array) -> bool:
        return torch.equal(tensor(weight).to(self.weight), self.weight)


class Table:
    """A matrix [V, width] as embedding: n ids, a list or a tensor on the device → [n, width]."""

    def __init__(self, matrix: Linear):
        self.weight = matrix.weight

    def ids(self, ids) -> torch.Tensor:
        return on_device(ids, self.weight)

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
    low rank. `before` [V, rank], `after` from rank to V. The id of a token [1], a list or a tensor → [1, V]."""

    def __init__(self, before: torch.Tensor, after: Linear):
        self.before, self.after = before, after

    def __call__(self, id: list[int] | torch.Tensor) -> torch.Tensor:
        return self.after(self.before.index_select(0, on_device(id, self.before)))


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
