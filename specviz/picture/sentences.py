"""The words that scripts draw a run with; every symbol and term that is explained, on the page where it stands, in Learn, on the pack's
first sheet and in docs/glossary.md; and what is claimed of other engines: in chapter 12, the pack and docs/rules.md.

    BROWSER["play"]
    TERMS["alpha"].says
    python -m scripts.made_docs      # writes the documents again

The sentences stand in words/, those of a rule in its own file (rules/).
"""

from collections.abc import Mapping
from typing import NamedTuple

from .. import rules
from ..config import SETTINGS
from ..drafters import DRAFTERS
from ..words import ENGLISH, engines, load, picture


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
    """The terms as the page has them (assets/player/glossary.js). `forms`: where not the name; `group`: with its first term."""
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
