"""Which sessions wait for a run of one kind, and how each is told to stop. Run pressed twice is one place.

visits = Visits(turns)
visits.join(session, 96)                  # its ticket; Crowded where there is no room
with visits.turn(session) as stop: ...    # it is next: an Event, or None for whoever was refused or has had its turn
visits.stop(session), visits.leave(session)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from .turns import Turns


class Visits:
    def __init__(self, turns: Turns):
        self.turns = turns
        self._stops: dict[str, Event] = {}  # of the run that waits or is under way
        self._tickets: dict[str, int] = {}  # of those that wait

    def join(self, session: str, tokens: int = 0) -> int:
        """Wait for a turn of at most `tokens`. Raises Crowded where there is no room."""
        if session not in self._tickets:
            self._tickets[session] = self.turns.join(tokens)
            self._stops[session] = Event()
        return self._tickets[session]

    @contextmanager
    def turn(self, session: str) -> Iterator[Event | None]:
        """Its turn, which ends however it goes."""
        if (ticket := self._tickets.pop(session, None)) is None:
            yield None
            return
        self.turns.start(ticket)
        try:
            yield self._stops.setdefault(session, Event())
        finally:
            self.turns.end(ticket)

    def stop(self, session: str) -> None:
        if event := self._stops.get(session):
            event.set()

    def leave(self, session: str) -> None:
        """Its page is closed."""
        if event := self._stops.pop(session, None):
            event.set()
        if ticket := self._tickets.pop(session, None):
            self.turns.leave(ticket)
