"""A run as one HTML file that works from a mail attachment, and as a cell of a notebook: its hand-out in a frame of its own.

    Path("run.html").write_text(handout(trace), "utf-8")
    show(trace)                              # in a notebook: the last line of a cell
    show(trace, "round", 3)                  # one figure alone, as the site embeds it: race, round or inspector
    show(race(setup, "Once", K=4)).save("run.html")
    document("A title", "default-src 'none'", "<main>…</main>", style=css)       # every HTML file of ours that gradio does not write

A file has the same player, no server, no network, nothing from outside. It says first what it may do, before anything in it can do it:
exactly the script and the style that stand in it, by their hashes. The run is data in a script element that is never executed, and
reaches the page through `textContent` like everywhere else. The frame is a sandbox without an origin: what is in it, text of any model
included, reaches neither the notebook nor its kernel.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..config import ConfigError
from ..trace.events import Header, Round, Trace
from ..trace.records.record import ServerRecord
from ..trace.tree import text_nodes
from ..words import picture as words
from .record import record_picture
from .replay import BROWSER, BROWSER_RECORD, RULES, json_text, replay_data, short, vocabulary
from .sheets import HANDOUT, RECORD, bundle, csp_hash, style

ICON = '<link rel="icon" href="data:,">\n'  # none: a browser asks for no favicon
FILE = """<!doctype html>
<html lang="en">
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
    return FILE.format(
        policy=policy, more=more, title=escape(title), style=f"<style>{style}</style>\n", attributes=attributes, body=body
    )


IN_UTC = re.compile(r"^([\d-]+)T(\d\d:\d\d)(?::[\d.]+)?(?:\+00:00|Z)$")  # any other time stands as it is
PAGE = f"""<main class="sv-handout">
<header><h1>{escape(words.TITLE)}</h1><p>{escape(words.TAGLINE)}</p><p class="sv-handout-note">{{note}}</p></header>
<noscript><p>{escape(words.HANDOUT_NO_SCRIPT)}</p></noscript>
{{place}}
</main>
<script type="application/json" id="sv-data">{{data}}</script>
<script>{{code}}</script>"""
PANES = '<div class="sv-panes"><section class="sv-race"></section><div id="timeline"></div><div class="sv-detail"></div></div>'
RACE = f'<div id="race">{PANES}</div>'
RECORD_PLACE = '<div id="record"></div>'


def handout(trace: Trace, run: dict | None = None, figure: dict | None = None) -> str:
    """`run`: the trace as `replay_data` gives it, from whoever has it already. `figure`: one part alone (assets/handout/open.js)."""
    title = words.HANDOUT_TITLE.format(prompt=short(" ".join(trace.header.prompt.split()), 60))
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
    data = json_text({**vocabulary(), "words": BROWSER | BROWSER_RECORD, "record": record})
    return _page(f"{words.TITLE}: {title}", words.RECORD_NOTE, RECORD_PLACE, RECORD, "record/open.js", data)


def _page(title: str, note: str, place: str, folders: tuple[str, ...], entry: str, data: str) -> str:
    css, code = style(*folders), f"\n{bundle(entry)}.open();\n"
    script, sheet = csp_hash(code), csp_hash(css)
    policy = f"default-src 'none'; script-src '{script}'; style-src '{sheet}'; base-uri 'none'; form-action 'none'"
    return document(title, policy, PAGE.format(code=code, data=data, place=place, note=escape(note)), css)


def _note(header: Header) -> str:
    note = words.HANDOUT_NOTE.format(when=IN_UTC.sub(r"\1 \2 UTC", header.created))
    exact = header.config.exact if header.exact is None else header.exact
    return note if exact else f"{note} {BROWSER['not_exact'].format(rule=RULES[header.config.verifier])}"


# Nobody may ask a frame without an origin how high its page is. This shows both lanes of any run, which need more where the
# cell is narrow: cqw is a hundredth of its width. What stands below them is scrolled to. A figure tells its height.
FRAME = """<div style="container-type: inline-size"><iframe title="{title}" sandbox="allow-scripts" referrerpolicy="no-referrer"
style="display: block; width: 100%; height: {height}; border: 0" srcdoc='{page}'></iframe></div>"""
HEIGHT = "clamp(780px, 2120px - 100cqw, 1700px)"
HEARS = """<script>addEventListener("message", ({ source, data }) => {
  if (data?.type !== "specviz:height" || !(data.height < 4000)) return;
  for (const frame of document.querySelectorAll("iframe[srcdoc]"))
    if (frame.contentWindow === source) frame.style.height = `${data.height}px`;
});</script>"""
FIGURES = {"race": "640px", "round": "420px", "inspector": "640px"}  # so high where no script may run


@dataclass(frozen=True, repr=False)
class Frame:
    """A run to look at: `title` in a few words, `page` as one HTML file that needs no server and no network."""

    title: str
    page: str
    figure: str | None = None

    def save(self, path: str | Path) -> Path:
        """Write the page to `path` and return it. Raises ConfigError unless it names a file in a folder that exists."""
        path = Path(path)
        if path.is_dir() or not path.parent.is_dir():
            raise ConfigError("path", str(path), "a file in a folder that exists")
        path.write_bytes(self.page.encode())  # bytes: no line ending is made another, whatever the system
        return path

    def _repr_html_(self) -> str:
        # in single quotes, since the run is JSON: to escape its double ones would make a frame half as large again
        page = escape(self.page, quote=False).replace("'", "&#39;")
        height = FIGURES.get(self.figure or "", HEIGHT)
        return FRAME.format(title=escape(self.title), page=page, height=height) + (HEARS if self.figure else "")

    def __repr__(self) -> str:
        return f"<{self.title}>"


def show(run: Trace | ServerRecord | Iterable[Any], figure: str | None = None, round: int = 1, token: int | None = None) -> Frame:
    """The run as a frame: a Trace, or what `race` yields, which is then run to its end, with a line on a terminal meanwhile; or a
    Record, which another engine left. `figure`: one part of a Trace alone, "race", "round" or "inspector". `round` and `token` of
    that round, from 1 on: where the last two stand; without `token` at the one that says most.

    Raises TypeError if there is no Trace at the end, ConfigError if the figure, the round or the token is none of it."""
    if isinstance(run, ServerRecord):
        if figure:
            raise ConfigError("figure", figure, "left out: a record has no rounds")
        return Frame(f"{words.TITLE}: {words.RECORD['title'].format(engine=run.engine)}", record_page(record_picture(run)))
    trace = _last(run) if isinstance(run, Iterable) and not isinstance(run, str | bytes) else run
    if trace is None and isinstance(run, Iterator):
        raise TypeError(
            "this race(…) has run already and yields no more: keep its Trace, as *_, trace = race(…) does, and show that"
        )
    if not isinstance(trace, Trace):
        raise TypeError(f"show takes a Trace, or what race(…) yields; it was given {type(run).__name__}")
    return Frame(_title(trace), handout(trace, figure=_alone(trace, figure, round, token) if figure else None), figure)


def _alone(trace: Trace, figure: str, round: int, token: int | None) -> dict:
    if figure not in FIGURES:
        raise ConfigError("figure", figure, f"one of {', '.join(FIGURES)}")
    rounds = [event for event in trace.speculative or trace.vanilla if isinstance(event, Round)]
    if not 1 <= round <= len(rounds):
        raise ConfigError("round", round, f"a round of the run, 1 to {len(rounds)}")
    event = rounds[round - 1]
    last = len(text_nodes(event)) + sum(e.role != "accepted" for e in event.emitted)
    if token is not None and not 1 <= token <= last:
        raise ConfigError("token", token, f"a token of round {round}, 1 to {last}")
    return {"figure": figure, "round": round, "token": token}


def _last(steps: Iterable[Any]) -> Any:
    step, line = None, ""
    for step in steps:
        if sys.stdout.isatty() and hasattr(step, "lane"):
            line = f"{step.lane}: {step.tokens} of {step.of} tokens"
            print(line, end="\r", flush=True)
    print(" " * len(line), end="\r" if line else "")  # what comes next is written over it
    return step


def _title(trace: Trace) -> str:
    header = trace.header
    drafted = f"drafted by {header.draft.name}, K = {header.config.K}" if header.draft else "nothing drafted"
    prompt = short(" ".join(header.prompt.split()), 40)
    title = f"specviz: {header.target.name}, {drafted}, “{prompt}”"
    return "".join(c if c.isprintable() else "\ufffd" for c in title)  # a terminal obeys what is not
