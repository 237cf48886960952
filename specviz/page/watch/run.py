"""Run, Stop, Open and Show again: from the visitor's settings through the engine, or from what was kept, to the screen.

One timed run at a time, whoever asked for it: two at once would spoil each other's numbers.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from threading import Event

import gradio as gr

from ...config import SETTINGS, ConfigError
from ...request import RunRequest
from ...trace.header import Trace
from .. import words
from ..component import QUICK
from ..engine import Engine
from ..guard.address import place_of
from ..guard.presence import HERE
from ..keep.files import open_file
from ..keep.history import find, lines, with_run
from ..keep.links import PROMPT_LIMIT
from ..keep.reader import FileError, FileReader
from ..settings import read_settings
from ..status import status_text
from ..turns import QueueFull, Turns
from ..visits import Stop, Visits
from .controls import Controls
from .pace import Pace
from .screen import FILES, Screen, drawn, screened, show
from .shelf import Shelf, wire_shelf

log = logging.getLogger("specviz")
LENGTH = SETTINGS["max_new_tokens"]
SLOW = {"concurrency_limit": 1, "concurrency_id": "timed", "show_progress": "hidden", "api_visibility": "private"}
"""One at a time with the timed runs: drawing takes time that a run could use."""
WHOLE = "(prompt, ...rest) => [prompt?.toWellFormed(), ...rest]"
"""The server takes no body with half a character (guard/payload.py): U+FFFD stands for it, and `check` refuses that in words."""


def wire(
    page: gr.Blocks, engine: Engine, turns: Turns, controls: Controls, shelf: Shelf, screen: Screen, served: gr.HTML
) -> None:
    """`served`: the panel of a record that another engine left."""
    visits, reader = Visits(turns), FileReader()
    reading_stops: dict[str, Event] = {}  # of the files that are read

    def begin(request: gr.Request, length):
        """A place among those who wait, or a sentence why there is none."""
        try:
            ticket = visits.join(request.session_hash, tokens_of(length))
        except QueueFull as crowded:
            return gr.skip(), gr.skip(), status_text("refused", message=told_crowded(crowded))
        return gr.update(interactive=False), gr.update(interactive=True), status_text("waiting", ticket=ticket)

    def go(request: gr.Request, *values):
        with visits.turn(request.session_hash) as event:
            for message, trace in follow(engine, controls.named(values), event, turns) if event else ():
                yield from show(message, trace and drawn(trace, "run"))

    def show_file(request: gr.Request, data: bytes):
        event = reading_stops.setdefault(request.session_hash, Stop(lambda: HERE.is_here(request.session_hash)))
        try:
            for message, found in open_file(reader, data, lambda: event.is_set() or turns.closed, address(request)):
                is_run = bool(found) and found.about["kind"] == "run"
                for *step, listed, kept in show(message, screened(found) if is_run else None):
                    named = listed if is_run or not found else gr.update(value="")  # no recorded run is what is shown
                    yield *step, named, kept, gr.skip() if not found else "" if is_run else found.parts[0].decode()
        finally:
            reading_stops.pop(request.session_hash, None)

    def reading():
        return gr.update(interactive=True)

    def was_read(request: gr.Request):
        return gr.update(interactive=visits.waits(request.session_hash))

    def end(request: gr.Request):
        """Whoever still waits here was refused by the guard: nothing else takes that from the line."""
        refused = visits.waits(request.session_hash)
        visits.leave(request.session_hash)
        message = status_text("error", message=words.RUN_NOT_TAKEN) if refused else gr.skip()
        return gr.update(interactive=True), gr.update(interactive=False), message

    def stop(request: gr.Request):
        visits.stop(request.session_hash)
        stop_reading(request.session_hash)
        return status_text("stopping")

    def stop_reading(session: str) -> None:
        if event := reading_stops.get(session):
            event.set()

    def leave(request: gr.Request):
        visits.leave(request.session_hash)
        stop_reading(request.session_hash)

    started = controls.run.click(begin, controls.by_name[LENGTH.key], [controls.run, controls.stop, screen.status], **QUICK)
    ran = started.then(go, controls.inputs, screen.outputs, js=WHOLE, **SLOW)
    shelf.files.open.upload(reading, None, controls.stop, **QUICK)
    was_shown = shelf.files.open.upload(show_file, shelf.files.open, [*screen.outputs, served], **FILES)
    was_shown.then(was_read, None, controls.stop, **QUICK)
    screen.remembered(was_shown)
    for over in ran.then, ran.failure:  # gradio's `then` is not for what was refused
        over(end, None, [controls.run, controls.stop, screen.status], **QUICK)
    screen.remembered(ran)
    controls.stop.click(stop, None, screen.status, **QUICK)
    page.unload(leave)
    wire_shelf(controls, shelf, screen)
    _again(screen, turns, reader)


def _again(screen: Screen, turns: Turns, reader: FileReader) -> None:
    """A run of this visit is shown again; all of them are forgotten; those of the last visit come back."""
    history, wanted = screen.history, gr.State("")

    def pick(event: gr.EventData):
        return str(getattr(event, "id", ""))[:16], status_text("waiting")

    def again(request: gr.Request, kept, wanted):
        try:
            run = find(kept, wanted)
            sent = reader.ask("kept", run.data, lambda: turns.closed, address(request)) if run else None
            message = (
                status_text("linked", message=words.RUN_SHOWN) if sent else status_text("refused", message=words.RUN_FORGOTTEN)
            )
        except FileError as error:
            sent, message = None, status_text("refused", message=str(error))
        yield from show(message, sent and screened(sent))

    def restore(request: gr.Request, event: gr.EventData, kept):
        try:
            brought = json.dumps(getattr(event, "runs", None))
            before = reader.ask("browser", brought.encode(), lambda: turns.closed, address(request)).runs
        except FileError:
            return gr.skip(), gr.skip()
        runs = reduce(with_run, kept, before)
        return runs, lines(runs, [run for run in before if run.id not in brought])  # an older file has another name here

    history.box.restore(restore, history.kept, [history.kept, history.box], **FILES)
    picked = history.box.again(pick, None, [wanted, screen.status], **QUICK)
    picked.then(again, [history.kept, wanted], screen.outputs, **FILES)
    history.box.forget(lambda: ((), lines(())), None, [history.kept, history.box], **QUICK)


def follow(engine: Engine, values: Mapping, event: Event, turns: Turns):
    """Yield (status line, trace or None): progress now and then, and at the end a trace, or what went wrong and no trace. `values`: of
    the controls, by their names."""
    pace = Pace(turns.longest)

    def stop() -> bool:
        return event.is_set() or turns.closed or pace.late

    try:
        prompt, models, drafter = (values[name] for name in ("prompt", "models", "drafter"))
        check(prompt)
        config = read_settings(values)
        if engine.needs(models) is not None:
            yield status_text("fetching"), None
        for item in engine.race(RunRequest(prompt, config, drafter, models, stop, turns.awaited)):
            if isinstance(item, Trace):
                yield _ended(item, event, turns, pace), item if item.vanilla or item.speculative else None
            elif not stop() and (told := pace.status_line(item, config.max_new_tokens)):
                yield told, None
    except Exception as error:
        yield status_text("error", message=failure(error)), None


def bounded_race(engine: Engine, request: RunRequest, turns: Turns) -> Iterator:
    """What the run of a request gives, for nobody who watches: as bounded as a visitor's."""
    pace = Pace(turns.longest)
    stop = request.stop
    for item in engine.race(replace(request, stop=lambda: stop() or turns.closed or pace.late, awaited=turns.awaited)):
        if not isinstance(item, Trace):
            pace.status_line(item, item.of)
        yield item


def check(prompt: str) -> None:
    """Raises ValueError for a prompt that nothing can be made of. It looks at no more characters than a prompt may have."""
    if not isinstance(prompt, str):  # of a program, which may send anything
        raise ValueError(words.PROMPT_NO_TEXT.format(kind=type(prompt).__name__))
    if len(prompt) > PROMPT_LIMIT:
        raise ValueError(words.PROMPT_LONG.format(length=f"{len(prompt):,}", most=f"{PROMPT_LIMIT:,}"))
    if not prompt.strip():
        raise ValueError(words.PROMPT_EMPTY)
    if any("\ud800" <= c <= "\udfff" or c == "\ufffd" for c in prompt):
        raise ValueError(words.PROMPT_HALF)


def failure(error: Exception) -> str:
    """What went wrong, in a sentence for the visitor. What nobody was meant to read leaves its traceback in the log."""
    if isinstance(error, QueueFull):
        return told_crowded(error)
    if isinstance(error, ConfigError) and error.field in SETTINGS:
        return _out_of_bounds(error)
    if isinstance(error, ValueError):
        return str(error)
    log.exception("run failed")
    return words.FAILED.format(error=f"{type(error).__name__}: {error}")


def _out_of_bounds(error: ConfigError) -> str:
    """By the name that the page gives the setting."""
    value = words.EMPTY if error.value is None else str(error.value)[:60] or words.EMPTY
    return words.OUT_OF_BOUNDS.format(field=SETTINGS[error.field].label, value=value, bound=error.bound)


def address(request: gr.Request) -> str:
    """From where a visitor asks."""
    return place_of({"client": (request.client.host, 0)} if request.client else {})


def tokens_of(length: object) -> int:
    """What a run may ask for; what is out of bounds is refused when it begins."""
    return int(length) if isinstance(length, int | float) and 0 < length <= LENGTH.high else 0


def told_crowded(crowded: QueueFull) -> str:
    many, long = (words.CROWDED_OWN, words.CROWDED_OWN_LENGTH) if crowded.own else (words.CROWDED, words.CROWDED_LENGTH)
    return (long if crowded.most else many).format(field=LENGTH.label, waiting=crowded.waiting, most=crowded.most)


def _ended(trace: Trace, event: Event, turns: Turns, pace: Pace) -> str:
    if not (trace.vanilla or trace.speculative):
        return status_text("never" if event.is_set() or not turns.closed else "closing")
    if event.is_set():
        return status_text("stopped")
    if turns.closed:
        return status_text("closing")
    return status_text("stopped_long", seconds=f"{turns.longest:g}") if pace.cut else status_text("idle")
