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
        self.record, self.ready = record or on_device, {}
        self.eager = ""

    def __call__(self, key: Hashable, function: Function, *inputs: torch.Tensor) -> Outputs:
        """function(*inputs). Of one key, everything but the values in `inputs` is the same at every call."""
        if key not in self.ready:
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
    """Record on the device of the inputs.

    All recordings share one pool of memory: what one of them needs between its first kernel and its last may be what another
    needs, since they are replayed one after the other on one stream. What comes out is held here, so nothing else gets its place."""
    own = tuple(x.clone() for x in inputs)
    with _one_at_a_time:
        torch.cuda.synchronize()
        before, (aside, pool) = torch.cuda.current_stream(), _apart(own[0].device)
        try:
            for _ in range(WARM):  # on the stream that replays run on: never beside one, whose workspace it may use
                function(*own)
            graph = torch.cuda.CUDAGraph()
            # thread_local: another thread that loads a model meanwhile does no harm
            with torch.cuda.graph(graph, pool=pool, stream=aside, capture_error_mode="thread_local"):
                out = function(*own)
        except BaseException:
            _apart.cache_clear()  # a recording that was refused may have left its pool open: the next one gets another
            raise
        finally:
            torch.cuda.set_stream(before)  # and its own stream in place
            torch.cuda.synchronize()

    def replay(*given: torch.Tensor) -> Outputs:
        for mine, x in zip(own, given, strict=True):
            mine.copy_(x)
        graph.replay()
        return out

    return replay


@cache
def _apart(device: torch.device):
    """The stream that recordings are made on, and the pool of memory that they share."""
    return torch.cuda.Stream(device), torch.cuda.graph_pool_handle()
