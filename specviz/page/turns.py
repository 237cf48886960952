"""Who waits for a timed run, in the order in which they asked: one runs at a time, and the others are told their place and the wait.

turns = Turns()
ticket = turns.join(96)    # then start(ticket), and end(ticket) however it ended; or leave(ticket), before its turn
turns.place(ticket)        # QueuePlace(before=2, seconds=31.0)
visits = Visits(turns)                    # of the sessions that wait for a run of one kind
visits.join(session, 96)
with visits.turn(session) as stop: ...    # it is next: a Stop, or None for whoever was refused or has had its turn

Nobody takes the machine from the others: so many may wait, for so many tokens together, and a turn may be bounded in seconds.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from threading import Event, Lock
from time import monotonic
from typing import NamedTuple

from .guard.address import NOBODY, client_address
from .guard.presence import HERE

RECENT = 8  # runs whose time tells how long the next ones may take
WAITING = 100  # runs that may wait at once
WAITING_TOKENS = 32_768  # that all who wait may have asked for together: eight of the longest runs, or a hundred of the usual ones three times over
WAITING_EACH, WAITING_TOKENS_EACH = 50, WAITING_TOKENS // 4  # of one address: a class behind one, or two of the longest runs
# seconds: who asked so much earlier than whose turn it is, or waits so long while nothing runs, has gone without a word
LOST_SECONDS = 15.0
LONG_WAIT = 5.0  # seconds: who has waited so for a turn is not kept for repeats, no more than those of the class before


class Waiting(NamedTuple):
    """Who asked for so many `tokens`, `since` when, from which address, and whether somebody is still there for them."""

    tokens: int
    since: float
    address: str
    here: Callable[[], bool]


@dataclass(frozen=True)
class QueuePlace:
    """How many runs come first, the one that is under way among them, and about how many seconds they take; None if nobody knows."""

    before: int
    seconds: float | None


class QueueFull(ValueError):
    """No room for a run now. `waiting`: how many wait, of all or of its `own` address; `most`: the tokens that one more may ask for, none
    if there are too many."""

    def __init__(self, waiting: int, most: int, own: bool = False):
        self.waiting, self.most, self.own = waiting, most, own
        super().__init__(f"{waiting} runs wait; one more may ask for {most} tokens")


class Turns:
    """Safe to ask from any thread. `clock` gives seconds; `longest`: for how many of them a run may decode, None for no bound."""

    def __init__(self, clock: Callable[[], float] = monotonic, longest: float | None = None):
        self._clock, self._lock, self.longest = clock, Lock(), longest
        self._last = 0
        self._waiting: dict[int, Waiting] = {}  # by ticket
        self._running: dict[int, float] = {}  # ticket → when it began
        self._durations: deque[float] = deque(maxlen=RECENT)
        self._last_change = clock()  # when a turn last began or ended, or somebody came to an empty queue
        self._last_wait = 0.0  # seconds, whoever has the turn that began last
        self._idle = Event()
        self._idle.set()
        self.closed = False

    def join(self, tokens: int = 0, here: Callable[[], bool] = lambda: True) -> int:
        """Wait for a turn of at most `tokens`, for as long as one is `here`. Raises QueueFull where there is no room, or none for this address."""
        with self._lock:
            now = self._clock()
            if not self._running and now - self._last_change > LOST_SECONDS:
                self._waiting.clear()
            self._drop_absent()
            if not self._running and not self._waiting:
                self._last_change = now
            who, waiting = client_address.get(), self._waiting.values()
            own = [one.tokens for one in waiting if one.address == who != NOBODY]
            for counts, most, all_tokens in (
                ([one.tokens for one in waiting], WAITING, WAITING_TOKENS),
                (own, WAITING_EACH, WAITING_TOKENS_EACH),
            ):
                left = all_tokens - sum(counts)
                if len(counts) >= most or tokens > left:
                    raise QueueFull(len(counts), 0 if len(counts) >= most else max(0, left), counts is own)
            self._last += 1
            self._waiting[self._last] = Waiting(tokens, now, who, here)
            return self._last

    def start(self, ticket: int, next: bool = True) -> None:
        """Its turn has come. It was `next`, so whoever asked long before it has gone without a word; of a class that asks in one moment
        those whose turn comes first need not be those who asked first."""
        with self._lock:
            now = self._clock()
            own = self._waiting.pop(ticket, None)
            since = own.since if own else 0.0
            if next:
                self._waiting = {other: one for other, one in self._waiting.items() if one.since >= since - LOST_SECONDS}
            self._running[ticket], self._last_change, self._last_wait = now, now, now - since if since else 0.0
            self._idle.clear()

    def end(self, ticket: int) -> None:
        with self._lock:
            if (start := self._running.pop(ticket, None)) is not None:
                self._last_change = self._clock()
                self._durations.append(self._last_change - start)
            if not self._running:
                self._idle.set()

    def leave(self, ticket: int) -> None:
        with self._lock:
            self._waiting.pop(ticket, None)

    def close(self, seconds: float) -> bool:
        """No more turns: whoever has one is to end it with what there is. Waits for that; False if it takes longer than `seconds`."""
        self.closed = True
        return self._idle.wait(seconds)

    def has_waiting(self) -> bool:
        """Whether anybody waits, or whose turn it is waited long: nobody's run is repeated then."""
        with self._lock:
            self._drop_absent()
            return bool(self._waiting) or (bool(self._running) and self._last_wait > LONG_WAIT)

    def place(self, ticket: int) -> QueuePlace | None:
        """None for a ticket that does not wait."""
        with self._lock:
            self._drop_absent()
            if ticket not in self._waiting:
                return None
            before = sum(other < ticket for other in self._waiting) + len(self._running)
            if not self._durations:
                return QueuePlace(before, None)
            each, now = median(self._durations), self._clock()
            elapsed = sum(min(each, now - start) for start in self._running.values())
            return QueuePlace(before, before * each - elapsed)

    def counts(self) -> tuple[int, int]:
        """How many wait, and how many run."""
        with self._lock:
            self._drop_absent()
            return len(self._waiting), len(self._running)

    def _drop_absent(self) -> None:
        """Those who left keep no place."""
        self._waiting = {ticket: one for ticket, one in self._waiting.items() if one.here()}


class Stop(Event):
    """Set by whoever presses Stop; and by itself where nobody is left to read what comes of the run. `request`: what the run is to do."""

    def __init__(self, here: Callable[[], bool]):
        super().__init__()
        self._here, self.request = here, None

    def is_set(self) -> bool:
        return super().is_set() or not self._here()


class Visits:
    """Run pressed twice is one place."""

    def __init__(self, turns: Turns):
        self.turns = turns
        self._stops: dict[str, Stop] = {}  # of the run that waits or is under way
        self._tickets: dict[str, int] = {}  # of those that wait

    def join(self, session: str, tokens: int = 0, request: object = None) -> int:
        """Wait for a turn of at most `tokens`, which does the last `request`. Raises QueueFull where there is no room."""
        if session not in self._tickets:
            HERE.mark_present(session)  # the page listens for its turn in a moment
            here = partial(HERE.is_here, session)
            self._tickets[session] = self.turns.join(tokens, here)
            self._stops[session] = Stop(here)
        self._stops[session].request = request
        return self._tickets[session]

    @contextmanager
    def turn(self, session: str) -> Iterator[Stop | None]:
        """Its turn, which ends however it goes. Nobody's, where its page is gone."""
        if (ticket := self._tickets.pop(session, None)) is None or not HERE.is_here(session):
            if ticket is not None:
                self.turns.leave(ticket)
            yield None
            return
        self.turns.start(ticket)
        try:
            yield self._stops[session]
        finally:
            self.turns.end(ticket)

    def is_waiting(self, session: str) -> bool:
        return session in self._tickets

    def stop(self, session: str) -> None:
        if event := self._stops.get(session):
            event.set()

    def leave(self, session: str) -> None:
        """Its page is closed."""
        if event := self._stops.pop(session, None):
            event.set()
        if ticket := self._tickets.pop(session, None):
            self.turns.leave(ticket)
