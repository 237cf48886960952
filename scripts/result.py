"""What scripts leave behind: figures as one line of JSON, a recorded run as an archive; and what they say meanwhile."""

import gzip
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from specviz.trace.events import Trace
from specviz.trace.file import dumps

Out = Annotated[Path | None, typer.Option(help="Also write what is measured to this file.")]


def print_figures(figures: dict, out: Path | None = None, above: Sequence[str] = ()) -> None:
    """As one line of JSON; also to the file `out`, below the lines `above`. What was not measured, NaN, is null."""
    line = json.dumps({key: _rounded(value) if isinstance(value, float) else value for key, value in figures.items()})
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join([*above, line, ""]), "utf-8")
    print(line)


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def archive(folder: Path, name: str, trace: Trace) -> Path:
    """The same trace makes the same bytes: no name and no time in the archive's header."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(dumps(trace), mtime=0))
    return path


T = TypeVar("T")
SAY_EVERY = 2.0  # seconds between two lines at least


def steps(
    what: Sequence[T],
    seconds: float | None = None,
    may_end: Callable[[T], bool] = lambda _: True,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """Each of `what`, with a line on stderr: which of how many it is, what, and how long the rest takes at the pace so far. It
    ends after `seconds` before the first that says so (`may_end`); without `seconds` with the last."""
    began, said = clock(), -math.inf
    for i, one in enumerate(what):
        spent = clock() - began
        if seconds is not None and spent >= seconds and may_end(one):
            print(f"the time is over: {len(what) - i} of {len(what)} are left", file=sys.stderr, flush=True)
            return
        if began + spent - said >= SAY_EVERY:
            said = began + spent
            left = min(spent / i * (len(what) - i), math.inf if seconds is None else max(0.0, seconds - spent)) if i else None
            time_left = "" if left is None else f", {left / 60:.0f} min left" if left >= 90 else f", {left:.0f} s left"
            print(f"{i + 1} of {len(what)}: {one}{time_left}", file=sys.stderr, flush=True)
        yield one
