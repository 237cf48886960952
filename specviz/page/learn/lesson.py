"""What the tab Learn is given: the chapters with the words around them, and, once it is opened, what their pictures are drawn from.
The lesson of fifty minutes: six stops, in order, which plan, notes and the button *Lesson* follow; the other chapters are homework.
And what stands after the last chapter: what one can do now, five questions with their reasons, a result to keep, and where to go on.
"""

import gzip
import json
from dataclasses import asdict
from itertools import accumulate
from typing import NamedTuple

from ...config import ASSETS
from ...words import classroom, learn, page
from ..classroom.rooms import POLL
from .chapter import RUNS, Chapter, Runs
from .chapters import CHAPTERS

RECORDED = (*RUNS, *(name for chapter in CHAPTERS for name in chapter.runs))  # what all chapters together choose from
EXCERPTS = ASSETS / "learn" / "excerpts.json.gz"  # of the recorded runs (scripts/excerpts.py)
CHAPTER_FIELDS = ("key", "short", "title", "text", "more", "go", "notes", "sources")
ROOM_AFTER = "residual"  # the chapter before it
ROOM_MINUTES = 8


class LessonStop(NamedTuple):
    """`chapter`: its number from 1, None for the room, where the class is the draft. `what`: what is done from minute `begin` to `end`."""

    chapter: int | None
    begin: int
    end: int
    what: str


def stops() -> tuple[LessonStop, ...]:
    """Chapters that have minutes in the plan, and the room at its place. Chapters 5 and 6 are one stop of two parts."""
    plans: list[tuple[int | None, int, str]] = []
    for n, chapter in enumerate(CHAPTERS, 1):
        plans += [(n, chapter.minutes, chapter.plan)] if chapter.minutes else []
        plans += [(None, ROOM_MINUTES, learn.ROOM_PLAN)] if chapter.key == ROOM_AFTER else []
    ends = accumulate(minutes for _, minutes, _ in plans)
    return tuple(LessonStop(n, end - minutes, end, what) for (n, minutes, what), end in zip(plans, ends, strict=True))


def homework() -> list[int]:
    """The numbers of the chapters that the lesson leaves out."""
    return [n for n, chapter in enumerate(CHAPTERS, 1) if not chapter.minutes]


def for_browser(room: bool = True) -> dict:
    """The chapters and all words: of a page, the words of every picture are one list. `room`: phones can join one here."""
    words = (
        learn.PAGE
        | POLL
        | {"copy": page.COPY_LINK}
        | {name: sentence for chapter in CHAPTERS for name, sentence in chapter.words.items()}
    )
    path = [
        {"chapter": stop.chapter and stop.chapter - 1, "from": stop.begin, "until": stop.end, "what": stop.what}
        for stop in stops()
        if stop.chapter or room
    ]
    chapters = [_chapter(chapter) for chapter in CHAPTERS]
    return {
        "chapters": chapters,
        "sources": learn.SOURCES,
        "path": path,
        "ending": ending(),
        "game": classroom.GAME,
        "page": words,
    }


def _chapter(chapter: Chapter) -> dict:
    parts = {"question": asdict(chapter.question), "exercise": asdict(chapter.exercise)}
    return {name: getattr(chapter, name) for name in CHAPTER_FIELDS} | parts


def excerpts(runs: Runs | None = None) -> dict:
    """By chapter what its picture is drawn from, in JSON's own types: of the recorded runs, a fraction of their size, or of these `runs`. A
    chapter that finds nothing in any run is None and says so on the page."""
    views = json.loads(gzip.decompress(EXCERPTS.read_bytes())) if runs is None else chapter_excerpts(runs)
    return {one.key: {**views[one.key], **one.tables()} if one.tables else views[one.key] for one in CHAPTERS}


def chapter_excerpts(runs: Runs) -> dict:
    """By chapter what it shows of the runs: of those in RUNS, and of those that it names."""
    common = {name: runs[name] for name in RUNS}
    return {one.key: one.excerpt(common | {name: runs[name] for name in one.runs}) for one in CHAPTERS}


def ending() -> dict:
    able = [chapter.exercise.able[0] for chapter in CHAPTERS]
    return {"able": able, "questions": learn.QUESTIONS, "links": learn.LINKS, "words": learn.ENDING}
