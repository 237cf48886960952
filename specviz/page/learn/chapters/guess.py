"""Guess, then check: the visitor is the draft, then a processor is."""

from ..chapter import STORY, Chapter, Runs, accepts_then_rejects, chapter_words, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, accepts_then_rejects, "opening")


CHAPTER = Chapter(
    **chapter_words("guess"),
    settings={"prompt": STORY, "drafter": "random", "K": "4", "temperature": "0", "length": "48"},
    sources=("leviathan", "here"),
    excerpt=excerpt,
)
