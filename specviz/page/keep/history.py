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
from ..guard.held import ByteQuota

if TYPE_CHECKING:
    import gradio as gr  # the process that reads files does without

LIMIT, BYTES = 12, 8 * 2**20
UNPACKED = 2 * FILE_LIMIT  # bytes of all runs that a browser brings back, unpacked
PACKED = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time
KEPT = ByteQuota(math.inf, math.inf)  # bytes of all runs that are kept here, whoever's they are
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


@dataclass(frozen=True)
class History:
    """`kept`: the runs of the session. `shown`: the one on the screen, to be added to them. `box` draws the lines."""

    kept: "gr.State"
    shown: "gr.State"
    box: "gr.HTML"


def history() -> History:
    import gradio as gr

    from ..component import component

    settings = [{"name": name, "rule": setting.rule} for name, setting in SETTINGS.items()]
    box = component("history", MOUNT, '<section class="sv-history"></section>', lines(()), words=words.HISTORY, settings=settings)
    return History(gr.State(()), gr.State(None), box)


def keep(data: bytes, source: str) -> KeptRun:
    """`data`: the trace as it is saved."""
    run = KeptRun(sha256(data).hexdigest()[:16], zlib.compress(data, PACKED), source)
    KEPT.hold(run, "", len(run.data))
    return run


def with_run(runs: Sequence[KeptRun], new: KeptRun | None) -> tuple[KeptRun, ...]:
    """With `new` at the end, once. If there are too many the oldest recorded run is dropped, which can be opened again; else the oldest, but
    for no recorded one."""
    if new is None or any(run.id == new.id for run in runs):
        return tuple(runs)
    kept = list(runs)
    while kept and (len(kept) >= LIMIT or sum(len(run.data) for run in (*kept, new)) > BYTES):
        oldest = next((run for run in kept if run.source == "recorded"), None)
        if oldest is None and new.source == "recorded":
            return tuple(runs)
        kept.remove(oldest or kept[0])
    return (*kept, new)


def restored(packed: object) -> tuple[KeptRun, ...]:
    """The runs that a browser had kept. What is no run any more is left out."""
    before: tuple[KeptRun, ...] = ()
    left, room = BYTES, UNPACKED
    for entry in (packed if isinstance(packed, list) else [])[-LIMIT:]:
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
        before = with_run(before, keep(dumps(trace), source))
    return before


def lines(runs: Sequence[KeptRun], new: Sequence[KeptRun] = ()) -> str:
    """`new`: the runs that the visitor's browser does not have, and is to keep."""
    packed = [{"id": run.id, "source": run.source, "data": b64encode(run.data).decode()} for run in new]
    return json_text({"runs": [{"id": run.id, "source": run.source} for run in runs], "limit": LIMIT, "added": packed})


def find(runs: Sequence[KeptRun], id: object) -> KeptRun | None:
    return next((run for run in runs if run.id == id), None)
