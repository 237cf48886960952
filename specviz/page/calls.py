"""The one endpoint for programs: a prompt and settings in, the trace out. Everything else that the page asks of itself is private.

from gradio_client import Client
trace = Client("http://127.0.0.1:7860").predict("Once upon a time", K=4, api_name="/race")     # JSON lines: trace.file.loads
"""

from inspect import Parameter, Signature

import gradio as gr

from ..config import SETTINGS, ConfigError
from ..drafters import DRAFTERS
from ..request import RunRequest
from ..trace.file import dumps
from ..trace.header import Trace
from . import words
from .engine import Engine
from .settings import DEFAULT, read, values_of
from .turns import Crowded, Turns
from .watch.run import SLOW, check, limited, refused, told_crowded

FIRST = ("prompt", "K", "temperature", "length", "seed", "drafter", "top_k", "top_p", "verifier", "drafting")
"""The order that callers without names rely on. Every other setting follows, in the order of its field."""

DESCRIPTION = """Decode a prompt twice, by the target model alone and by speculative decoding, and give back every round of both.

Args:
    {arguments}

Returns:
    The trace as JSON lines: a header, the events of both lanes, and a line that seals them."""  # gradio reads it as a docstring


def arguments() -> dict[str, tuple[type, object, str]]:
    """What the endpoint takes: by name the type, the default, and a sentence."""
    values = values_of(DEFAULT)
    keys = ", ".join(key for key, one in DRAFTERS.items() if one.bundled)
    found = {"prompt": (str, Parameter.empty, "The text to continue.")}
    found |= {"drafter": (str, "", f"How to draft, by its key: {keys}. Empty: the first.")}
    for setting in SETTINGS.values():
        more = " One a line." if setting.kind is tuple else ""
        found[setting.key] = type(values[setting.key]), values[setting.key], setting.explained + more
    return {name: found[name] for name in dict.fromkeys((*FIRST, *found))}


def calls(engine: Engine, turns: Turns) -> None:
    """Makes the endpoint, in the page that is being built. A call takes its turn with the visitors' runs."""
    taken, either = arguments(), Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter(name, either, default=default, annotation=kind) for name, (kind, default, _) in taken.items()]
    signature = Signature(parameters, return_annotation=str)

    def race(*given, **named) -> str:
        values = signature.bind(*given, **named).arguments
        try:
            check(values["prompt"])
            config = read(values)
            ticket = turns.join(config.max_new_tokens)
        except ConfigError as error:
            raise _told(refused(error)) from None
        except Crowded as crowded:
            raise _told(told_crowded(crowded)) from None
        except ValueError as error:
            raise _told(str(error)) from None
        turns.start(ticket, next=False)
        try:
            models = engine.models()[0]
            request = RunRequest(values["prompt"], config, values.get("drafter") or engine.drafters(models)[0], models)
            trace = next((step for step in limited(engine, request, turns) if isinstance(step, Trace)), None)
        except ValueError as error:
            raise _told(str(error)) from None
        finally:
            turns.end(ticket)
        if trace is None or not (trace.vanilla or trace.speculative):
            raise _told(words.STATUS["never"])
        return dumps(trace).decode()

    race.__signature__ = signature
    race.__annotations__ = {"return": str, **{name: kind for name, (kind, _, _) in taken.items()}}
    race.__doc__ = DESCRIPTION.format(arguments="\n    ".join(f"{name}: {said}" for name, (_, _, said) in taken.items()))
    gr.api(race, api_name="race", concurrency_limit=SLOW["concurrency_limit"], concurrency_id=SLOW["concurrency_id"])


def _told(sentence: str) -> gr.Error:
    """What a caller did wrong is no fault of the server's: it leaves no traceback in its log."""
    return gr.Error(sentence, print_exception=False)
