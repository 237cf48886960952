"""The panel in which a class is the draft: at one keyboard, two by turns, or a room of phones (../classroom/)."""

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from ... import words as page_words
from ...engine import Engine
from ...exercise import Exercise
from ..classroom import words
from ..classroom.asked import (
    MOST,
    PROMPT,
    WORDS,
    ClassroomRefused,
    answered,
    bounded,
    config_of,
    cut,
    ids_of,
    scorer,
    sent_in,
    shown_in,
    text_of,
    told,
)
from ..classroom.rooms import OPEN, Rooms
from ..panel import Panel, PanelContext


def serves(place: PanelContext) -> list[Callable]:
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
            return told(scorer(engine).score(ids_of(sent), [[token.id for token in bounded(guess)]], config), config)

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
            played = scorer(engine).score([t.id for t in text], [[t.id for t in guess] for guess in guesses], config)
            return told(played, config), [each.token for each in played.round.emitted], played.ended

        return answered(lambda: rooms.own(sent_in(sent, "code"), sent_in(sent, "key")).play(play))

    def room_close(sent):
        return answered(lambda: rooms.close(rooms.own(sent_in(sent, "code"), sent_in(sent, "key"))) or {})

    def room_picture(sent):
        return answered(lambda: {"picture": picture_of(text_of(sent, "link", 200))})

    return [begin, pieces, score, room_open, room_look, room_play, room_close, room_picture]


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
        raise ClassroomRefused(words.NO_LINK)
    try:
        import segno
    except ImportError:
        return None
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=8, border=3, dark="#000", light="#fff")


PANEL = Panel(
    key="classroom",
    place=60,
    formerly="people",
    short=words.SHORT,
    title=words.TITLE,
    answers=words.ANSWERS,
    exercise=Exercise(words.TASK, words.KEY),
    words={**words.PANEL, "first": page_words.EXAMPLES[0], "most": MOST, "prompt_most": PROMPT, "words_most": WORDS},
    serves=serves,
)
