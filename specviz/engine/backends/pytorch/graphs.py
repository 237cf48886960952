"""CUDA graphs: a function of tensors recorded once per shape and replayed as one launch.

A forward of a small model is a few hundred kernels of microseconds each, and launching them one by one takes longer than
running them. A graph launches them all. It reads and writes the addresses that it was recorded with: so what changes from
call to call is copied into tensors of the graph's own, and what comes out is overwritten by the next replay.
"""

import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import cache

import torch

from ...machine import Recording
from ...model import one_line

_recording_lock = threading.Lock()
_kept_graphs: list[torch.cuda.CUDAGraph] = []
"""For good: a tiny graph of every pool, since with a pool's last graph goes the memory that libraries work in; and those whose recording
failed, since where one is destroyed some versions of PyTorch take a capture to be under way from then on (pytorch #180395, #190308)."""
WARM_UP_RUNS = 3  # runs before a recording: libraries choose kernels and take workspace, which a recording may not
MAX_GRAPHS = 128  # recordings kept for a cache, some 50 kB each; what was asked for longest ago makes room
Outputs = torch.Tensor | tuple[torch.Tensor, ...]
Function = Callable[..., Outputs]


class Graphs:
    """Recordings by key, made when first asked for. `record(function, inputs)` → what replays it.

    Where a recording fails the function runs as it is, and `failed` says why."""

    def __init__(self, record: Callable[[Function, tuple], Function] | None = None):
        self.record, self.failed = record or on_device, ""
        self.replays: dict[Hashable, Function] = {}

    def __call__(self, key: Hashable, function: Function, *inputs: torch.Tensor) -> Outputs:
        """function(*inputs). Of one key, everything but the values in `inputs` is the same at every call."""
        if key in self.replays:
            self.replays[key] = self.replays.pop(key)  # the last to go
        else:
            with _recording_lock:
                if inputs[0].is_cuda:  # what was given to the device before is waited for, and is not what recording takes
                    torch.cuda.synchronize()
                started = time.perf_counter()
                try:
                    self.replays[key] = self.record(function, inputs)
                except Exception as error:  # out of memory, an operator that cannot be recorded: slower, and no less right
                    self.replays[key], self.failed = function, one_line(error)
                if len(self.replays) > MAX_GRAPHS:
                    del self.replays[next(iter(self.replays))]
                Recording.seconds += time.perf_counter() - started
        return self.replays[key](*inputs)


def on_device(function: Function, inputs: tuple[torch.Tensor, ...]) -> Function:
    """Record on the device of the inputs; one recording at a time.

    All recordings share one pool of memory: what one of them needs between its first kernel and its last may be what another
    needs, since they are replayed one after the other on one stream. So what comes out is copied out of the pool at the end: a
    graph that was recorded earlier, and replayed later, writes wherever it found room then."""
    own = tuple(x.clone() for x in inputs)
    for _ in range(WARM_UP_RUNS):  # on the stream that replays run on: never beside one, whose workspace it may use
        like = function(*own)
    one = isinstance(like, torch.Tensor)
    outputs = tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for x in _as_tuple(like))
    del like

    def copy_out():
        for mine, x in zip(outputs, _as_tuple(function(*own)), strict=True):
            mine.copy_(x)

    stream, pool = _stream_and_pool(own[0].device)
    try:
        graph = _capture(copy_out, stream, pool)
    except BaseException:
        _stream_and_pool.cache_clear()  # a recording that was refused may have left its pool open: the next one gets another
        raise

    def replay(*inputs: torch.Tensor) -> Outputs:
        for mine, x in zip(own, inputs, strict=True):
            mine.copy_(x)
        graph.replay()
        return outputs[0] if one else outputs

    return replay


def _as_tuple(out: Outputs) -> tuple[torch.Tensor, ...]:
    return (out,) if isinstance(out, torch.Tensor) else out


@cache
def _stream_and_pool(device: torch.device):
    """The stream that recordings are made on, and the pool of memory that they share, which a tiny graph holds."""
    stream, pool, one = torch.cuda.Stream(device), torch.cuda.graph_pool_handle(), torch.zeros(1, device=device)
    _kept_graphs.append(_capture(lambda: one.clone(), stream, pool))
    return stream, pool


def _capture(work: Callable[[], object], stream, pool) -> torch.cuda.CUDAGraph:
    """A graph of what `work` gives the device. Not by `torch.cuda.graph`, which also empties the cache of memory: what runs after it would
    have to ask the driver again."""
    before, graph = torch.cuda.current_stream(), torch.cuda.CUDAGraph()
    _kept_graphs.append(graph)  # before anything can fail
    torch.cuda.synchronize()
    torch.cuda.set_stream(stream)
    try:
        # thread_local: another thread that loads a model meanwhile does no harm
        graph.capture_begin(pool=pool, capture_error_mode="thread_local")
        try:
            work()
        except BaseException:
            with suppress(RuntimeError):  # that the capture is spoilt is known
                graph.capture_end()
            raise
        graph.capture_end()
    finally:
        torch.cuda.set_stream(before)
        torch.cuda.synchronize()
    _kept_graphs.remove(graph)
    return graph
