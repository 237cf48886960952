"""A request's body as it comes: not too long, not too slow, and of JSON not too many values."""

import asyncio
from collections.abc import Callable
from time import monotonic

from starlette.types import Message, Receive

STALL = 10.0  # seconds without a byte after which a body has ended
SLOWEST = 8 * 2**10  # bytes a second on average, after the first STALL seconds
MARKS = 250_000  # brackets and commas of a body of JSON: a text of 100,000 tokens has so many, and they are read in 50 ms
FEW = 2**16  # bytes that cannot hold enough of them to matter
GONE: Message = {"type": "http.disconnect"}


class Body:
    """`receive` in the place of the server's. What is wrong with the body is in `fault`: `long`, `stalled`, `slow` for one that gave way; to
    the app its sender has gone."""

    def __init__(self, receive: Receive, most: int, clock: Callable[[], float] = monotonic):
        self._receive, self.most, self._clock = receive, most, clock
        self._came, self._began, self.whole = 0, clock(), False
        self._waits: asyncio.Timeout | None = None
        self.fault = ""

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self._clock() - self._began

    def give_way(self) -> None:
        """It ends where it is."""
        self.fault = "slow"
        if self._waits and not self._waits.expired():
            self._waits.reschedule(0)

    async def receive(self) -> Message:
        if self.fault:
            return GONE
        if self.whole:
            return await self._receive()  # whether the sender is still there
        patience = min(STALL, STALL + self._came / SLOWEST - self.seconds)
        try:
            async with asyncio.timeout(max(0.0, patience)) as self._waits:
                message = await self._receive() if patience > 0 else GONE
        except TimeoutError:
            message = GONE
        self._waits = None
        if message is GONE:
            self.fault = self.fault or "stalled"
            return GONE
        self._came += len(message.get("body", b""))
        if self._came > self.most:
            self.fault = "long"
            return GONE
        self.whole = not message.get("more_body", False)
        return message

    async def drain(self) -> None:
        """The rest comes and is let go: a browser reads an answer only after it has sent all."""
        while not self.whole and (await self.receive())["type"] == "http.request":
            pass

    async def all(self) -> bytes | None:
        """The whole body, or None where it did not come."""
        parts = []
        while not self.whole:
            message = await self.receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
        return b"".join(parts)


def again(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body that was read already, and then what comes after it."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def given() -> Message:
        return left.pop() if left else await receive()

    return given


def count_values(body: bytes) -> int:
    """How many values a text of JSON can have at most, in a time that a parser takes for a fiftieth of it."""
    return body.count(b"[") + body.count(b"{") + body.count(b",")
