"""The one endpoint for programs: a prompt and settings in, the trace out. Everything else that the page asks of itself is private.

from gradio_client import Client
trace = Client("http://127.0.0.1:7860").predict("Write a haiku.", K=4, temperature=0, api_name="/race")     # JSON lines: trace.file.loads
"""

import asyncio
from collections.abc import Callable, Sequence
from inspect import Parameter, Signature

import gradio as gr
from gradio.context import LocalContext
from gradio.queueing import Event, Queue
from gradio.server_messages import ProcessCompletedMessage
from gradio.utils import error_payload

from ..config import SETTINGS
from ..request import RunRequest
from ..trace.file import dumps
from ..trace.header import Trace
from . import words
from .engine import Engine
from .guard.presence import HERE
from .keep.links import one_of
from .settings import DEFAULT, read_settings, values_of
from .turns import Turns
from .watch.run import TIMED_EVENTS, bounded_race, check_prompt, error_message, requested_tokens

NAME = "race"
PARAMETER_ORDER = ("prompt", "K", "temperature", "length", "seed", "drafter", "top_k", "top_p", "verifier", "drafting")
"""The order that callers without names rely on. Every other setting follows, in the order of its field."""

DESCRIPTION = """Decode a prompt twice, by the target model alone and by speculative decoding, and give back every round of both.

Args:
    {arguments}

Returns:
    The trace as JSON lines: a header, the events of both lanes, and a line that seals them."""  # gradio reads it as a docstring


def arguments(drafters: Sequence[str]) -> dict[str, tuple[type, object, str]]:
    """What the endpoint takes: by name the type, the default, and a sentence. `drafters`: the keys of those that may draft."""
    values = values_of(DEFAULT)
    parameters = {"prompt": (str, Parameter.empty, "A question for an assistant, or the text to continue.")}
    parameters |= {"drafter": (str, "", f"How to draft, by its key: {', '.join(drafters)}. Empty: the first.")}
    for setting in SETTINGS.values():
        more = " One a line." if setting.kind is tuple else ""
        parameters[setting.key] = type(values[setting.key]), values[setting.key], setting.help_with_range + more
    return {name: parameters[name] for name in dict.fromkeys((*PARAMETER_ORDER, *parameters))}


def calls(engine: Engine, turns: Turns) -> "Tickets":
    """Makes the endpoint, in the page that is being built. A call takes its turn with the visitors' runs."""
    tickets = Tickets(turns)
    inputs, either = arguments(engine.drafters()), Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, either, default=default, annotation=kind) for name, (kind, default, _) in inputs.items()]
    signature = Signature(parameters, return_annotation=str)

    def race(*args, **kwargs) -> str:
        values = signature.bind(*args, **kwargs).arguments
        ticket = tickets.of_this_call()
        try:
            check_prompt(values["prompt"])
            config, models = read_settings(values), engine.models()[0]
            drafters = engine.drafters(models)
            drafter = one_of(words.DRAFTER, values.get("drafter") or drafters[0], drafters)
            if (has_left := caller_left())():
                raise ValueError(words.STATUS["never"])
            if ticket is None:
                ticket = turns.join(config.max_new_tokens)
        except Exception as error:
            if ticket is not None:
                turns.leave(ticket)
            if not isinstance(error, ValueError):
                raise
            raise _caller_error(error_message(error)) from None
        turns.start(ticket, next=False)
        try:
            request = RunRequest(values["prompt"], config, drafter, models, has_left)
            trace = next((step for step in bounded_race(engine, request, turns) if isinstance(step, Trace)), None)
        except ValueError as error:
            raise _caller_error(str(error)) from None
        finally:
            turns.end(ticket)
        if trace is None or not (trace.vanilla or trace.speculative):
            raise _caller_error(words.STATUS["never"])
        return dumps(trace).decode()

    race.__signature__ = signature
    race.__annotations__ = {"return": str, **{name: kind for name, (kind, _, _) in inputs.items()}}
    race.__doc__ = DESCRIPTION.format(arguments="\n    ".join(f"{name}: {sentence}" for name, (_, _, sentence) in inputs.items()))
    gr.api(
        race, api_name=NAME, concurrency_limit=TIMED_EVENTS["concurrency_limit"], concurrency_id=TIMED_EVENTS["concurrency_id"]
    )
    return tickets


def caller_left() -> Callable[[], bool]:
    """Whether nobody listens any more for the answer of the call that is at work in this thread."""
    request, event = LocalContext.request.get(None), LocalContext.event_id.get(None)
    session = getattr(request, "session_hash", None)
    return lambda: bool(session or event) and not HERE.is_here(session, event)


class Tickets:
    """Calls have their tickets as soon as they ask, as visitors have: gradio's own queue knows no tokens, and nobody who left."""

    def __init__(self, turns: Turns):
        self.turns = turns
        self._by_event: dict[str, int] = {}  # by gradio's name for the call

    def of_this_call(self) -> int | None:
        return self._by_event.pop(LocalContext.event_id.get(None) or "", None)

    def wire(self, queue: Queue) -> None:
        """`queue` takes no call for which there is no room; it is answered at once."""
        push = queue.push

        async def push_with_ticket(body, request, username):
            function = queue.blocks.fns.get(body.fn_index)
            if function is None:
                return False, words.CALL_UNKNOWN, "error"
            if function.api_name != NAME:
                return await push(body, request, username)
            names = [body.session_hash]
            try:
                values = body.data or []
                if len(values) != len(function.inputs):
                    raise ValueError(words.CALL_VALUES.format(needed=len(function.inputs), found=len(values)))
                tokens = requested_tokens(values[PARAMETER_ORDER.index("length")])
                ticket = self.turns.join(tokens, lambda: HERE.is_here(*names))
            except ValueError as error:
                return True, _error_text(queue, Event(body.session_hash, function, request, username), error), "success"
            done, event, state = await push(body, request, username)
            if done:
                names.append(event)
                HERE.mark_present(event)
                self._by_event = {name: one for name, one in self._by_event.items() if self.turns.place(one)} | {event: ticket}
            else:
                self.turns.leave(ticket)
            return done, event, state

        queue.push = push_with_ticket  # type: ignore[method-assign]


def _error_text(queue: Queue, event: Event, error: ValueError) -> str:
    """The caller of an event that never waited reads why."""
    session = event.session_hash
    HERE.mark_present(session)
    if session not in queue.pending_messages_per_session:
        queue.pending_messages_per_session[session] = asyncio.Queue()
    queue.pending_event_ids_session.setdefault(session, set()).add(event._id)
    HERE.mark_present(event._id)
    queue.send_message(
        event, ProcessCompletedMessage(output=error_payload(_caller_error(error_message(error)), None), success=False)
    )
    return event._id


def _caller_error(sentence: str) -> gr.Error:
    """What a caller did wrong is no fault of the server's: it leaves no traceback in its log."""
    return gr.Error(sentence, print_exception=False)
