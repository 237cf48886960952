"""So much of what is shared in all, and so much for one address: of what is open or kept, and of the server's work, where the answers of one
address are computed after each other, so that those of another need not wait for all of them.

quota = Quota(of=2048, each=192)
if quota.begin(who): ...; quota.end(who)
quota.reserve(body, who, len(…))     # bytes that count until `body` is gone; False where there is no room
work = WorkQueue()
if place := await work.begin(who): ...; place.leave()     # None where too many of this address wait already
"""

import asyncio
import weakref
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from threading import RLock

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
