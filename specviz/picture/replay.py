"""What the scripts are sent that draw a run (assets/player/picture.js): its trace, with each token once, the names of fields once and few
digits; and the words that they know before.

    json_text(replay_data(trace))       # a third of the trace's own file; of what a screen shows, nothing is lost
    BROWSER["play"]
    TERMS["alpha"].says
    python -m scripts.made_docs         # writes the documents again

Values are as JSON and a screen can have them: few digits, nothing infinite, no markup. The sentences stand in words/, those of a rule in
its own file (rules/): what a run is drawn with; every symbol and term that is explained, on the page where it stands, in Learn, on the
pack's first sheet and in docs/glossary.md; and what is claimed of other engines, in chapter 12, the pack and docs/rules.md. Standard
library only.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from .. import rules
from ..config import SETTINGS
from ..drafters import DRAFTERS, ONE_PASS
from ..trace.events import Drafted, Emitted, Entry, Finished, Own, Position, Prefill, Residual, ResidualEntry, Round, Token, Trace
from ..trace.file import field_reader
from ..words import ENGLISH, engines, load, picture
from . import palette

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


@lru_cache(20)  # a bound, since a visitor names the language
def vocabulary(language: str = ENGLISH) -> dict:
    """What scripts know before they draw: the words, the roles of tokens, the terms that are explained, and what a trace does not say.
    Nobody changes it: it is made once."""
    known = {"words": browser_words(language), "roles": palette.for_browser(language), "terms": terms_for_browser(language)}
    return {**known, "about": engine_facts()}


def engine_facts() -> dict:
    """How families of drafters are drawn, which draft at once, the largest K, and which rules are exact."""
    return {
        "families": {one.family: one.picture_name for one in DRAFTERS.values() if one.family},
        "one_pass": sorted(ONE_PASS),
        "most": int(SETTINGS["K"].high),
        "rules": {name: {"exact": rule.exact} for name, rule in rules.ALL.items()},
    }


# Words -----------------------------------------------------------------------------------------------------------------


def rule_titles(language: str = ENGLISH) -> dict[str, str]:
    """How a draft token is drafted and decided. Rules that are not exact say so wherever their name stands."""
    words, titles = load(language)["picture"], {name: rule.title for name, rule in rules.ALL.items()}
    return words.RULES | {
        name: title if rules.ALL[name].exact else words.INEXACT_TITLE.format(title=title) for name, title in titles.items()
    }


def browser_words(language: str = ENGLISH) -> dict[str, str]:
    """What assets/player/*.js paint."""
    rooms = load(language)
    words, ways = rooms["picture"], rooms["drafters"].DRAFTERS
    return {
        **words.STORY,
        **_prefixed(plot=words.PLOT, timeline=words.TIMELINE, chart=words.CHART, rule=rule_titles(language)),
        **_prefixed(matrix=words.RULE_MATRIX, choice=words.CHOICE, position=words.BY_POSITION),
        **words.ENGINE,
        **{f"{key}_{name}": text for name, rule in rules.ALL.items() for key, text in rule.words.items()},
        **{
            f"{key}_{one.picture_name}": text
            for name, one in DRAFTERS.items()
            for key, text in ways[name].get("words", {}).items()
        },
        **words.BROWSER,
        **{f"ended_{one.key}": words.ENDED.format(ends=one.ends) for one in SETTINGS.values() if one.ends},
    }


def _prefixed(**tables: Mapping[str, str]) -> dict[str, str]:
    return {f"{prefix}_{name}": text for prefix, table in tables.items() for name, text in table.items()}


RULES = rule_titles()
BROWSER = browser_words()
BROWSER_RECORD = _prefixed(record=picture.RECORD, decision=picture.DECISION)
"""Painted by assets/record/*.js, with those of BROWSER."""


class Term(NamedTuple):
    """`name`: how an entry is headed. `says`: what it is, in plain sentences. `forms`: how it stands in a sentence, where that is
    not its name; a form of one letter is a symbol. `printed`: it stands on the pack's first sheet too."""

    name: str
    says: str
    forms: tuple[str, ...] = ()
    printed: bool = False


def glossary(language: str = ENGLISH) -> dict[str, dict[str, Term]]:
    """By the title of a group its terms, by key. Of a way to draft they say what it is; those of rules stand with each."""
    rooms = load(language)
    words, ways = rooms["glossary"], rooms["drafters"].DRAFTERS
    entries = {group: dict(terms) for group, terms in words.TERMS.items()}
    for name, forms in entries["drafters"].items():
        entries["drafters"][name] = (
            {"name": ways[name]["label"], "says": ways[name]["sentence"]} | forms if name in ways else forms
        )
    entries["rules"] = {
        name: {"name": name, "says": says, "forms": forms} for rule in rules.RULES.values() for name, says, *forms in rule.terms
    }
    return {
        title: {key: Term(**one | {"forms": tuple(one.get("forms", ()))}) for key, one in entries[group].items()}
        for group, title in words.GROUPS.items()
    }


GROUPS = glossary()
TERMS: dict[str, Term] = {key: term for terms in GROUPS.values() for key, term in terms.items()}


def terms_for_browser(language: str = ENGLISH) -> list[dict]:
    """The terms as the page has them (assets/player/page.js). `forms`: where not the name; `group`: with its first term."""
    return [
        {"name": term.name, "says": term.says} | ({"forms": term.forms} if term.forms else {}) | ({} if i else {"group": group})
        for group, terms in glossary(language).items()
        for i, term in enumerate(terms.values())
    ]


class EngineClaim(NamedTuple):
    """How an engine drafts and verifies at a temperature above 0, as words/engines.toml says."""

    name: str
    known: str
    source: str
    default: str
    chance: str
    options: str = "–"
    inexact: str = ""
    switch: str = ""
    more: str = ""


class InexactDistance(NamedTuple):
    """How far a rule that is not exact is from the target's distribution: total variation, on average and at worst."""

    name: str
    who: str
    sample: tuple[float, float]
    argmax: tuple[float, float]


ENGINES = tuple(EngineClaim(**one) for one in engines.ENGINES)
INEXACT = tuple(InexactDistance(**one) for one in engines.INEXACT)
