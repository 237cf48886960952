"""Save the run that is shown as a trace file, and open one: what was saved, or what somebody sent.

Only the bytes of an upload are read, strictly, by `trace.loads`; no name or path from a visitor is used.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gradio as gr

from ..trace import Trace, TraceError, loads, write
from . import words
from .status import say


@dataclass(frozen=True)
class Files:
    save: gr.DownloadButton
    open: gr.UploadButton


def files(shown: Trace | None) -> Files:
    """Both buttons; there is something to save as soon as a run is `shown`."""
    opening = gr.UploadButton(words.OPEN, type="binary", size="sm", min_width=0, elem_id="open", elem_classes="sv-file")
    look = {"size": "sm", "min_width": 0, "elem_id": "save", "elem_classes": "sv-file"}
    if shown is None:
        return Files(gr.DownloadButton(words.SAVE, interactive=False, **look), opening)
    folder = TemporaryDirectory()  # lives as long as the page: Gradio takes a copy at each visit and drops it after a day
    path = _file(shown, folder.name)
    return Files(gr.DownloadButton(words.SAVE, lambda _=folder: path, **look), opening)


@contextmanager
def written(trace: Trace) -> Iterator[str]:
    """The path of the trace as a file, for as long as Gradio needs to take a copy."""
    with TemporaryDirectory() as folder:
        yield _file(trace, folder)


def _file(trace: Trace, folder: str) -> str:
    path = Path(folder) / "specviz-run.jsonl"
    with path.open("wb") as file:
        write(trace, file)
    return str(path)


def opened(data: bytes | None) -> Iterator[tuple[str, Trace | None]]:
    """Yield (status line, trace or None): the trace that the bytes hold, or what is wrong with them and no trace."""
    yield say("opening"), None
    try:
        trace = loads(data or b"")
    except TraceError as error:
        yield say("refused", message=words.FILE_REFUSED.format(error=error)), None
    else:
        yield say("idle"), trace
