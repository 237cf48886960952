"""What the scripts are sent that draw a run (assets/player/picture.js): its trace, with each token once, the names of fields once and few
digits; the same as one HTML file that works from a mail attachment; the run as it is saved and kept; and the words that scripts know
before.

    json_text(replay_data(trace))       # a third of the trace's own file; of what a screen shows, nothing is lost
    Path("run.html").write_text(handout(trace), "utf-8")
    document("A title", "default-src 'none'", "<main>…</main>", style=css)       # every HTML file of ours that gradio does not write
    run_contents(trace, "run")          # of a run that was decoded here: what a screen, its files and a browser are given
    BROWSER["play"]
    TERMS["alpha"].says
    python -m scripts.made_docs         # writes the documents again

A file has the same player, no server, no network, nothing from outside. It says first what it may do, before anything in it can do it:
exactly the script and the style that stand in it, by their hashes. The run is data in a script element that is never executed, and
reaches the page through `textContent` like everywhere else.

Values are as JSON and a screen can have them: few digits, nothing infinite, no markup. The sentences stand in words/, those of a rule in
its own file (rules/): what a run is drawn with; every symbol and term that is explained, on the page where it stands, in Learn, on the
pack's first sheet and in docs/glossary.md; and what is claimed of other engines, in chapter 12, the pack and docs/rules.md.
"""

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from math import isfinite
from typing import Any, NamedTuple

from .. import rules
from ..config import SETTINGS
from ..drafters import DRAFTERS, ONE_PASS
from ..trace import events
from ..trace.events import Drafted, Emitted, Header, Token, Trace
from ..trace.file import dumps, field_reader
from ..words import TAG, drafters, engines, picture
from ..words import glossary as words
from . import palette
from .sheets import HANDOUT, bundle, csp_hash, style

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


SIX_DIGIT_KINDS = {Drafted, Emitted, events.Entry, events.Own, events.Position, events.Residual, events.ResidualEntry}
"""Their numbers, but for β, are shown and not added up: six digits are enough. Others have twelve, so that a sum has six."""
EVENTS = {events.Prefill, events.Round, events.Finished}
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


@cache
def vocabulary() -> dict:
    """What scripts know before they draw: the words, the roles of tokens, the terms that are explained, and what a trace does not say.
    Nobody changes it: it is made once."""
    return {"words": browser_words(), "roles": palette.for_browser(), "terms": terms_for_browser(), "about": engine_facts()}


def engine_facts() -> dict:
    """How families of drafters are drawn, which draft at once, the largest K, and which rules are exact."""
    return {
        "families": {one.family: one.picture_name for one in DRAFTERS.values() if one.family},
        "one_pass": sorted(ONE_PASS),
        "most": int(SETTINGS["K"].high),
        "rules": {name: {"exact": rule.exact} for name, rule in rules.ALL.items()},
    }


# The hand-out: a run as one HTML file ---------------------------------------------------------------------------------

ICON = '<link rel="icon" href="data:,">\n'  # none: a browser asks for no favicon
FILE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
{more}<title>{title}</title>
{style}</head>
<body{attributes}>
{body}
</body>
</html>
"""


def document(title: str, policy: str, body: str, style: str, more: str = "", attributes: str = "") -> str:
    """`title` is text; all else is ours: `more` is further lines of the head, `attributes` are those of the body."""
    language, title, style = escape(TAG), escape(title), f"<style>{style}</style>\n"
    return FILE.format(language=language, title=title, policy=policy, style=style, more=more, attributes=attributes, body=body)


IN_UTC = re.compile(r"^([\d-]+)T(\d\d:\d\d)(?::[\d.]+)?(?:\+00:00|Z)$")  # any other time stands as it is
PAGE = f"""<main class="sv-handout">
<header><h1>{escape(picture.TITLE)}</h1><p>{escape(picture.TAGLINE)}</p><p class="sv-handout-note">{{note}}</p></header>
<noscript><p>{escape(picture.HANDOUT_NO_SCRIPT)}</p></noscript>
{{place}}
</main>
<script type="application/json" id="sv-data">{{data}}</script>
<script>{{code}}</script>"""
PANES = '<div class="sv-panes"><section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div>'
RACE = f'<div id="race">{PANES}</div>'


def handout(trace: Trace, figure: dict | None = None) -> str:
    """`figure`: one part alone (assets/handout/open.js)."""
    title = picture.HANDOUT_TITLE.format(prompt=short(" ".join(trace.header.prompt.split()), 60))
    alone = {"figure": figure} if figure else {}
    data = json_text({**vocabulary(), "run": replay_data(trace), **alone})
    return static_page(title, _note(trace.header), RACE, HANDOUT, "handout/open.js", data)


def empty_handout() -> dict:
    """The same file without a run, for a page that fills it in itself (assets/keep/late.js): what stands `around` the title, the note and
    the data, and the sentences of the first two."""
    marks = ("\N{SYMBOL FOR NULL}title", "\N{SYMBOL FOR NULL}note", "\N{SYMBOL FOR NULL}data")
    title, note, data = marks
    around = re.split("|".join(marks), static_page(title, note, RACE, HANDOUT, "handout/open.js", data))
    return {"around": around, "title": picture.HANDOUT_TITLE, "note": picture.HANDOUT_NOTE}


def static_page(title: str, note: str, place: str, folders: tuple[str, ...], entry: str, data: str) -> str:
    """A page that is all in one file: its `entry` of assets/ opens `data` in `place`."""
    css, code = style(*folders), f"\n{bundle(entry)}.open();\n"
    script, sheet = csp_hash(code), csp_hash(css)
    policy = f"default-src 'none'; script-src '{script}'; style-src '{sheet}'; base-uri 'none'; form-action 'none'"
    return document(title, policy, PAGE.format(code=code, data=data, place=place, note=escape(note)), css)


def _note(header: Header) -> str:
    note = picture.HANDOUT_NOTE.format(when=IN_UTC.sub(r"\1 \2 UTC", header.created))
    exact = header.config.exact if header.exact is None else header.exact
    return note if exact else f"{note} {BROWSER['not_exact'].format(rule=RULES[header.config.verifier])}"


# A run as it is saved and kept ----------------------------------------------------------------------------------------

ZLIB_LEVEL = 4  # zlib's level: a twentieth more bytes than its usual one, in half its time


@dataclass(frozen=True)
class PackedRun:
    """One run: its trace, packed, and where it came from, one of words.HISTORY's: `run`, `file`, `recorded`."""

    id: str
    data: bytes
    source: str


def packed_run(data: bytes, source: str) -> PackedRun:
    """`data`: the trace as it is saved."""
    return PackedRun(sha256(data).hexdigest()[:16], zlib.compress(data, ZLIB_LEVEL), source)


@dataclass(frozen=True)
class FileContents:
    """`about`: plain values, `kind` among them: `run`, `record` or `refused`, with its `message`. `parts`: of a run its race, and the run
    as a visit keeps it; of a record its panel."""

    about: dict
    parts: tuple[bytes, ...] = ()

    @property
    def run(self) -> PackedRun:
        return PackedRun(self.about["id"], self.parts[-1], self.about["source"])


def run_contents(trace: Trace, source: str) -> FileContents:
    """`source`: one of words.HISTORY's."""
    run = packed_run(dumps(trace), source)
    race = json_text({"id": run.id, **replay_data(trace)}).encode()
    return FileContents({"kind": "run", "id": run.id, "source": source}, (race, run.data))


# Words -----------------------------------------------------------------------------------------------------------------


def rule_titles() -> dict[str, str]:
    """How a draft token is drafted and decided. Rules that are not exact say so wherever their name stands."""
    return picture.RULES | {
        name: rule.title if rule.exact else picture.INEXACT_TITLE.format(title=rule.title) for name, rule in rules.ALL.items()
    }


def browser_words() -> dict[str, str]:
    """What assets/player/*.js paint."""
    return {
        **picture.STORY,
        **_prefixed(plot=picture.PLOT, timeline=picture.TIMELINE, chart=picture.CHART, rule=rule_titles()),
        **_prefixed(matrix=picture.RULE_MATRIX, choice=picture.CHOICE, position=picture.BY_POSITION),
        **picture.ENGINE,
        **{f"{key}_{name}": text for name, rule in rules.ALL.items() for key, text in rule.words.items()},
        **{
            f"{key}_{one.picture_name}": text
            for name, one in DRAFTERS.items()
            for key, text in drafters.DRAFTERS[name].get("words", {}).items()
        },
        **picture.BROWSER,
        **{f"ended_{one.key}": picture.ENDED.format(ends=one.ends) for one in SETTINGS.values() if one.ends},
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


def glossary() -> dict[str, dict[str, Term]]:
    """By the title of a group its terms, by key. Of a way to draft they say what it is; those of rules stand with each."""
    ways = drafters.DRAFTERS
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


def terms_for_browser() -> list[dict]:
    """The terms as the page has them (assets/player/page.js). `forms`: where not the name; `group`: with its first term."""
    return [
        {"name": term.name, "says": term.says} | ({"forms": term.forms} if term.forms else {}) | ({} if i else {"group": group})
        for group, terms in GROUPS.items()
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
