"""Keep the run that is shown: as a trace, a hand-out, a table of its rounds, or its timeline as PNG, which the page makes itself
(assets/keep/late.js). And open a trace: what was saved, or what somebody sent; or what another engine recorded.

Only the bytes of an upload are read, strictly, by `trace.loads` and its like for records, and in a process of their own; no name or path
from a visitor is used.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import gradio as gr

from ...picture.replay import FileContents
from ...request import never
from ...words import page as words
from ..component import QUICK, component
from ..status import status_text
from .reader import FileError, FileReader

SAVES = {  # the button's id → its word, what late.js makes then, and what the status line says
    "save": (words.SAVE, "run", words.RUN_SAVED),
    "handout": (words.SAVE_HANDOUT, "handout", words.HANDOUT_SAVED),
    "rounds": (words.SAVE_ROUNDS, "csv", words.ROUNDS_SAVED),
}
MOUNT = """specviz.history({
  element, props, watch, again: ({ source, data }) => trigger("again", { source, data }),
})"""


@dataclass(frozen=True)
class Files:
    """`saves`: a button each, in the order of SAVES. `drop`: the page as a place to drop a trace on."""

    saves: list[gr.Button]
    open: gr.UploadButton
    drop: gr.HTML


def files() -> Files:
    opening = gr.UploadButton(words.OPEN, type="binary", size="sm", min_width=0, elem_id="open", elem_classes="sv-file")
    saves = [file_button(name, word) for name, (word, *_) in SAVES.items()]
    drop = component("drop", 'specviz.drop({ element, props, dropped: () => trigger("dropped", {}) })', words=words.DROP)
    return Files(saves, opening, drop)


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


def wire_saves(saves: list[gr.Button], status: gr.HTML) -> None:
    for button, (_, kind, done) in zip(saves, SAVES.values(), strict=True):
        _wire_save(button, status, kind, done)


def file_button(name: str, word: str) -> gr.Button:
    return gr.Button(word, size="sm", min_width=0, elem_id=name, elem_classes="sv-file")


def _wire_save(button: gr.Button, status: gr.HTML, kind: str, done: str) -> None:
    refusals = [status_text("refused", message=sentence) for sentence in (words.NOTHING_TO_SAVE, words.SAVE_LOST)]
    arguments = kind, status_text("idle", message=done), *refusals
    js = f"() => specviz.saveRun({', '.join(map(json.dumps, arguments))})"
    button.click(None, None, status, js=js, **QUICK)


def history() -> gr.HTML:
    return component("history", MOUNT, '<section class="sv-history"></section>', words=words.HISTORY)
