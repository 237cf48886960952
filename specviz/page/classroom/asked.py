"""What the panel and the phones of a classroom send and are told.

What comes from a browser may be anything, so each value is read as strictly as a link; what is refused is said in one line. Ids of a
text travel back and forth, since a text that is cut anew may be cut otherwise.
"""

from collections.abc import Callable
from functools import wraps

from ...config import DecodeConfig
from ...picture.plain import json_text
from ...trace.events import Drafted, Emitted, Round, Token
from .. import words as page_words
from ..engine import ClassroomRound, Engine
from ..watch.run import failure
from . import words
from .rooms import RoomError

PROMPT, WORDS = 2000, 80  # characters
MOST = 16  # tokens of a guess: below the bound of K
SHOWN = 6  # entries of p and q that are shown at a place


class ClassroomError(ValueError):
    """What a browser sent cannot be used; the message says why in one line."""


def json_answer(act: Callable[[object], dict | None]) -> Callable[[object], str]:
    """What a script asks for by the name of `act`, which is given what it sent: the answer as JSON, `{"error": …}` where it is refused."""

    @wraps(act)
    def answer(sent: object) -> str:
        try:
            return json_text(plain(act(sent) or {}))
        except RoomError as error:
            return json_text({"error": str(error), "gone": error.gone})
        except ValueError as error:  # of the engine, or of what was sent: one line for the visitor
            return json_text({"error": failure(error)})

    return answer


def scorer(engine: Engine):
    if not hasattr(engine, "score"):
        raise ClassroomError(words.NO_PEOPLE)
    return engine


def cut(engine: Engine, text: str, further: bool = False) -> list[Token]:
    return scorer(engine).cut(text, further)


def check_guess(guess: list[Token]) -> list[Token]:
    """Refuse a guess that is no block."""
    if not guess:
        raise ClassroomError(words.NOTHING_GUESSED)
    if len(guess) > MOST:
        raise ClassroomError(words.TOO_MANY_TOKENS.format(tokens=len(guess), most=MOST))
    return guess


# What a browser sent ------------------------------------------------------------------------------------------------


def sent_in(sent: object, name: str) -> object:
    return sent.get(name) if isinstance(sent, dict) else None


def text_of(sent: object, name: str, most: int) -> str:
    text = sent_in(sent, name)
    if not isinstance(text, str) or not text.strip():
        raise ClassroomError(words.EMPTY[name])
    if len(text) > most:
        raise ClassroomError(words.TOO_LONG[name].format(characters=len(text), most=most))
    return text


def ids_of(sent: object) -> list[int]:
    """The text so far. An id that no model has is refused by it; a text that is too long too."""
    ids = sent_in(sent, "text")
    if not isinstance(ids, list) or not ids or len(ids) > 100_000 or not all(type(id) is int and 0 <= id < 2**31 for id in ids):
        raise ClassroomError(words.NO_TEXT)
    return ids


def others_of(sent: object) -> list[str] | None:
    """The drafters that are to draft beside people, by their keys; None: all of them."""
    keys = sent_in(sent, "others")
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else None


def config_of(sent: object) -> DecodeConfig:
    temperature, seed = (sent_in(sent, name) for name in ("temperature", "seed"))
    return DecodeConfig(temperature=temperature, seed=seed)


def shown_in(sent: object) -> int:
    """How many rounds of its room a page shows already; none where it does not say so."""
    shown = sent_in(sent, "shown")
    return shown if type(shown) is int and shown > 0 else 0


# What it is told ----------------------------------------------------------------------------------------------------


def round_json(played: ClassroomRound, config: DecodeConfig) -> dict:
    """A round as the panel and phones draw it."""
    others = [
        {"key": key, "name": page_words.DRAFTERS.get(key, (key, ""))[0], **counts_json(tested)}
        for key, tested in played.others.items()
    ]
    drafted = [_drafted_json(each) for each in played.round.drafted]
    emitted = [_emitted_json(each, played.round) for each in played.round.emitted]
    same = {"others": others, "ended": played.ended, "greedy": config.temperature == 0}
    return {"drafted": drafted, "emitted": emitted, "people": counts_json(played.people), **same}


def counts_json(tested) -> dict:
    return {name: getattr(tested, name) for name in ("drafted", "tested", "accepted", "beta")}


def _drafted_json(drafted: Drafted) -> dict:
    place, shown = drafted.position, None
    if place is not None:
        most = sorted(place.entries, key=lambda entry: (entry.token.id != drafted.token.id, -max(entry.p, entry.q or 0.0)))[
            :SHOWN
        ]
        most.sort(key=lambda entry: (-(entry.q or 0.0), -entry.p))
        entries = [{"token": entry.token, "p": entry.p, "q": entry.q or 0.0} for entry in most]
        rest = {name: max(0.0, 1.0 - sum(entry[name] for entry in entries)) for name in ("p", "q")}
        shown = {"entries": entries, "rest": rest, "beta": place.beta}
    same = {name: getattr(drafted, name) for name in ("token", "q", "p", "u", "verdict")}
    return {**same, "place": shown}


def _emitted_json(emitted: Emitted, round: Round) -> dict:
    """With the chance that the token had where it was drawn: of a correction by what is left of p, of a bonus by p."""
    chance = None
    if emitted.role == "corrected" and round.residual:
        chance = next((entry.probability for entry in round.residual.entries if entry.token.id == emitted.token.id), None)
    elif emitted.position:
        chance = next((entry.p for entry in emitted.position.entries if entry.token.id == emitted.token.id), None)
    return {"token": emitted.token, "role": emitted.role, "chance": chance}


def plain(value):
    """Tokens as JSON has them."""
    if isinstance(value, Token):
        return {"id": value.id, "text": value.text, "partial": value.partial}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value
