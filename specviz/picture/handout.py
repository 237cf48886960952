"""A run as one HTML file that works from a mail attachment: the same player, no server, no network, nothing from outside.

    Path("run.html").write_text(handout(trace), "utf-8")

The page allows exactly the script and the style that stand in it, by their hashes; the run is data in a script element that is
never executed, and reaches the page through `textContent` like everywhere else.
"""

import re
from html import escape

from ..trace.header import Header, Trace
from . import words
from .bundle import bundle
from .document import document
from .plain import json_text
from .replay import replay_data, vocabulary
from .sheets import HANDOUT, RECORD, csp_hash, style

IN_UTC = re.compile(r"^([\d-]+)T(\d\d:\d\d)(?::[\d.]+)?(?:\+00:00|Z)$")  # any other time stands as it is
PAGE = """<main class="sv-handout">
<header><h1>{heading}</h1><p>{tagline}</p><p class="sv-handout-note">{note}</p></header>
<noscript><p>{noscript}</p></noscript>
{place}
</main>
<script type="application/json" id="sv-data">{data}</script>
<script>{code}</script>"""
PANES = '<div class="sv-panes"><section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div>'
RACE = f'<div id="race">{PANES}</div>'
RECORD_PLACE = '<div id="record"></div>'


def handout(trace: Trace, run: dict | None = None, figure: dict | None = None) -> str:
    """`run`: the trace as `replay_data` gives it, from whoever has it already. `figure`: one part alone (assets/handout/figure.js)."""
    title = words.HANDOUT_TITLE.format(prompt=words.short(" ".join(trace.header.prompt.split()), 60))
    alone = {"figure": figure} if figure else {}
    data = json_text({**vocabulary(), "run": run or replay_data(trace), **alone})
    return _page(title, _note(trace.header), RACE, HANDOUT, "handout/open.js", data)


def page_parts() -> list[str]:
    """The same file without a run, for a page that fills it in itself: what stands around the title, the note and the data."""
    marks = ("\N{SYMBOL FOR NULL}title", "\N{SYMBOL FOR NULL}note", "\N{SYMBOL FOR NULL}data")
    title, note, data = marks
    return re.split("|".join(marks), _page(title, note, RACE, HANDOUT, "handout/open.js", data))


def record_page(record: dict) -> str:
    """The same of a record of another engine (record.py)."""
    title = words.RECORD["title"].format(engine=record["engine"])
    data = json_text({**vocabulary(words.BROWSER | words.BROWSER_RECORD), "record": record})
    return _page(f"{words.TITLE}: {title}", words.RECORD_NOTE, RECORD_PLACE, RECORD, "record/open.js", data)


def _page(title: str, note: str, place: str, folders: tuple[str, ...], entry: str, data: str) -> str:
    css, code = style(*folders), f"\n{bundle(entry)}.open();\n"
    policy = (
        f"default-src 'none'; script-src '{csp_hash(code)}'; style-src '{csp_hash(css)}'; base-uri 'none'; form-action 'none'"
    )
    body = PAGE.format(
        code=code,
        data=data,
        place=place,
        heading=escape(words.TITLE),
        tagline=escape(words.TAGLINE),
        note=escape(note),
        noscript=escape(words.HANDOUT_NO_SCRIPT),
    )
    return document(title, policy, body, css)


def _note(header: Header) -> str:
    note = words.HANDOUT_NOTE.format(when=IN_UTC.sub(r"\1 \2 UTC", header.created))
    exact = header.config.exact if header.exact is None else header.exact
    return note if exact else f"{note} {words.NOT_EXACT.format(rule=words.RULES[header.config.verifier])}"
