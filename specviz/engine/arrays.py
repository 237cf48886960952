"""numpy's arrays on a host, PyTorch's tensors on a device: what the engine says alike of both. PyTorch is imported only where a tensor is there.

Of weights numpy has no bfloat16: the bits of it stand in uint16, which no checkpoint has weights in. A matrix in blocks, as GGUF files
have them, is an array of records [N, K/32].
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

Array = Any  # an array or a tensor
NAMES = {"uint16": "bfloat16", "float16": "float16", "float32": "float32"}  # of stored weights, by numpy's type
TYPES = {name: np.dtype(kind) for kind, name in NAMES.items()}
BLOCK_SIZE = 32  # weights of a row that share a scale: scale·bits + least
BLOCKS = {  # https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h; of 4 bits a byte holds weights i and 16 + i
    "Q4_1": np.dtype([("scale", "<f2"), ("least", "<f2"), ("bits", "u1", BLOCK_SIZE // 2)]),
    "Q8_0": np.dtype([("scale", "<f2"), ("bits", "i1", BLOCK_SIZE)]),
}


class Device(str):
    """A device by PyTorch's name for it, as cpu or cuda:0: PyTorch takes the string, and a host needs no more."""

    __slots__ = ()

    @property
    def type(self) -> str:
        """cpu or cuda."""
        return self.partition(":")[0]


CPU = Device("cpu")


def is_tensor(x: Any) -> bool:
    return hasattr(x, "data_ptr")


def on_host(x: Array) -> Array:
    """A tensor of the CPU as the array that it is, of half precision as float32; what is on a device, or an array, as it is."""
    if not is_tensor(x) or x.device.type != "cpu":
        return x
    return (x.float() if x.is_floating_point() and x.itemsize < 4 else x).detach().numpy()


def concatenate(parts: Sequence[Array], axis: int = 0) -> Array:
    """All of one kind, one after the other."""
    if not is_tensor(parts[0]):
        return np.concatenate(parts, axis)
    import torch

    return torch.cat(list(parts), axis)


def stored_array(weight: Array) -> np.ndarray:
    """A weight on the CPU as an array of what it is stored in."""
    if not is_tensor(weight):
        return weight
    import torch

    weight = weight.detach()
    return (weight.view(torch.uint16) if weight.dtype == torch.bfloat16 else weight).numpy()


def type_name(weight: Array) -> str:
    """The type of a stored weight as PyTorch names it: bfloat16, float16, float32; of others numpy's or PyTorch's own name."""
    name = str(weight.dtype).removeprefix("torch.")
    if is_tensor(weight):
        return name
    return next((block for block, kind in BLOCKS.items() if weight.dtype == kind), NAMES.get(name, name))


def shape_of(weight: Array) -> tuple[int, ...]:
    """Of a stored weight, in numbers."""
    return (len(weight), weight.shape[1] * BLOCK_SIZE) if type_name(weight) in BLOCKS else tuple(weight.shape)


def block_bits(blocks: np.ndarray) -> np.ndarray:
    """The whole numbers [N, K/32, 32] of a matrix in blocks: uint8 below 16, or int8."""
    bits = blocks["bits"]
    return bits if bits.shape[-1] == BLOCK_SIZE else np.concatenate([bits & np.uint8(15), bits >> np.uint8(4)], -1)


def to_type(weight: np.ndarray, name: str) -> np.ndarray:
    """A stored weight in another type, rounded to the nearest, of two to the even one."""
    if type_name(weight) == name:
        return weight
    single = to_float32(weight)
    if name != "bfloat16":
        return single.astype(TYPES[name], copy=False)
    bits = single.view(np.uint32)
    return ((bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)).astype(np.uint16)


def to_float32(weight: np.ndarray) -> np.ndarray:
    """A stored weight in float32, contiguous."""
    if type_name(weight) in BLOCKS:
        numbers = block_bits(weight) * weight["scale"].astype(np.float32)[..., None]
        if "least" in (weight.dtype.names or ()):
            numbers += weight["least"].astype(np.float32)[..., None]
        return numbers.reshape(len(weight), -1)
    if weight.dtype == np.uint16:
        return (np.ascontiguousarray(weight, np.uint32) << np.uint32(16)).view(np.float32)
    return np.ascontiguousarray(weight, np.float32)


def count_numbers(weights: Mapping[str, Array]) -> int:
    """How many numbers a checkpoint's tensors hold."""
    return sum(prod(shape_of(weight)) for weight in weights.values())


def is_finite(weight: np.ndarray) -> bool:
    """Whether a stored weight holds neither NaN nor infinity; whole numbers do not."""
    if weight.dtype == np.uint16:
        return not ((weight & np.uint16(0x7F80)) == np.uint16(0x7F80)).any()
    if type_name(weight) in BLOCKS:
        return all(is_finite(weight[part]) for part in weight.dtype.names or ())
    return weight.dtype.kind != "f" or bool(np.isfinite(weight).all())
