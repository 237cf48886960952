"""Clocks of a run: host seconds that wait for the device, and marks on the device that nobody waits for.

A GPU works behind the host: while one pass runs, the next one is already queued. To wait at every mark would empty the queue
three times a round and time the emptiness too, so the marks between phases are events on the device, read once the round is over.
"""

from collections.abc import Callable

import torch

from .graphs import Graphs


class Watch:
    """Times one run on `device`. Recording graphs is left out of every time (graphs.py)."""

    def __init__(self, clock: Callable[[], float], device: torch.device):
        self.clock, self.device = clock, device
        cuda = device.type == "cuda"
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(3)] if cuda else None
        self.marks: list[float] = []

    def __call__(self) -> float:
        """Seconds, once the device has done all that it was given."""
        if self.events:
            torch.cuda.synchronize(self.device)
        return self.clock() - Graphs.seconds

    def start(self) -> None:
        """A round begins."""
        self.marks = [self()]
        self._mark(0)

    def lap(self) -> None:
        """A phase was given to the device: draft, then verify."""
        self.marks.append(Graphs.seconds if self.events else self())
        self._mark(len(self.marks) - 1)

    def given(self) -> None:
        """The round's last work was given to the device, which may still be at it: for whoever asks when it is done (lab/gap.py)."""

    def end(self) -> None:
        """All that was given is done: the decision is known, or the round is over."""
        self.marks.append(self())

    def phases(self) -> tuple[float, float, float, float]:
        """ms of draft, verify, decide and the rest of the round that just ended."""
        start, drafted, verified, decided, ended = self.marks
        if self.events is None:
            draft, verify = drafted - start, verified - drafted
        else:
            recorded = drafted - self.recorded, verified - drafted
            draft, verify = (
                max(0.0, a.elapsed_time(b) / 1e3 - lost)
                for a, b, lost in zip(self.events, self.events[1:], recorded, strict=False)
            )
        return draft * 1e3, verify * 1e3, (decided - start - draft - verify) * 1e3, (ended - decided) * 1e3

    def _mark(self, i: int) -> None:
        if self.events:
            if i == 0:
                self.recorded = Graphs.seconds
            self.events[i].record()
