"""Logits → the distribution that tokens are really drawn from → a token; and the arrays that all of it is of.

One list of filters serves target and draft, so p and q are always compared after the same temperature, top-k and top-p. Of tensors on a
device the same is done where they lie (tensors.py): numpy's arrays on a host, PyTorch's tensors on a device. PyTorch is imported
only where a tensor is there.

Of weights numpy has no bfloat16: the bits of it stand in uint16, which no checkpoint has weights in. A matrix in blocks, as GGUF files
have them, is an array of records [N, K/32].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..config import DecodeConfig
from .compiled.compiler import unavailable_reason

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
    if name == "Q8_0":
        return _as_q8_0(single)
    if name != "bfloat16":
        return single.astype(TYPES[name], copy=False)
    bits = single.view(np.uint32)
    return ((bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)).astype(np.uint16)


def _as_q8_0(weight: np.ndarray) -> np.ndarray:
    """float32 [N, K] in blocks [N, K/32]: 127 stands for the largest of each. What was in such blocks before is so again, to the bit."""
    numbers = weight.reshape(len(weight), -1, BLOCK_SIZE)
    blocks = np.zeros(numbers.shape[:2], BLOCKS["Q8_0"])
    blocks["scale"] = abs(numbers).max(-1) / np.float32(127)
    scale = blocks["scale"].astype(np.float32)[..., None]
    blocks["bits"] = np.clip(np.rint(np.divide(numbers, scale, where=scale > 0, out=np.zeros_like(numbers))), -127, 127)
    return blocks


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


UNIFORMS_AHEAD = 256  # uniforms that a host draws at once


class Filters(NamedTuple):
    """What leaves tokens out, in this order; without arguments nothing does. Of a sampler it is what a CUDA graph is recorded for."""

    top_k: int = 0
    top_p: float = 1.0


NO_FILTERS = Filters()


@dataclass(frozen=True)
class Sampler:
    """Temperature, then top-k, then top-p: in the order of transformers' `generate`. Temperature 0 is the limit: all
    mass is on the largest logit (the first of equals). Call with logits [n, V] for probabilities [n, V], float32."""

    temperature: float = 1.0
    filters: Filters = NO_FILTERS

    @classmethod
    def of(cls, config: DecodeConfig) -> "Sampler":
        return cls(config.temperature, NO_FILTERS if config.greedy else Filters(config.top_k, config.top_p))

    def __call__(self, logits: Array) -> Array:
        if is_tensor(logits):
            from .tensors import probabilities

            return probabilities(logits, self.temperature, self.filters)
        if self.greedy:
            return one_hot(logits.argmax(-1).tolist(), logits.shape[-1])
        logits = logits.astype(np.float32, copy=False)
        rows, temperature = compiled_rows(logits), self.temperature
        if rows and self.filters == NO_FILTERS:
            return rows.softmax(logits, temperature)
        scores = filtered_scores(logits if temperature == 1.0 else logits / np.float32(temperature), self.filters)
        return rows.softmax(scores, 1.0) if rows else softmax(scores)

    @property
    def greedy(self) -> bool:
        return self.temperature == 0

    def temperature_tensor(self, device) -> Array:
        """The temperature [1], float32, on the device: copied there once, since a run has one device."""
        if "_tensor" not in self.__dict__:
            import torch

            self.__dict__["_tensor"] = torch.tensor([self.temperature]).to(device, non_blocking=True)
        return self.__dict__["_tensor"]


@dataclass(frozen=True)
class DraftSampler:
    """How a drafter's tokens are drawn: by `sampler` over the first `vocabulary` ids, the target's; by `argmax` the largest logit is taken
    and nothing is drawn.

    A block ends after a token to which the draft model gave less than `confidence`, before filters, or once the product over the block
    is less than `cumulative_confidence`; 0 is off."""

    sampler: Sampler
    vocabulary: int
    argmax: bool = False
    confidence: float = 0.0
    cumulative_confidence: float = 0.0

    @classmethod
    def of(cls, config: DecodeConfig, vocabulary: int) -> "DraftSampler":
        return cls(Sampler.of(config), vocabulary, config.drafting == "argmax", config.confidence, config.survival)

    @property
    def ends_early(self) -> bool:
        """Whether a block may end by what was drafted, so that the host has to look at each token."""
        return bool(self.confidence or self.cumulative_confidence)

    @property
    def key(self) -> tuple:
        """What of it a graph is recorded for."""
        return self.vocabulary, self.argmax, self.sampler.filters


def fit_vocabulary(logits: Array, vocabulary: int) -> Array:
    """Cut or pad logits [n, V] to the target's vocabulary: ids past either end are padding that no tokenizer writes.

    It happens before q is formed, so q is still what tokens are drawn from."""
    missing = vocabulary - logits.shape[-1]
    if missing == 0:
        return logits
    if is_tensor(logits):
        from . import tensors

        return tensors.fit_vocabulary(logits, vocabulary)
    if missing > 0:
        return np.pad(logits, ((0, 0), (0, missing)), constant_values=-np.inf)
    return logits[:, :vocabulary]


def filtered_scores(scores: np.ndarray, filters: Filters) -> np.ndarray:
    """Scores [n, V], −inf where a filter leaves nothing: as transformers' processors, by the same sums (tests/engine/test_sampling.py)."""
    top_k, top_p = filters
    if top_k and top_k < scores.shape[-1]:
        least = np.partition(scores, -top_k, -1)[:, -top_k, None]
        scores = np.where(scores < least, -np.inf, scores).astype(np.float32, copy=False)
    if top_p < 1.0:
        order = scores.argsort(-1, kind="stable")
        rising = softmax(np.take_along_axis(scores, order, -1))
        outside = rising.cumsum(-1, dtype=np.float64).astype(np.float32) <= np.float32(1 - top_p)
        outside[:, -1] = False
        scores = scores.copy()
        np.put_along_axis(scores, order, np.where(outside, -np.inf, np.take_along_axis(scores, order, -1)), -1)
    return scores


def softmax(scores: np.ndarray) -> np.ndarray:
    """Of each row of [n, V], float32."""
    parts = np.exp(scores - scores.max(-1, keepdims=True))
    return parts / parts.sum(-1, keepdims=True)


def one_hot(ids: list[int], vocabulary: int) -> np.ndarray:
    """[n, V], float32: all of each row on its id."""
    rows = np.zeros((len(ids), vocabulary), np.float32)
    rows[np.arange(len(ids)), ids] = 1.0
    return rows


def draw(p: Array, u: Array) -> Array:
    """Draw by inverse transform: the first token whose cumulative probability exceeds u.

    p [n, V] probabilities (rows need not sum to exactly 1), u [n] uniforms in [0, 1) → ids [n]. A token with p = 0 is
    never drawn, whatever u is: sums run in float64, and there u·total < total for every u up to 1 − 2⁻⁵³, the largest."""
    if is_tensor(p):
        from . import tensors

        return tensors.draw(p, u)
    if rows := compiled_rows(p):
        return rows.draw(p, u)
    cumulative = p.cumsum(-1, dtype=np.float64)
    bounds = np.asarray(u, np.float64) * cumulative[:, -1]
    return np.array([row.searchsorted(bound, "right") for row, bound in zip(cumulative, bounds, strict=True)], np.int64)


def top_k(x: Array, most: int) -> tuple[list[list[int]], list[list[float]]]:
    """The ids of the `most` largest of each row of [n, V], in their order, and their values."""
    if rows := compiled_rows(x):
        return rows.top_k(x, most)
    most = min(most, x.shape[-1])
    if is_tensor(x):
        values, ids = x.topk(most)
    else:
        ids = (-x).argsort(-1, kind="stable")[:, :most]
        values = np.take_along_axis(x, ids, -1)
    return ids.tolist(), values.tolist()


def compiled_rows(x):
    """The module whose functions work on rows x [n, V] in one compiled call each (compiled/rows.py); None where that cannot be used."""
    return _rows() if isinstance(x, np.ndarray) and x.dtype == np.float32 and x.ndim == 2 else None


@cache
def _rows():
    if unavailable_reason():
        return None
    from .compiled import rows

    return None if rows.self_test() else rows


class Uniforms:
    """The one source of chance in a run: uniforms in [0, 1) from a seeded generator, on a device from PyTorch's own there.

    On a host two words of a Mersenne twister make the 53 bits of one number: to the bit those of PyTorch, by whose runs were recorded."""

    def __init__(self, seed: int, device: str = "cpu"):
        self.device = device
        self.on_host = Device(device).type == "cpu"
        self.ahead = np.empty(0)  # drawn and not yet used
        if self.on_host:
            self.words = twister_words(seed)
        else:
            import torch

            self.generator = torch.Generator(device).manual_seed(seed)

    def __call__(self, n: int) -> Array:
        """n uniforms, float64 [n]. On a host they are drawn ahead, many at once: there a generator gives the same numbers as one by one."""
        if not self.on_host:
            import torch

            return torch.rand(n, generator=self.generator, dtype=torch.float64, device=self.device)
        if len(self.ahead) < n:
            high, low = self.words(2 * (n + UNIFORMS_AHEAD)).astype(np.uint64).reshape(-1, 2).T
            more = ((high << np.uint64(32) | low) & np.uint64(2**53 - 1)) * 2.0**-53
            self.ahead = np.concatenate([self.ahead, more])
        u, self.ahead = self.ahead[:n], self.ahead[n:]
        return u


def twister_words(seed: int):
    """words(n): the next n words of 32 bits of a Mersenne twister, as PyTorch seeds it on a CPU."""
    source = np.random.RandomState(seed & 0xFFFFFFFF)
    return lambda n: np.frombuffer(source.bytes(4 * n), np.dtype("<u4"))
