"""The runs of this visit: a line each, shown again by a press, two of them compared by their numbers and settings.

The traces are kept packed in the session's state, at most LIMIT runs and BYTES together, and go with it; the lines, drawn by
assets/keep/history.js, carry numbers and names only. What was added last goes along, packed, for the visitor's own browser to
keep: after a reload it comes back from there, and is read as strictly as a file from anybody.
"""

import binascii
import math
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ...config import SETTINGS, SettingInfo
from ...picture.view import json_text, picture
from ...trace.clock import Stopped
from ...trace.file import FILE_LIMIT, TraceError, dumps, loads
from .. import words
from ..guard.held import Held

if TYPE_CHECKING:
    import gradio as gr  # the process that reads files does without

LIMIT, BYTES = 12, 8 * 2**20
UNPACKED = 2 * FILE_LIMIT  # bytes of all runs that a browser brings back, unpacked
PACKED = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time
KEPT = Held(math.inf, math.inf)  # bytes of all runs that are kept here, whoever's they are
SOURCES = ("run", "file", "recorded")
MOUNT = """specviz.history({
  element, props, watch, again: (id) => trigger("again", { id }), forget: () => trigger("forget", {}),
  restore: (runs) => trigger("restore", { runs }),
})"""


@dataclass(frozen=True)
class KeptRun:
    """One run. `row` is what a line and a comparison show of it."""

    id: str
    data: bytes
    row: dict


@dataclass(frozen=True)
class History:
    """`kept`: the runs of the session. `shown`: the one on the screen, to be added to them. `box` draws the lines."""

    kept: "gr.State"
    shown: "gr.State"
    box: "gr.HTML"


def history() -> History:
    import gradio as gr

    box = gr.HTML(
        lines(()),
        html_template='<section class="sv-history"></section>',
        js_on_load=MOUNT,
        apply_default_css=False,
        elem_id="history",
        words=words.HISTORY,
    )
    return History(gr.State(()), gr.State(None), box)


def keep(data: bytes, shown: dict, source: str) -> KeptRun:
    """`data`: the trace as it is saved; `shown`: its picture; `source` one of words.HISTORY's: `run`, `file`, `recorded`."""
    run = KeptRun(sha256(data).hexdigest()[:16], zlib.compress(data, PACKED), _row(shown, source))
    KEPT.hold(run, "", len(run.data))
    return run


def added(runs: Sequence[KeptRun], new: KeptRun | None) -> tuple[KeptRun, ...]:
    """With `new` at the end, once. If there are too many the oldest recorded run is dropped, which can be opened again; else the oldest, but
    for no recorded one."""
    if new is None or any(run.id == new.id for run in runs):
        return tuple(runs)
    kept = list(runs)
    while kept and (len(kept) >= LIMIT or sum(len(run.data) for run in (*kept, new)) > BYTES):
        oldest = next((run for run in kept if run.row["source"] == "recorded"), None)
        if oldest is None and new.row["source"] == "recorded":
            return tuple(runs)
        kept.remove(oldest or kept[0])
    return (*kept, new)


def restored(runs: Sequence[KeptRun], packed: object) -> tuple[KeptRun, ...]:
    """With the runs that a browser had kept before those of this visit. What is no run any more is left out."""
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
        before = added(before, keep(dumps(trace), picture(trace), source))
    for run in runs:
        before = added(before, run)
    return before


def lines(runs: Sequence[KeptRun], new: KeptRun | None = None) -> str:
    """`new`: the run that the visitor's browser is to keep."""
    packed = {"id": new.id, "source": new.row["source"], "data": b64encode(new.data).decode()} if new else None
    told = {"runs": [{"id": run.id, **run.row} for run in runs], "limit": LIMIT}
    return json_text({**told, "added": packed} if packed else told)


def find(runs: Sequence[KeptRun], id: object) -> KeptRun | None:
    return next((run for run in runs if run.id == id), None)


def _row(shown: dict, source: str) -> dict:
    header, comparison, lane = shown["header"], shown["comparison"], shown["lanes"]["speculative"] or shown["lanes"]["vanilla"]
    numbers, config = lane["numbers"], header["config"]
    drafts = header["draft"] if config["K"] else None
    return {
        "source": source,
        "created": header["created"],
        "disturbed": bool(comparison and comparison["disturbed"]),
        "sure": {"speedup": [comparison["low"], comparison["high"]], "tokens_per_second": comparison["rates"]}
        if comparison and comparison["speedup"]
        else {},
        "settings": {
            "prompt": header["prompt"][:400],
            "target": header["target"]["name"],
            "draft": drafts["name"] if drafts else None,
            **{name: _told(setting, config) for name, setting in SETTINGS.items()},
            "device": header["machine"]["device"],
            "threads": header["machine"]["threads"],
        },
        "numbers": {
            "speedup": comparison["speedup"] if comparison else None,
            "alpha": numbers["alpha"],
            **{name: numbers[name] for name in ("accepted_of_tested", "tokens_per_forward", "tokens_per_round")},
            **{name: numbers[name] for name in ("tokens_per_second", "tokens", "target_forwards", "draft_forwards")},
        },
    }


def _told(setting: SettingInfo, config: dict):
    """A setting of a run; None where the rule that ran does not read it."""
    value = config[setting.name] if setting.rule in (None, config["verifier"]) else None
    return ", ".join(value) if isinstance(value, tuple | list) else value
