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
from ..keep.history import lines, run_by_id, with_run
from ..keep.links import PROMPT_LIMIT
from ..keep.reader import FileError, FileReader
from ..settings import read_settings
from ..status import status_text
from ..turns import QueueFull, Stop, Turns, Visits
from .controls import Controls
from .pace import Pace
from .screen import FILE_EVENTS, Screen, render_contents, render_run, screen_updates
from .shelf import Shelf, wire_shelf

log = logging.getLogger("specviz")
LENGTH = SETTINGS["max_new_tokens"]
TIMED_EVENTS = {"concurrency_limit": 1, "concurrency_id": "timed", "show_progress": "hidden", "api_visibility": "private"}
"""One at a time with the timed runs: drawing takes time that a run could use."""
WELL_FORMED = "(prompt, ...rest) => [prompt?.toWellFormed(), ...rest]"
"""The server takes no body with half a character (guard/payload.py): U+FFFD stands for it, and `check` refuses that in words."""


def wire_run(
    page: gr.Blocks, engine: Engine, turns: Turns, controls: Controls, shelf: Shelf, screen: Screen, record_box: gr.HTML
) -> None:
    """`record_box`: the panel of a record that another engine left."""
    visits, reader = Visits(turns), FileReader()
    reading_stops: dict[str, Event] = {}  # of the files that are read

    def join_queue(request: gr.Request, length):
        """A place among those who wait, or a sentence why there is none."""
        try:
            ticket = visits.join(request.session_hash, requested_tokens(length))
        except QueueFull as error:
            return gr.skip(), gr.skip(), status_text("refused", message=queue_full_message(error))
        return gr.update(interactive=False), gr.update(interactive=True), status_text("waiting", ticket=ticket)

    def run_timed(request: gr.Request, *values):
        with visits.turn(request.session_hash) as event:
            for message, trace in run_steps(engine, controls.by_names(values), event, turns) if event else ():
                yield from screen_updates(message, trace and render_run(trace, "run"))

    def show_file(request: gr.Request, data: bytes):
        event = reading_stops.setdefault(request.session_hash, Stop(lambda: HERE.is_here(request.session_hash)))
        try:
            for message, contents in open_file(reader, data, lambda: event.is_set() or turns.closed, visitor_address(request)):
                is_run = bool(contents) and contents.about["kind"] == "run"
                for *step, recorded_list, run in screen_updates(message, render_contents(contents) if is_run else None):
                    name = recorded_list if is_run or not contents else gr.update(value="")  # no recorded run is what is shown
                    yield *step, name, run, gr.skip() if not contents else "" if is_run else contents.parts[0].decode()
        finally:
            reading_stops.pop(request.session_hash, None)

    def enable_stop():
        return gr.update(interactive=True)

    def restore_stop(request: gr.Request):
        return gr.update(interactive=visits.is_waiting(request.session_hash))

    def end_run(request: gr.Request):
        """Whoever still waits here was refused by the guard: nothing else takes that from the line."""
        was_refused = visits.is_waiting(request.session_hash)
        visits.leave(request.session_hash)
        message = status_text("error", message=words.RUN_NOT_TAKEN) if was_refused else gr.skip()
        return gr.update(interactive=True), gr.update(interactive=False), message

    def stop_run(request: gr.Request):
        visits.stop(request.session_hash)
        stop_reading(request.session_hash)
        return status_text("stopping")

    def stop_reading(session: str) -> None:
        if event := reading_stops.get(session):
            event.set()

    def leave_queue(request: gr.Request):
        visits.leave(request.session_hash)
        stop_reading(request.session_hash)

    press = controls.run.click(join_queue, controls.by_name[LENGTH.key], [controls.run, controls.stop, screen.status], **QUICK)
    run_event = press.then(run_timed, controls.inputs, screen.outputs, js=WELL_FORMED, **TIMED_EVENTS)
    shelf.files.open.upload(enable_stop, None, controls.stop, **QUICK)
    file_event = shelf.files.open.upload(show_file, shelf.files.open, [*screen.outputs, record_box], **FILE_EVENTS)
    file_event.then(restore_stop, None, controls.stop, **QUICK)
    screen.remember_after(file_event)
    for over in run_event.then, run_event.failure:  # gradio's `then` is not for what was refused
        over(end_run, None, [controls.run, controls.stop, screen.status], **QUICK)
    screen.remember_after(run_event)
    controls.stop.click(stop_run, None, screen.status, **QUICK)
    page.unload(leave_queue)
    wire_shelf(controls, shelf, screen)
    _wire_history(screen, turns, reader)


def _wire_history(screen: Screen, turns: Turns, reader: FileReader) -> None:
    """A run of this visit is shown again; all of them are forgotten; those of the last visit come back."""
    history, run_id = screen.history, gr.State("")

    def choose_run(event: gr.EventData):
        return str(getattr(event, "id", ""))[:16], status_text("waiting")

    def show_again(request: gr.Request, runs, run_id):
        try:
            run = run_by_id(runs, run_id)
            contents = reader.ask("kept", run.data, lambda: turns.closed, visitor_address(request)) if run else None
            state, sentence = ("linked", words.RUN_SHOWN) if contents else ("refused", words.RUN_FORGOTTEN)
        except FileError as error:
            contents, state, sentence = None, "refused", str(error)
        message = status_text(state, message=sentence)
        yield from screen_updates(message, contents and render_contents(contents))

    def restore(request: gr.Request, event: gr.EventData, runs):
        try:
            entries = json.dumps(getattr(event, "runs", None))
            before = reader.ask("browser", entries.encode(), lambda: turns.closed, visitor_address(request)).runs
        except FileError:
            return gr.skip(), gr.skip()
        runs = reduce(with_run, runs, before)
        return runs, lines(runs, [run for run in before if run.id not in entries])  # an older file has another name here

    history.box.restore(restore, history.runs, [history.runs, history.box], **FILE_EVENTS)
    choice_event = history.box.again(choose_run, None, [run_id, screen.status], **QUICK)
    choice_event.then(show_again, [history.runs, run_id], screen.outputs, **FILE_EVENTS)
    history.box.forget(lambda: ((), lines(())), None, [history.runs, history.box], **QUICK)


def run_steps(engine: Engine, values: Mapping, event: Event, turns: Turns):
    """Yield (status line, trace or None): progress now and then, and at the end a trace, or what went wrong and no trace. `values`: of
    the controls, by their names."""
    pace = Pace(turns.longest)

    def stop() -> bool:
        return event.is_set() or turns.closed or pace.late

    try:
        prompt, models, drafter = (values[name] for name in ("prompt", "models", "drafter"))
        check_prompt(prompt)
        config = read_settings(values)
        if engine.needs(models) is not None:
            yield status_text("fetching"), None
        for item in engine.race(RunRequest(prompt, config, drafter, models, stop, turns.has_waiting)):
            if isinstance(item, Trace):
                yield _end_message(item, event, turns, pace), item if item.vanilla or item.speculative else None
            elif not stop() and (line := pace.status_line(item, config.max_new_tokens)):
                yield line, None
    except Exception as error:
        yield status_text("error", message=error_message(error)), None


def bounded_race(engine: Engine, request: RunRequest, turns: Turns) -> Iterator:
    """What the run of a request gives, for nobody who watches: as bounded as a visitor's."""
    pace = Pace(turns.longest)
    stop = request.stop
    for item in engine.race(replace(request, stop=lambda: stop() or turns.closed or pace.late, awaited=turns.has_waiting)):
        if not isinstance(item, Trace):
            pace.status_line(item, item.of)
        yield item


def check_prompt(prompt: str) -> None:
    """Raises ValueError for a prompt that nothing can be made of. It looks at no more characters than a prompt may have."""
    if not isinstance(prompt, str):  # of a program, which may send anything
        raise ValueError(words.PROMPT_NO_TEXT.format(kind=type(prompt).__name__))
    if len(prompt) > PROMPT_LIMIT:
        raise ValueError(words.PROMPT_LONG.format(length=f"{len(prompt):,}", most=f"{PROMPT_LIMIT:,}"))
    if not prompt.strip():
        raise ValueError(words.PROMPT_EMPTY)
    if any("\ud800" <= c <= "\udfff" or c == "\ufffd" for c in prompt):
        raise ValueError(words.PROMPT_HALF)


def error_message(error: Exception) -> str:
    """What went wrong, in a sentence for the visitor. What nobody was meant to read leaves its traceback in the log."""
    if isinstance(error, QueueFull):
        return queue_full_message(error)
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


def visitor_address(request: gr.Request) -> str:
    return place_of({"client": (request.client.host, 0)} if request.client else {})


def requested_tokens(length: object) -> int:
    """What a run may ask for; what is out of bounds is refused when it begins."""
    return int(length) if isinstance(length, int | float) and 0 < length <= LENGTH.high else 0


def queue_full_message(error: QueueFull) -> str:
    many, long = (words.CROWDED_OWN, words.CROWDED_OWN_LENGTH) if error.own else (words.CROWDED, words.CROWDED_LENGTH)
    return (long if error.most else many).format(field=LENGTH.label, waiting=error.waiting, most=error.most)


def _end_message(trace: Trace, event: Event, turns: Turns, pace: Pace) -> str:
    if not (trace.vanilla or trace.speculative):
        return status_text("never" if event.is_set() or not turns.closed else "closing")
    if event.is_set():
        return status_text("stopped")
    if turns.closed:
        return status_text("closing")
    return status_text("stopped_long", seconds=f"{turns.longest:g}") if pace.was_cut else status_text("idle")
