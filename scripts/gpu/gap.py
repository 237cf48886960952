"""How much of a round the device has nothing to do: the host gap.

While the device works, the host prepares what comes next; only where it does not manage, between rounds above all, the device
waits. Measured by two runs that do the same: one as it is, and one in which a kernel that only waits stands before each round, so
that everything of the round is queued when its first kernel starts. The second one gives the time that the work itself takes.
"""

import time
from collections.abc import Callable, Iterator

import torch

from specviz.engine.stopwatch import Stopwatch
from specviz.trace.events import Event, Prefill, Round

AHEAD = 8_000_000  # cycles of waiting, some 4 ms: more than the host needs to queue a round


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
