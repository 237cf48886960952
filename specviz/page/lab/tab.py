"""The tab Lab: the panels, a file each (panels/). Scripts, stylesheets and words are sent when the tab is first opened: a visit to Watch
carries none of them.
"""

from collections.abc import Callable

import gradio as gr

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ...picture.sheets import LAB, sheets
from ...trace.header import Trace
from ..classroom import teacher
from ..classroom.rooms import OPEN
from ..component import QUICK, answer, component, tab_of_address
from ..engine import Engine
from ..keep.links import read_link
from ..once import once
from ..settings import NAMES
from ..status import status_text
from ..turns import Turns
from ..watch.controls import Controls, updates
from . import words
from .asked import fields
from .panel import PanelContext
from .panels import PANELS
from .run import wire

FRAME = "specviz.lab({ element, props, server, watch })"
MOUNT = """specviz.labPanel({
  element, props, server, watch, run: (settings) => trigger("run", { settings }), stop: () => trigger("stop", {}),
  take: (settings) => trigger("take", { settings }),
})"""


def lab(
    page: gr.Blocks, engine: Engine, tabs: gr.Tabs, turns: Turns, asked: Controls, status: gr.HTML, load: Callable[[str], Trace]
) -> None:
    """`load` gives the recorded runs by name; `status` is told what a panel has set in Watch."""
    place = PanelContext(engine, turns, asked, load)
    frame = '<section class="lab"></section>'
    component("lab", FRAME, frame, asks=[answer("everything", sent)], opening=words.OPENING, lost=words.LOST)
    for panel in PANELS:
        asks, markup = panel.serves(place) if panel.serves else [], '<section class="lab-panel"></section>'
        if panel.asks:  # of a class: it needs a room
            asks = [*asks, *teacher.served(engine, OPEN), *teacher.polls(OPEN, panel.asks)]
        box = component(f"lab-{panel.key}", MOUNT, markup, asks=asks, elem_classes="lab-box", panel=panel.key)
        if panel.runs:
            wire(page, box, panel, place)
        if panel.takes:
            box.take(_take(asked), asked.by_name["models"], [tabs, status, *asked.inputs], **QUICK)
    keys = {name for panel in PANELS for name in (panel.key, panel.formerly) if name}
    page.load(tab_of_address("lab", "lab", keys), None, tabs, **QUICK)


@once
def sent() -> str:
    return json_text(contents())


def contents() -> dict:
    """What the tab needs in the browser: one script, one stylesheet, the words of all panels."""
    script = as_global("specvizLab", "lab/tab.js", after=("page.js", "site/open.js"))
    return {"script": script, "style": sheets(*LAB), "panels": [panel.for_browser() for panel in PANELS], "page": words.PAGE}


def _take(controls: Controls):
    """What a panel sets in Watch, read as strictly as a link, for the models that are chosen there."""

    def take(models: str, event: gr.EventData):
        sent = event._data.get("settings") if isinstance(event._data, dict) else None
        link = read_link(
            {"models": models} | {name: value for name, value in fields(sent).items() if name in NAMES}, controls.engine
        )
        told = status_text("refused", message=link.sentence) if link.problems else status_text("linked", message=words.TAKEN)
        return [gr.Tabs(selected="watch"), told, *updates(link.settings, controls)]

    return take
