"""The server's sockets: how many one address may hold, how long one may be silent before it asks for something, and how
long it may leave an answer unread.

bound_connections(page.server)      # a uvicorn server that runs
"""

from asyncio import TimerHandle
from collections import Counter
from contextlib import suppress
from typing import ClassVar

from uvicorn import Server
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.h11_impl import H11Protocol

from .address import place_of

HEAD_SECONDS = 10.0  # seconds from a connection, or from an answer, until the whole head of a request is there
READ_SECONDS = 60.0  # seconds until what was sent is read, or some of it
CONNECTIONS_EACH = 256  # connections of one address: a class behind one has six for each of its forty browsers
CONNECTIONS = 4096  # of all; past them a request is answered 503


class Connection(H11Protocol):
    """uvicorn's own, which by itself waits for a first request for ever. A proxy that says for whom it asks is not counted as one address."""

    open_by_address: ClassVar[Counter[str]] = Counter()
    counted_address = ""

    def connection_made(self, transport) -> None:
        super().connection_made(transport)
        self.timers: dict[str, TimerHandle] = {}
        self._abort_after("head", HEAD_SECONDS)
        if (self.client[0] if self.client else None) in _TrustedHosts(self.config.forwarded_allow_ips or ""):
            return
        who = place_of({"client": self.client})
        if self.open_by_address[who] >= CONNECTIONS_EACH:
            transport.abort()
            return
        self.counted_address = who
        self.open_by_address[who] += 1

    def connection_lost(self, exc) -> None:
        self._stop("head")
        self._stop("unread")
        if self.counted_address:
            self.open_by_address[self.counted_address] -= 1
            if not self.open_by_address[self.counted_address]:
                del self.open_by_address[self.counted_address]
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop("head")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self._abort_after("head", HEAD_SECONDS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._abort_after("unread", READ_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop("unread")

    def _abort_after(self, what: str, seconds: float) -> None:
        self._stop(what)
        self.timers[what] = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self, what: str) -> None:
        if timer := self.timers.pop(what, None):
            timer.cancel()


def bound_connections(server: Server) -> None:
    """From now on its connections are of this kind: gradio, which starts it, takes no options for it."""
    server.config.http_protocol_class, server.config.ws_protocol_class = Connection, None
    server.config.limit_concurrency = CONNECTIONS
    with suppress(ImportError, OSError, ValueError):  # Windows has no such bound
        import resource

        least, most = 2 * CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (least if most == resource.RLIM_INFINITY else min(least, most), most))
