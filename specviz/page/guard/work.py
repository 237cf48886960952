"""How much of the server's work one address has at a time: the answers of one are computed after each other, so that those of another need
not wait for all of them.

work = WorkQueue()
if done := await work.begin(who): ...; done()     # None where too many of this address wait already
"""

import asyncio
from collections import Counter
from collections.abc import Callable

# answers that are computed of all and of one address; of one that wait: a class opens Learn in one moment
AT_ONCE, EACH, LINE = 8, 2, 128


class WorkQueue:
    def __init__(self, of: int = AT_ONCE, each: int = EACH, line: int = LINE):
        self.of, self.each, self.line = of, each, line
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, list[asyncio.Future]] = {}  # by address, those that come next in turn first

    async def begin(self, who: str) -> Callable[[], None] | None:
        """Wait for one's turn. What it gives says that the answer is there; said twice, it is said once."""
        if who in self._waiting or not self._free(who):
            if len(self._waiting.get(who, ())) >= self.line:
                return None
            turn = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(who, []).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._end(who)
                else:
                    self._forget(who, turn)
                raise
        else:
            self._running[who] += 1
        ended = False

        def done() -> None:
            nonlocal ended
            if not ended:
                ended = True
                self._end(who)

        return done

    def _free(self, who: str) -> bool:
        return self._running.total() < self.of and self._running[who] < self.each

    def _end(self, who: str) -> None:
        self._running[who] -= 1
        self._running += Counter()  # without those that have none
        for other in [*self._waiting]:  # one of each address in turn
            if self._free(other):
                turn = self._waiting[other][0]
                self._forget(other, turn)
                if other in self._waiting:
                    self._waiting[other] = self._waiting.pop(other)
                self._running[other] += 1
                turn.set_result(None)

    def _forget(self, who: str, turn: asyncio.Future) -> None:
        self._waiting[who].remove(turn)
        if not self._waiting[who]:
            del self._waiting[who]


class Share:
    """So many of something that is open, in all and of one address."""

    def __init__(self, of: int, each: int):
        self.of, self.each = of, each
        self._open: Counter[str] = Counter()

    def begin(self, who: str) -> bool:
        room = self._open[who] < self.each and self._open.total() < self.of
        self._open[who] += room
        return room

    def end(self, who: str) -> None:
        self._open[who] -= 1
        self._open += Counter()
