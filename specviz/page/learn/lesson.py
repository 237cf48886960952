"""What the tab Learn is given: the chapters with the words around them, and, once it is opened, what their pictures are drawn from."""

from collections.abc import Callable
from dataclasses import asdict

from ...picture.view import picture
from ...trace.header import Trace
from ..classroom.words import GAME
from .chapter import SOURCES, Chapter
from .chapters import CHAPTERS
from .ending import ending
from .excerpts import RUNS
from .path import stops
from .study import QUESTIONS, WORDS
from .words import PAGE

SENT = ("key", "short", "title", "text", "go", "notes", "sources")


def for_browser(room: bool = True) -> dict:
    """The chapters and all words: of a page, the words of every picture are one list. `room`: phones can join one here."""
    words = PAGE | {name: said for chapter in CHAPTERS for name, said in chapter.words.items()}
    study = {
        "right": [question.right for question in QUESTIONS],
        "asked": [question.ask for question in QUESTIONS],
        "words": WORDS,
    }
    chapters = [_chapter(chapter) for chapter in CHAPTERS]
    return {
        "chapters": chapters,
        "sources": SOURCES,
        "path": _path(room),
        "study": study,
        "ending": ending(),
        "game": GAME,
        "page": words,
    }


def _path(room: bool) -> list[dict]:
    """The lesson's stops: the chapter from 0, None for the room; from which minute until which; what is done."""
    found, begins = [], 0
    for stop in stops():
        ends = begins + stop.minutes
        if stop.chapter or room:
            chapter = stop.chapter - 1 if stop.chapter else None
            found.append({"chapter": chapter, "from": begins, "until": ends, "what": stop.what})
        begins = ends
    return found


def _chapter(chapter: Chapter) -> dict:
    made_of = {"question": asdict(chapter.question), "exercise": asdict(chapter.exercise)}
    return {name: getattr(chapter, name) for name in SENT} | made_of


def excerpts(load: Callable[[str], Trace]) -> dict:
    """By chapter, in JSON's own types: plain values, a fraction of the runs' size. `load` gives the recorded runs by name. A chapter that finds
    nothing in any run is None and says so on the page."""
    runs = {name: picture(load(name)) for name in RUNS}
    more = {name: picture(load(name)) for chapter in CHAPTERS for name in chapter.runs}
    return {chapter.key: chapter.excerpt(runs | {name: more[name] for name in chapter.runs}) for chapter in CHAPTERS}
