"""Which weights ran: the sha256 of each file that they were read from, so that whoever redoes a trace knows that he has the same.

    sha256sum model.safetensors          # what anybody checks it with

A file is read for that once a process: 60 ms of the bundled family where a processor computes it in hardware. The hub's cache names
the files that it fetched by their sum, so of those nothing is read.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from ...trace.header import WeightFile

LIMIT = 4 * 2**30  # bytes: a larger file from a folder would take many seconds that nobody asked for


def identity(files: list[Path]) -> tuple[WeightFile, ...]:
    """Of each file its name and its sum, by name. Raises OSError for one that cannot be read."""
    return tuple(WeightFile(file.name, _sum(file)) for file in sorted(files))


def _sum(file: Path) -> str | None:
    place = file.resolve()
    if place.parent.name == "blobs" and re.fullmatch(r"[0-9a-f]{64}", place.name):
        return place.name
    stat = place.stat()
    return _read(place, stat.st_size, stat.st_mtime_ns) if stat.st_size <= LIMIT else None


@lru_cache(256)
def _read(place: Path, size: int, changed: int) -> str:
    """`size` and `changed` tell a file from one that was put in its place since."""
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
