"""Prometheus text, as `/metrics` gives it, and OpenMetrics → its samples. A time or an exemplar may follow a value; both are passed over.

    name{label="…"} 20.0 1795302497000
    name_total{label="…"} 20.0 # {trace_id="…"} 1.0 1795302497.1

Both formats: prometheus.io/docs/instrumenting/exposition_formats, the OpenMetrics specification 1.0. Standard library only.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..clock import until_stopped
from .document import short
from .record import RecordError

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?')


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float


def is_exposition(text: str) -> bool:
    """Whether the first line that is neither blank nor a comment is a sample, or a comment of this format stands before it."""
    for line in text[:100_000].splitlines():
        line = line.strip()
        if line.startswith(("# HELP", "# TYPE", "# EOF", "# UNIT")):
            return True
        if line and not line.startswith("#"):
            name = NAME.match(line)
            return name is not None and (line.startswith("{", name.end()) or _sample(line) is not None)
    return False


def samples(text: str) -> Iterator[Sample]:
    """One after the other. RecordError at a line that is none."""
    for number, line in enumerate(until_stopped(text.splitlines()), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        sample = _sample(line)
        if sample is None:
            raise RecordError(f"line {number} is not a sample of a metric: {short(line)}")
        yield sample


def _sample(line: str) -> Sample | None:
    name = NAME.match(line)
    if name is None:
        return None
    at, labels = name.end(), {}
    if line.startswith("{", at):
        at += 1
        while label := LABEL.match(line, at):
            labels[label[1]], at = label[2], label.end()
        if not line.startswith("}", at):
            return None
        at += 1
    value = line[at:].partition(" # {")[0]
    values = value.split(maxsplit=2)
    try:
        numbers = [float(each) for each in values]  # the value, and a time
    except ValueError:
        return None
    return Sample(name[0], labels, numbers[0]) if len(numbers) in (1, 2) else None
