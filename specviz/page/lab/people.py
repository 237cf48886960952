"""The panel in which people are the draft: at one keyboard, two by turns, or a room of phones (rooms.py, phones.py).

What comes from a browser may be anything, so each value is read as strictly as a link; what is refused is said in one line. Ids of a
text travel back and forth, since a text that is cut anew may be cut otherwise.
"""

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from ...config import ConfigError, DecodeConfig
from ...picture.view import json_text
from ...trace.events import Drafted, Emitted, Round, Token
from .. import words as page_words
from ..engine import Engine, Played
from . import people_words as words
from .panel import Exercise, Panel, Place
from .rooms import OPEN, RoomError, Rooms

PROMPT, WORDS = 2000, 80  # characters
MOST = 16  # tokens of a guess: below the bound of K
SHOWN = 6  # entries of p and q that are shown at a place


class Refused(ValueError):
    """What a browser sent cannot be used; the message says why in one line."""


def serves(place: Place) -> list[Callable]:
    return served(place.engine, OPEN)


def served(engine: Engine, rooms: Rooms) -> list[Callable]:
    """What the panel's script asks, each with what it sent, each answered by a text of JSON: `{"error": …}` where that is refused."""

    def begin(sent):
        return answered(lambda: {"tokens": cut(engine, text_of(sent, "prompt", PROMPT))})

    def pieces(sent):
        return answered(lambda: {"tokens": cut(engine, text_of(sent, "words", WORDS), further=True)})

    def score(sent):
        def scored():
            guess = cut(engine, text_of(sent, "words", WORDS), further=True)
            config = config_of(sent)
            return told(people(engine).score(ids_of(sent), [[token.id for token in bounded(guess)]], config), config)

        return answered(scored)

    def room_open(sent):
        def opened():
            prompt = text_of(sent, "prompt", PROMPT)
            tokens = cut(engine, prompt)
            room = rooms.begin(prompt, tokens)
            return {"code": room.code, "key": room.key, "tokens": tokens, "lan": address()}

        return answered(opened)

    def room_look(sent):
        return answered(lambda: rooms.own(sent_in(sent, "code"), sent_in(sent, "key")).watch(shown_in(sent)))

    def room_play(sent):
        def play(text, guesses):
            config = config_of(sent)
            played = people(engine).score([t.id for t in text], [[t.id for t in guess] for guess in guesses], config)
            return told(played, config), [each.token for each in played.round.emitted], played.ended

        return answered(lambda: rooms.own(sent_in(sent, "code"), sent_in(sent, "key")).play(play))

    def room_close(sent):
        return answered(lambda: rooms.close(rooms.own(sent_in(sent, "code"), sent_in(sent, "key"))) or {})

    def room_picture(sent):
        return answered(lambda: {"picture": picture_of(text_of(sent, "link", 200))})

    return [begin, pieces, score, room_open, room_look, room_play, room_close, room_picture]


def answered(act: Callable[[], dict]) -> str:
    try:
        return json_text(plain(act()))
    except ConfigError as error:
        known = page_words.FIELDS.get(error.field, error.field)
        said = page_words.OUT_OF_BOUNDS.format(field=known, value=str(error.value)[:60], bound=error.bound)
        return json_text({"error": said})
    except RoomError as error:
        return json_text({"error": str(error), "gone": error.gone})
    except ValueError as error:  # of the engine, or of what was sent: one line for the visitor
        return json_text({"error": str(error)})


def people(engine: Engine):
    if not hasattr(engine, "score"):
        raise Refused(words.NO_PEOPLE)
    return engine


def cut(engine: Engine, text: str, further: bool = False) -> list[Token]:
    return people(engine).cut(text, further)


def bounded(guess: list[Token]) -> list[Token]:
    """Refuse a guess that is no block."""
    if not guess:
        raise Refused(words.NOTHING_GUESSED)
    if len(guess) > MOST:
        raise Refused(words.TOO_MANY_TOKENS.format(tokens=len(guess), most=MOST))
    return guess


# What a browser sent ------------------------------------------------------------------------------------------------


def sent_in(sent: object, name: str) -> object:
    return sent.get(name) if isinstance(sent, dict) else None


def text_of(sent: object, name: str, most: int) -> str:
    text = sent_in(sent, name)
    if not isinstance(text, str) or not text.strip():
        raise Refused(words.EMPTY[name])
    if len(text) > most:
        raise Refused(words.TOO_LONG[name].format(characters=len(text), most=most))
    return text


def ids_of(sent: object) -> list[int]:
    """The text so far. An id that no model has is refused by it; a text that is too long too."""
    ids = sent_in(sent, "text")
    if not isinstance(ids, list) or not ids or len(ids) > 100_000 or not all(type(id) is int and 0 <= id < 2**31 for id in ids):
        raise Refused(words.NO_TEXT)
    return ids


def config_of(sent: object) -> DecodeConfig:
    temperature, seed = (sent_in(sent, name) for name in ("temperature", "seed"))
    return DecodeConfig(temperature=temperature, seed=seed)


def shown_in(sent: object) -> int:
    """How many rounds of its room a page shows already; none where it does not say so."""
    shown = sent_in(sent, "shown")
    return shown if type(shown) is int and shown > 0 else 0


# What it is told ----------------------------------------------------------------------------------------------------


def told(played: Played, config: DecodeConfig) -> dict:
    """A round as the panel and phones draw it."""
    others = [
        {"key": key, "name": page_words.DRAFTERS.get(key, (key, ""))[0], **counted(tested)}
        for key, tested in played.others.items()
    ]
    drafted = [_drafted(each) for each in played.round.drafted]
    emitted = [_emitted(each, played.round) for each in played.round.emitted]
    same = {"others": others, "ended": played.ended, "greedy": config.temperature == 0}
    return {"drafted": drafted, "emitted": emitted, "people": counted(played.people), **same}


def counted(tested) -> dict:
    return {name: getattr(tested, name) for name in ("drafted", "tested", "accepted", "beta")}


def _drafted(drafted: Drafted) -> dict:
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


def _emitted(emitted: Emitted, round: Round) -> dict:
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


# Where phones find the room -----------------------------------------------------------------------------------------


def address() -> str | None:
    """This machine's own address in its network; None without one. Nothing is sent to ask it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(("192.0.2.1", 9))  # of TEST-NET-1: nobody's
            return asking.getsockname()[0]
    except OSError:
        return None


def picture_of(link: str) -> str | None:
    """A QR code of a room's link as the address of a picture, or None where what draws it is not installed."""
    if urlsplit(link).scheme not in ("http", "https"):
        raise Refused(words.NO_LINK)
    try:
        import segno
    except ImportError:
        return None
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=8, border=3, dark="#000", light="#fff")


PANEL = Panel(
    key="people",
    short=words.SHORT,
    title=words.TITLE,
    answers=words.ANSWERS,
    exercise=Exercise(words.TASK, words.KEY),
    words={**words.PANEL, "first": page_words.EXAMPLES[0], "most": MOST, "prompt_most": PROMPT, "words_most": WORDS},
    serves=serves,
)
