"""Keep the run that is shown as a trace, a table of its rounds or a hand-out; open a trace: what was saved, or what somebody sent; or
what another engine recorded.

Only the bytes of an upload are read, strictly, by `trace.loads` and its like for records; no name or path from a visitor is used.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gradio as gr

from ...picture.handout import handout
from ...picture.rounds import csv_text
from ...picture.view import picture
from ...request import never
from ...trace.clock import Stopped, within
from ...trace.file import TraceError, dumps, is_trace, loads
from ...trace.header import Trace
from ...trace.records.read import loads as read_record
from ...trace.records.record import Record, RecordError
from .. import words
from ..status import say

COPIES = 3  # of a file, at once
KINDS = {  # the button's id → its word and the file's name
    "save": (words.SAVE, "specviz-run.jsonl"),
    "rounds": (words.SAVE_ROUNDS, "specviz-rounds.csv"),
    "handout": (words.SAVE_HANDOUT, "specviz-handout.html"),
}


@dataclass(frozen=True)
class Files:
    """`saves`: a button a kind, in the order of KINDS, and `copies` what they hold at first, for each visit anew. `drop`: the page as a
    place to drop a trace on."""

    saves: list[gr.DownloadButton]
    copies: Callable[[], list[str]] | None
    open: gr.UploadButton
    drop: gr.HTML


def files(shown: Trace | None) -> Files:
    """All buttons; there is something to save as soon as a run is `shown`."""
    opening = gr.UploadButton(words.OPEN, type="binary", size="sm", min_width=0, elem_id="open", elem_classes="sv-file")
    look = {"size": "sm", "min_width": 0, "elem_classes": "sv-file"}
    saves = [gr.DownloadButton(word, interactive=bool(shown), elem_id=name, **look) for name, (word, _) in KINDS.items()]
    return Files(saves, _copies(shown) if shown else None, opening, _drop())


def _copies(shown: Trace) -> Callable[[], list[str]]:
    """The folder lives as long as the page: Gradio takes a copy at each visit and drops it after a day."""
    folder = TemporaryDirectory()
    paths = _files(contents(shown, picture(shown)), folder.name)
    return lambda _=folder: paths


def _drop() -> gr.HTML:
    return gr.HTML(
        "",
        html_template="",
        js_on_load='specviz.drop({ element, props, dropped: () => trigger("dropped", {}) })',
        apply_default_css=False,
        elem_id="drop",
        words=words.DROP,
    )


def told_of_drop(event: gr.EventData) -> str:
    """The status line for something dropped that is not one file."""
    return say("refused", message=words.DROPPED)


def contents(trace: Trace, shown: dict, body: dict | None = None) -> tuple[bytes, ...]:
    """What is in the files, in the order of KINDS. `shown`: the trace's picture; `body`: that picture packed, where it is at hand."""
    return dumps(trace), csv_text(trace).encode(), handout(shown, body).encode()


@contextmanager
def written(contents: Sequence[bytes]) -> Iterator[list[str]]:
    """The paths of files that hold the `contents`, in the order of KINDS, for as long as Gradio needs to take copies."""
    with TemporaryDirectory() as folder:
        yield _files(contents, folder)


def _files(contents: Sequence[bytes], folder: str) -> list[str]:
    """Raises OSError where the disk has no room for them and for the copies that gradio takes."""
    if shutil.disk_usage(folder).free < COPIES * sum(map(len, contents)):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    paths = []
    for (_, name), content in zip(KINDS.values(), contents, strict=True):
        path = Path(folder) / name
        path.write_bytes(content)
        paths.append(str(path))
    return paths


def opened(data: bytes | None, stop: Callable[[], bool] = never) -> Iterator[tuple[str, Trace | Record | None]]:
    """Yield (status line, what the bytes hold or None): a trace, a record of another engine, or what is wrong with them. `stop` is asked
    between lines."""
    yield say("opening"), None
    with within(stop):
        try:
            found, wrong = _read(data or b"")
        except Stopped:
            found, wrong = None, words.FILE_STOPPED
    if found is None:
        yield say("refused", message=wrong), None
        return
    told = words.FILE_OPENED if isinstance(found, Trace) else words.RECORD_OPENED.format(engine=found.engine)
    yield say("linked", message=told), found


def _read(data: bytes) -> tuple[Trace | Record | None, str]:
    """What the bytes hold, or why they are neither a trace nor a record."""
    try:
        return loads(data), ""
    except TraceError as error:
        if is_trace(data):
            return None, words.FILE_REFUSED.format(error=error)
        try:
            return read_record(data), ""
        except RecordError as other:
            return None, words.FILE_UNKNOWN.format(error=error, other=other)
