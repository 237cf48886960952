"""A file from anywhere → its text, its JSON documents, and the fields of a document, each of its type.

Nothing of it is trusted: sizes are bounded before anything is parsed, NaN and doubled names are refused. Standard library only.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ..clock import until_stopped
from ..grammar import WHOLE
from ..strict import FieldError, once, short
from .record import RecordError

FILE_LIMIT, JSON_LIMIT = 32 * 2**20, 4 * 2**20  # bytes of a file; characters that are parsed at once
REQUESTS = 100_000
MOST_UNREAD = 24  # names: more than a screen should list
# what `curl -i` writes first, once for each redirect
HEAD = re.compile(r"(?:\s*HTTP/[\d.]+ \d{3}.*\n(?:[\w-]+:.*\n)*)+(?=\s*\n)")


def documents(text: str) -> list[dict] | Iterator[dict]:
    """The objects of a JSON file: one or a list of them, or one per line, which are read as they are asked for."""
    first, _, rest = text.strip().partition("\n")
    if rest:
        try:
            if isinstance(_json(first), dict):
                return _lines(text)
        except json.JSONDecodeError:
            pass  # a document that runs over several lines
    try:
        value = _json(text)
    except json.JSONDecodeError as error:
        raise RecordError(f"this is not JSON: {error.msg}, line {error.lineno}") from None
    value = value if isinstance(value, list) else [value]
    if not value or not all(isinstance(each, dict) for each in value):
        raise RecordError("it must hold JSON objects: one, a list of them, or one per line")
    return value


def _lines(text: str) -> Iterator[dict]:
    for number, line in enumerate(until_stopped(text.splitlines()), 1):
        if not line.strip():
            continue
        if number > REQUESTS:
            raise RecordError(f"the file has more than {REQUESTS} lines")
        try:
            value = _json(line)
        except json.JSONDecodeError as error:
            raise RecordError(f"line {number} is not JSON: {error.msg}") from None
        if not isinstance(value, dict):
            raise RecordError(f"line {number} must be a JSON object, found {short(value)}")
        yield value


def text_of(data: bytes) -> str:
    """Without the head of an HTTP response, whose lines stay as empty ones. A byte that is no UTF-8 becomes “�”: logs hold a few.
    RecordError if it is no text."""
    if len(data) > FILE_LIMIT:
        raise RecordError(f"the file has {len(data)} bytes; the limit is {FILE_LIMIT}")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # what `>` of a Windows shell writes
    text = data.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    if "\0" in text:
        raise RecordError("this is neither text nor a run saved by specviz")
    head = HEAD.match(text)
    return "\n" * head[0].count("\n") + text[head.end() :] if head else text


def inside(value: Any, *names: str) -> dict | None:
    """The object at the end of a path, or None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def whole(fields: dict, name: str) -> int:
    """A count that has to be there."""
    value = fields.get(name)
    if type(value) is not int or not 0 <= value <= WHOLE:
        raise RecordError(f"{name} {_field(fields, name)}; it must be a whole number from 0 to {WHOLE}")
    return value


def maybe(fields: dict | None, name: str) -> int | None:
    """A count that may be missing."""
    return None if fields is None or fields.get(name) is None else whole(fields, name)


def wholes(fields: dict, name: str) -> tuple[int, ...] | None:
    """A list of counts; None where there is none, or an empty one."""
    value = fields.get(name)
    if value is None or value == []:
        return None
    if not isinstance(value, list) or not all(type(each) is int and 0 <= each <= WHOLE for each in value):
        raise RecordError(f"{name} {_field(fields, name)}; it must be a list of whole numbers from 0 to {WHOLE}")
    return tuple(value)


def rate(fields: dict | None, name: str) -> float | None:
    """A number that may be missing, and says nothing at 0."""
    value = fields.get(name) if fields else None
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= WHOLE:
        raise RecordError(f"{name} is {short(value)}; it must be a number from 0 to {WHOLE}")
    return float(value) or None


class Unread:
    """Fields of speculative decoding that no reader knows, kept with the first value that each had."""

    def __init__(self):
        self._values: dict[str, str] = {}
        self._left_out = 0

    def add(self, name: str, value: object) -> None:
        name = name if len(name) <= 80 else f"{name[:79]}…"
        if name in self._values:
            return
        if len(self._values) == MOST_UNREAD:
            self._left_out += 1
            return
        self._values[name] = value[:80] if isinstance(value, str) else short(value)

    def add_all(self, fields: dict[str, object]) -> None:
        for name, value in fields.items():
            self.add(name, value)

    def all(self) -> tuple[tuple[str, str], ...]:
        more = (("…", f"at least {self._left_out} more"),) if self._left_out else ()
        return (*self._values.items(), *more)


def _field(fields: dict, name: str) -> str:
    return f"is {short(fields[name])}" if name in fields else "is missing"


def _json(text: str) -> Any:
    if len(text) > JSON_LIMIT:
        raise RecordError(
            f"{len(text)} characters in one piece of JSON are too many: write one request per line, without texts. "
            f"At most {JSON_LIMIT} are read"
        )
    try:
        return DECODER.decode(text)
    except (json.JSONDecodeError, RecordError):
        raise
    except RecursionError:
        raise RecordError("this JSON is nested too deep") from None
    except FieldError as error:
        raise RecordError(str(error)) from None
    except ValueError:  # a whole number of thousands of digits
        raise RecordError("a number in it has too many digits") from None


def _no_number(name: str):
    raise RecordError(f"{name} is not a number that a record can have")


DECODER = json.JSONDecoder(object_pairs_hook=once, parse_constant=_no_number)  # one for 100,000 lines
