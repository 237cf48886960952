"""A file from anywhere → its text, its JSON documents, and the fields of a document, each of its type.

Nothing of it is trusted: sizes are bounded before anything is parsed, NaN and doubled names are refused. Standard library only.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from ..file import FieldError, short, unique_fields, until_stopped
from ..grammar import WHOLE
from .record import RecordError

FILE_LIMIT, JSON_LIMIT = 32 * 2**20, 4 * 2**20  # bytes of a file; characters that are parsed at once
REQUESTS = 100_000
MAX_UNKNOWN = 24  # names: more than a screen should list
# what `curl -i` writes first, once for each redirect
HEAD = re.compile(r"(?:\s*HTTP/[\d.]+ \d{3}.*\n(?:[\w-]+:.*\n)*)+(?=\s*\n)")
DATA = re.compile(r"^data: ?[\[{]", re.MULTILINE)
STREAM_FIELDS = ("metrics", "usage", "timings", "speculative_decoding", "error")


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


def is_stream(text: str) -> bool:
    return DATA.search(text[:100_000]) is not None


def responses(text: str) -> Iterator[dict]:
    """A streamed response, as `curl -N` saves it: `data: {…}` a chunk → one document a response, with what its chunks told last.

    vLLM and llama.cpp send their counts in the last chunk but one, or in every chunk, each with all so far. A response
    ends at `data: [DONE]`, or where another id begins. Server-sent events: html.spec.whatwg.org/multipage/server-sent-events.html"""
    merged: dict = {}
    this, number = None, 0
    for line in until_stopped(text.splitlines()):
        if not line.startswith("data:"):
            continue
        body = line[5:].strip()
        if body == "[DONE]":
            if merged:
                yield merged
            merged, this = {}, None
            continue
        number += 1
        if number > 20 * REQUESTS:
            raise RecordError(f"the file has more than {20 * REQUESTS} chunks")
        for chunk in documents(body):
            name = chunk.get("id")
            if merged and name is not None and this is not None and name != this:
                yield merged
                merged = {}
            this = name if name is not None else this
            _merge(merged, chunk)
    if merged:
        yield merged


def _merge(into: dict, chunk: dict) -> None:
    if isinstance(chunk.get("model"), str):
        into["model"] = chunk["model"]
    if "choices" in chunk:
        into.setdefault("choices", [])
    for name in STREAM_FIELDS:
        if isinstance(chunk.get(name), dict):
            into[name] = chunk[name]
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("finish_reason") is not None and not into["choices"]:
            into["choices"] = [{"finish_reason": choice["finish_reason"]}]


def text_of(data: bytes) -> str:
    """Without the head of an HTTP response, whose lines stay as empty ones. A byte that is no UTF-8 becomes “�”: logs hold a few.
    RecordError if it is no text."""
    if len(data) > FILE_LIMIT:
        raise RecordError(f"the file has {len(data)} bytes; the limit is {FILE_LIMIT}")
    if data.startswith(b"\x1f\x8b"):
        raise RecordError("this file is packed by gzip: unpack it with gunzip, and give what is in it")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))  # what `>` of a Windows shell writes
    text = data.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    if "\0" in text:
        raise RecordError("this is neither text nor a run saved by specviz")
    head = HEAD.match(text)
    return "\n" * head[0].count("\n") + text[head.end() :] if head else text


def nested(value: Any, *names: str) -> dict | None:
    """The object at the end of a path, or None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def count_of(fields: dict, name: str) -> int:
    """A count that has to be there."""
    value = fields.get(name)
    if type(value) is not int or not 0 <= value <= WHOLE:
        raise RecordError(f"{name} {_field(fields, name)}; it must be a whole number from 0 to {WHOLE}")
    return value


def count_list(fields: dict, name: str) -> tuple[int, ...] | None:
    """A list of counts; None where there is none, or an empty one."""
    value = fields.get(name)
    if value is None or value == []:
        return None
    if not isinstance(value, list) or not all(type(each) is int and 0 <= each <= WHOLE for each in value):
        raise RecordError(f"{name} {_field(fields, name)}; it must be a list of whole numbers from 0 to {WHOLE}")
    return tuple(value)


def number_of(fields: dict | None, name: str) -> float | None:
    """A number that may be missing, and says nothing at 0."""
    value = fields.get(name) if fields else None
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 <= value <= WHOLE:
        raise RecordError(f"{name} is {short(value)}; it must be a number from 0 to {WHOLE}")
    return float(value) or None


class Unknown:
    """Fields of speculative decoding that no reader knows, kept with the first value that each had."""

    def __init__(self):
        self._values: dict[str, str] = {}
        self._left_out = 0

    def add(self, name: str, value: object) -> None:
        name = name if len(name) <= 80 else f"{name[:79]}…"
        if name in self._values:
            return
        if len(self._values) == MAX_UNKNOWN:
            self._left_out += 1
            return
        self._values[name] = value[:80] if isinstance(value, str) else short(value)

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


DECODER = json.JSONDecoder(object_pairs_hook=unique_fields, parse_constant=_no_number)  # one for 100,000 lines
