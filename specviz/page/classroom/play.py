"""One person drafts: what the Lab's panel asks of the engine, and the game of the story and of the chapter Guess (assets/play/), whose script
comes when it is first played."""

from collections.abc import Callable

from ...picture.bundle import as_global
from ...picture.plain import json_text
from ...picture.sheets import PLAY, sheets
from ..component import answer
from ..engine import Engine
from ..once import once
from . import words
from .asked import PROMPT, WORDS, check_guess, config_of, cut, ids_of, json_answer, others_of, round_json, scorer, text_of


def drafting(engine: Engine) -> list[Callable]:
    """What a browser asks while one person drafts."""

    @json_answer
    def begin(sent):
        return {"tokens": cut(engine, text_of(sent, "prompt", PROMPT))}

    @json_answer
    def pieces(sent):
        return {"tokens": cut(engine, text_of(sent, "words", WORDS), further=True)}

    @json_answer
    def score(sent):
        guess = [token.id for token in check_guess(cut(engine, text_of(sent, "words", WORDS), further=True))]
        config = config_of(sent)
        return round_json(scorer(engine).score(ids_of(sent), [guess], config, others_of(sent)), config)

    return [begin, pieces, score]


def play(engine: Engine) -> list[Callable]:
    """The same and the game itself; nothing where the engine cannot score what people say."""
    return [answer("game", script), *drafting(engine)] if hasattr(engine, "score") else []


@once
def script() -> str:
    sent = as_global("specvizPlay", "play/late.js", after=("page.js",))
    return json_text({"script": sent, "style": sheets(*PLAY), "words": words.GAME})
