"""The page's sentences, a room a file: what a picture of a run says is picture.toml, what the page itself says page.toml. Elsewhere are
settings, rules, refusals of files, Luck's result (assets/lab/luck/sentences.json), a panel that cannot run (page/lab/panel.py), and
all commands.

    from ..words import page
    page.RUN, page.HISTORY["title"]

`{name}` marks what is filled in, as text, never as markup. A translator copies the files into a folder here, words/de/ for German, and
writes there; what that folder leaves out is said in English. Standard library only.
"""

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parent
ROOMS = tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))
ENGLISH = "en"
FILLED_IN = re.compile(r"\{(\w+)\}")


class Room(SimpleNamespace):
    """The words of a room, by key: a sentence, a list of sentences, or a table of these by their own keys."""


def languages() -> tuple[str, ...]:
    """English, and each that has a folder here."""
    return ENGLISH, *sorted(folder.name for folder in FOLDER.iterdir() if any(folder.glob("*.toml")))


def load(language: str = ENGLISH) -> dict[str, Room]:
    """All rooms in a language, by name. Raises ValueError for a language without a folder."""
    if language not in languages():
        raise ValueError(f"no words in {language!r}: there are {', '.join(languages())}")
    return {name: _room(name, language) for name in ROOMS}


@lru_cache(200)  # a bound, since a visitor names the language
def _room(name: str, language: str) -> Room:
    words = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    other = FOLDER / language / f"{name}.toml"
    return Room(**(_over(words, tomllib.loads(other.read_text("utf-8")), name) if other.is_file() else words))


def _over(english: Any, other: Any, where: str) -> Any:
    """`other`, and English where it says nothing."""
    if type(english) is not type(other):
        raise ValueError(f"{where} must be a {type(english).__name__} as in English, found {other!r}")
    if isinstance(english, str) and (unknown := sorted({*FILLED_IN.findall(other)} - {*FILLED_IN.findall(english)})):
        raise ValueError(f"{where} fills in {unknown[0]!r}, which English does not")
    if not isinstance(english, dict):
        return other
    if unknown := sorted(other.keys() - english.keys()):
        raise ValueError(f"{where} has no {unknown[0]!r} in English")
    return {key: _over(value, other[key], f"{where}.{key}") if key in other else value for key, value in english.items()}


def __getattr__(name: str) -> Room:
    """A room in English, read when it is first asked for."""
    if name not in ROOMS:
        raise AttributeError(f"no room {name!r} of words: there are {', '.join(ROOMS)}")
    return _room(name, ENGLISH)
