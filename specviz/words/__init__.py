"""The page's sentences, a room a file: what a picture of a run says is picture.toml, what the page itself says page.toml. Elsewhere are
settings (config.py), rules (rules/), refusals of settings and of files, Luck's result (assets/lab/luck/sentences.json), and all commands.

    from ..words import page
    page.RUN, page.HISTORY["title"]

`{name}` marks what is filled in, as text, never as markup. A translator copies these files into a folder and starts specviz with
SPECVIZ_LANGUAGE, its path, or its name where it lies here. A server speaks one language: what a class sees on the wall and on its phones is
made of the same words. What the folder leaves out is said in English. It may have settings.toml and rules.toml, too: each setting and
rule by its name, with the fields that config.py and rules/__init__.py call SAID. Standard library only.

    [K]
    label = "Tokens je Runde, K"
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
TAG = Path(LANGUAGE).name or "en"
"""The language as HTML names it, `de` or `pt-BR`: the folder's name."""
BESIDE = ("settings", "rules")  # what code says in English, and a language may say over it
KINDS: dict[type, str] = {str: "text", list: "list", dict: "table"}
FILLED_IN = re.compile(r"\{(\w+)\}")


class WordsError(ValueError):
    """The folder of another language does not fit. One sentence."""


class Room(SimpleNamespace):
    """The words of a room, by key: a sentence, a list of sentences, or a table of these by their own keys."""


def translated(name: str, english: dict[str, Any]) -> dict[str, Any]:
    """`english`, and over it what the language's own `name`.toml says. Raises WordsError for a folder without words or with others, for
    a file that is no TOML, for a key that English has not, and for a place to fill in that its sentence has not."""
    if not LANGUAGE:
        return english
    folder = next((one for one in (Path(LANGUAGE), FOLDER / LANGUAGE) if any(one.glob("*.toml"))), None)
    if folder is None:
        raise WordsError(f"{VARIABLE} is {LANGUAGE!r}; it must be a folder with files like those of {FOLDER}")
    files = {file.stem: file for file in folder.glob("*.toml")}
    if unknown := sorted(files.keys() - {*ROOMS, *BESIDE}):
        raise WordsError(f"{files[unknown[0]]} is none of {', '.join(f'{room}.toml' for room in (*ROOMS, *BESIDE))}")
    if name not in files:
        return english
    try:
        said = tomllib.loads(files[name].read_text("utf-8"))
    except ValueError as error:
        raise WordsError(f"{files[name]} cannot be read: {error}") from None
    return _over(english, said, name)


def _over(english: Any, other: Any, where: str) -> Any:
    """`other`, and English where it says nothing."""
    if type(english) is not type(other):
        raise WordsError(f"{where} must be a {KINDS.get(type(english), 'number')} as in English, found {other!r}")
    if isinstance(english, str) and (unknown := sorted({*FILLED_IN.findall(other)} - {*FILLED_IN.findall(english)})):
        raise WordsError(f"{where} fills in {unknown[0]!r}, which English does not")
    if isinstance(english, list):
        if len(other) != len(english):
            raise WordsError(f"{where} has {len(other)} items; it must have {len(english)} as in English")
        return [_over(one, said, f"{where}[{i}]") for i, (one, said) in enumerate(zip(english, other, strict=True))]
    if not isinstance(english, dict):
        return other
    if unknown := sorted(other.keys() - english.keys()):
        raise WordsError(f"{where} has no {unknown[0]!r} in English")
    return {key: _over(value, other[key], f"{where}.{key}") if key in other else value for key, value in english.items()}


@cache
def _room(name: str) -> Room:
    return Room(**translated(name, tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))))


def __getattr__(name: str) -> Room:
    """A room, read when it is first asked for."""
    if name not in ROOMS:
        raise AttributeError(f"no room {name!r} of words: there are {', '.join(ROOMS)}")
    return _room(name)
