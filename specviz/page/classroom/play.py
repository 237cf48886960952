"""One person drafts: what the Lab's panel asks of the engine, and the game of the story and of the chapter Guess (assets/play/), whose script
comes when it is first played."""

from collections.abc import Callable

from ...picture.replay import json_text
from ...picture.sheets import PLAY, as_global, sheets
from ..component import answer
from ..engine import Engine
from ..once import once
from ..queue import RunQueue
from . import words
from .messages import config_of, guess_of, ids_of, json_answer, others_of, prompt_of, round_json, scorer, words_of


def drafting_functions(engine: Engine, queue: RunQueue) -> list[Callable]:
    """What a browser asks while one person drafts."""

    @json_answer
    def begin(message):
        return {"tokens": prompt_of(message, engine)[1]}

    @json_answer
    def pieces(message):
        return {"tokens": words_of(message, engine)}

    @json_answer
    async def score(message):
        guess, text = [token.id for token in guess_of(message, engine)], ids_of(message)
        config, others = config_of(message), others_of(message)
        return round_json(await queue.at_once(lambda: scorer(engine).score(text, [guess], config, others)), config)

    return [begin, pieces, score]


def game_functions(engine: Engine, queue: RunQueue) -> list[Callable]:
    """The same and the game itself; nothing where the engine cannot score what people say."""
    return [answer("game", script), *drafting_functions(engine, queue)] if hasattr(engine, "score") else []


@once
def script() -> str:
    code = as_global("specvizPlay", "play/game.js", after=("page.js",))
    return json_text({"script": code, "style": sheets(*PLAY), "words": words.GAME})
