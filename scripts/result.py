"""What scripts leave behind: figures as one line of JSON, a recorded run as an archive."""

import gzip
import json
import math
from pathlib import Path

from specviz.trace.file import dumps
from specviz.trace.header import Trace


def json_line(figures: dict) -> str:
    """What was not measured, NaN, is null."""
    return json.dumps({key: _rounded(value) if isinstance(value, float) else value for key, value in figures.items()})


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 4)


def archive(folder: Path, name: str, trace: Trace) -> Path:
    """The same trace makes the same bytes: no name and no time in the archive's header."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(dumps(trace), mtime=0))
    return path
