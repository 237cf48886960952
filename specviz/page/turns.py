"""Who waits for a timed run, in the order in which they asked: one runs at a time, and the others are told their place and the wait.

turns = Turns()
ticket = turns.join(96)    # then start(ticket), and end(ticket) however it ended; or leave(ticket), before its turn
turns.place(ticket)        # QueuePlace(before=2, seconds=31.0)

Nobody takes the machine from the others: so many may wait, for so many tokens together, and a turn may be bounded in seconds.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from threading import Event, Lock
from time import monotonic

from .guard.address import NOBODY, asking

RECENT = 8  # runs whose time tells how long the next ones may take
WAITING = 100  # runs that may wait at once
TOKENS = 32_768  # that all who wait may have asked for together: eight of the longest runs, or a hundred of the usual ones three times over
WAITING_EACH, TOKENS_EACH = 50, TOKENS // 4  # of one address: a class behind one, or two of the longest runs
# seconds: who asked so much earlier than whose turn it is, or waits so long while nothing runs, has gone without a word
LOST = 15.0
LONG = 5.0  # seconds: who has waited so for a turn is not kept for repeats, no more than those of the class before


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
        self._waiting: dict[int, tuple[int, float]] = {}  # ticket → the tokens it asks for, and since when
        self._who: dict[int, str] = {}  # ticket → the address that asked
        self._here: dict[int, Callable[[], bool]] = {}  # ticket → whether whoever waits is still there
        self._running: dict[int, float] = {}  # ticket → when it began
        self._took: deque[float] = deque(maxlen=RECENT)
        self._moved = clock()  # when a turn last began or ended, or somebody came to an empty queue
        self._waited = 0.0  # seconds, whoever has the turn that began last
        self._rest = Event()
        self._rest.set()
        self.closed = False

    def join(self, tokens: int = 0, here: Callable[[], bool] | None = None) -> int:
        """Wait for a turn of at most `tokens`, for as long as one is `here`. Raises Crowded where there is no room, or none for this address."""
        with self._lock:
            now = self._clock()
            if not self._running and now - self._moved > LOST:
                self._waiting.clear()
            self._forget()
            if not self._running and not self._waiting:
                self._moved = now
            who = asking.get()
            self._who = {ticket: one for ticket, one in self._who.items() if ticket in self._waiting}
            own = [self._waiting[ticket][0] for ticket, one in self._who.items() if one == who != NOBODY]
            for asked, most, all_tokens in (
                ([asked for asked, _ in self._waiting.values()], WAITING, TOKENS),
                (own, WAITING_EACH, TOKENS_EACH),
            ):
                left = all_tokens - sum(asked)
                if len(asked) >= most or tokens > left:
                    raise QueueFull(len(asked), 0 if len(asked) >= most else max(0, left), asked is own)
            self._last += 1
            self._who[self._last] = who
            self._waiting[self._last] = tokens, now
            if here:
                self._here[self._last] = here
            return self._last

    def start(self, ticket: int, next: bool = True) -> None:
        """Its turn has come. It was `next`, so whoever asked long before it has gone without a word; of a class that asks in one moment
        those whose turn comes first need not be those who asked first."""
        with self._lock:
            now = self._clock()
            _, since = self._waiting.pop(ticket, (0, 0.0))
            self._here.pop(ticket, None)
            for other, (_, asked) in list(self._waiting.items()):
                if next and asked < since - LOST:
                    del self._waiting[other]
            self._running[ticket], self._moved, self._waited = now, now, now - since if since else 0.0
            self._rest.clear()

    def end(self, ticket: int) -> None:
        with self._lock:
            if (began := self._running.pop(ticket, None)) is not None:
                self._moved = self._clock()
                self._took.append(self._moved - began)
            if not self._running:
                self._rest.set()

    def leave(self, ticket: int) -> None:
        with self._lock:
            self._waiting.pop(ticket, None)
            self._here.pop(ticket, None)

    def close(self, seconds: float) -> bool:
        """No more turns: whoever has one is to end it with what there is. Waits for that; False if it takes longer than `seconds`."""
        self.closed = True
        return self._rest.wait(seconds)

    def awaited(self) -> bool:
        """Whether anybody waits, or whose turn it is waited long: nobody's run is repeated then."""
        with self._lock:
            self._forget()
            return bool(self._waiting) or (bool(self._running) and self._waited > LONG)

    def place(self, ticket: int) -> QueuePlace | None:
        """None for a ticket that does not wait."""
        with self._lock:
            self._forget()
            if ticket not in self._waiting:
                return None
            before = sum(other < ticket for other in self._waiting) + len(self._running)
            if not self._took:
                return QueuePlace(before, None)
            each, now = median(self._took), self._clock()
            gone = sum(min(each, now - began) for began in self._running.values())
            return QueuePlace(before, before * each - gone)

    def counts(self) -> tuple[int, int]:
        """How many wait, and how many run."""
        with self._lock:
            self._forget()
            return len(self._waiting), len(self._running)

    def _forget(self) -> None:
        """Those who left keep no place."""
        for ticket in [ticket for ticket, here in self._here.items() if ticket not in self._waiting or not here()]:
            self._waiting.pop(ticket, None)
            del self._here[ticket]
