"""What the tab Learn is given: the chapters with the words around them, and, once it is opened, what their pictures are drawn from. The lesson
of fifty minutes: six stops, in order, which plan, notes and the button *Lesson* follow; the other chapters are homework. And what stands
after the last chapter: what one can do now, five questions with their reasons, a result to keep, and where to go on.
"""

import gzip
import json
from dataclasses import asdict
from itertools import accumulate
from typing import NamedTuple

from ...config import ASSETS
from ..classroom.words import GAME
from .chapter import RUNS, SOURCES, Chapter, Question, Runs
from .chapters import CHAPTERS
from .words import PAGE

RECORDED = (*RUNS, *(name for chapter in CHAPTERS for name in chapter.runs))  # what all chapters together choose from
EXCERPTS = ASSETS / "learn" / "excerpts.json.gz"  # of the recorded runs (scripts/excerpts.py)
CHAPTER_FIELDS = ("key", "short", "title", "text", "more", "go", "notes", "sources")
ROOM_AFTER = "residual"  # the chapter before it
ROOM_PLAN = 8, "Open a room in the Lab. The class guesses on its phones, as a draft does. The target scores each guess."
QUESTIONS = (  # why it is fast, what a rejection does, by what it is decided, why it is exact, when not
    Question(
        "A large model reads 5 tokens in one pass. This takes almost as long as a pass over 1 token. Why?",
        (
            "Most of the time goes into reading the weights, once for all five tokens",
            "The model skips most of its layers",
            "Only one of the five tokens is computed",
        ),
        0,
        "A pass of a dense model reads all weights, for one token or for five. Chapter 2.",
    ),
    Question(
        "4 tokens are drafted and the second is rejected. What happens to the third and the fourth?",
        ("They are tested next", "They are thrown away", "They are accepted if the target gives them a large probability"),
        1,
        "They stand after a token that is gone. Chapter 4.",
    ),
    Question(
        "The draft gave token x the probability q(x) = 0.8. The target gives it p(x) = 0.2. How often is x accepted once it is drafted?",
        ("1 time in 4", "2 times in 10", "8 times in 10"),
        0,
        "p/q = 0.2 / 0.8 = 0.25. Chapter 5.",
    ),
    Question(
        "p is the target's distribution, q the draft's. A drafted token is rejected. From what is its replacement drawn?",
        ("From p", "From q", "From max(p − q, 0), scaled to a sum of 1"),
        2,
        "Drawn from p, some tokens would come out too often. Chapter 6.",
    ),
    Question(
        "Where does drafting gain least?",
        (
            "One user of a large model",
            "One user, and a text that repeats itself",
            "A server that decodes hundreds of texts at once",
        ),
        2,
        "A full server has no idle arithmetic left. Chapter 11.",
    ),
)
LINKS = (  # of each its words and its address
    ("Leviathan, Kalman, Matias 2022: the method and the proof", "https://arxiv.org/abs/2211.17192"),
    ("Chen et al. 2023: the same idea, with a large model", "https://arxiv.org/abs/2302.01318"),
    ("Li et al. 2024: EAGLE, a head that drafts from the target's features", "https://arxiv.org/abs/2401.15077"),
    ("Sun et al. 2024: block verification", "https://arxiv.org/abs/2403.10444"),
    ("Xia et al. 2024: a survey, and a benchmark", "https://arxiv.org/abs/2401.07851"),
    ("vLLM: its documentation", "https://docs.vllm.ai"),
    ("SGLang: its documentation", "https://docs.sglang.io"),
    ("transformers: its documentation", "https://huggingface.co/docs/transformers"),
)
ENDING = {
    "finish": "Finish",
    "title": "What you can do now",
    "able": "You can now:",
    "ask": "Five questions",
    "right": "Right.",
    "wrong": "No.",
    "score": "{right} of {of} right",
    "left": "{n} questions are left.",
    "left_one": "One question is left.",
    "keep": "Keep the result",
    "kept": "specviz, speculative decoding: {right} of {of} questions right, {date}.",
    "on": "Where to go on",
    "own": "In the Lab: measure your own pair, and look for the K that pays.",
}


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
        plans += [(n, *chapter.plan)] if chapter.plan else []
        plans += [(None, *ROOM_PLAN)] if chapter.key == ROOM_AFTER else []
    ends = accumulate(minutes for _, minutes, _ in plans)
    return tuple(LessonStop(n, end - minutes, end, what) for (n, minutes, what), end in zip(plans, ends, strict=True))


def homework() -> list[int]:
    """The numbers of the chapters that the lesson leaves out."""
    return [n for n, chapter in enumerate(CHAPTERS, 1) if not chapter.plan]


def for_browser(room: bool = True) -> dict:
    """The chapters and all words: of a page, the words of every picture are one list. `room`: phones can join one here."""
    words = PAGE | {name: sentence for chapter in CHAPTERS for name, sentence in chapter.words.items()}
    path = [
        {"chapter": stop.chapter and stop.chapter - 1, "from": stop.begin, "until": stop.end, "what": stop.what}
        for stop in stops()
        if stop.chapter or room
    ]
    chapters = [_chapter(chapter) for chapter in CHAPTERS]
    return {"chapters": chapters, "sources": SOURCES, "path": path, "ending": ending(), "game": GAME, "page": words}


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
    questions = [asdict(question) for question in QUESTIONS]
    able = [chapter.exercise.able[0] for chapter in CHAPTERS]
    return {"able": able, "questions": questions, "links": [list(link) for link in LINKS], "words": ENDING}
