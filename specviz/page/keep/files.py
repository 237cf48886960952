"""Keep the run that is shown as a trace or a hand-out; open a trace: what was saved, or what somebody sent; or what another engine
recorded. The page makes itself a table of the rounds, and the timeline as PNG.

Only the bytes of an upload are read, strictly, by `trace.loads` and its like for records, and in a process of their own; no name or path
from a visitor is used.
"""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gradio as gr

from ...request import never
from ...trace.events import Trace
from ...words import page as words
from ..component import QUICK, component
from ..status import status_text
from .reader import FileContents, FileError, FileReader, saved_files

COPIES = 3  # of a file, at once
KINDS = {  # the button's id → its word and the file's name
    "save": (words.SAVE, "specviz-run.jsonl"),
    "handout": (words.SAVE_HANDOUT, "specviz-handout.html"),
}
MOUNT = """specviz.history({
  element, props, watch, again: ({ source, data }) => trigger("again", { source, data }),
})"""


@dataclass(frozen=True)
class Files:
    """`saves`: a button a kind, in the order of KINDS, and `copies` what they hold at first, for each visit anew. `rounds`: what the page
    makes itself. `drop`: the page as a place to drop a trace on."""

    saves: list[gr.DownloadButton]
    copies: Callable[[], list[str]] | None
    rounds: gr.Button
    open: gr.UploadButton
    drop: gr.HTML


def files(trace: Trace | None) -> Files:
    """All buttons; there is something to save as soon as there is a `trace`."""
    opening = gr.UploadButton(words.OPEN, type="binary", size="sm", min_width=0, elem_id="open", elem_classes="sv-file")
    look = {"size": "sm", "min_width": 0, "elem_classes": "sv-file"}
    saves = [gr.DownloadButton(word, interactive=bool(trace), elem_id=name, **look) for name, (word, _) in KINDS.items()]
    drop = component("drop", 'specviz.drop({ element, props, dropped: () => trigger("dropped", {}) })', words=words.DROP)
    return Files(saves, _copies(trace) if trace else None, file_button("rounds", words.SAVE_ROUNDS), opening, drop)


def _copies(trace: Trace) -> Callable[[], list[str]]:
    """The folder lives as long as the page: Gradio takes a copy at each visit and drops it after a day."""
    folder = TemporaryDirectory()
    paths = _write_files(saved_files(trace), folder.name)
    return lambda _=folder: paths


@contextmanager
def temporary_files(contents: Sequence[bytes]) -> Iterator[list[str]]:
    """The paths of files that hold the `contents`, in the order of KINDS, for as long as Gradio needs to take copies."""
    with TemporaryDirectory() as folder:
        yield _write_files(contents, folder)


def _write_files(contents: Sequence[bytes], folder: str) -> list[str]:
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
        contents = reader.ask("file", data or b"", stop, who)
    except FileError as error:
        yield status_text("refused", message=str(error)), None
        return
    about = contents.about
    message = words.FILE_OPENED if about["kind"] == "run" else words.RECORD_OPENED.format(engine=about["engine"])
    yield status_text("linked", message=message), contents


def save_picture(status: gr.HTML) -> None:
    with gr.Row(elem_classes="sv-pictures"):
        _wire_save(file_button("save-picture", words.SAVE_PICTURE), status, "png", words.PICTURED)


def save_rounds(button: gr.Button, status: gr.HTML) -> None:
    _wire_save(button, status, "csv", words.ROUNDS_SAVED)


def file_button(name: str, word: str) -> gr.Button:
    return gr.Button(word, size="sm", min_width=0, elem_id=name, elem_classes="sv-file")


def _wire_save(button: gr.Button, status: gr.HTML, kind: str, done: str) -> None:
    refusals = [status_text("refused", message=sentence) for sentence in (words.NOTHING_TO_SAVE, words.SAVE_LOST)]
    arguments = kind, status_text("idle", message=done), *refusals
    js = f"() => specviz.saveRun({', '.join(map(json.dumps, arguments))})"
    button.click(None, None, status, js=js, **QUICK)


def history() -> gr.HTML:
    return component("history", MOUNT, '<section class="sv-history"></section>', words=words.HISTORY)
