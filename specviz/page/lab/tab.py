"""The tab Lab: the panels, a file each (panels/). Scripts, stylesheets and words are sent when the tab is first opened: a visit to Watch
carries none of them. A panel that computes in Python waits for its turn, says how far it is, and keeps what it found when it is stopped.
"""

from collections.abc import Iterator
from contextlib import closing
from time import monotonic

import gradio as gr
from starlette.concurrency import iterate_in_threadpool

from ...picture.replay import json_text
from ...picture.sheets import LAB, as_global, sheets
from ...words import lab as words
from ...words import page as page_words
from ..classroom.messages import poll_functions, room_functions
from ..classroom.rooms import OPEN
from ..component import QUICK, answer, component
from ..guard.shares import once, visitor_address
from ..queue import TIMED, QueueFull
from ..settings import NAMES, read_link, tab_of_address
from ..status import status_text
from ..watch.controls import Controls, updates
from ..watch.run import error_message, place_text
from ..watch.shelf import link_message
from .panel import Panel, PanelContext, PanelRequest, PanelStep, fields
from .panels import PANELS

FRAME = "specviz.lab({ element, props, server, watch })"
MOUNT = """specviz.labPanel({
  element, props, server, watch, run: (settings) => trigger("run", { settings }), stop: () => trigger("stop", {}),
  take: (settings) => trigger("take", { settings }),
})"""
MESSAGE_SECONDS = 0.2  # seconds between two messages, but for the last: telling costs time that what is measured could use


def lab(page: gr.Blocks, tabs: gr.Tabs, status: gr.HTML, context: PanelContext) -> None:
    """`status` is told what a panel has set in Watch."""
    controls = context.controls
    frame = '<section class="lab"></section>'
    component(
        "lab",
        FRAME,
        frame,
        asks=[answer("everything", once(lambda: json_text(contents())))],
        opening=words.OPENING,
        lost=words.LOST,
    )
    drafter = context.engine.drafters()[0]  # with which a panel begins where Watch shows no run
    for panel in PANELS:
        asks, markup = panel.serves(context) if panel.serves else [], '<section class="lab-panel"></section>'
        if panel.asks:  # of a class: it needs a room
            asks = [*asks, *room_functions(context.engine, OPEN), *poll_functions(OPEN, panel.asks)]
        box = component(f"lab-{panel.key}", MOUNT, markup, asks=asks, elem_classes="lab-box", panel=panel.key, drafter=drafter)
        if panel.runs:
            wire_panel(box, panel, context)
        if panel.takes:
            box.take(take_event(controls), controls.by_name["models"], [tabs, status, *controls.inputs], **QUICK)
    keys = {name for panel in PANELS for name in (panel.key, panel.formerly) if name}
    bound = page_words.LINK_ONE_OF.format(names=", ".join(panel.key for panel in PANELS))
    page.load(tab_of_address("lab", "lab", keys, bound), None, [tabs, status], **QUICK)


def contents() -> dict:
    """What the tab needs in the browser: one script, one stylesheet, the words of all panels."""
    script = as_global("specvizLab", "lab/tab.js", after=("page.js", "site/open.js"))
    return {"script": script, "style": sheets(*LAB), "panels": [panel.for_browser() for panel in PANELS], "page": words.PAGE}


def take_event(controls: Controls):
    """What a panel sets in Watch, read as strictly as a link, for the models that are chosen there."""

    def take_settings(models: str, event: gr.EventData):
        values = {name: value for name, value in fields(event._data).items() if name in NAMES}
        link = read_link({"models": models} | values, controls.engine)
        message = link_message(link, words.CELL_SET)
        return [gr.Tabs(selected="watch"), message, *updates(link.settings, controls)]

    return take_settings


def wire_panel(box: gr.HTML, panel: Panel, context: PanelContext) -> None:
    """`box`: the component of the panel, whose value is what is said."""

    async def run_panel(request: gr.Request, event: gr.EventData, models):
        """From the press on: its place among those who wait, what was found so far, or why nothing can be."""
        try:
            run = context.queue.join(request.session_hash, visitor_address(request), panel.key)
        except QueueFull as error:
            yield status_text("error", message=error_message(error))
            return
        asked = PanelRequest(fields(event._data), str(models), run.is_over)
        with run, closing(run_messages(panel, context, asked)) as messages:
            async for place in run.wait():
                yield place_text(place)
            async for message in iterate_in_threadpool(messages):
                yield message

    def report_refusal():
        """The guard, or gradio, refused what was sent: no event began."""
        return status_text("error", message=page_words.RUN_NOT_TAKEN, found=None)

    def stop_run(request: gr.Request):
        context.queue.stop(request.session_hash)

    run_event = box.run(run_panel, context.controls.by_name["models"], box, **TIMED)
    run_event.failure(report_refusal, None, box, **QUICK)
    box.stop(stop_run, None, None, **QUICK)


def run_messages(panel: Panel, context: PanelContext, request: PanelRequest) -> Iterator[str]:
    """What the page is told: `running` now and then, and at the end `done`, `stopped` or `error`, always with all that was found."""
    start, last_message = monotonic(), 0.0
    last = PanelStep(0, 1)
    yield status_text("running", done=0, of=1, left=None, found=None)
    try:
        for step in panel.runs(context, request):
            last, now = step, monotonic()
            if now - last_message >= MESSAGE_SECONDS:
                last_message = now
                left = (
                    (now - start) / step.done * (step.of - step.done) if step.done > 0 else None
                )  # if it goes on as it has gone
                yield status_text("running", done=step.done, of=step.of, left=left, found=step.result)
            if request.stop():
                break
        yield status_text("stopped" if request.stop() else "done", done=last.done, of=last.of, found=last.result)
    except Exception as error:
        yield status_text("error", message=error_message(error), found=last.result)
