"""Our own forward pass by PyTorch's operations: the reference, on any device, and where a GPU replays it from CUDA graphs."""

from collections.abc import Iterable

import numpy as np
import torch

from ...arrays import Array
from ..layers import Layer, Shape
from . import modules
from .static import CachePool, StaticStack


class PyTorch:
    """How weights of one model are held and passed through. `pool`: its static caches."""

    Linear, Table, Head, Entry, Link = modules.Linear, modules.Table, modules.Head, modules.Entry, modules.TokenLink
    Norm, LayerLinear = modules.Norm, modules.Linear

    def __init__(self, device: str | torch.device, dtype: str | torch.dtype):
        self.device, self.pool = torch.device(device), CachePool()
        self.dtype: torch.dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype

    def weight_type(self, names: set[str]) -> str:
        """The type that weights are held in, whatever types the checkpoint has."""
        return str(self.dtype).removeprefix("torch.")

    def convert(self, weight: Array, dtype: str) -> torch.Tensor:
        """A stored weight in the type of that name, on the device."""
        return modules.tensor(weight).to(self.device, getattr(torch, dtype))

    def index_array(self, ids: list[int]) -> torch.Tensor:
        """Numbers of rows or tokens, on the device."""
        return torch.tensor(ids, dtype=torch.long).to(self.device, non_blocking=True)

    def no_features(self, width: int) -> torch.Tensor:
        """No rows of features [0, width]."""
        return torch.empty(0, width, dtype=self.dtype, device=self.device)

    def as_features(self, weight: Array) -> torch.Tensor:
        """A stored weight as features are held."""
        return modules.tensor(weight).to(self.device, self.dtype)

    def pack_layers(self, layers: Iterable[Layer], count: int) -> list[Layer]:
        """`count` layers as passes take them."""
        return list(layers)

    def rope_cache(self, rotation: np.ndarray) -> torch.Tensor:
        """A rotation [context, 1, size/2] complex as passes take it."""
        return torch.from_numpy(rotation).to(self.device)

    def stack(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, capacity: int, head=None) -> StaticStack:
        """An empty KV cache with `layers` over it."""
        return self.pool.lease(layers, shape, rope, capacity, self.device, self.dtype)

    def module_stacks(
        self, each: list[list[Layer]], shape: Shape, rope: torch.Tensor, capacity: int, head=None
    ) -> list[StaticStack]:
        """A stack over each of some layers, which may hold one twice: of lengths of their own, in one lease."""
        return self.stack([layer for one in each for layer in one], shape, rope, capacity).module_stacks()
