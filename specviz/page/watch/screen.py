"""What a finished run is drawn on, wherever it came from: decoded just now, a file, a recorded run, one of this visit.

yield from show(say("idle"), drawn(trace, "file"))     # into `screen.outputs`
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace

import gradio as gr
from gradio.components.plot import PlotData

from ...trace.header import Trace
from .. import words
from ..component import QUICK
from ..keep.files import KINDS, written_files
from ..keep.history import History, KeptRun, lines, with_run
from ..keep.reader import ROOM
from ..keep.recorded import load
from ..keep.sent import FileContents, run_contents
from ..once import once
from ..status import status_text

log = logging.getLogger("specviz")

FILES = {"concurrency_limit": 2 * ROOM, "concurrency_id": "files", "show_progress": "hidden", "api_visibility": "private"}
"""Files are read beside runs, in a process of their own; whom it has no room for is told so, and holds no place in gradio's queue."""


@dataclass(frozen=True)
class Screen:
    """`listed`: the list of recorded runs, which says which of them is shown, if one is."""

    status: gr.HTML
    race: gr.HTML
    plot: gr.Plot
    saves: list
    listed: gr.Dropdown
    history: History

    @property
    def outputs(self) -> list:
        return [self.status, self.race, self.plot, *self.saves, self.listed, self.history.shown]

    def remembered(self, event) -> None:
        """After `event`: the run that is shown now joins the runs of this visit."""
        history = self.history
        event.then(_remember, [history.kept, history.shown], [history.kept, history.shown, history.box], **QUICK)


@dataclass(frozen=True)
class Drawn:
    """A run as the screen takes it: the race's value, the paths of its files for as long as they are needed, what the visit keeps, and
    its timeline."""

    race: str
    files: Callable[[], AbstractContextManager[list[str]]]
    kept: KeptRun
    plot: PlotData


def drawn(trace: Trace, source: str) -> Drawn:
    return screened(run_contents(trace, source))


def screened(sent: FileContents) -> Drawn:
    """Of a run."""
    race, plot, *files, _ = sent.parts
    return Drawn(race.decode(), lambda: written_files(files), sent.kept, PlotData(type="plotly", plot=plot.decode()))


@once
def recorded(name: str) -> Drawn:
    """A recorded run, drawn once for all visitors: none of them waits for it while others run."""
    one = drawn(load(name), "recorded")
    stay = ExitStack()
    try:
        paths = stay.enter_context(one.files())
    except OSError:  # no room for them now; whoever chooses it asks again
        return one
    return replace(one, files=lambda _=stay: nullcontext(paths))


def show(message: str, run: Drawn | None, name: str = "") -> Iterator[tuple]:
    """The status line and, with a run, the whole screen, once: each step would take a server tens of ms of a visitor's turn. A generator,
    since the files are there until gradio has taken copies. `name`: of a recorded run."""
    if run is None:
        yield message, *(gr.skip(),) * (len(KINDS) + 4)
        return
    try:
        with run.files() as paths:
            saves = (gr.update(value=path, interactive=True) for path in paths)
            yield message, run.race, run.plot, *saves, gr.update(value=name), run.kept
    except OSError as error:  # a full disk: the run is there all the same
        log.warning("a run cannot be saved: %s", error)
        saves = (gr.update(value=None, interactive=False) for _ in KINDS)
        yield status_text("error", message=words.RUN_UNSAVED), run.race, run.plot, *saves, gr.update(value=name), run.kept


def nothing(message: str) -> tuple:
    """The screen of a run that is not decoded yet: nothing that another run came to stands there meanwhile."""
    return message, "", gr.skip(), *(gr.update(value=None, interactive=False) for _ in KINDS), gr.update(value=""), None


def _remember(kept, shown):
    if shown is None:  # what a browser kept may be coming back at this moment: the list is left to that
        return (gr.skip(),) * 3
    runs = with_run(kept, shown)
    return runs, None, lines(runs, (shown,))
