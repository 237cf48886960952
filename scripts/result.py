"""What scripts leave behind: figures as one line of JSON, a recorded run as an archive."""

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from specviz.trace.file import dumps
from specviz.trace.header import Trace

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
