"""Run and Stop of a panel that computes in Python: it waits for its turn, says how far it is, and keeps what it found when it is stopped.

wire(page, box, PANEL, place)       # box: the panel's component, whose value is what is said
"""

from collections.abc import Iterator
from time import monotonic

import gradio as gr

from .. import words
from ..component import QUICK
from ..status import status_text
from ..turns import QueueFull
from ..visits import Visits
from ..watch.run import SLOW, failure
from .asked import fields
from .panel import Panel, PanelContext, PanelRequest, PanelStep

EVERY = 0.2  # seconds between two messages, but for the last: telling costs time that what is measured could use


def wire(page: gr.Blocks, box: gr.HTML, panel: Panel, place: PanelContext) -> None:
    turns, visits = place.turns, Visits(place.turns)

    def begin(event: gr.EventData, request: gr.Request):
        """A place among those who wait, or a sentence why there is none."""
        sent = fields(event._data.get("settings") if isinstance(event._data, dict) else None)
        try:
            found = turns.place(visits.join(request.session_hash, asked=sent))
        except QueueFull as crowded:
            return status_text("error", message=failure(crowded))
        before, seconds = (found.before, found.seconds) if found else (0, None)
        return status_text("waiting", before=before, seconds=seconds)

    def go(request: gr.Request, *watch):
        with visits.turn(request.session_hash) as event:
            began = monotonic()

            def stopped() -> bool:
                return event.is_set() or turns.closed or (turns.longest is not None and monotonic() - began > turns.longest)

            if event:
                yield from follow(panel, place, PanelRequest(event.asked, watch, stopped))

    def not_taken(request: gr.Request):
        """The guard refused what `begin` gave a place."""
        visits.leave(request.session_hash)
        return status_text("error", message=words.RUN_NOT_TAKEN, found=None)

    def stop(request: gr.Request):
        visits.stop(request.session_hash)

    def leave(request: gr.Request):
        visits.leave(request.session_hash)

    begun = box.run(begin, None, box, **QUICK)
    ran = begun.then(go, place.asked.inputs, box, **SLOW)
    ran.failure(not_taken, None, box, **QUICK)
    box.stop(stop, None, None, **QUICK)
    page.unload(leave)


def follow(panel: Panel, place: PanelContext, asked: PanelRequest) -> Iterator[str]:
    """What the page is told: `running` now and then, and at the end `done`, `stopped` or `error`, always with all that was found."""
    assert panel.runs is not None
    began, spoke = monotonic(), 0.0
    last = PanelStep(0, 1)
    yield status_text("running", done=0, of=1, left=None, found=None)
    try:
        for step in panel.runs(place, asked):
            last, now = step, monotonic()
            if now - spoke >= EVERY:
                spoke = now
                yield status_text("running", done=step.done, of=step.of, left=seconds_left(step, now - began), found=step.found)
            if asked.stop():
                break
        yield status_text("stopped" if asked.stop() else "done", done=last.done, of=last.of, found=last.found)
    except Exception as error:
        yield status_text("error", message=failure(error), found=last.found)


def seconds_left(step: PanelStep, passed: float) -> float | None:
    """Seconds that the rest takes if it goes on as it has gone; None while nothing is done."""
    return passed / step.done * (step.of - step.done) if step.done > 0 else None
