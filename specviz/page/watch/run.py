"""Run, Stop, Open and Show again: from the visitor's settings through the engine, or from what was kept, to the screen.

One timed run at a time, whoever asked for it: two at once would spoil each other's numbers.
"""

import logging
from collections.abc import Callable
from threading import Event
from time import monotonic

import gradio as gr

from ...config import ConfigError
from ...trace.header import Trace
from ...trace.records.record import Record
from .. import words
from ..engine import Engine
from ..keep.files import opened
from ..keep.history import find, lines, restored
from ..settings import read
from ..status import say
from ..turns import Turns
from .controls import Controls
from .record import painted
from .screen import QUICK, Screen, show
from .shelf import Shelf, wire_shelf

log = logging.getLogger("specviz")
EVERY = 0.1  # seconds between two lines of progress: telling costs time that the run could use


SLOW = {"concurrency_limit": 1, "concurrency_id": "timed", "show_progress": "hidden", "api_visibility": "private"}
"""One at a time with the timed runs: drawing takes time that a run could use."""


def wire(
    page: gr.Blocks, engine: Engine, turns: Turns, controls: Controls, shelf: Shelf, screen: Screen, served: gr.HTML
) -> None:
    """`served`: the panel of a record that another engine left."""
    stops: dict[str, Event] = {}  # by session
    tickets: dict[str, int] = {}

    def begin(request: gr.Request):
        stops[request.session_hash] = Event()
        ticket = tickets[request.session_hash] = turns.join()
        return gr.update(interactive=False), gr.update(interactive=True), say("waiting", ticket=ticket)

    def go(request: gr.Request, prompt, models, drafter, *settings):
        event = stops.setdefault(request.session_hash, Event())
        ticket = tickets.pop(request.session_hash, None) or turns.join()
        turns.start(ticket)
        try:
            for message, trace in follow(engine, prompt, models, drafter, settings, event, turns.awaited):
                yield from show(message, trace)
        finally:
            turns.end(ticket)

    def show_file(data: bytes):
        for message, found in opened(data):
            record = isinstance(found, Record)
            for step in show(message, None if record else found, "file"):
                yield *step, painted(found if record else None) if found else gr.skip()

    def end():
        return gr.update(interactive=True), gr.update(interactive=False)

    def stop(request: gr.Request):
        if event := stops.get(request.session_hash):
            event.set()
        return say("stopping")

    def leave(request: gr.Request):
        if event := stops.pop(request.session_hash, None):
            event.set()
        if ticket := tickets.pop(request.session_hash, None):
            turns.leave(ticket)

    started = controls.run.click(begin, None, [controls.run, controls.stop, screen.status], **QUICK)
    ran = started.then(go, controls.inputs, screen.outputs, **SLOW)
    screen.remembered(shelf.files.open.upload(show_file, shelf.files.open, [*screen.outputs, served], **SLOW))
    ran.then(end, None, [controls.run, controls.stop], **QUICK)
    screen.remembered(ran)
    controls.stop.click(stop, None, screen.status, **QUICK)
    page.unload(leave)
    wire_shelf(controls, shelf, screen, SLOW)
    _again(screen)


def _again(screen: Screen) -> None:
    """A run of this visit is shown again; all of them are forgotten; those of the last visit come back."""
    history, wanted = screen.history, gr.State("")

    def pick(event: gr.EventData):
        return str(getattr(event, "id", "")), say("waiting")

    def again(kept, wanted):
        trace = find(kept, wanted)
        yield from show(say("linked", message=words.RUN_SHOWN) if trace else say("refused", message=words.RUN_FORGOTTEN), trace)

    def restore(event: gr.EventData, kept):
        runs = restored(kept, getattr(event, "runs", None))
        return runs, lines(runs)

    history.box.restore(restore, history.kept, [history.kept, history.box], **SLOW)
    picked = history.box.again(pick, None, [wanted, screen.status], **QUICK)
    picked.then(again, [history.kept, wanted], screen.outputs, **SLOW)
    history.box.forget(lambda: ((), lines(())), None, [history.kept, history.box], **QUICK)


def follow(engine: Engine, prompt: str, models: str, drafter: str, settings, event: Event, awaited: Callable[[], bool]):
    """Yield (status line, trace or None): progress now and then, and at the end a trace, or what went wrong and no trace."""
    told = 0.0
    try:
        if not prompt.strip():
            raise ValueError(words.PROMPT_EMPTY)
        if any("\ud800" <= c <= "\udfff" for c in prompt):
            raise ValueError(words.PROMPT_HALF)
        config = read(*settings)
        yield say("starting" if engine.needs(models) is None else "fetching"), None
        for item in engine.race(prompt, config, drafter=drafter, stop=event.is_set, models=models, awaited=awaited):
            if isinstance(item, Trace):
                yield _ended(item, event), item if item.vanilla or item.speculative else None
            elif not event.is_set() and monotonic() - told >= EVERY:
                told = monotonic()
                short = {"asked": config.max_new_tokens} if item.of < config.max_new_tokens else {}
                done = {"lane": item.lane, "tokens": item.tokens, "of": item.of, **short}
                yield (say("again", times=item.again) if item.again else say("running", **done)), None
    except ConfigError as error:
        yield say("error", message=_refused(error)), None
    except ValueError as error:  # a bad prompt: the message is meant for the visitor
        yield say("error", message=str(error)), None
    except Exception as error:
        log.exception("run failed")
        yield say("error", message=words.FAILED.format(error=f"{type(error).__name__}: {error}")), None


def _refused(error: ConfigError) -> str:
    """What is out of bounds, by the name that the page gives it."""
    if error.field not in words.FIELDS:
        return str(error)
    value = words.EMPTY if error.value is None else str(error.value)[:60]
    return words.OUT_OF_BOUNDS.format(field=words.FIELDS[error.field], value=value, bound=error.bound)


def _ended(trace: Trace, event: Event) -> str:
    if not (trace.vanilla or trace.speculative):
        return say("never")
    return say("stopped" if event.is_set() else "idle")
