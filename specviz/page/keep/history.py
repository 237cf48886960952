"""The runs of this visit: a line each, shown again by a press, two of them compared by their numbers and settings.

The traces are kept packed in the session's state, at most LIMIT runs and BYTES together, and go with it. What was added last goes along,
packed, for the visitor's own browser (assets/keep/history.js), which makes its line of it and keeps it: after a reload it comes back from
there, and is read as strictly as a file from anybody.
"""

import binascii
import math
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ...config import SETTINGS
from ...picture.plain import json_text
from ...trace.clock import Stopped
from ...trace.file import FILE_LIMIT, TraceError, dumps, loads
from .. import words
from ..guard.quota import Quota

if TYPE_CHECKING:
    import gradio as gr  # the process that reads files does without

LIMIT, BYTES = 12, 8 * 2**20
UNPACKED_BYTES = 2 * FILE_LIMIT  # bytes of all runs that a browser brings back, unpacked
ZLIB_LEVEL = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time
KEPT_BYTES = Quota(math.inf, math.inf)  # bytes of all runs that are kept here, whoever's they are
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


ROWS = [
    {field: value for field in ("name", "rule", "beside", "default") if (value := getattr(setting, field)) is not None}
    for setting in SETTINGS.values()
]


@dataclass(frozen=True)
class History:
    """`runs`: those of the session. `current`: the one on the screen, to be added to them. `box` draws the lines."""

    runs: "gr.State"
    current: "gr.State"
    box: "gr.HTML"


def history() -> History:
    import gradio as gr

    from ..component import component

    box = component("history", MOUNT, '<section class="sv-history"></section>', lines(()), words=words.HISTORY, settings=ROWS)
    return History(gr.State(()), gr.State(None), box)


def packed_run(data: bytes, source: str) -> KeptRun:
    """`data`: the trace as it is saved."""
    run = KeptRun(sha256(data).hexdigest()[:16], zlib.compress(data, ZLIB_LEVEL), source)
    KEPT_BYTES.reserve(run, "", len(run.data))
    return run


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
