"""The page's sentences, a room a file: what a picture of a run says is picture.toml, what the page itself says page.toml. Elsewhere are
settings (config.py), rules (rules/), refusals of settings and of files, Luck's result (assets/lab/luck/sentences.json), and all commands.

    from ..words import page
    page.RUN, page.HISTORY["title"]

`{name}` marks what is filled in, as text, never as markup. A translator copies these files into a folder and starts specviz with
SPECVIZ_LANGUAGE, its path, or its name where it lies here. A server speaks one language: what a class sees on the wall and on its phones is
made of the same words. Of settings and rules that folder has settings.toml and rules.toml. What it leaves out is said in English. Standard
library only.
"""

import os
import re
import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parent
ROOMS = tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))
VARIABLE = "SPECVIZ_LANGUAGE"
LANGUAGE = os.environ.get(VARIABLE, "")
"""The folder of another language; empty for English."""
FILLED_IN = re.compile(r"\{(\w+)\}")


class Room(SimpleNamespace):
    """The words of a room, by key: a sentence, a list of sentences, or a table of these by their own keys."""


def language_tag() -> str:
    """As HTML names it: `en`, or the folder's name."""
    return Path(LANGUAGE).name or "en"


def translated(name: str, english: dict[str, Any]) -> dict[str, Any]:
    """`english`, and over it what the language's own `name`.toml says. Raises ValueError for a folder without words, for a key that English
    has not, and for a place to fill in that its sentence has not."""
    if not LANGUAGE:
        return english
    folder = FOLDER / LANGUAGE
    if not any(folder.glob("*.toml")):
        raise ValueError(f"{VARIABLE} is {LANGUAGE!r}; it must be a folder with files like those of {FOLDER}")
    own = folder / f"{name}.toml"
    return _over(english, tomllib.loads(own.read_text("utf-8")), name) if own.is_file() else english


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


@cache
def _room(name: str) -> Room:
    return Room(**translated(name, tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))))


def __getattr__(name: str) -> Room:
    """A room, read when it is first asked for."""
    if name not in ROOMS:
        raise AttributeError(f"no room {name!r} of words: there are {', '.join(ROOMS)}")
    return _room(name)
