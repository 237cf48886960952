"""What a teacher's page asks of its room, from the Lab and from Learn: open it, see who is in, put a question, show the answer.

A room is its own by the key that the page was given.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..engine import Engine
from . import words
from .asked import PROMPT, ClassroomError, cut, json_answer, sent_in, shown_in, text_of
from .rooms import Poll, Room, Rooms


@dataclass(frozen=True)
class PollQuestion:
    """A question as phones are asked it. `right`: None where the teacher's page measures or calculates the answer."""

    ask: str
    choices: tuple[str, ...]
    right: int | None
    why: str


def served(engine: Engine, rooms: Rooms) -> list[Callable]:
    """What the panel of the Lab and the tab Learn both ask."""

    @json_answer
    def room_open(sent):
        prompt = text_of(sent, "prompt", PROMPT)
        tokens = cut(engine, prompt)
        if isinstance(sent_in(sent, "code"), str):  # one room for the whole lesson: those who are in stay
            room = own(rooms, sent)
            room.begin(prompt, tokens)
        else:
            room = rooms.begin(prompt, tokens)
        return {"code": room.code, "key": room.key, "tokens": tokens, "lan": address()}

    @json_answer
    def room_look(sent):
        return own(rooms, sent).watch(shown_in(sent))

    @json_answer
    def room_close(sent):
        rooms.close(own(rooms, sent))

    @json_answer
    def room_remove(sent):
        own(rooms, sent).remove(sent_in(sent, "id"))

    @json_answer
    def room_picture(sent):
        return {"picture": picture_of(text_of(sent, "link", 200))}

    return [room_open, room_look, room_close, room_remove, room_picture]


def polls(rooms: Rooms, question_about: Callable[[str], PollQuestion | None]) -> list[Callable]:
    """A question goes to the phones, then its answer. `question_about`: the question about what the page names, a chapter or a rule."""

    @json_answer
    def room_ask(sent):
        about = sent_in(sent, "about")
        question = question_about(about) if isinstance(about, str) else None
        own(rooms, sent).ask(Poll(about, question.ask, question.choices) if question else None)

    @json_answer
    def room_reveal(sent):
        room, question = own(rooms, sent), question_about(str(sent_in(sent, "about")))
        measured = sent_in(sent, "right")
        right = question.right if question and question.right is not None else measured
        if question and type(right) is int:
            room.reveal(right, question.why)

    return [room_ask, room_reveal]


def study(rooms: Rooms, questions: Sequence[PollQuestion]) -> list[Callable]:
    """The same questions before and after a lesson: phones are asked, and what they answered comes back without names."""
    asked = tuple((question.ask, question.choices) for question in questions)

    @json_answer
    def room_survey(sent):
        own(rooms, sent).survey(sent_in(sent, "now"), asked)

    @json_answer
    def room_answers(sent):
        return {"rows": own(rooms, sent).answers()}

    return [room_survey, room_answers]


def own(rooms: Rooms, sent: object) -> Room:
    """The teacher's room, by its code and key."""
    return rooms.own(sent_in(sent, "code"), sent_in(sent, "key"))


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
        raise ClassroomError(words.NO_LINK)
    try:
        import segno
    except ImportError:
        return None
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=8, border=3, dark="#000", light="#fff")
