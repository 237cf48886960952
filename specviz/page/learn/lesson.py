"""What the tab Learn is given: the chapters with the words around them, and, once it is opened, what their pictures are drawn from."""

import gzip
import json
from dataclasses import asdict

from ...config import ASSETS
from ..classroom.words import GAME
from .chapter import SOURCES, Chapter
from .chapters import CHAPTERS
from .ending import ending
from .excerpts import RUNS, Runs
from .path import stops
from .study import QUESTIONS, WORDS
from .words import PAGE

RECORDED = (*RUNS, *(name for chapter in CHAPTERS for name in chapter.runs))  # what all chapters together choose from
EXCERPTS = ASSETS / "learn" / "excerpts.json.gz"  # of the recorded runs (scripts/excerpts.py)
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


def excerpts(runs: Runs | None = None) -> dict:
    """By chapter what its picture is drawn from, in JSON's own types: of the recorded runs, a fraction of their size, or of these `runs`. A
    chapter that finds nothing in any run is None and says so on the page."""
    shown = json.loads(gzip.decompress(EXCERPTS.read_bytes())) if runs is None else chosen(runs)
    return {one.key: {**shown[one.key], **one.tables()} if one.tables else shown[one.key] for one in CHAPTERS}


def chosen(runs: Runs) -> dict:
    """By chapter what it shows of the runs: of those in RUNS, and of those that it names."""
    common = {name: runs[name] for name in RUNS}
    return {one.key: one.excerpt(common | {name: runs[name] for name in one.runs}) for one in CHAPTERS}
