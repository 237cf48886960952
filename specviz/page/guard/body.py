"""A request's body as it comes: not too long, not too slow, and of JSON not too many values. And how many are on their way at once."""

import asyncio
from collections.abc import Callable
from time import monotonic

from starlette.types import Message, Receive

STALL_SECONDS = 10.0  # seconds without a byte after which a body has ended
LEAST_BYTES_PER_SECOND = 8 * 2**10  # bytes a second on average, after the first STALL_SECONDS
MOST_VALUES = 250_000  # brackets and commas of a body of JSON: a text of 100,000 tokens has so many, and they are read in 50 ms
SMALL_BODY = 2**16  # bytes that cannot hold enough of them to matter
LONG_SECONDS = 20.0  # seconds after which a body that is still on its way makes room for one that comes
DISCONNECT: Message = {"type": "http.disconnect"}


class Body:
    """`receive` in the place of the server's. What is wrong with the body is in `fault`: `long`, `stalled`, `slow` for one that gave way; to
    the app its sender has gone."""

    def __init__(self, receive: Receive, most: int, clock: Callable[[], float] = monotonic):
        self._receive, self.most, self._clock = receive, most, clock
        self._received, self._start, self.whole = 0, clock(), False
        self._timeout: asyncio.Timeout | None = None
        self.fault = ""

    @property
    def seconds(self) -> float:
        return self._clock() - self._start

    def give_way(self) -> None:
        self.fault = "slow"
        if self._timeout and not self._timeout.expired():
            self._timeout.reschedule(0)

    async def receive(self) -> Message:
        if self.fault:
            return DISCONNECT
        if self.whole:
            return await self._receive()  # whether the sender is still there
        patience = min(STALL_SECONDS, STALL_SECONDS + self._received / LEAST_BYTES_PER_SECOND - self.seconds)
        try:
            async with asyncio.timeout(max(0.0, patience)) as self._timeout:
                message = await self._receive() if patience > 0 else DISCONNECT
        except TimeoutError:
            message = DISCONNECT
        self._timeout = None
        if message is DISCONNECT:
            self.fault = self.fault or "stalled"
            return DISCONNECT
        self._received += len(message.get("body", b""))
        if self._received > self.most:
            self.fault = "long"
            return DISCONNECT
        self.whole = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """The rest comes and is let go: a browser reads an answer only after it has sent all."""
        while not self.whole and (await self.receive())["type"] == "http.request":
            pass

    async def read_all(self) -> bytes | None:
        """The whole body, or None where it did not come."""
        parts = []
        while not self.whole:
            message = await self.receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
        return b"".join(parts)


class BodyQuota:
    """So much of what bodies need in all, and so much for one address. Where all is taken, the body that has been on its way longest ends, if that is
    long: whoever sends slowly keeps nobody out."""

    def __init__(self, of: int, each: int):
        self.of, self.each = of, each
        self._active: dict[Body, tuple[str, int]] = {}  # the oldest first

    def begin(self, body: Body, who: str, size: int = 1) -> bool:
        """Whether there was room for `size` more from `who`; it is theirs until the end."""
        if size + sum(count for place, count in self._active.values() if place == who) > self.each:
            return False
        while size + sum(count for _, count in self._active.values()) > self.of:
            slow = next((one for one in self._active if not one.whole and one.seconds > LONG_SECONDS), None)
            if slow is None:
                return False
            slow.give_way()
            self.end(slow)
        self._active[body] = who, size
        return True

    def end(self, body: Body) -> None:
        self._active.pop(body, None)


def replayed_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body that was read already, and then what comes after it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return left.pop() if left else await receive()

    return receive_again


def count_values(body: bytes) -> int:
    """How many values a text of JSON can have at most, in a time that a parser takes for a fiftieth of it."""
    return body.count(b"[") + body.count(b"{") + body.count(b",")
