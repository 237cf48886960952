"""Our own forward pass by PyTorch's operations: the reference, on any device, and where a GPU replays it from CUDA graphs."""

from collections.abc import Iterable

import torch

from .. import layers
from ..layers import Layer, Shape
from .static import CachePool, StaticStack


class PyTorch:
    """How weights of one model are held and passed through. `pool`: its static caches."""

    Linear, Table, Head, Entry = layers.Linear, layers.Table, layers.Head, layers.Entry

    def __init__(self, device: torch.device, dtype: torch.dtype):
        self.device, self.dtype, self.pool = device, dtype, CachePool()

    def stored(self, dtypes: set[torch.dtype]) -> torch.dtype:
        """The type that weights are held in, whatever types the checkpoint has."""
        return self.dtype

    def lay(self, layers: Iterable[Layer], count: int) -> list[Layer]:
        """`count` layers as passes take them."""
        return list(layers)

    def rope_cache(self, rotation: torch.Tensor) -> torch.Tensor:
        """A rotation [context, 1, size/2] complex as passes take it."""
        return rotation.to(self.device)

    def stack(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, capacity: int, head=None) -> StaticStack:
        """An empty KV cache with `layers` over it."""
        return self.pool.lease(layers, shape, rope, capacity, self.device, self.dtype)

    def lanes(self, each: list[list[Layer]], shape: Shape, rope: torch.Tensor, capacity: int, head=None) -> list[StaticStack]:
        """A stack over each of some layers, which may hold one twice: of lengths of their own, in one lease."""
        return self.stack([layer for one in each for layer in one], shape, rope, capacity).lanes()
