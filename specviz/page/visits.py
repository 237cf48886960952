"""Which sessions wait for a run of one kind, and how each is told to stop. Run pressed twice is one place.

visits = Visits(turns)
visits.join(session, 96)                  # its ticket; Crowded where there is no room
with visits.turn(session) as stop: ...    # it is next: a Stop, or None for whoever was refused or has had its turn
visits.stop(session), visits.leave(session)
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from .guard.presence import HERE
from .turns import Turns


class Stop(Event):
    """Set by whoever presses Stop; and by itself where nobody is left to read what comes of the run. `asked`: what the run is to do."""

    def __init__(self, here: Callable[[], bool]):
        super().__init__()
        self._here, self.asked = here, None

    def is_set(self) -> bool:
        return super().is_set() or not self._here()


class Visits:
    def __init__(self, turns: Turns):
        self.turns, self.here = turns, HERE
        self._stops: dict[str, Stop] = {}  # of the run that waits or is under way
        self._tickets: dict[str, int] = {}  # of those that wait

    def join(self, session: str, tokens: int = 0, asked: object = None) -> int:
        """Wait for a turn of at most `tokens`, in which is done what was `asked` last. Raises Crowded where there is no room."""
        if session not in self._tickets:
            self.here.saw(session)  # the page listens for its turn in a moment
            stop = Stop(lambda: self.here.is_here(session))
            self._tickets[session] = self.turns.join(tokens, lambda: self.here.is_here(session))
            self._stops[session] = stop
        self._stops[session].asked = asked
        return self._tickets[session]

    @contextmanager
    def turn(self, session: str) -> Iterator[Stop | None]:
        """Its turn, which ends however it goes. Nobody's, where its page is gone."""
        if (ticket := self._tickets.pop(session, None)) is None or not self.here.is_here(session):
            if ticket is not None:
                self.turns.leave(ticket)
            yield None
            return
        self.turns.start(ticket)
        try:
            yield self._stops[session]
        finally:
            self.turns.end(ticket)

    def waits(self, session: str) -> bool:
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
