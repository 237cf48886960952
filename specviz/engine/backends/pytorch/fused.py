"""Which parts a layer is made of (modules.py): our own kernels where they run on this device, agree with PyTorch and are as fast,
else PyTorch's."""

from collections.abc import Callable
from functools import cache
from subprocess import CalledProcessError

import torch

from ...model import Shape, one_line
from .graphs import Graphs
from .modules import Branches, Norm, TorchParts

TEST_POSITIONS = 128  # positions of the cache that both ways are compared on
TEXT_POSITIONS, BOUND = 700, 1024  # and held, of how many, where they are timed
SLOWER = 1.05  # what ours may take of PyTorch's time, for what a clock cannot tell apart


def choose_parts(shape: Shape, rotation: torch.Tensor, dtype: torch.dtype) -> TorchParts:
    """`FusedParts` where it may be used, else `TorchParts`."""
    own = None if not_fused_reason(shape, rotation.device, dtype) else _kernels()
    return (own or TorchParts)(shape, rotation)


@cache
def not_fused_reason(shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """Why PyTorch's kernels are used there and not our own; empty if our own are. They are tried once a process for each shape."""
    if device.type != "cuda":
        return f"our own are for CUDA, not {device.type}"
    own = _kernels()
    return "Triton is not installed" if own is None else self_test(own, shape, device, dtype)


@cache
def _kernels() -> type[TorchParts] | None:
    try:
        from .kernels import FusedParts
    except ImportError:  # Triton comes with PyTorch for Linux
        return None
    return FusedParts


def self_test(
    make: type[TorchParts], shape: Shape, device: torch.device, dtype: torch.dtype, pace: Callable | None = None
) -> str:
    """What is wrong with `make`: the error that it raises, where it differs from TorchParts, or how much slower it is. Empty if nothing is.

    `pace(way, shape, device, dtype)`: µs of a layer's parts, or None where nobody can tell."""
    try:
        pace = pace or (_pace if device.type == "cuda" else None)
        return _difference(make, shape, device, dtype) or (_slower(make, shape, device, dtype, pace) if pace else "")
    except Exception as error:  # a compiler that is not there, a kernel that does not fit on this device
        if isinstance(error, CalledProcessError) or "C compiler" in str(error):  # what it compiles first includes Python.h
            return "Triton needs a C compiler and the headers of Python (on Debian and Ubuntu the packages gcc and python3-dev)"
        return one_line(error)


def _slower(make: type[TorchParts], shape: Shape, device, dtype, pace: Callable) -> str:
    theirs, ours = (pace(way, shape, device, dtype) for way in (TorchParts, make))
    if theirs is None or ours is None or ours <= SLOWER * theirs:
        return ""
    return f"they take {ours:.0f} µs a layer where PyTorch's take {theirs:.0f}"


def _pace(make: type[TorchParts], shape: Shape, device, dtype, repeats: int = 20) -> float | None:
    """µs of what is between the products of a layer, for one token after HELD, replayed as decoding replays it; None without recordings."""
    how, graphs = {"device": device, "dtype": dtype}, Graphs()
    angles = torch.zeros(BOUND, 1, shape.size // 2, device=device)
    way, start = make(shape, torch.polar(torch.ones_like(angles), angles)), torch.tensor([TEXT_POSITIONS], device=device)
    norm = Norm(torch.ones(shape.width, **how), shape.width, shape.eps)
    over_heads = Norm(torch.ones(shape.heads + shape.kv_heads, shape.size, **how), shape.size, shape.eps)
    cache = torch.zeros(2, shape.kv_heads, BOUND, shape.size, **how)

    def layer(qkv, x, gate_up):
        positions = way.positions(start, 0, 1, BOUND, dtype)
        attention = way.attention(qkv, over_heads if shape.family == "qwen3" else None, cache, positions)
        return attention, way.norm(norm, x), way.norm(norm, x), way.swiglu(gate_up)

    sizes = (shape.heads + 2 * shape.kv_heads) * shape.size, shape.width, 2 * shape.inner
    inputs = [torch.ones(1, size, **how) for size in sizes]
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(3):
        graphs("layer", layer, *inputs)
    begin.record()
    for _ in range(repeats):
        graphs("layer", layer, *inputs)
    end.record()
    end.synchronize()
    return None if graphs.failed else begin.elapsed_time(end) * 1e3 / repeats


def _difference(make: type[TorchParts], shape: Shape, device, dtype) -> str:
    generator, how = torch.Generator(device).manual_seed(0), {"device": device, "dtype": torch.float32}
    close = 1e-4 if dtype == torch.float32 else 0.05

    def some(*size):
        return torch.randn(*size, generator=generator, **how)

    rotation = torch.polar(torch.ones(TEST_POSITIONS, 1, shape.size // 2, **how), some(TEST_POSITIONS, 1, shape.size // 2))
    ways = TorchParts(shape, rotation), make(shape, rotation)
    weights = Norm(some(shape.width).to(dtype), shape.width, shape.eps)
    over_heads = Norm(some(shape.heads + shape.kv_heads, shape.size).to(dtype), shape.size, shape.eps)
    qk_norm = over_heads if shape.family == "qwen3" else None
    sees = torch.tensor([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [1, 0, 1, 1, 0], [1, 1, 0, 0, 1]], dtype=torch.bool, device=device)
    tree = Branches(torch.tensor([1, 1, 2, 2], device=device), sees)
    for n, texts, branches in ((1, 1, None), (5, 1, None), (3, 2, None), (4, 1, tree)):
        cache_before = some(2, texts * shape.kv_heads, TEST_POSITIONS, shape.size).to(dtype)
        qkv = some(texts * n, (shape.heads + 2 * shape.kv_heads) * shape.size).to(dtype)
        x, gate_up, start = some(n, shape.width).to(dtype), some(n, 2 * shape.inner).to(dtype), torch.tensor([70], device=device)
        outputs = []
        for way in ways:
            cache, positions = cache_before.clone(), way.positions(start, 2, n, TEST_POSITIONS, dtype, branches)
            attention = way.attention(qkv.clone(), qk_norm, cache, positions)
            outputs.append(
                {"attention": attention, "the cache": cache, "a norm": way.norm(weights, x), "a gate": way.swiglu(gate_up)}
            )
        for what, expected in outputs[0].items():
            if not torch.allclose(outputs[1][what].float(), expected.float(), atol=close, rtol=close):
                return f"{what} over {n} positions differs"
    return ""
