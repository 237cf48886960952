"""What a teacher's page asks of its room, from the Lab and from Learn: open it, see who is in, put a question, show the answer.

A room is its own by the key that the page was given.
"""

import socket
from collections.abc import Callable

from ..engine import Engine
from ..exercise import Question
from . import words
from .messages import field_of, json_answer, known_rounds, prompt_of, text_of
from .rooms import Poll, Room, Rooms


def room_functions(engine: Engine, rooms: Rooms) -> list[Callable]:
    """What the panel of the Lab and the tab Learn both ask."""

    @json_answer
    def room_open(message):
        prompt, tokens = prompt_of(message, engine)
        if isinstance(field_of(message, "code"), str):  # one room for the whole lesson: those who are in stay
            room = own_room(rooms, message)
            room.begin(prompt, tokens)
        else:
            room = rooms.begin(prompt, tokens)
        lan = own_address() if rooms.reachable else None
        return {"code": room.code, "key": room.key, "tokens": tokens, "lan": lan, "left": room.seconds_left}

    @json_answer
    def room_look(message):
        return own_room(rooms, message).teacher_view(known_rounds(message))

    @json_answer
    def room_answers(message):
        return {"rows": own_room(rooms, message).answers()}

    @json_answer
    def room_close(message):
        rooms.close(own_room(rooms, message))

    @json_answer
    def room_remove(message):
        own_room(rooms, message).remove(field_of(message, "id"))

    @json_answer
    def room_picture(message):
        return {"picture": qr_picture(text_of(message, "link", 200))}

    return [room_open, room_look, room_answers, room_close, room_remove, room_picture]


def poll_functions(rooms: Rooms, question_about: Callable[[str], Question | None]) -> list[Callable]:
    """A question goes to the phones, then its answer. `question_about`: the question about what the page names, a chapter or a rule."""

    @json_answer
    def room_ask(message):
        about = field_of(message, "about")
        question = question_about(about) if isinstance(about, str) else None
        own_room(rooms, message).ask(Poll(about, question.ask, question.choices) if question else None)

    @json_answer
    def room_reveal(message):
        room, question = own_room(rooms, message), question_about(str(field_of(message, "about")))
        measured_choice = field_of(message, "right")
        right = question.right if question and question.right is not None else measured_choice
        if question and type(right) is int:
            room.reveal(right, question.why)

    return [room_ask, room_reveal]


def own_room(rooms: Rooms, message: object) -> Room:
    return rooms.for_teacher(field_of(message, "code"), field_of(message, "key"))


# Where phones find the room -----------------------------------------------------------------------------------------


def own_address() -> str | None:
    """This machine's own address in its network; None without one. Nothing is sent to ask it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # of TEST-NET-1: nobody's
            return probe.getsockname()[0]
    except OSError:
        return None


def qr_picture(link: str) -> str | None:
    """A QR code of a room's link as the address of a picture, or None where what draws it is not installed."""
    if not link.startswith(("http://", "https://")):
        raise ValueError(words.NO_LINK)
    try:
        import segno
    except ImportError:
        return None
    return segno.make(link, error="m", micro=False).svg_data_uri(scale=8, border=3, dark="#000", light="#fff")
