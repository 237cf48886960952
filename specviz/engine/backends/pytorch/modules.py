"""What a layer and a head are made of, by PyTorch's operations."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from ...arrays import BLOCKS, Array, is_tensor, to_type, type_name
from .. import layers


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


class Norm(layers.Norm):
    """Call with x [n, size]."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return F.rms_norm(x, (self.size,), None, self.eps) * self.weight

    def fused(self, x: torch.Tensor) -> torch.Tensor:
        """The same in one kernel of a GPU, where launches cost more than sums. The product with the weight is not rounded twice."""
        if self.weight.ndim == 1:
            return F.rms_norm(x, (self.size,), self.weight, self.eps)
        return F.rms_norm(x, (self.size,), None, self.eps).mul_(self.weight)


class Linear(layers.Linear):
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
