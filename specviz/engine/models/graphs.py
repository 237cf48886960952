"""CUDA graphs: a function of tensors recorded once per shape and replayed as one launch.

A forward of a small model is a few hundred kernels of microseconds each, and launching them one by one takes longer than
running them. A graph launches them all. It reads and writes the addresses that it was recorded with: so what changes from
call to call is copied into tensors of the graph's own, and what comes out is overwritten by the next replay.
"""

import threading
import time
from collections.abc import Callable, Hashable
from functools import cache

import torch

from .base import one_line

_one_at_a_time = threading.Lock()
_alive: list[
    torch.cuda.CUDAGraph
] = []  # every graph that was recorded, for good: where one dies PyTorch may free what the others' products work in
ALIVE = 4096  # of them, some 50 kB each; then no more are recorded
WARM = 3  # runs before a recording: libraries choose kernels and take workspace, which a recording may not
MOST = 128  # recordings kept; each temperature that somebody tries has its own
Outputs = torch.Tensor | tuple[torch.Tensor, ...]
Function = Callable[..., Outputs]


class Graphs:
    """Recordings by key, made when first asked for. `record(function, inputs)` → what replays it.

    Where a recording fails the function runs as it is, and `eager` says why. `seconds` is what all recordings of the process
    have taken: clocks leave it out (decode.py), and a run tells it apart from decoding."""

    seconds = 0.0

    def __init__(self, record: Callable[[Function, tuple], Function] | None = None):
        self.record, self.eager = record or on_device, ""
        self.ready: dict[Hashable, Function] = {}

    def __call__(self, key: Hashable, function: Function, *inputs: torch.Tensor) -> Outputs:
        """function(*inputs). Of one key, everything but the values in `inputs` is the same at every call."""
        if key not in self.ready:
            with _one_at_a_time:
                if inputs[0].is_cuda:  # what was given to the device before is waited for, and is not what recording takes
                    torch.cuda.synchronize()
                started = time.perf_counter()
                try:
                    self.ready[key] = self.record(function, inputs)
                except Exception as error:  # out of memory, an operator that cannot be recorded: slower, and no less right
                    self.ready[key], self.eager = function, one_line(error)
                Graphs.seconds += time.perf_counter() - started
            if len(self.ready) > MOST:
                del self.ready[next(iter(self.ready))]
        return self.ready[key](*inputs)


def on_device(function: Function, inputs: tuple[torch.Tensor, ...]) -> Function:
    """Record on the device of the inputs; one recording at a time.

    All recordings share one pool of memory: what one of them needs between its first kernel and its last may be what another
    needs, since they are replayed one after the other on one stream. So what comes out is copied out of the pool at the end: a
    graph that was recorded earlier, and replayed later, writes wherever it found room then."""
    if len(_alive) >= ALIVE:
        raise RuntimeError(f"{ALIVE} graphs have been recorded, and no more are")
    own = tuple(x.clone() for x in inputs)
    before, (aside, pool) = torch.cuda.current_stream(), _apart(own[0].device)
    try:
        for _ in range(WARM):  # on the stream that replays run on: never beside one, whose workspace it may use
            like = function(*own)
        one = isinstance(like, torch.Tensor)
        held = tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for x in _several(like))
        del like
        graph = torch.cuda.CUDAGraph()
        # thread_local: another thread that loads a model meanwhile does no harm
        with torch.cuda.graph(graph, pool=pool, stream=aside, capture_error_mode="thread_local"):
            made = function(*own)
            for mine, x in zip(held, _several(made), strict=True):
                mine.copy_(x)
            del made
    except BaseException:
        _apart.cache_clear()  # a recording that was refused may have left its pool open: the next one gets another
        raise
    finally:
        torch.cuda.set_stream(before)  # and its own stream in place
        torch.cuda.synchronize()
    _alive.append(graph)

    def replay(*given: torch.Tensor) -> Outputs:
        for mine, x in zip(own, given, strict=True):
            mine.copy_(x)
        graph.replay()
        return held[0] if one else held

    return replay


def _several(out: Outputs) -> tuple[torch.Tensor, ...]:
    return (out,) if isinstance(out, torch.Tensor) else out


@cache
def _apart(device: torch.device):
    """The stream that recordings are made on, and the pool of memory that they share."""
    return torch.cuda.Stream(device), torch.cuda.graph_pool_handle()
