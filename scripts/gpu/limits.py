"""The limits of a machine: how long one token must take, since every weight and every cached position is read for it.

floor_ms = 1e3 * read_bytes(config, parameters, 2, context) / copy_bandwidth(device)

The host gap is how much of a round the device has nothing to do. While the device works, the host prepares what comes next; only
where it does not manage, between rounds above all, the device waits. Measured by two runs that do the same: one as it is, and one
in which a kernel that only waits stands before each round, so that everything of the round is queued when its first kernel
starts. The second gives the time of the work.
"""

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median

import torch

from specviz.engine.machine import Stopwatch
from specviz.trace.events import Event, Prefill, Round

AHEAD = 8_000_000  # cycles of waiting, some 4 ms: more than the host needs to queue a round


def read_bytes(config, parameters: int, size: int, positions: int) -> int:
    """Bytes read for one token by a model of `config`, `parameters` in all, each of `size` bytes, that holds `positions`.

    Of the embedding one row is read, unless it is the head as well; of keys and values all positions are."""
    table = 0 if config.tie_word_embeddings else config.vocab_size * config.hidden_size
    head = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    cached = 2 * config.num_hidden_layers * config.num_key_value_heads * head * positions
    return (parameters - table + cached) * size


def copy_bandwidth(device: torch.device, size: int = 2 * 2**30, repeats: int = 20) -> float:
    """Bytes a second of a copy of `size` bytes within `device`, read and written both counted; the median."""
    source = torch.empty(size, dtype=torch.uint8, device=device).random_()
    target = torch.empty_like(source)
    if device.type != "cuda":
        return 2 * size / _median(lambda: target.copy_(source), repeats)
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 4)]
    for mark in marks[:-1]:  # between marks on the device: the host's call is not part of a copy
        mark.record()
        target.copy_(source)
    marks[-1].record()
    marks[-1].synchronize()
    return 2 * size / median([a.elapsed_time(b) / 1e3 for a, b in pairwise(marks)][3:])  # the first ones touch the memory


def read_bandwidth(size: int, repeats: int = 40) -> float:
    """Bytes a second at which torch's threads read `size` bytes of the host again and again, as decoding reads its weights: from a cache
    where they fit into one; the median."""
    numbers = torch.ones(size // 4)
    return numbers.nbytes / _median(numbers.sum, repeats)


def _median(function: Callable, repeats: int) -> float:
    times = []
    for _ in range(repeats + 3):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return median(times[3:])


class Busy(Stopwatch):
    """Adds up, in ms, what the device was busy with from a round's first kernel to its verdict. It times nothing else rightly."""

    def __init__(self, device: torch.device):
        super().__init__(time.perf_counter, device)
        self.busy = 0.0

    def start(self) -> None:
        super().start()
        torch.cuda._sleep(AHEAD)
        self.events[0].record()

    def end(self) -> None:
        first = len(self.marks) == 1
        if first and len(self.laps) == 3:  # decided on the host: then the verdict is known when the device is done
            self.lap()
        super().end()
        if first:
            self.busy += self.events[0].elapsed_time(self.events[3])


def host_gap(run: Callable[..., Iterator[Event]], device: torch.device) -> float | None:
    """1 − the device's busy time ÷ the wall time of the rounds. `run(clock=…)` begins a run, the same every time, whose graphs are
    recorded. None without a device that works beside the host."""
    if device.type != "cuda":
        return None
    began = ended = 0.0
    for event in run(clock=time.perf_counter):
        if isinstance(event, Prefill):
            began = time.perf_counter()
        elif isinstance(event, Round):
            ended = time.perf_counter()
    busy = Busy(device)
    for _ in run(clock=busy):
        pass
    return 1 - busy.busy / ((ended - began) * 1e3)
