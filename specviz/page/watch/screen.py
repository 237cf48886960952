"""What a finished run is drawn on, wherever it came from: decoded just now, a file, a recorded run, one of this visit.

yield from show(say("idle"), trace, "file")     # into `screen.outputs`
"""

from collections.abc import Iterator
from dataclasses import dataclass

import gradio as gr

from ...picture.charts import timeline
from ...picture.packed import packed
from ...picture.view import json_text, picture
from ...trace.header import Trace
from ..keep.files import KINDS, written
from ..keep.history import History, added, keep, lines

QUICK = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
"""How an event is wired that takes no time from a run."""


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
        event.then(
            _remember,
            [history.kept, history.shown],
            [history.kept, history.shown, history.box],
            **QUICK,
        )


def show(message: str, trace: Trace | None, source: str = "run", name: str = "") -> Iterator[tuple]:
    """The status line and, with a trace, the whole screen: the race first, since the plot takes longer to draw.

    `source` is one of words.HISTORY's, `name` the name of a recorded run."""
    nothing = (gr.skip(),) * len(KINDS)
    if trace is None:
        yield message, gr.skip(), gr.skip(), *nothing, gr.skip(), gr.skip()
        return
    shown = picture(trace)
    with written(trace, shown) as paths:
        saves = (gr.update(value=path, interactive=True) for path in paths)
        yield message, json_text(packed(shown)), gr.skip(), *saves, gr.update(value=name), keep(trace, shown, source)
    yield gr.skip(), gr.skip(), timeline(shown), *nothing, gr.skip(), gr.skip()


def _remember(kept, shown):
    runs = added(kept, shown)
    return runs, None, lines(runs, shown)
