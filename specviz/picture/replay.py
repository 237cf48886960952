"""A trace as a script is sent it, which draws it (assets/player/picture.js): each token once, the names of fields once, few digits.

    json_text(replay_data(trace))       # a third of the trace's own file; of what a screen shows, nothing is lost

Values as JSON and a screen can have them: few digits, nothing infinite, no markup. Standard library only.
"""

import json
import re
from math import isfinite
from typing import Any

from ..config import SETTINGS
from ..drafters import DRAFTERS, ONE_PASS
from ..rules import ALL
from ..trace.events import Drafted, Emitted, Entry, Finished, Own, Position, Prefill, Residual, ResidualEntry, Round, Token, Trace
from ..trace.file import field_reader
from ..words import ENGLISH
from . import palette
from .sentences import browser_words, terms_for_browser

MARKUP = re.compile(r"<(?=[a-zA-Z/!?])")  # what an HTML reader takes for a tag, a comment or the end of a script


def json_text(value: dict | list | str) -> str:
    """One JSON string; `<` is escaped where markup could begin, so that no reader on the way can take it for that."""
    return MARKUP.sub(r"\\u003c", json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def six_digits(value: float | None) -> float | None:
    """Six significant digits are more than a screen shows and halve what is sent; JSON has no infinity. Of twelve, as other
    numbers are sent: a script that rounds those again and one that reads a file show the same."""
    return float(f"{float(f'{value:.12g}'):.6g}") if value is not None and isfinite(value) else None


def short(text: str, most: int) -> str:
    """At most so many characters, and a sign that something was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def ratio(part: float | None, whole: float | None) -> float | None:
    return six_digits(part / whole) if part is not None and whole else None


SIX_DIGIT_KINDS = {Drafted, Emitted, Entry, Own, Position, Residual, ResidualEntry}
"""Their numbers, but for β, are shown and not added up: six digits are enough. Others have twelve, so that a sum has six."""
EVENTS = {Prefill, Round, Finished}
PLAIN_KINDS = {int, str, bool, type(None)}


def replay_data(trace: Trace) -> dict:
    """`body`: the header and both lanes, a record as [the number of its names, its values …], a tuple as [−1, its items …], under "token" a
    token's number; `shapes`: the names of fields, an event's after its kind; `tokens`: id, text, partial."""
    shapes: dict[tuple[str, ...], int] = {}
    tokens: dict[tuple, int] = {}

    def number(token: Token) -> int:
        return tokens.setdefault((token.id, token.text, token.partial), len(tokens))

    def pack(value: Any, few: bool) -> Any:
        kind = value.__class__
        if kind in PLAIN_KINDS or isinstance(value, str):  # torch has its version as a kind of its own
            return value
        if isinstance(value, float):
            return six_digits(value) if few else float(f"{value:.12g}") if isfinite(value) else None
        if kind is tuple:
            return [-1, *[pack(each, few) for each in value]]
        names, values_of, _ = field_reader(kind)
        few = kind in SIX_DIGIT_KINDS
        packed = [
            number(each) if name == "token" else pack(each, few and name != "beta")
            for name, each in zip(names, values_of(value), strict=True)
        ]
        if kind in EVENTS:
            names, packed = ("event", *names), [kind.__name__.lower(), *packed]
        return [shapes.setdefault(names, len(shapes)), *packed]

    body = {"header": trace.header, "vanilla": trace.vanilla, "speculative": trace.speculative}
    return {"body": {name: pack(part, few=False) for name, part in body.items()}, "shapes": list(shapes), "tokens": list(tokens)}


def vocabulary(language: str = ENGLISH) -> dict:
    """What scripts know before they draw: the words, the roles of tokens, the terms that are explained, and what a trace does not say."""
    known = {"words": browser_words(language), "roles": palette.for_browser(language), "terms": terms_for_browser(language)}
    return {**known, "about": engine_facts()}


def engine_facts() -> dict:
    """How families of drafters are drawn, which draft at once, the largest K, and which rules are exact."""
    return {
        "families": {one.family: one.picture_name for one in DRAFTERS.values() if one.family},
        "one_pass": sorted(ONE_PASS),
        "most": int(SETTINGS["K"].high),
        "rules": {name: {"exact": rule.exact} for name, rule in ALL.items()},
    }
