"""A run in a cell of a notebook: its hand-out in a frame of its own.

    show(trace)                              # in a notebook: the last line of a cell
    show(race(setup, "Once", K=4)).save("run.html")

The frame is a sandbox without an origin: what is in it, text of any model included, reaches neither the notebook nor its kernel.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..config import ConfigError
from ..trace.header import Trace
from ..trace.records.record import Record
from . import words
from .handout import handout, record_page
from .record import record_screen
from .view import picture

# Nobody may ask a frame without an origin how high its page is. This shows both lanes of any run, which need more where the
# cell is narrow: cqw is a hundredth of its width. What stands below them is scrolled to.
FRAME = """<div style="container-type: inline-size"><iframe title="{title}" sandbox="allow-scripts" referrerpolicy="no-referrer"
style="display: block; width: 100%; height: clamp(780px, 2120px - 100cqw, 1700px); border: 0" srcdoc='{page}'></iframe></div>"""


@dataclass(frozen=True, repr=False)
class Frame:
    """A run to look at: `title` in a few words, `page` as one HTML file that needs no server and no network."""

    title: str
    page: str

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
        return FRAME.format(title=escape(self.title), page=page)

    def __repr__(self) -> str:
        return f"<{self.title}>"


def show(run: Trace | Record | Iterable[Any]) -> Frame:
    """The run as a frame: a Trace, or what `race` yields, which is then run to its end, with a line on a terminal meanwhile; or a
    Record, which another engine left.

    Raises TypeError if there is no Trace at the end."""
    if isinstance(run, Record):
        return Frame(f"{words.TITLE}: {words.RECORD['title'].format(engine=run.engine)}", record_page(record_screen(run)))
    trace = run if isinstance(run, Trace) else _last(run)
    if not isinstance(trace, Trace):
        raise TypeError(f"show takes a Trace, or what race(…) yields; it was given {type(run).__name__}")
    return Frame(_title(trace), handout(picture(trace)))


def _last(steps: Iterable[Any]) -> Any:
    step, said = None, ""
    for step in steps:
        if sys.stdout.isatty() and hasattr(step, "lane"):
            said = f"{step.lane}: {step.tokens} of {step.of} tokens"
            print(said, end="\r", flush=True)
    print(" " * len(said), end="\r" if said else "")  # what comes next is written over it
    return step


def _title(trace: Trace) -> str:
    header = trace.header
    drafted = f"drafted by {header.draft.name}, K = {header.config.K}" if header.draft else "nothing drafted"
    prompt = words.short(" ".join(header.prompt.split()), 40)
    title = f"specviz: {header.target.name}, {drafted}, “{prompt}”"
    return "".join(c if c.isprintable() else "\ufffd" for c in title)  # a terminal obeys what is not
