"""What a panel's script sent, read as strictly as a link: each value by itself, and what is wrong in one sentence.

run = panel_run(fields(data), engine, models)        # a RunRequest
"""

import re
from collections.abc import Mapping
from itertools import islice

from ...config import DecodeConfig
from ...request import RunRequest
from .. import words
from ..engine import Engine
from ..keep.links import PROMPT_LIMIT, read_link
from ..settings import default_values

NAMES = ("prompt", "drafter", "K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed", "length")
NO_METHOD = "What decodes here cannot run this experiment; a page with the bundled models does (specviz app)."
LIST_CHARACTERS = 500  # characters: more numbers than an experiment takes
MOST_FIELDS = 64  # more than any panel has
SEPARATORS = re.compile(r"[,;\s]+")


def fields(data: object) -> Mapping[str, str]:
    """The `settings` among an event's data as texts by name, no more and no longer than a panel has; nothing of what is no such thing."""
    settings = data.get("settings") if isinstance(data, dict) else None
    few = islice(settings.items(), MOST_FIELDS) if isinstance(settings, dict) else ()
    return {name[:LIST_CHARACTERS]: str(value)[: PROMPT_LIMIT + 1] for name, value in few if isinstance(value, str | int | float)}


def panel_run(message: Mapping[str, str], engine: Engine, models: str, prefix: str = "") -> RunRequest:
    """What `message` says under these names after `prefix`, else without it, else the page's own. A run that goes on past the
    end of its text, so that all are as long. Raises ValueError for what may not be."""
    texts = {name: message.get(prefix + name, message.get(name, "")).strip() for name in NAMES}
    link = read_link({"models": models, **{name: value for name, value in texts.items() if value}}, engine)
    if link.problems:
        raise ValueError("; ".join(link.problems))
    values = default_values(engine, models) | link.settings
    same = ("K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed")
    config = DecodeConfig(max_new_tokens=values["length"], ignore_eos=True, **{name: values[name] for name in same})
    return RunRequest(values["prompt"], config, values["drafter"], models)


def whole_numbers(label: str, text: str, low: int, high: int) -> list[int]:
    """The whole numbers of a list such as `1, 2, 4`. Raises ValueError."""
    return [_whole_number(label, part, low, high) for part in _parts(label, text)]


def whole_number(label: str, text: str, low: int, high: int, default: int) -> int:
    """One whole number; `default` for an empty field. Raises ValueError."""
    return _whole_number(label, text.strip(), low, high) if text.strip() else default


def _parts(label: str, text: str) -> list[str]:
    if len(text) > LIST_CHARACTERS:
        raise _out_of_bounds(label, text, f"a list of at most {LIST_CHARACTERS} characters")
    return [part for part in SEPARATORS.split(text) if part]


def check_count(label: str, values: list, most: int) -> list:
    """What a list names, by its label. Raises ValueError for nothing and for more than an experiment takes."""
    if not 1 <= len(set(values)) <= most:
        value = words.SEVERAL.format(count=len(set(values))) if values else words.EMPTY
        raise _out_of_bounds(label, value, words.ONE_TO.format(most=most))
    return values


def _whole_number(label: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise _out_of_bounds(label, text, f"a whole number from {low} to {high}")
    return int(text)


def _out_of_bounds(label: str, value: str, bound: str) -> ValueError:
    """By the label of this panel, which may be that of a setting of Watch under another name."""
    return ValueError(words.OUT_OF_BOUNDS.format(field=label, value=value[:60], bound=bound))


def require_method(engine: Engine, method: str) -> None:
    """Raises ValueError where the engine has no such method."""
    if not hasattr(engine, method):
        raise ValueError(NO_METHOD)
