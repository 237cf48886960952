"""The one endpoint for programs: a prompt and settings in, the trace out. Everything else that the page asks of itself is private.

from gradio_client import Client
trace = Client("http://127.0.0.1:7860").predict("Once upon a time", K=4, api_name="/race")     # JSON lines: trace.file.loads
"""

from functools import partial

import gradio as gr

from ..config import ConfigError
from ..trace.file import dumps
from ..trace.header import Trace
from . import words
from .engine import Engine
from .settings import DEFAULT, read
from .turns import Crowded, Turns
from .watch.run import SLOW, check, limited, refused, told_crowded


def calls(engine: Engine, turns: Turns) -> None:
    """Makes the endpoint, in the page that is being built. A call takes its turn with the visitors' runs."""

    def race(
        prompt: str,
        K: int = DEFAULT.K,
        temperature: float = DEFAULT.temperature,
        length: int = DEFAULT.max_new_tokens,
        seed: int = DEFAULT.seed,
        drafter: str = "",
        top_k: int = DEFAULT.top_k,
        top_p: float = DEFAULT.top_p,
        verifier: str = DEFAULT.verifier,
        drafting: str = DEFAULT.drafting,
    ) -> str:
        """Decode a prompt twice, by the target model alone and by speculative decoding, and give back every round of both.

        Args:
            prompt: The text to continue.
            K: Tokens drafted in a round, 0 to 32; 0 is vanilla decoding.
            temperature: 0 is greedy.
            length: Tokens to write at most.
            seed: Of the random generator; the same seed gives the same tokens.
            drafter: How to draft, by its key: small, large, lookup, bigram, early-exit, mtp, eagle, oracle, random. Empty: the first.
            top_k: Only the so many likeliest tokens; 0 is off.
            top_p: Only the likeliest tokens of this sum; 1 is off.
            verifier: rejection, match or block, which are exact; typical or threshold, which are not.
            drafting: sample, or argmax: take the draft's likeliest token.

        Returns:
            The trace as JSON lines: a header, the events of both lanes, and a line that seals them.
        """
        try:
            check(prompt)
            config = read(K, temperature, top_p, length, seed, top_k, "", verifier, False, 0.0, False, drafting)
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
            key = drafter or engine.drafters(models)[0]
            run = partial(engine.race, prompt, config, drafter=key, models=models, awaited=turns.awaited)
            trace = next((step for step in limited(run, turns) if isinstance(step, Trace)), None)
        except ValueError as error:
            raise _told(str(error)) from None
        finally:
            turns.end(ticket)
        if trace is None or not (trace.vanilla or trace.speculative):
            raise _told(words.STATUS["never"])
        return dumps(trace).decode()

    gr.api(race, api_name="race", concurrency_limit=SLOW["concurrency_limit"], concurrency_id=SLOW["concurrency_id"])


def _told(sentence: str) -> gr.Error:
    """What a caller did wrong is no fault of the server's: it leaves no traceback in its log."""
    return gr.Error(sentence, print_exception=False)
