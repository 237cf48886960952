"""Who is still there to read an answer: the sessions that hold a stream of the server open.

HERE.is_here(session)      # whoever closed the page, or hung up, is not
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from urllib.parse import parse_qs

from starlette.types import Scope

from .address import NOBODY, client_address

GRACE_SECONDS = 10.0  # seconds between asking for a run and listening for it, and between two connections of one visitor
KNOWN_SESSIONS = 10_000  # sessions of which is known when they were last there


class Presence:
    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._streams: Counter[str] = Counter()
        self._last_times: dict[str, float] = {}
        self._addresses: dict[str, str] = {}  # of the sessions that are known

    @contextmanager
    def listens(self, scope: Scope) -> Iterator[None]:
        """While a stream is answered, its session is here. Whatever else is asked for says nothing of who waits."""
        path = scope["path"]
        name = path.rpartition("/")[2] if "/call/" in path else ""
        if path.endswith("/queue/data"):
            name = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("session_hash", [""])[0]
        if not name:
            yield
            return
        self._streams[name] += 1
        self._addresses[name] = client_address.get()
        try:
            yield
        finally:
            self._streams[name] -= 1
            if not self._streams[name]:
                del self._streams[name]
            self.mark_present(name)

    def mark_present(self, name: str) -> None:
        self._last_times.pop(name, None)
        self._last_times[name] = self._clock()
        if len(self._last_times) > KNOWN_SESSIONS:
            oldest = next(iter(self._last_times))
            del self._last_times[oldest]
            if oldest not in self._streams:
                self._addresses.pop(oldest, None)

    def address(self, *names: str) -> str:
        """Where the session that has one of these names listened last."""
        return next((self._addresses[name] for name in names if name in self._addresses), NOBODY)

    def is_here(self, *names: str | None) -> bool:
        """Whether a session, by any of its names, listens now or did a moment ago."""
        since = self._clock() - GRACE_SECONDS
        return any(name in self._streams or self._last_times.get(name, since) > since for name in names if name)


HERE = Presence()
"""Of this process: what the page computes and what stands before it are two to gradio, and share this."""
