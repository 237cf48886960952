"""Clocks of a run: host seconds that wait for the device, and marks on the device that nobody waits for.

A GPU works behind the host: while one pass runs, the next one is already queued. To wait at every mark would empty the queue
three times a round and time the emptiness too, so the marks between phases are events on the device, read once the round is over.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from .arrays import Device
from .machine import Recording

THREAD = None if sys.platform == "win32" else time.thread_time  # Windows tells it in ticks of 16 ms, longer than a round


class Stopwatch:
    """Times one run on `device`. Recording graphs is left out of every time (graphs.py).

    `processor`: seconds for which the calling thread has had a processor; None where nobody says, and where passes wait for a disk or
    another process. Else a thread that decodes gives its own up only for helpers that are late: where it had one for less than the
    clock says, something else had that."""

    def __init__(self, clock: Callable[[], float], device: Device, processor: Callable[[], float] | None = THREAD):
        self.clock, self.device, self.processor = clock, device, processor
        self.worked: list[float] = []  # processor seconds where a round began and where it ended last
        self.events: list[Any] | None = None
        self.done: Any = None
        if device.type == "cuda":
            import torch

            self.cuda = torch.cuda
            self.events, self.done = [torch.cuda.Event(enable_timing=True) for _ in range(5)], torch.cuda.Event()
        self.stream: Any = None  # what marks go into: asked once a round, since to ask takes longer than to mark
        self.laps: list[float] = []  # host seconds; with events, what recording had taken by then
        self.marks: list[float] = []
        self.parts: list[float] = []  # seconds between laps of the round that just ended

    def __call__(self) -> float:
        """Seconds, once the device has done all that it was given."""
        if self.done:  # what this run gave, not the whole device: another thread may be recording, and would be spoilt
            self.done.record(self.stream)
            self.done.synchronize()
        return self.clock() - Recording.seconds

    def start(self) -> None:
        self.stream = self.cuda.current_stream() if self.events else None
        self.marks, self.laps = [self()], []
        self.worked = [self.processor()] if self.processor else []
        self._mark(self.marks[0])

    def lap(self) -> None:
        """Something was given to the device, which may still be at it: draft, then verify; then what decides, and what is
        looked at beside that, where they are."""
        self._mark(0.0 if self.events else self())

    def end(self) -> None:
        """All that was given is done: the decision is known, or the round is over."""
        self.marks.append(self())
        if len(self.marks) == 3:
            self.parts = [self._between(i) for i in range(len(self.laps) - 1)]
        if self.processor:
            self.worked[1:] = [self.processor()]

    def phases(self) -> tuple[float, float, float, float, float]:
        """ms of draft, verify, decide and the rest of the round that just ended, and of the look: the host waited for that
        together with the decision, but it is timed apart."""
        start, decided, ended = self.marks
        draft, verify, look = *self.parts[:2], self.parts[3] if len(self.parts) == 4 else 0.0
        decide, rest = decided - start - draft - verify - look, ended - decided
        return 1e3 * draft, 1e3 * verify, 1e3 * decide, 1e3 * rest, 1e3 * look

    def processor_ms(self) -> float | None:
        """ms for which this thread had a processor in the round that just ended; None where nobody says."""
        return 1e3 * (self.worked[1] - self.worked[0]) if self.processor else None

    def device_ms(self) -> float | None:
        """ms in which the device drafted, verified and decided in that round; None where the host itself does."""
        return 1e3 * sum(self.parts[:3]) if self.events else None

    def _between(self, i: int) -> float:
        passed = self.laps[i + 1] - self.laps[i]
        if self.events is None:
            return passed
        return max(0.0, self.events[i].elapsed_time(self.events[i + 1]) / 1e3 - passed)

    def _mark(self, now: float) -> None:
        if self.events:
            self.events[len(self.laps)].record(self.stream)
        self.laps.append(Recording.seconds if self.events else now)
