"""Keep the run that is shown as a trace or a hand-out; open a trace: what was saved, or what somebody sent; or what another engine
recorded. A table of the rounds is made in the page (pictures.py).

Only the bytes of an upload are read, strictly, by `trace.loads` and its like for records, and in a process of their own; no name or path
from a visitor is used.
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

from ...request import never
from ...trace.header import Trace
from .. import words
from ..component import component
from ..status import status_text
from .pictures import file_button
from .reader import FileError, FileReader
from .sent import FileContents, contents

COPIES = 3  # of a file, at once
KINDS = {  # the button's id → its word and the file's name
    "save": (words.SAVE, "specviz-run.jsonl"),
    "handout": (words.SAVE_HANDOUT, "specviz-handout.html"),
}


@dataclass(frozen=True)
class Files:
    """`saves`: a button a kind, in the order of KINDS, and `copies` what they hold at first, for each visit anew. `rounds`: what the page
    makes itself. `drop`: the page as a place to drop a trace on."""

    saves: list[gr.DownloadButton]
    copies: Callable[[], list[str]] | None
    rounds: gr.Button
    open: gr.UploadButton
    drop: gr.HTML


def files(shown: Trace | None) -> Files:
    """All buttons; there is something to save as soon as a run is `shown`."""
    opening = gr.UploadButton(words.OPEN, type="binary", size="sm", min_width=0, elem_id="open", elem_classes="sv-file")
    look = {"size": "sm", "min_width": 0, "elem_classes": "sv-file"}
    saves = [gr.DownloadButton(word, interactive=bool(shown), elem_id=name, **look) for name, (word, _) in KINDS.items()]
    return Files(saves, _copies(shown) if shown else None, file_button("rounds", words.SAVE_ROUNDS), opening, _drop())


def _copies(shown: Trace) -> Callable[[], list[str]]:
    """The folder lives as long as the page: Gradio takes a copy at each visit and drops it after a day."""
    folder = TemporaryDirectory()
    paths = _files(contents(shown), folder.name)
    return lambda _=folder: paths


def _drop() -> gr.HTML:
    return component("drop", 'specviz.drop({ element, props, dropped: () => trigger("dropped", {}) })', words=words.DROP)


def told_of_drop(event: gr.EventData) -> str:
    """The status line for something dropped that is not one file."""
    return status_text("refused", message=words.DROPPED)


@contextmanager
def written_files(contents: Sequence[bytes]) -> Iterator[list[str]]:
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


def open_file(
    reader: FileReader, data: bytes | None, stop: Callable[[], bool] = never, who: str = ""
) -> Iterator[tuple[str, FileContents | None]]:
    """Yield (status line, what the page sends on of the bytes, or None): a run, a record of another engine, or what is wrong with them.
    `who`: the address that they came from."""
    yield status_text("opening"), None
    try:
        found = reader.ask("file", data or b"", stop, who)
    except FileError as refused:
        yield status_text("refused", message=str(refused)), None
        return
    told = words.FILE_OPENED if found.about["kind"] == "run" else words.RECORD_OPENED.format(engine=found.about["engine"])
    yield status_text("linked", message=told), found
