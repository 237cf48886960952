"""The runs that come with the app, recorded from the real engine by `make traces`: shown at once, without a model.

load("opening")        # a Trace
for name in names(): title, sentence = words.RECORDED[name]
"""

import gzip

from ...config import ASSETS
from ...trace.events import Header, Trace
from ...trace.file import loads, read_header
from ...words import page as words
from ..guard.shares import once

BUNDLED = "fable"  # the key of the models that lessons speak of
FOLDER = ASSETS / "traces"
OPENINGS = {BUNDLED: "opening", "smollm2": "answer-capital"}  # the run that a page begins with, by its first models


@once
def names() -> tuple[str, ...]:
    """The names that there is a recording of, in the order of `words.RECORDED`."""
    return tuple(name for name in words.RECORDED if (FOLDER / f"{name}.jsonl.gz").is_file())


@once
def load(name: str) -> Trace:
    """The run of that name."""
    with _open(name) as file:
        return loads(file.read())


@once
def header(name: str) -> Header:
    """What the run of that name begins with, without the rest of it."""
    with _open(name) as file:
        return read_header(file.readline().rstrip(b"\n"))


def opening(models: str) -> str:
    """The name of the run that a page begins with whose first models are `models`."""
    own = OPENINGS.get(models, "")
    return own if own in names() else OPENINGS[BUNDLED]


def title(name: str) -> str:
    return words.RECORDED[name][0]


def _open(name: str) -> gzip.GzipFile:
    """Only names of the list reach the disk: KeyError for any other."""
    if name not in names():
        raise KeyError(name)
    return gzip.GzipFile(FOLDER / f"{name}.jsonl.gz")
