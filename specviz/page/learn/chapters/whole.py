"""From the distribution of a token to that of the text."""

from ..chapter import STORY, Chapter, chapter_words


def tables() -> dict:
    return {"K": 2, "length": 3}  # of a language that the page makes up


CHAPTER = Chapter(
    **chapter_words("whole"),
    settings={"prompt": STORY, "drafter": "small", "K": "2", "temperature": "1", "length": "48"},
    sources=("leviathan", "chen", "toy"),
    tables=tables,
)
