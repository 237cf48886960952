"""What paints a run in the page: the race with its player, the inspector and the numbers, given one picture as JSON; and the panel of a
record that another engine left. What few visits need is sent when it is first asked for.

The markup of the race is three empty boxes, the timeline's between the other two. Values reach the page through `textContent` in
assets/player/*.js; a template would run them as markup.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence

import gradio as gr

from ...picture.replay import BROWSER_RECORD, PANES, empty_handout, json_text, packed_run, replay_data
from ...picture.sheets import ELSEWHERE, as_global, sheets
from ...trace.events import Trace
from ...trace.file import dumps
from .. import look
from ..component import answer, component
from ..guard.shares import once


class Race(gr.HTML):
    """A run that is replayed, token by token, in any Gradio app; an event may give it another Trace.

    with gr.Blocks() as demo:
        specviz.Race(trace)

    `run`: a Trace, the same as JSON (picture/replay.py), or nothing at first. A page has one. `alone`: it brings its stylesheets and its
    script, and tells no story; else the page has both (look.py). `serves`: what the game of the story asks."""

    def __init__(self, run: Trace | str | None = None, serves: Sequence[Callable] = (), alone: bool = True, **props):
        super().__init__(
            run,
            html_template=PANES,
            js_on_load="specviz.race({ element, props, watch, server })",
            apply_default_css=False,
            elem_id="race",
            server_functions=[answer("inspection", inspection_bundle), answer("files", files_bundle(run)), *serves],
            head=look.head(ELSEWHERE) if alone else None,
            alone=alone,
            **props,
        )

    def postprocess(self, value: Trace | str | None) -> str | None:
        return super().postprocess(json_text(replay_data(value)) if isinstance(value, Trace) else value)


def record() -> gr.HTML:
    mount = "specviz.record({ element, props, watch, server })"
    return component("record", mount, "<div></div>", asks=[answer("everything", record_bundle)])


@once
def inspection_bundle() -> str:
    """With the first token that is chosen: what draws its explanation."""
    return json_text({"script": as_global("specvizInspection", "player/inspector.js", after=("page.js",))})


def files_bundle(opening: Trace | str | None) -> Callable[[], str]:
    """With the first file that is saved: what makes files of a run. `opening`: the one that the page begins with, which joins no visit."""

    @once
    def bundle() -> str:
        run = b64encode(packed_run(dumps(opening), "recorded").data).decode() if isinstance(opening, Trace) else ""
        script = as_global("specvizFiles", "keep/late.js", after=("page.js",))
        return json_text({"script": script, "handout": empty_handout(), "opening": run})

    return bundle


@once
def record_bundle() -> str:
    """With the first record that is opened, or the form: scripts, stylesheets and words of both."""
    script = as_global("specvizRecord", "record/place.js", after=("page.js",))
    return json_text({"script": script, "style": sheets("record"), "words": BROWSER_RECORD})
