"""The lesson of fifty minutes: six stops, in order. The other chapters are homework. Plan, notes and the button *Lesson* follow it."""

from typing import NamedTuple

from .chapters import CHAPTERS

ROOM_PLACE = 65  # between the chapters on the residual and on the bonus


class LessonStop(NamedTuple):
    """`chapter`: its number from 1, None for the room, where the class is the draft. `what`: what is done in these minutes."""

    chapter: int | None
    minutes: int
    what: str


ROOM = LessonStop(
    None, 8, "Open a room in the Lab. The class guesses on its phones, as a draft does. The target scores each guess."
)


def stops() -> tuple[LessonStop, ...]:
    """Chapters that have minutes in the plan, and the room at its place. Chapters 5 and 6 are one stop of two parts."""
    found = [(chapter.place, LessonStop(n, *chapter.plan)) for n, chapter in enumerate(CHAPTERS, 1) if chapter.plan]
    return tuple(stop for _, stop in sorted([*found, (ROOM_PLACE, ROOM)], key=lambda one: one[0]))


def homework() -> list[int]:
    """The numbers of the chapters that the lesson leaves out."""
    return [n for n, chapter in enumerate(CHAPTERS, 1) if not chapter.plan]
