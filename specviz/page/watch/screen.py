"""What a finished run is drawn on, wherever it came from: decoded just now, a file, a recorded run, one of this visit.

yield from screen.updates(status_text("idle"), render_run(trace, "file"))     # into `screen.outputs`
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import gradio as gr

from ...trace.events import Trace
from ..guard.shares import once
from ..keep.files import KINDS, NOT_SAVED, lasting_files, temporary_files, unsaved
from ..keep.reader import READS, FileContents, PackedRun, as_line, run_contents
from ..keep.recorded import load

FILE_EVENTS = {"concurrency_limit": 2 * READS, "concurrency_id": "files", "show_progress": "hidden", "api_visibility": "private"}
"""Files are read beside runs, in a process of their own; whom it has no room for is told so, and holds no place in gradio's queue."""


@dataclass(frozen=True)
class Screen:
    """`recorded_list`: the list of recorded runs, which says which of them is shown, if one is."""

    status: gr.HTML
    race: gr.HTML
    saves: list
    recorded_list: gr.Dropdown
    history: gr.HTML

    @property
    def outputs(self) -> list:
        return [self.status, self.race, *self.saves, self.recorded_list, self.history]

    def updates(self, message, run: "RenderedRun | None", name: str = "") -> Iterator[tuple]:
        """The status line and, with a run, the whole screen, once: each step would take a server tens of ms of a visitor's turn. A
        generator, since the files are there until gradio has taken copies. `name`: of a recorded run. The run joins those of the visit."""
        if run is None:
            yield message_only(message)
            return
        try:
            with run.files() as paths:
                saves = (gr.update(value=path, interactive=True) for path in paths)
                yield message, run.race, *saves, gr.update(value=name), as_line(run.run)
        except OSError as error:  # a full disk: the run is there all the same
            yield unsaved(error), run.race, *NOT_SAVED, gr.update(value=name), as_line(run.run)


@dataclass(frozen=True)
class RenderedRun:
    """A run as the screen takes it: the race's value, the paths of its files for as long as they are needed, what the visit
    keeps."""

    race: str
    files: Callable[[], AbstractContextManager[list[str]]]
    run: PackedRun


def render_run(trace: Trace, source: str) -> RenderedRun:
    return render_contents(run_contents(trace, source))


def render_contents(contents: FileContents) -> RenderedRun:
    race, *files, _ = contents.parts
    return RenderedRun(race.decode(), lambda: temporary_files(files), contents.run)


@once
def render_recorded(name: str) -> RenderedRun:
    """A recorded run, drawn once for all visitors: none of them waits for it while others run."""
    run = render_run(load(name), "recorded")
    try:
        return replace(run, files=lasting_files(run.files()))
    except OSError:  # no room for them now; whoever chooses it asks again
        return run


def message_only(message) -> tuple:
    """The status line; all else stays."""
    return message, *(gr.skip(),) * (len(KINDS) + 3)


def empty_screen(message: str) -> tuple:
    """The screen of a run that is not decoded yet: nothing that another run came to stands there meanwhile."""
    return message, "", *NOT_SAVED, gr.update(value=""), gr.skip()
