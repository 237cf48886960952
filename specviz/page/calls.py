"""The one endpoint for programs: a prompt and settings in, the trace out. Everything else that the page asks of itself is private.

from gradio_client import Client
trace = Client("http://127.0.0.1:7860").predict("Write a haiku.", K=4, temperature=0, api_name="/race")     # JSON lines: trace.file.loads
"""

from collections.abc import Sequence
from inspect import Parameter, Signature

import gradio as gr
from gradio.context import LocalContext
from starlette.concurrency import run_in_threadpool

from ..config import SETTINGS
from ..request import RunRequest
from ..trace.events import Trace
from ..trace.file import dumps
from ..words import page as words
from .engine import Engine
from .guard.shares import NOBODY, visitor_address
from .queue import HERE, TIMED, QueuedRun, RunQueue
from .settings import DEFAULT, one_of, values_of
from .watch.run import check_prompt, error_message, read_settings

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


def calls(engine: Engine, queue: RunQueue) -> None:
    """Makes the endpoint, in the page that is being built. A call takes its turn with the visitors' runs."""
    inputs, either = arguments(engine.drafters()), Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, either, default=default, annotation=kind) for name, (kind, default, _) in inputs.items()]
    signature = Signature(parameters, return_annotation=str)

    async def race(*args, **kwargs) -> str:
        values = signature.bind(*args, **kwargs).arguments
        try:
            check_prompt(values["prompt"])
            config, models = read_settings(values), engine.models()[0]
            drafters = engine.drafters(models)
            drafter = one_of(words.DRAFTER, values.get("drafter") or drafters[0], drafters)
            names, who = caller()
            run = queue.join(names[0], who, NAME, lambda: HERE.is_here(*names), several=True)
            with run:
                async for _ in run.wait():
                    pass
                request = RunRequest(values["prompt"], config, drafter, models, run.is_over, run.awaited)
                return await run_in_threadpool(whole_run, engine, request, run)
        except ValueError as error:  # what a caller did wrong is no fault of the server's: it leaves no traceback in its log
            raise gr.Error(error_message(error), print_exception=False) from None

    race.__signature__ = signature  # type: ignore[attr-defined]
    race.__annotations__ = {"return": str, **{name: kind for name, (kind, _, _) in inputs.items()}}
    race.__doc__ = DESCRIPTION.format(arguments="\n    ".join(f"{name}: {sentence}" for name, (_, _, sentence) in inputs.items()))
    gr.api(race, api_name=NAME, concurrency_limit=TIMED["concurrency_limit"], concurrency_id=TIMED["concurrency_id"])


def whole_run(engine: Engine, request: RunRequest, run: QueuedRun) -> str:
    """The trace of a run as JSON lines. Raises ValueError where nothing was decoded."""
    trace = next((step for step in engine.race(request) if isinstance(step, Trace)), None) if run.begun else None
    if trace is None or not (trace.vanilla or trace.speculative):
        raise ValueError(words.STATUS["never"])
    return dumps(trace).decode()


def caller() -> tuple[list[str], str]:
    """By which names the caller of this event listens for its answer, the session's first, and its address."""
    request, event = LocalContext.request.get(None), LocalContext.event_id.get(None)
    session = getattr(request, "session_hash", None)
    return [name for name in (session, event) if name] or [""], visitor_address(request) if request else NOBODY
