"""What a panel's script sent, read as strictly as a link: each value by itself, and what is wrong in one sentence.

config = setting(sent, engine, models)        # AskedRun(prompt, drafter, config)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from ...config import DecodeConfig
from .. import words
from ..engine import Engine
from ..keep.links import PROMPT_LIMIT, read_link
from ..settings import first

NAMES = ("prompt", "drafter", "K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed", "length")
NOT_HERE = "What decodes here cannot run this experiment; python -m specviz lab does, wherever the package is installed."
LIST = 500  # characters: more numbers than an experiment takes
FIELDS = 64  # more than any panel has
MARKS = re.compile(r"[,;\s]+")


@dataclass(frozen=True, slots=True)
class AskedRun:
    """`models`, `drafter`: keys that the engine offers. The run goes on past the end of its text, so that all are as long."""

    prompt: str
    models: str
    drafter: str
    config: DecodeConfig


def fields(sent: object) -> Mapping[str, str]:
    """What was sent as texts by name, no more and no longer than a panel has; nothing of what is no such thing."""
    few = islice(sent.items(), FIELDS) if isinstance(sent, dict) else ()
    return {name[:LIST]: str(value)[: PROMPT_LIMIT + 1] for name, value in few if isinstance(value, str | int | float)}


def setting(sent: Mapping[str, str], engine: Engine, models: str, prefix: str = "") -> AskedRun:
    """What `sent` says under these names after `prefix`, else without it, else the page's own. Raises ValueError for what may not be."""
    asked = {name: sent.get(prefix + name, sent.get(name, "")).strip() for name in NAMES}
    drafters = engine.drafters(models)
    own = first(engine, models) | {"drafter": drafters[0]}
    link = read_link({"models": models, **{name: value for name, value in asked.items() if value}}, engine)
    if link.problems:
        raise ValueError("; ".join(link.problems))
    found = own | link.settings
    same = ("K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed")
    config = DecodeConfig(max_new_tokens=found["length"], ignore_eos=True, **{name: found[name] for name in same})
    return AskedRun(found["prompt"], models, found["drafter"], config)


def wholes(label: str, text: str, low: int, high: int) -> list[int]:
    """The whole numbers of a list such as `1, 2, 4`. Raises ValueError."""
    return [_whole(label, part, low, high) for part in _parts(label, text)]


def whole(label: str, text: str, low: int, high: int, default: int) -> int:
    """One whole number; `default` for an empty field. Raises ValueError."""
    return _whole(label, text.strip(), low, high) if text.strip() else default


def reals(label: str, text: str) -> list[float]:
    """The numbers of a list. Raises ValueError for what is none."""
    found = []
    for part in _parts(label, text):
        if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", part):
            raise _out_of_bounds(label, part, "a number such as 0.8")
        found.append(float(part))
    return found


def _parts(label: str, text: str) -> list[str]:
    if len(text) > LIST:
        raise _out_of_bounds(label, text, f"a list of at most {LIST} characters")
    return [part for part in MARKS.split(text) if part]


def few(label: str, found: list, most: int) -> list:
    """What a list names, by its label. Raises ValueError for nothing and for more than an experiment takes."""
    if not 1 <= len(set(found)) <= most:
        value = words.SEVERAL.format(count=len(set(found))) if found else words.EMPTY
        raise _out_of_bounds(label, value, words.ONE_TO.format(most=most))
    return found


def _whole(label: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise _out_of_bounds(label, text, f"a whole number from {low} to {high}")
    return int(text)


def _out_of_bounds(label: str, value: str, bound: str) -> ValueError:
    """By the label of this panel, which may be that of a setting of Watch under another name."""
    return ValueError(words.OUT_OF_BOUNDS.format(field=label, value=value[:60], bound=bound))


def refuse_without(engine: Engine, method: str) -> None:
    """Raises ValueError where the engine has no such method."""
    if not hasattr(engine, method):
        raise ValueError(NOT_HERE)
