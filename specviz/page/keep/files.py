"""Keep the run that is shown as a trace or a hand-out; open a trace: what was saved, or what somebody sent; or what another engine
recorded. The page makes itself a table of the rounds, and the timeline as PNG.

Only the bytes of an upload are read, strictly, by `trace.loads` and its like for records, and in a process of their own; no name or path
from a visitor is used.
"""

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gradio as gr

from ...picture.replay import FileContents, saved_files
from ...request import never
from ...trace.events import Trace
from ...words import page as words
from ..component import QUICK, component
from ..status import status_text
from .reader import FileError, FileReader

log = logging.getLogger("specviz")

COPIES = 3  # of a file, at once
KINDS = {  # the button's id → its word and the file's name
    "save": (words.SAVE, "specviz-run.jsonl"),
    "handout": (words.SAVE_HANDOUT, "specviz-handout.html"),
}
NOT_SAVED = tuple(gr.update(value=None, interactive=False) for _ in KINDS)
MOUNT = """specviz.history({
  element, props, watch, again: ({ source, data }) => trigger("again", { source, data }),
})"""


@dataclass(frozen=True)
class Files:
    """`saves`: a button a kind, in the order of KINDS, and `copies` what the status line and they hold at first, for each visit anew.
    `rounds`: what the page makes itself. `drop`: the page as a place to drop a trace on."""

    saves: list[gr.DownloadButton]
    copies: Callable[[], list] | None
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


def _copies(trace: Trace) -> Callable[[], list]:
    files = lasting_files(temporary_files(saved_files(trace)))

    def copies() -> list:
        try:
            with files() as paths:
                return [gr.skip(), *paths]
        except OSError as error:
            return [unsaved(error), *NOT_SAVED]

    return copies


def unsaved(error: OSError) -> str:
    """The status line of a run that is shown where there is no room for its files."""
    log.warning("a run cannot be saved: %s", error)
    return status_text("refused", message=words.RUN_UNSAVED)


def lasting_files(files: AbstractContextManager[list[str]]) -> Callable[[], AbstractContextManager[list[str]]]:
    """The same files for whoever comes, as long as the page lives: Gradio takes a copy at each visit and drops it after a day. Raises
    OSError as `files` does, and what it returns where the disk has no room for those copies."""
    stay = ExitStack()
    paths = stay.enter_context(files)

    @contextmanager
    def lasting(_=stay) -> Iterator[list[str]]:
        _check_room(Path(paths[0]).parent, COPIES * sum(Path(path).stat().st_size for path in paths))
        yield paths

    return lasting


@contextmanager
def temporary_files(contents: Sequence[bytes]) -> Iterator[list[str]]:
    """The paths of files that hold the `contents`, in the order of KINDS, for as long as Gradio needs to take copies. Raises OSError where
    the disk has no room for them and for those copies."""
    with TemporaryDirectory() as folder:
        _check_room(Path(folder), COPIES * sum(map(len, contents)))
        paths = [Path(folder) / name for _, name in KINDS.values()]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        yield [str(path) for path in paths]


def _check_room(folder: Path, size: int) -> None:
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


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
