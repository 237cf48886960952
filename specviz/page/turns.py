"""Who waits for a timed run, in the order in which they asked: one runs at a time, and the others are told their place and the wait.

turns = Turns()
ticket = turns.join()      # then start(ticket), and end(ticket) however it ended; or leave(ticket), before its turn
turns.place(ticket)        # Place(before=2, seconds=31.0)
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from threading import Lock
from time import monotonic

RECENT = 8  # runs whose time tells how long the next ones may take


@dataclass(frozen=True)
class Place:
    """How many runs come first, the one that is under way among them, and about how many seconds they take; None if nobody knows."""

    before: int
    seconds: float | None


class Turns:
    """Safe to ask from any thread. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock, self._lock = clock, Lock()
        self._last = 0
        self._waiting: list[int] = []
        self._running: dict[int, float] = {}  # ticket → when it began
        self._took: deque[float] = deque(maxlen=RECENT)

    def join(self) -> int:
        with self._lock:
            self._last += 1
            self._waiting.append(self._last)
            return self._last

    def start(self, ticket: int) -> None:
        """Its turn has come. Whoever stood before it has gone without a word."""
        with self._lock:
            self._waiting = [other for other in self._waiting if other > ticket]
            self._running[ticket] = self._clock()

    def end(self, ticket: int) -> None:
        with self._lock:
            if (began := self._running.pop(ticket, None)) is not None:
                self._took.append(self._clock() - began)

    def leave(self, ticket: int) -> None:
        with self._lock:
            if ticket in self._waiting:
                self._waiting.remove(ticket)

    def awaited(self) -> bool:
        """Whether anybody waits, while whom nobody's run is repeated."""
        with self._lock:
            return bool(self._waiting)

    def place(self, ticket: int) -> Place | None:
        """None for a ticket that does not wait."""
        with self._lock:
            if ticket not in self._waiting:
                return None
            before = sum(other < ticket for other in self._waiting) + len(self._running)
            if not self._took:
                return Place(before, None)
            each, now = median(self._took), self._clock()
            gone = sum(min(each, now - began) for began in self._running.values())
            return Place(before, before * each - gone)
