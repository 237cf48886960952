"""The runs of this visit: a line each, shown again by a press. The visitor's own browser keeps them, packed, and makes their lines
(assets/keep/history.js); the server keeps none. One that comes back to be shown is read as strictly as a file from anybody.
"""

import binascii
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING

from ...picture.replay import json_text
from ...trace.file import FILE_LIMIT
from .. import words

if TYPE_CHECKING:
    import gradio as gr  # the process that reads files does without

BYTES = 8 * 2**20  # bytes of a packed run: a longer one has no line
ZLIB_LEVEL = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time
SOURCES = ("run", "file", "recorded")
MOUNT = """specviz.history({
  element, props, watch, again: ({ source, data }) => trigger("again", { source, data }),
})"""


@dataclass(frozen=True)
class PackedRun:
    """One run: its trace, packed, and where it came from, one of words.HISTORY's: `run`, `file`, `recorded`."""

    id: str
    data: bytes
    source: str


def history() -> "gr.HTML":
    from ..component import component

    return component("history", MOUNT, '<section class="sv-history"></section>', words=words.HISTORY)


def packed_run(data: bytes, source: str) -> PackedRun:
    """`data`: the trace as it is saved."""
    return PackedRun(sha256(data).hexdigest()[:16], zlib.compress(data, ZLIB_LEVEL), source)


def as_line(run: PackedRun) -> str:
    """What the browser is sent of a run that joins those of the visit; each time another value, so that the box hears of it."""
    if len(run.data) > BYTES:
        return ""
    return json_text({"id": run.id, "source": run.source, "data": b64encode(run.data).decode(), "at": monotonic()})


def unpacked_run(entry: object) -> tuple[bytes, str]:
    """The trace as it was saved, and its source, of what a browser sends back. ValueError for what is no packed run."""
    data, source = (entry.get("data"), entry.get("source")) if isinstance(entry, dict) else (None, None)
    if not isinstance(data, str) or source not in SOURCES:
        raise ValueError("this is no packed run")
    try:
        return zlib.decompressobj().decompress(b64decode(data, validate=True), FILE_LIMIT + 1), source
    except (zlib.error, binascii.Error) as error:
        raise ValueError(str(error)) from None
