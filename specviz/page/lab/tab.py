"""The tab Lab: a table of contents. A panel is one line of PANELS and one file beside this one.

To add one, say Luck:
1. luck.py, a noun, holds PANEL = Panel("luck", …): its title, the question that it answers, its exercise, its words (panel.py).
2. assets/lab/luck/panel.js exports `luck(bench)`, which returns what is drawn (`Bench` and `Drawn` in assets/lab/types.d.ts) and is named
   in assets/lab/panels.js. It is called when the panel is first seen: nothing is drawn or computed before. Its stylesheet
   assets/lab/luck.css is named in picture/sheets.py under "lab", its rules begin with #lab-luck.
3. What takes seconds in Python is PANEL.runs(place, asked), a generator of Steps. run.py gives it its turn among the timed runs and
   sends each step on, with the time left; Stop sets asked.stop, and what was found stays. The script begins it by `bench.run(settings)`
   and reads what is found in `drawn.found(…)`. What needs the engine is asked of it by a method that page/engine.py names; an engine
   without it is refused in a sentence (ValueError).
4. What Python answers at once is a function of PANEL.serves(place), called as `bench.server.name(sent)`.
The frame (assets/lab/frame.js) gives every panel: heading and question, Run and Stop with progress and time left, CSV, PNG and SVG of
`drawn.table()` and `drawn.chart()`, a link with the settings that `bench.keep(settings)` was told, and the exercise with its key.

Scripts, stylesheets and words are sent when the tab is first opened: a visit to Watch carries none of them.
"""

from collections.abc import Callable
from functools import cache

import gradio as gr

from ...picture.bundle import bundle
from ...picture.sheets import sheets
from ...picture.view import json_text
from ...trace.header import Trace
from ..engine import Engine
from ..keep.links import read_link
from ..settings import NAMES
from ..status import say
from ..turns import Turns
from ..watch.controls import Controls, updates
from . import load as loads
from . import luck, mistakes, pair, people, sweep, words
from .asked import fields
from .panel import Panel, Place
from .run import wire

PANELS: tuple[Panel, ...] = (mistakes.PANEL, luck.PANEL, sweep.PANEL, loads.PANEL, pair.PANEL, people.PANEL)

FRAME = "specviz.lab({ element, props, server, watch })"
MOUNT = """specviz.labPanel({
  element, props, server, watch, run: (settings) => trigger("run", { settings }), stop: () => trigger("stop", {}),
  take: (settings) => trigger("take", { settings }),
})"""


def lab(
    page: gr.Blocks, engine: Engine, tabs: gr.Tabs, turns: Turns, asked: Controls, status: gr.HTML, load: Callable[[str], Trace]
) -> None:
    """`load` gives the recorded runs by name; `status` is told what a panel has set in Watch."""
    place = Place(engine, turns, asked, load)

    def everything(_):
        return sent()

    gr.HTML(
        "",
        html_template='<section class="lab"></section>',
        js_on_load=FRAME,
        apply_default_css=False,
        elem_id="lab",
        server_functions=[everything],
        opening=words.OPENING,
        lost=words.LOST,
    )
    for panel in PANELS:
        box = gr.HTML(
            "",
            html_template='<section class="lab-panel"></section>',
            js_on_load=MOUNT,
            apply_default_css=False,
            elem_id=f"lab-{panel.key}",
            elem_classes="lab-box",
            server_functions=panel.serves(place) if panel.serves else None,
            panel=panel.key,
        )
        if panel.runs:
            wire(page, box, panel, place)
        if panel.takes:
            box.take(
                _take(asked), None, [tabs, status, *asked.inputs], queue=False, show_progress="hidden", api_visibility="private"
            )
    page.load(_opened, None, tabs, queue=False, show_progress="hidden", api_visibility="private")


@cache
def sent() -> str:
    """What the tab needs in the browser: one script, one stylesheet, the words of all panels."""
    script = f'Object.defineProperty(window, "specvizLab", {{ value: {bundle("lab/tab.js")} }});'
    panels = [panel.for_browser() for panel in PANELS]
    return json_text({"script": script, "style": sheets("lab"), "panels": panels, "page": words.PAGE})


def _take(controls: Controls):
    """What a panel sets in Watch, read as strictly as a link."""

    def take(event: gr.EventData):
        sent = event._data.get("settings") if isinstance(event._data, dict) else None
        link = read_link({name: value for name, value in fields(sent).items() if name in NAMES}, controls.engine)
        told = say("refused", message=link.sentence) if link.problems else say("linked", message=words.TAKEN)
        return [gr.Tabs(selected="watch"), told, *updates(link.settings, controls)]

    return take


def _opened(request: gr.Request):
    """The tab that the address asks for: `?lab=mistakes` is in the Lab."""
    asked = request.query_params.get("lab", "")
    return gr.Tabs(selected="lab") if asked in {panel.key for panel in PANELS} else gr.skip()
