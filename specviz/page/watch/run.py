"""Run, Stop, Open and Show again: from the visitor's settings through the engine, or from what was kept, to the screen.

yield screen.update(status_text("idle"), run_contents(trace, "file"))     # into `screen.outputs`

A finished run is drawn the same way wherever it came from: decoded just now, a file, a recorded run, one of this visit. It is drawn within
its turn (queue.py): drawing takes time that another run could use.
"""

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from secrets import token_urlsafe
from threading import Event

import gradio as gr
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool

from ...config import CHARACTERS, SETTINGS, STRINGS, ConfigError, DecodeConfig
from ...picture.replay import FileContents, run_contents
from ...request import RunRequest
from ...trace.events import Trace
from ...words import page as words
from ..component import QUICK
from ..engine import Engine
from ..guard.shares import once, visitor_address
from ..keep.files import open_file
from ..keep.reader import READS, FileError, FileReader, as_line
from ..keep.recorded import load
from ..queue import HERE, TIMED, WAITING, QueuedRun, QueueFull, QueuePlace, RunQueue
from ..settings import DEFAULT, PROMPT_LIMIT
from ..status import Pace, status_text
from .controls import Controls

log = logging.getLogger("specviz")
KEPT_RUNS, KEPT_CHARACTERS = 2 * WAITING, 2**24  # runs that a page may ask for again: all that wait, and as many that are done
STRINGS_TEXT = STRINGS * (CHARACTERS + 2)  # characters of all, one a line: what is longer has too many, or one that is too long
LOOK_SECONDS = 0.2  # between two looks at a run that a page asked for again
WELL_FORMED = "(prompt, ...rest) => [prompt?.toWellFormed(), ...rest]"
"""The server takes no body with half a character (guard/front.py): U+FFFD stands for it, and `check` refuses that in words."""
FILE_EVENTS = {"concurrency_limit": 2 * READS, "concurrency_id": "files", "show_progress": "hidden", "api_visibility": "private"}
"""Files are read beside runs, in a process of their own; whom it has no room for is told so, and holds no place in gradio's queue."""


@dataclass(frozen=True)
class Screen:
    """`recorded_list`: the list of recorded runs, which says which of them is shown, if one is."""

    status: gr.HTML
    race: gr.HTML
    recorded_list: gr.Dropdown
    history: gr.HTML

    @property
    def outputs(self) -> list:
        return [self.status, self.race, self.recorded_list, self.history]

    def update(self, message, contents: FileContents | None = None, name: str = "") -> tuple:
        """The status line and, with a run, the whole screen, once: each step would take a server tens of ms of a visitor's turn. `name`: of
        a recorded run. The run joins those of the visit."""
        if contents is None:
            return message_only(message)
        return message, contents.parts[0].decode(), gr.update(value=name), as_line(contents.run)


@once
def render_recorded(name: str) -> FileContents:
    """A recorded run, drawn once for all visitors: none of them waits for it while others run."""
    return run_contents(load(name), "recorded")


def message_only(message) -> tuple:
    """The status line; all else stays."""
    return message, gr.skip(), gr.skip(), gr.skip()


def empty_screen(message: str) -> tuple:
    """The screen of a run that is not decoded yet: nothing that another run came to stands there meanwhile."""
    return message, "", gr.update(value=""), gr.skip()


def wire_run(
    page: gr.Blocks,
    engine: Engine,
    queue: RunQueue,
    controls: Controls,
    opener: gr.UploadButton,
    screen: Screen,
    record_box: gr.HTML,
) -> None:
    """`opener` takes a file; `record_box`: the panel of a record that another engine left."""
    reader, outcomes = FileReader(), Outcomes()
    reading_stops: dict[str, Event] = {}  # of the files that are read

    def updates_of(values: Mapping, outcome: Outcome) -> Iterator[tuple]:
        for message, trace in run_steps(engine, values, outcome.run):
            contents = trace and run_contents(trace, "run")
            if contents and outcome.run.reason != "left":
                outcome.message, outcome.line = message, as_line(contents.run)
            yield screen.update(message, contents)

    async def run_timed(request: gr.Request, *values):
        """From the press on: its place among those who wait, how far it is, what it came to, or why it cannot be."""
        outcomes.forget(request.session_hash)
        try:
            run = queue.join(request.session_hash, visitor_address(request), "run")
        except QueueFull as error:
            yield message_only(status_text("error", message=queue_full_message(error)))
            return
        name, outcome = outcomes.begin(run)
        with ExitStack() as stack:
            stack.callback(outcome.done.set)
            stack.enter_context(run)
            updates = stack.enter_context(closing(updates_of(controls.by_names(values), outcome)))
            try:
                yield message_only(status_text("waiting", run=name))
                async for place in run.wait():
                    yield message_only(place_text(place))
                async for update in iterate_in_threadpool(updates):
                    yield update
            except GeneratorExit:  # the page has gone, or lost the connection: then it asks again
                queue.leave(request.session_hash)
                if run.begun and not run.reason:
                    outcomes.finish(stack.pop_all(), updates)
                raise

    def show_file(request: gr.Request, data: bytes):
        session, event = request.session_hash, Event()
        event = reading_stops.setdefault(session, event)
        HERE.mark_present(session)  # it listens for the answer in a moment

        def stop() -> bool:
            return event.is_set() or queue.closed or not HERE.is_here(session)

        try:
            for message, contents in open_file(reader, data, stop, visitor_address(request)):
                is_run = bool(contents) and contents.about["kind"] == "run"
                *step, recorded_list, kept = screen.update(message, contents if is_run else None)
                name = recorded_list if is_run or not contents else gr.update(value="")  # no recorded run is what is shown
                yield *step, name, kept, gr.skip() if not contents else "" if is_run else contents.parts[0].decode()
        finally:
            reading_stops.pop(request.session_hash, None)

    def stop_run(request: gr.Request):
        queue.stop(request.session_hash)
        stop_reading(request.session_hash)
        return status_text("stopping")

    def stop_reading(session: str) -> None:
        if event := reading_stops.get(session):
            event.set()

    def leave_queue(request: gr.Request):
        queue.leave(request.session_hash)
        stop_reading(request.session_hash)

    buttons = [controls.run, controls.stop]
    # gradio begins what a press asks for when what was wired before is over (controls.py, shelf.py): the run comes last
    run_event = controls.run.click(run_timed, controls.inputs, screen.outputs, js=WELL_FORMED, **TIMED)
    run_event.then(None, None, buttons, js="() => specviz.setRunning(false)", **QUICK)
    # the guard, or gradio, refused what was sent: no event began, and none follows it
    refusal = json.dumps(status_text("error", message=words.RUN_NOT_TAKEN))
    refused = f"() => [...specviz.setRunning(false), {refusal}]"
    run_event.failure(None, None, [*buttons, screen.status], js=refused, **QUICK)
    opener.upload(None, None, controls.stop, js="() => specviz.stopUpdate(true)", **QUICK)
    file_event = opener.upload(show_file, opener, [*screen.outputs, record_box], **FILE_EVENTS)
    file_event.then(None, None, controls.stop, js="() => specviz.stopUpdate()", **QUICK)
    controls.stop.click(stop_run, None, screen.status, **QUICK)
    page.unload(leave_queue)
    _wire_history(screen, queue, reader, outcomes, controls.stop)


def _wire_history(screen: Screen, queue: RunQueue, reader: FileReader, outcomes: "Outcomes", stop: gr.Button) -> None:
    def show_kept(request: gr.Request, kept: str, message: str) -> tuple:
        try:
            contents = reader.ask("kept", kept.encode(), lambda: queue.closed, visitor_address(request))
        except FileError as error:
            return message_only(status_text("refused", message=str(error)))
        return screen.update(message, contents)

    def show_again(request: gr.Request, event: gr.EventData):
        """A run that the browser kept."""
        yield message_only(status_text("waiting"))
        kept = json.dumps({name: getattr(event, name, None) for name in ("source", "data")})
        *update, _ = show_kept(request, kept, status_text("linked", message=words.RUN_SHOWN))
        yield *update, gr.skip()

    async def show_lost(request: gr.Request, event: gr.EventData):
        """A run during which the page was loaded again, as after a broken connection: its end is waited for, by no thread."""
        session, outcome = request.session_hash, outcomes.get(getattr(event, "run", None))
        outcomes.requests[session] = outcome

        def is_asked() -> bool:
            return outcomes.requests.get(session, "") is outcome

        try:
            if outcome and outcome.run.begun and not outcome.done.is_set():
                outcome.run.return_to(session)
                yield message_only(status_text("resumed"))
            while outcome and not outcome.done.is_set():
                await asyncio.sleep(LOOK_SECONDS)
            if not is_asked():  # Run was pressed meanwhile
                yield message_only(gr.skip())
            elif not (outcome and outcome.line):
                yield message_only(status_text("lost"))
            else:
                finished = json.loads(outcome.message)["state"] == "idle"
                message = status_text("finished") if finished else outcome.message
                update = await run_in_threadpool(show_kept, request, outcome.line, message)
                yield update if is_asked() else message_only(gr.skip())
        finally:
            outcomes.requests.pop(session, None)

    screen.history.again(show_again, None, screen.outputs, **FILE_EVENTS)
    screen.status.lost(None, None, stop, js="() => specviz.stopUpdate(true)", **QUICK)
    lost_event = screen.status.lost(show_lost, None, screen.outputs, **TIMED)
    lost_event.then(None, None, stop, js="() => specviz.stopUpdate()", **QUICK)


@dataclass
class Outcome:
    """What a run comes to: its last status line, and the run as a browser keeps it; empty where nothing was decoded."""

    run: QueuedRun
    message: str = ""
    line: str = ""
    done: Event = field(default_factory=Event)


class Outcomes:
    """Of the last runs, by a name that only their own page was told: it asks by it when it was loaded again. `requests`: by session."""

    def __init__(self):
        self.requests: dict[str, Outcome | None] = {}
        self._all: dict[str, Outcome] = {}
        self._finishing: set[asyncio.Task] = set()

    def begin(self, run: QueuedRun) -> tuple[str, Outcome]:
        run.may_return = True
        name = token_urlsafe(16)
        self._all[name] = Outcome(run)
        while len(self._all) > KEPT_RUNS or sum(len(one.line) for one in self._all.values()) > KEPT_CHARACTERS:
            del self._all[next(iter(self._all))]
        return name, self._all[name]

    def get(self, name: object) -> Outcome | None:
        return self._all.get(name) if isinstance(name, str) else None

    def forget(self, session: str) -> None:
        """What this page asked for again is waited for no longer: it asks for another run."""
        if outcome := self.requests.pop(session, None):
            outcome.run.session = ""
            outcome.run.stop("left")

    def finish(self, run: ExitStack, updates: Iterator[tuple]) -> None:
        """Decode what is left of a run, which nobody listens to now. `run`: what ends it."""

        async def finish_run() -> None:
            with run:
                async for _ in iterate_in_threadpool(updates):
                    pass

        task = asyncio.create_task(finish_run())
        self._finishing.add(task)  # a task that nobody holds may be collected
        task.add_done_callback(self._finishing.discard)


def place_text(place: QueuePlace) -> str:
    return status_text("waiting", before=place.before, seconds=place.seconds)


def run_steps(engine: Engine, values: Mapping, run: QueuedRun) -> Iterator[tuple[str, Trace | None]]:
    """Yield (status line, trace or None): progress now and then, and at the end a trace, or what went wrong and no trace. `values`: of
    the controls, by their names."""
    if not run.begun:  # stopped while it waited: nothing is loaded for it
        yield status_text("closing" if run.reason == "closing" else "never"), None
        return
    try:
        prompt, models, drafter = (values[name] for name in ("prompt", "models", "drafter"))
        pace = Pace(chat=engine.chats(models))
        check_prompt(prompt)
        config = read_settings(values)
        if engine.needs(models) is not None:
            yield status_text("fetching"), None
        for item in engine.race(RunRequest(prompt, config, drafter, models, run.is_over, run.awaited)):
            if isinstance(item, Trace):
                yield _end_message(item, run), item if item.vanilla or item.speculative else None
            elif not run.is_over() and (line := pace.status_line(item, config.max_new_tokens)):
                if pace.left is not None:
                    run.expect(pace.left)
                yield line, None
    except Exception as error:
        yield status_text("error", message=error_message(error)), None


def read_settings(values: Mapping) -> DecodeConfig:
    """What the visitor chose, by keys; what is not among `values` is the page's own. Raises ConfigError for what is out of bounds.

    What belongs to another rule than the one that is picked is out of sight, and left out. Fields hand over 4 as 4.0; 4.5 is left
    for the check."""
    verifier = values.get("verifier", DEFAULT.verifier)
    fields = {}
    for name, setting in SETTINGS.items():
        if setting.key not in values or setting.rule not in (None, verifier):
            continue
        value = values[setting.key]
        if setting.kind is int and isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is None and setting.kind is tuple:
            value = ()
        elif setting.kind is tuple and isinstance(value, str) and len(value) <= STRINGS_TEXT:
            value = tuple(line for line in value.splitlines() if line)
        fields[name] = value
    return replace(DEFAULT, **fields)


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
        return " ".join(map(_out_of_bounds, (error, *error.others)))
    if isinstance(error, ValueError):
        text = str(error)
        return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
    log.exception("run failed")
    return words.FAILED.format(error=f"{type(error).__name__}: {error}")


def _out_of_bounds(error: ConfigError) -> str:
    """By the name that the page gives the setting."""
    value = words.EMPTY if error.value is None else str(error.value)[:60] or words.EMPTY
    return words.OUT_OF_BOUNDS.format(field=SETTINGS[error.field].label, value=value, bound=error.bound)


def queue_full_message(error: QueueFull) -> str:
    return words.QUEUE_FULL_OF[error.scope].format(waiting=error.waiting)


def _end_message(trace: Trace, run: QueuedRun) -> str:
    if not (trace.vanilla or trace.speculative):
        return status_text("closing" if run.reason == "closing" else "never")
    if run.reason == "late":
        return status_text("stopped_long", seconds=f"{run.longest:g}")
    return status_text(run.reason if run.reason in ("stopped", "closing") else "idle")
