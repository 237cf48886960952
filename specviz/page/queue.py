"""Who decodes next, and for how long. One timed run at a time, whoever asked for it: two at once would spoil each other's numbers.

queue = RunQueue(longest=60)
with queue.join(session, address) as run:         # leaves the queue however that ends. Raises QueueFull
    async for place in run.wait():                # its place, each time it changes; nothing for who is alone
        ...
    if run.begun:
        decode(stop=run.is_over)                  # asked between rounds

Turns go round by address, and those of an address by session: whoever waits is served after at most one run of each other address.
Gradio starts each event at once (`TIMED`), so this is the only queue that a run waits in.

HERE.is_here(session)                # whoever closed the page, or hung up, is not: no run is decoded for them
"""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import zip_longest
from statistics import median
from threading import Event, Lock
from time import monotonic
from typing import Literal, TypeVar
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

free_place: ContextVar[Callable[[], None]] = ContextVar("free_place", default=lambda: None)
"""Gives the place back that what is answered at the moment has among what is computed: by an answer that waits for something else."""

# Who is still there ----------------------------------------------------------------------------------------------------

GRACE_SECONDS = 10.0  # seconds between asking for a run and listening for it, and between two connections of one visitor
KNOWN_SESSIONS = 10_000  # sessions of which is known when they were last there


class Presence:
    def __init__(self, clock: Callable[[], float] = monotonic):
        self._clock = clock
        self._streams: Counter[str] = Counter()
        self._last_times: dict[str, float] = {}
        self._addresses: dict[str, str] = {}  # of the sessions that are known

    @contextmanager
    def listens(self, scope: Scope, who: str = "") -> Iterator[None]:
        """While a stream is answered, its session is here, at the address `who`. Whatever else is asked for says nothing of who waits."""
        path = scope["path"]
        name = path.rpartition("/")[2] if "/call/" in path else ""
        if path.endswith("/queue/data"):
            name = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("session_hash", [""])[0]
        if not name:
            yield
            return
        self._streams[name] += 1
        self._addresses[name] = who
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
        return next((self._addresses[name] for name in names if name in self._addresses), "")

    def is_here(self, *names: str | None) -> bool:
        """Whether a session, by any of its names, listens now or did a moment ago."""
        since = self._clock() - GRACE_SECONDS
        return any(name in self._streams or self._last_times.get(name, since) > since for name in names if name)


HERE = Presence()
"""Of this process: what the page computes and what stands before it are two to gradio, and share this."""


# Who decodes next ----------------------------------------------------------------------------------------------------

T = TypeVar("T")
TIMED = {"concurrency_limit": None, "concurrency_id": "timed", "show_progress": "hidden", "api_visibility": "private"}
"""How an event is wired that decodes: gradio lets it begin, and it waits here."""
# runs that may wait at once, and of one address: a school is one, and a class has forty. The last places are for addresses that have none
WAITING, WAITING_EACH, WAITING_FIRST = 120, 50, 20
RECENT = 3  # runs of a kind whose time tells how long the next one may take
PLACE_SECONDS = 1.0  # seconds between two looks of whoever waits
NEWS_SECONDS, NEWS_SHARE = 2.0, 0.1  # by how much an end moves before it is told anew: the page counts down by itself
RETURN_SECONDS = 5.0  # seconds in which a page that is loaded again asks for its run
LONG_WAIT = 5.0  # seconds: who has waited so for a turn is not kept for repeats, no more than those of the class before

Reason = Literal["", "stopped", "left", "closing", "late"]


@dataclass(frozen=True)
class QueuePlace:
    """How many runs come first, the one that is under way among them, and about how many seconds they take; None if nobody knows."""

    before: int
    seconds: float | None


class QueueFull(ValueError):
    """No room for a run now: of this `scope` so many are `waiting`. A session has one run at a time."""

    def __init__(self, scope: Literal["all", "address", "session"], waiting: int):
        self.scope, self.waiting = scope, waiting
        super().__init__(f"{waiting} runs wait")


class QueuedRun:
    """A run that waits, or decodes. `reason`: why it ends before it is done; nothing while it goes on. `left`: since when its page has
    gone, or lost the connection, and `may_return`, so it decodes on as long as nobody waits, and for RETURN_SECONDS in any case. `whole`:
    seconds that it takes, as far as it knows."""

    def __init__(self, queue: "RunQueue", session: str, address: str, kind: str, here: Callable[[], bool] | None):
        self.session, self.address, self.kind, self._here = session, address, kind, here
        self.reason: Reason = ""
        self.left: float | None = None
        self.may_return = False
        self.joined = queue.clock()
        self.start: float | None = None
        self.whole: float | None = None
        self._decoding_since: float | None = None
        self._queue, self._turn = queue, asyncio.Event()
        self.awaited = queue.has_waiting  # asks whether somebody waits for it to end
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def begun(self) -> bool:
        return self.start is not None

    def is_over(self) -> bool:
        """Whether it is to end with what there is. Asked between rounds. Its time begins when it is first asked in its turn: what
        is fetched and loaded before does not count."""
        now, longest = self._queue.clock(), self._queue.longest
        if self.begun and self._decoding_since is None:
            self._decoding_since = now
        if self.reason:
            pass
        elif self._queue.closed:
            self.reason = "closing"
        elif not self.is_here() if self.left is None else now - self.left >= RETURN_SECONDS and self._queue.counts()[0]:
            self.reason = "left"
        elif self._decoding_since is not None and longest is not None and now - self._decoding_since >= longest:
            self.reason = "late"
        return bool(self.reason)

    def is_here(self) -> bool:
        """Whether somebody is there to read what comes of it."""
        return self._here() if self._here else HERE.is_here(self.session)

    def stop(self, reason: Reason = "stopped") -> None:
        self.reason = reason
        self.wake()

    def return_to(self, session: str) -> None:
        """Its page is back: it is that of this session now."""
        HERE.mark_present(session)
        self.session, self.left = session, None

    def expect(self, left: float) -> None:
        """It may still take so many seconds."""
        self.whole = self.taken() + left

    def taken(self) -> float:
        """Seconds since it began to decode: models are loaded for the first run only."""
        since = self.start if self._decoding_since is None else self._decoding_since
        return 0.0 if since is None else self._queue.clock() - since

    @property
    def longest(self) -> float | None:
        """Seconds that it may decode."""
        return self._queue.longest

    async def wait(self) -> AsyncIterator[QueuePlace]:
        """Until its turn has come, or it is over."""
        before, end, self._loop = 0, None, asyncio.get_running_loop()
        while not self.begun and not self.is_over():
            place, now = self._queue.place(self), self._queue.clock()
            if place and (place.before != before or _has_moved(end, place.seconds, now)):
                before, end = place.before, None if place.seconds is None else now + place.seconds
                yield place
            with suppress(TimeoutError):
                await asyncio.wait_for(self._turn.wait(), PLACE_SECONDS)

    def wake(self) -> None:
        """From any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._turn.set)

    def __enter__(self) -> "QueuedRun":
        return self

    def __exit__(self, *_) -> None:
        self._queue.remove(self)


class RunQueue:
    """Safe to ask from any thread. `longest`: for how many seconds of `clock` a run may decode, None for no bound."""

    def __init__(self, clock: Callable[[], float] = monotonic, longest: float | None = None):
        self.clock, self.longest, self.closed = clock, longest, False
        self._lock, self._idle, self._moments = Lock(), Event(), asyncio.Lock()
        self._idle.set()
        self._waiting: dict[str, dict[str, deque[QueuedRun]]] = {}  # by address and session, in the order of their turns
        self._running: QueuedRun | None = None
        self._durations: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=RECENT))  # by kind

    def join(
        self, session: str, address: str, kind: str = "", here: Callable[[], bool] | None = None, several: bool = False
    ) -> QueuedRun:
        """Wait for a turn, as long as somebody is `here` to read what comes of it. A page has one run at a time; a program may have
        `several`. Raises QueueFull."""
        HERE.mark_present(session)  # it listens for its turn in a moment
        run = QueuedRun(self, session, address, kind, here)
        with self._lock:
            self._drop_absent()
            waiting = self._order()
            own = [one for one in waiting if one.address == address]
            running = self._running is not None and self._running.session == session
            if not several and (running or any(one.session == session for one in own)):
                raise QueueFull("session", 1)
            if len(own) >= WAITING_EACH:
                raise QueueFull("address", len(own))
            if len(waiting) >= WAITING - (WAITING_FIRST if own else 0):
                raise QueueFull("all", len(waiting))
            self._waiting.setdefault(address, {}).setdefault(session, deque()).append(run)
            self._begin_next()
        return run

    async def at_once(self, work: Callable[[], T]) -> T:
        """What a hand asks for: computed in another thread, after others of its kind and before the next run, to which a long run gives way
        (engine/machine.py). Whoever waits holds neither a thread nor a place among what is computed."""
        free_place.get()()
        async with self._moments:
            return await run_in_threadpool(work)

    def remove(self, run: QueuedRun) -> None:
        """It is over, or waits no longer."""
        with self._lock:
            if self._running is run and run.start is not None:
                self._durations[run.kind].append(run.taken())
                self._running = None
                self._idle.set()
                if sessions := self._waiting.pop(run.address, None):  # others come first now
                    self._waiting[run.address] = sessions
                    if runs := sessions.pop(run.session, None):
                        sessions[run.session] = runs
            else:
                self._drop(run)
            self._begin_next()

    def stop(self, session: str, reason: Reason = "stopped") -> None:
        """Whatever `session` waits for or decodes ends."""
        for run in self._of_all():
            if run.session == session:
                run.stop(reason)

    def leave(self, session: str) -> None:
        """The page of `session` has gone, or lost the connection: what waits ends, and what decodes, unless the page may return."""
        for run in self._of_all():
            if run.session == session:
                if run.begun and run.may_return:
                    run.left = self.clock()
                else:
                    run.stop("left")

    def close(self, seconds: float) -> bool:
        """No more turns: whoever has one is to end it with what there is. Waits for that; False if it takes longer than `seconds`."""
        self.closed = True
        return self._idle.wait(seconds)

    def has_waiting(self) -> bool:
        """Whether anybody waits, or whose turn it is waited long: nobody's run is repeated then."""
        with self._lock:
            self._drop_absent()
            running = self._running
            waited = running.start - running.joined if running is not None and running.start is not None else 0.0
            return bool(self._waiting) or waited > LONG_WAIT

    def place(self, run: QueuedRun) -> QueuePlace | None:
        """None for a run that does not wait, or waits for nobody: a run that ends at its next round, as of a page that was loaded again."""
        with self._lock:
            self._drop_absent()
            order = self._order()
            if run not in order:
                return None
            before = order[: order.index(run)]
            times = [self._seconds(one) for one in before]
            running = self._running
            if (
                running is not None
                and running.start is not None
                and not (running.reason or running.left is not None)
                and running.is_here()
            ):
                whole = running.whole or self._seconds(running)
                times.append(None if whole is None else max(0.0, whole - running.taken()))
            known = [seconds for seconds in times if seconds is not None]
            return QueuePlace(len(times), sum(known) if len(known) == len(times) else None) if times else None

    def counts(self) -> tuple[int, int]:
        """How many wait, and how many decode."""
        with self._lock:
            self._drop_absent()
            return len(self._order()), int(self._running is not None)

    def _seconds(self, run: QueuedRun) -> float | None:
        """What the last runs of its kind took, or the one under way does if that is longer; else what it expects; else all."""
        running, durations = self._running, self._durations.get(run.kind)
        if running is not None and running.kind == run.kind:
            if durations:
                return max(median(durations), running.taken())
            if running.whole is not None:
                return running.whole
        durations = durations or [one for kind in self._durations.values() for one in kind]
        return median(durations) if durations else None

    def _of_all(self) -> list[QueuedRun]:
        with self._lock:
            return [*self._order(), *([self._running] if self._running is not None else ())]

    def _order(self) -> list[QueuedRun]:
        """Those who wait, in the order of their turns. The address and the session that decode now come last of all."""
        running = self._running
        addresses = _last(self._waiting, running.address if running is not None else None)
        sessions = (_last(one, running.session if running is not None else None).values() for one in addresses.values())
        return _by_turns([_by_turns(one) for one in sessions])

    def _begin_next(self) -> None:
        self._drop_absent()
        if self._running is None and (order := self._order()):
            run = order[0]
            self._drop(run)
            self._running, run.start = run, self.clock()
            self._idle.clear()
            run.wake()

    def _drop(self, run: QueuedRun) -> None:
        sessions = self._waiting.get(run.address, {})
        if run in (runs := sessions.get(run.session, ())):
            runs.remove(run)
        if not runs:
            sessions.pop(run.session, None)
        if not sessions:
            self._waiting.pop(run.address, None)

    def _drop_absent(self) -> None:
        """Those who left keep no place."""
        for run in self._order():
            if not run.is_here():
                self._drop(run)
                run.stop("left")


def _has_moved(end: float | None, seconds: float | None, now: float) -> bool:
    """Whether an end that was told, if one was, is another one by so much that it is told anew."""
    if end is None or seconds is None:
        return (end is None) != (seconds is None)
    return abs(now + seconds - end) > max(NEWS_SECONDS, NEWS_SHARE * seconds)


def _last(groups: dict[str, T], name: str | None) -> dict[str, T]:
    """The groups, with the one of this name at the end."""
    return {key: group for key, group in groups.items() if key != name} | {key: groups[key] for key in groups if key == name}


def _by_turns(groups: Iterable[Iterable[T]]) -> list[T]:
    """The first of each, then the second of each …"""
    return [one for tier in zip_longest(*groups) for one in tier if one is not None]
