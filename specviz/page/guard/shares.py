"""Who asks, and the share that one address has of what all share: of what is open or kept, and of the server's work,
where the answers of one address are computed after each other, so that those of another need not wait for all of them.

if quota.begin(who): ...; quota.end(who)
quota.reserve(body, who, len(…))     # bytes that count until `body` is gone; False where there is no room
if place := await work.begin(who): ...; place.leave()     # None where too many of this address wait already
"""

import asyncio
import weakref
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import ContextVar
from functools import cache, wraps
from ipaddress import IPv6Address, ip_address, ip_network
from threading import RLock
from time import monotonic
from typing import Any, TypeVar

from starlette.types import Scope

NOBODY = ""
WRONG_TRIES, TRIES_SECONDS = 60, 600.0  # wrong codes of an address in so many seconds: mistypes of a class, no search through 31⁶
KNOWN_ADDRESSES = 10_000  # addresses that are remembered for their tries

client_address: ContextVar[str] = ContextVar("client_address", default=NOBODY)
"""The address that asks for what is answered at the moment, as `place_of` gives it."""


def place_of(scope: Scope) -> str:
    """Who asks: an IPv4 address, or the network of an IPv6 address, of which one household has 2⁶⁴. A proxy that may say so has been
    replaced by whom it asks for (uvicorn's FORWARDED_ALLOW_IPS)."""
    client = scope.get("client")
    try:
        address = ip_address(client[0].partition("%")[0]) if client else None
    except ValueError:
        return NOBODY
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or ip_network((address, 64), strict=False)
    return str(address or NOBODY)


def visitor_address(request) -> str:
    """The same of a request as gradio hands it to an event."""
    return place_of({"client": (request.client.host, 0)} if request.client else {})


class Tries:
    """How often an address was wrong lately. Who was wrong too often is refused, right or wrong, but for one try in each WITHIN / TRIES
    seconds: those who share the address are not locked out for long."""

    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[float, float]] = OrderedDict()  # how many, less those that are forgiven, and when

    def count_wrong(self, who: str) -> None:
        self._wrong[who] = self._seconds_left(who) + 1.0, self._clock()
        self._wrong.move_to_end(who)
        if len(self._wrong) > KNOWN_ADDRESSES:
            self._wrong.popitem(last=False)

    def refuses(self, who: str) -> bool:
        return self._seconds_left(who) > WRONG_TRIES - 1.0

    def _seconds_left(self, who: str) -> float:
        count, when = self._wrong.get(who, (0.0, 0.0))
        return max(0.0, count - (self._clock() - when) * WRONG_TRIES / TRIES_SECONDS)


# How much one address may have -----------------------------------------------------------------------------------------

# answers that are computed of all and of one address; of one that wait: a class opens Learn in one moment
RUNNING, RUNNING_EACH, WAITING_EACH = 8, 2, 128


class Quota:
    """Safe to ask from any thread, and while garbage is collected."""

    def __init__(self, of: float, each: float):
        self.of, self.each, self._lock = of, each, RLock()
        self._taken: Counter[str] = Counter()

    def begin(self, who: str, size: int = 1) -> bool:
        with self._lock:
            room = self._taken[who] + size <= self.each and self.taken() + size <= self.of
            if room:
                self._taken[who] += size
        return room

    def end(self, who: str, size: int = 1) -> None:
        with self._lock:
            self._taken[who] -= size
            if not self._taken[who]:
                del self._taken[who]

    def reserve(self, owner: object, who: str, size: int) -> bool:
        room = self.begin(who, size)
        if room:
            weakref.finalize(owner, self.end, who, size).atexit = False
        return room

    def taken(self) -> int:
        return self._taken.total()


class WorkQueue:
    """Whoever waits for an own answer holds no place in the line of all."""

    def __init__(self, of: int = RUNNING, each: int = RUNNING_EACH, line: int = WAITING_EACH):
        self.each, self.line = each, line
        self._all, self._own = asyncio.Semaphore(of), dict[str, asyncio.Semaphore]()
        self._asking: Counter[str] = Counter()  # answers that run or wait, by address

    async def begin(self, who: str) -> "WorkPlace | None":
        """Wait for one's turn."""
        if self._asking[who] >= self.each + self.line:
            return None
        self._asking[who] += 1
        with ExitStack() as turn, ExitStack() as places:
            turn.callback(self._leave, who)
            for share in self._own.setdefault(who, asyncio.Semaphore(self.each)), self._all:
                await share.acquire()
                places.callback(share.release)
            return WorkPlace(places.pop_all().close, turn.pop_all().close)

    def _leave(self, who: str) -> None:
        self._asking[who] -= 1
        if not self._asking[who]:
            del self._asking[who], self._own[who]


class WorkPlace:
    """Of an answer that is computed. What is said twice is said once."""

    def __init__(self, free: Callable[[], None], leave: Callable[[], None]):
        self.free, self._leave = free, leave
        """It waits for something else: others may be computed meanwhile. It still counts among those of its address."""

    def leave(self) -> None:
        """The answer is there."""
        self.free()
        self._leave()


# What is the same for all ----------------------------------------------------------------------------------------------

F = TypeVar("F", bound=Callable[..., Any])


def once(compute: F) -> F:
    """As functools.cache, which lets all compute who ask before the first is done; here they wait for it."""
    cached, lock = cache(compute), RLock()

    @wraps(compute)
    def call(*args):
        with lock:
            return cached(*args)

    return call  # type: ignore[return-value]
