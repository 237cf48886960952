"""A run as a cell of a notebook: its hand-out (replay.py) in a frame of its own.

    show(trace)                              # in a notebook: the last line of a cell
    show(trace, "round", 3)                  # one figure alone, as the site embeds it: race, round or inspector
    show(race(setup, "Once", K=4)).save("run.html")

The frame is a sandbox without an origin: what is in it, text of any model
included, reaches neither the notebook nor its kernel.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..config import ConfigError
from ..trace.events import Round, Trace
from ..trace.records.record import ServerRecord
from ..trace.tree import text_nodes
from ..words import picture as words
from .record import record_picture
from .replay import BROWSER, BROWSER_RECORD, handout, json_text, short, static_page, vocabulary
from .sheets import RECORD


def record_page(record: dict) -> str:
    """As a hand-out, of a record of another engine (record.py)."""
    title = words.RECORD["title"].format(engine=record["engine"])
    data = json_text({**vocabulary(), "words": BROWSER | BROWSER_RECORD, "record": record})
    return static_page(f"{words.TITLE}: {title}", words.RECORD_NOTE, '<div id="record"></div>', RECORD, "record/open.js", data)


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
