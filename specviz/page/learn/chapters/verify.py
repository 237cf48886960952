"""One pass gives p after every drafted token."""

from ..chapter import STORY, Chapter, Runs, chapter_words, is_accepted_whole, scene


def excerpt(runs: Runs) -> dict | None:
    return scene(runs, is_accepted_whole, "creative", best=lambda round_: len(round_["drafted"]))


CHAPTER = Chapter(
    **chapter_words("verify"),
    settings={"prompt": STORY, "drafter": "small", "K": "4", "temperature": "0.8", "length": "96"},
    sources=("leviathan", "chen", "here"),
    excerpt=excerpt,
)
