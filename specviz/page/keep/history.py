"""The runs of this visit: a line each, shown again by a press.

The traces are kept packed, at most LIMIT runs and BYTES of a session, and those of all sessions in one store within a bound. What was added
last goes along, packed, for the visitor's own browser (assets/keep/history.js), which makes its line of it and keeps it: after a reload it
comes back from there, and is read as strictly as a file from anybody.
"""

import binascii
import zlib
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from ...picture.plain import json_text
from ...trace.clock import Stopped
from ...trace.file import FILE_LIMIT, TraceError, dumps, loads
from .. import words
from ..guard.address import visitor_address

if TYPE_CHECKING:
    import gradio as gr  # the process that reads files does without

LIMIT, BYTES = 12, 8 * 2**20
UNPACKED_BYTES = 2 * FILE_LIMIT  # bytes of all runs that a browser brings back, unpacked
ZLIB_LEVEL = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time
STORE_BYTES = 2**28  # bytes of the runs of all sessions
IDLE_SECONDS = 3600.0  # seconds after which a session that did nothing has ended: its browser keeps its runs
SOURCES = ("run", "file", "recorded")
MOUNT = """specviz.history({
  element, props, watch, again: (id) => trigger("again", { id }), forget: () => trigger("forget", {}),
  restore: (runs) => trigger("restore", { runs }),
})"""


@dataclass(frozen=True)
class KeptRun:
    """One run: its trace, packed, and where it came from, one of words.HISTORY's: `run`, `file`, `recorded`."""

    id: str
    data: bytes
    source: str


@dataclass
class Visit:
    """The runs of one session, from which address, and when they were used last."""

    address: str
    runs: tuple[KeptRun, ...]
    used: float


class RunStore:
    """Runs by session. Where there are too many bytes, the address that keeps most loses the session that it has not used for longest: nobody
    pushes out another's. Safe to ask from any thread."""

    def __init__(self, clock: Callable[[], float] = monotonic, most: int = STORE_BYTES):
        self._clock, self._most, self._lock = clock, most, Lock()
        self._visits: dict[str, Visit] = {}  # the one that was used last at the end

    def runs(self, session: str) -> tuple[KeptRun, ...]:
        with self._lock:
            return self._visits[session].runs if session in self._visits else ()

    def add(self, session: str, address: str, *runs: KeptRun, before: bool = False) -> tuple[KeptRun, ...]:
        """The runs of a session with these, `before` or after those that it has."""
        with self._lock:
            now = self._clock()
            for name in [name for name, visit in self._visits.items() if now - visit.used > IDLE_SECONDS]:
                del self._visits[name]
            own = self._visits.pop(session, Visit(address, (), now)).runs
            own = reduce(with_run, own, runs) if before else reduce(with_run, runs, own)
            self._visits[session] = Visit(address, own, now)
            self._drop(session)
            return own

    def forget(self, session: str) -> None:
        with self._lock:
            self._visits.pop(session, None)

    def _drop(self, but: str) -> None:
        sizes = {name: sum(len(run.data) for run in visit.runs) for name, visit in self._visits.items()}
        while sum(sizes.values()) > self._most and len(sizes) > 1:
            most: Counter[str] = Counter()
            for name, size in sizes.items():
                most[self._visits[name].address] += size
            who = most.most_common(1)[0][0]
            names = [name for name in sizes if name != but and self._visits[name].address == who]
            oldest = next(iter(names), next(name for name in sizes if name != but))
            del self._visits[oldest], sizes[oldest]


@dataclass(frozen=True)
class History:
    """`store`: the runs of all sessions; `box` draws the lines of one."""

    store: RunStore
    box: "gr.HTML"

    def add(self, request: "gr.Request", run: KeptRun) -> str:
        """The run that is shown now joins those of this visit: what the box is told."""
        return lines(self.store.add(str(request.session_hash), visitor_address(request), run), (run,))


def history() -> History:
    from ..component import component

    box = component("history", MOUNT, '<section class="sv-history"></section>', lines(()), words=words.HISTORY)
    return History(RunStore(), box)


def packed_run(data: bytes, source: str) -> KeptRun:
    """`data`: the trace as it is saved."""
    return KeptRun(sha256(data).hexdigest()[:16], zlib.compress(data, ZLIB_LEVEL), source)


def with_run(runs: Sequence[KeptRun], new: KeptRun | None) -> tuple[KeptRun, ...]:
    """With `new` at the end, once. If there are too many the oldest recorded run is dropped, which can be opened again; else the oldest, but
    for no recorded one."""
    if new is None or any(run.id == new.id for run in runs):
        return tuple(runs)
    remaining = list(runs)
    while remaining and (len(remaining) >= LIMIT or sum(len(run.data) for run in (*remaining, new)) > BYTES):
        oldest = next((run for run in remaining if run.source == "recorded"), None)
        if oldest is None and new.source == "recorded":
            return tuple(runs)
        remaining.remove(oldest or remaining[0])
    return (*remaining, new)


def restored_runs(entries: object) -> tuple[KeptRun, ...]:
    """The runs that a browser had kept. What is no run any more is left out."""
    runs: tuple[KeptRun, ...] = ()
    left, room = BYTES, UNPACKED_BYTES
    for entry in (entries if isinstance(entries, list) else [])[-LIMIT:]:
        data, source = (entry.get("data"), entry.get("source")) if isinstance(entry, dict) else (None, None)
        if not isinstance(data, str) or source not in SOURCES or (left := left - len(data)) < 0:
            continue
        try:
            unpacking = zlib.decompressobj()
            unpacked = unpacking.decompress(b64decode(data, validate=True), min(FILE_LIMIT, room) + 1)
            room = max(0, room - len(unpacked))
            trace = loads(unpacked)
        except (TraceError, zlib.error, binascii.Error):
            continue
        except Stopped:  # there is no more time
            break
        runs = with_run(runs, packed_run(dumps(trace), source))
    return runs


def lines(runs: Sequence[KeptRun], new: Sequence[KeptRun] = ()) -> str:
    """`new`: the runs that the visitor's browser does not have, and is to keep."""
    entries = [{"id": run.id, "source": run.source, "data": b64encode(run.data).decode()} for run in new]
    return json_text({"runs": [{"id": run.id, "source": run.source} for run in runs], "limit": LIMIT, "added": entries})


def run_by_id(runs: Sequence[KeptRun], id: object) -> KeptRun | None:
    return next((run for run in runs if run.id == id), None)
