"""A finished run as JSON lines: a header, the events of both lanes, and a last line that seals them.

    with open("run.jsonl", "wb") as f: write(trace, f)
    trace = read("run.jsonl")          # or TraceError, which names line and field
    with stop_when(stop): loads(data)  # Stopped, soon after stop() is true

    {"format":"specviz-trace","version":1,"event":"header",…}        the fields of Header
    {"lane":"vanilla","event":"prefill",…}                           one line an event: its fields
    {"event":"end","lines":41,"sha256":"…"}                          over every byte before this line

Live runs, bundled lessons and files that someone sent are the same thing to whoever draws them. A field that has a default
may be left out, so a new setting does not make old files unreadable. The seal finds damage; it is no signature. pydantic checks
the types, strictly and without NaN; it is imported at the first line that is read. What is refused is quoted in a few characters only.
"""

import gzip
import hashlib
import io
import json
import re
import reprlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, fields, is_dataclass, make_dataclass
from datetime import datetime
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, TypeVar, Union, get_args

from ..config import ConfigError
from ..request import never
from . import grammar as rules
from .events import LANES, OURS, Event, Header, Lane, Trace
from .grammar import out_of_range

FORMAT, VERSION = "specviz-trace", 1
FILE_LIMIT, LINE_LIMIT, LINES_LIMIT = 32 * 2**20, 4 * 2**20, 10_000  # bytes, bytes, lines: twice what a run of 4096 tokens needs
GZIP_MAGIC = b"\x1f\x8b"  # how what gzip packed begins
EVENT_TYPES = {cls.__name__.lower(): cls for cls in get_args(Event)}


class TraceError(ValueError):
    """A file is not a whole, unchanged, consistent trace. `line` counts from 1, `field` is a path in that line."""

    def __init__(self, line: int | None, field: str, problem: str):
        self.line, self.field = line, field
        where = "trace" if line is None else f"line {line}"
        super().__init__(f"{where}{', ' if field else ''}{field}: {problem}")


def write(trace: Trace, file: BinaryIO) -> None:
    """Write the whole of `trace` to a binary file. TraceError if a value has no place in JSON."""
    header, sha256 = _fields(trace.header), hashlib.sha256()
    if not trace.header.departures:
        del header["departures"]  # of another engine only
    lines = [{"format": FORMAT, "version": VERSION, "event": "header", **header}]
    for lane in LANES:
        lines += ({"lane": lane, "event": type(event).__name__.lower(), **_fields(event)} for event in getattr(trace, lane))
    for number, values in enumerate(lines, 1):
        try:
            text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_fields)
            line = text.encode() + b"\n"
        except (TypeError, ValueError) as error:  # a tensor, a NaN, half a surrogate pair
            raise TraceError(number, "", f"cannot be written: {error}") from error
        file.write(line)
        sha256.update(line)
    file.write(_seal(len(lines), sha256.hexdigest()))


def dumps(trace: Trace) -> bytes:
    write(trace, file := io.BytesIO())
    return file.getvalue()


def read(path: str | Path) -> Trace:
    """Read the file at `path`, also one that gzip packed. TraceError, and nothing else, whatever is there; of a file over
    FILE_LIMIT nothing is read, and of a packed one no more than that is unpacked."""
    try:
        path = Path(path)
        if path.exists() and not path.is_file():
            raise TraceError(None, "", "this is not a file")
        _check_size(path.stat().st_size)
        with path.open("rb") as file:
            packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            file.seek(0)
            return loads((gzip.GzipFile(fileobj=file) if packed else file).read(FILE_LIMIT + 1))
    except TraceError:
        raise
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TraceError(None, "", "the file cannot be unpacked: it is damaged, or it was cut short") from None
    except (OSError, ValueError) as error:
        raise TraceError(None, "", f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from error


def loads(data: bytes) -> Trace:
    """The trace that `data` holds: whole, unchanged since it was sealed, each field of its type, its sums right."""
    _check_size(len(data))
    lines = data.split(b"\n", LINES_LIMIT)
    _check_version(lines[0])
    *lines, last, rest = lines if len(lines) > 1 else [*lines, b"", b""]
    end = len(lines) + 1
    if rest or not last.startswith(b'{"event":"end",'):
        raise TraceError(end, "", "the last line of the trace is missing: the file was cut short, or it is too long")
    if last + b"\n" != _seal(len(lines), hashlib.sha256(memoryview(data)[: -len(last) - 1]).hexdigest()):
        raise TraceError(end, "sha256", "does not match: the file was changed after it was saved")

    header = read_header(lines[0])
    try:
        datetime.fromisoformat(header.created)
    except ValueError:
        raise TraceError(1, "created", f"must be an ISO 8601 date and time, found {short(header.created)}") from None
    exact, follows, config = header.exact, header.config.exact, header.config
    if exact is not None and exact != follows and (exact or header.engine == OURS):  # another engine may break an exact rule
        raise TraceError(1, "exact", f"must be {str(follows).lower()} by the settings: {config.verifier}, K = {config.K}")
    if header.departures and header.engine == OURS:
        raise TraceError(1, "departures", "must be left out: only another engine departs from the settings")
    # in a file the lanes may follow each other in either order, or interleave
    lanes: dict[Lane, list[tuple[int, Event]]] = {lane: [] for lane in LANES}
    for number, line in enumerate(until_stopped(lines[1:]), 2):
        event, lane = _parse(number, line, EVENT_TYPES, lane=Lane)
        lanes[lane].append((number, event))
    if not any(lanes.values()):
        raise TraceError(end, "event", "no lane is in it; a trace has at least one")
    for lane, numbered in lanes.items():
        for number, event in numbered:
            if unknown := rules.unknown_token(event, header.target.vocabulary):
                raise TraceError(number, *unknown)
        for index, name, problem in rules.violations(lane, [event for _, event in numbered], config, header.engine):
            raise TraceError(numbered[index][0], name, problem)
    return Trace(header, *(tuple(event for _, event in lanes[lane]) for lane in LANES))


def is_trace(data: bytes) -> bool:
    """Whether somebody meant it to be one, whole or not, also where another program wrote its lines again."""
    return re.match(rb'\s*\{\s*"format"\s*:\s*"%s"' % FORMAT.encode(), data) is not None


def _fields(value: Any) -> dict:
    """The fields of one dataclass, what is in them left as it is: json asks again for what is inside, in a tenth of asdict's time."""
    names, get, omitted = field_reader(value.__class__)
    fields = dict(zip(names, get(value), strict=True))
    for name, default in omitted:
        if fields[name] == default:
            del fields[name]
    return fields


@cache
def field_reader(kind: type) -> tuple[tuple[str, ...], Callable[[object], tuple], tuple[tuple[str, Any], ...]]:
    """The names of a dataclass's fields, what gets them all of one value at once, and which are left out at which default."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} has no place in a trace")
    names = tuple(field.name for field in fields(kind))
    omitted = tuple((field.name, field.default) for field in fields(kind) if field.metadata.get("omit"))
    return names, attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),), omitted


def read_header(line: bytes) -> Header:
    """What a trace begins with: its first line. Raises TraceError."""
    header, *_ = _parse(1, line, {"header": Header}, format=str, version=int)
    return header


def _parse(number: int, line: bytes, kinds: dict[str, type], **tags) -> tuple:
    """The object that `line` holds, a dataclass of `kinds`, picked by the line's `event`; and the values of the fields `tags`
    beside its own. TraceError unless every field is known, there once, of its type and in its range."""
    from pydantic import ValidationError

    if len(line) > LINE_LIMIT:
        raise TraceError(number, "", f"is longer than {LINE_LIMIT} bytes")
    try:
        parsed = _line_adapter(tuple(kinds.items()), tuple(tags.items())).validate_json(line)
        json.loads(line.decode(), object_pairs_hook=unique_fields)
    except ValidationError as error:
        raise TraceError(number, *_wrong_field(error, list(kinds))) from None
    except FieldError as error:
        raise TraceError(number, error.field, error.problem) from None
    cls = kinds[parsed.event]
    value = cls(*(getattr(parsed, f.name) for f in fields(cls)))
    if problem := out_of_range(value):
        raise TraceError(number, *problem)
    return value, *(getattr(parsed, name) for name in tags)


def _seal(lines: int, sha256: str) -> bytes:
    return b'{"event":"end","lines":%d,"sha256":"%s"}\n' % (lines, sha256.encode())


def _check_size(size: int) -> None:
    if size > FILE_LIMIT:
        raise TraceError(None, "", f"the file has {size} bytes; the limit is {FILE_LIMIT}")


def _check_version(line: bytes) -> None:
    try:
        tag = json.loads(line.decode()) if len(line) <= LINE_LIMIT else None
    except (ValueError, RecursionError):
        tag = None
    if not isinstance(tag, dict) or tag.get("format") != FORMAT:
        raise TraceError(1, "", "this is not a specviz trace")
    if tag.get("version") != VERSION:
        raise TraceError(1, "version", f"is {short(tag.get('version'))}; this specviz reads only version {VERSION}")


class FieldError(ValueError):
    def __init__(self, field: str, problem: str):
        super().__init__(f"{field}: {problem}" if field else problem)
        self.field, self.problem = field, problem


@cache
def _line_adapter(kinds, tags):
    from pydantic import ConfigDict, Discriminator, TypeAdapter

    config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)  # the dataclasses inside inherit it
    lines = []
    for name, cls in kinds:
        own = [(f.name, f.type, field(default=f.default)) for f in fields(cls)]
        line = [("event", Literal[name]), *tags, *own]
        lines.append(make_dataclass(cls.__name__, line, namespace={"__pydantic_config__": config}))
    kind: Any = Annotated[Union[*lines], Discriminator("event")] if len(lines) > 1 else lines[0]  # made here: no checker knows it
    return TypeAdapter(kind)


def unique_fields(pairs: list) -> dict:
    """For json: the object. FieldError if a name is in it twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):  # looked for only then: a file may have a million objects
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise FieldError(short(twice), "is there twice")
    return fields


def _wrong_field(error, kinds: list[str]) -> tuple[str, str]:
    """Of the first of the errors that pydantic found the field and the problem."""
    if error.error_count() > 1000:  # naming one of a million takes seconds
        return "", "more than 1000 fields are wrong"
    first = error.errors(include_url=False)[0]
    kind, context, path = first["type"], first.get("ctx", {}), list(first["loc"])
    if path and path[0] in kinds and len(kinds) > 1:
        path.pop(0)  # pydantic puts the kind before the field
    if isinstance(context.get("error"), ConfigError):
        path, problem = [*path, context["error"].field], str(context["error"])
    elif kind == "json_invalid":
        problem = f"this is not JSON: {context['error'].split(' at line ')[0]}"
    elif kind.startswith("union_tag"):
        path, problem = ["event"], f"must be {', '.join(kinds)}"
    elif kind in ("missing", "unexpected_keyword_argument"):
        problem = "is missing" if kind == "missing" else "is no field of this line"
    else:
        problem = f"{first['msg'].replace('Input should', 'must')}, found {short(first['input'])}"
    return "".join(f"[{p}]" if isinstance(p, int) else "." + short(p) for p in path).removeprefix("."), problem


_REPR = reprlib.Repr()
_REPR.maxlevel, _REPR.maxstring, _REPR.maxother = 1, 40, 40


def short(value) -> str:
    """A few characters of `value`: its repr, or the plain name if it is one."""
    return value if isinstance(value, str) and value.isidentifier() and value.isascii() and len(value) < 30 else _REPR.repr(value)


T = TypeVar("T")
_stop: ContextVar[Callable[[], bool]] = ContextVar("stop", default=never)


class Stopped(Exception):
    """Nobody wants the rest."""


@contextmanager
def stop_when(stop: Callable[[], bool]) -> Iterator[None]:
    """What is read here, in this thread, asks `stop` between lines."""
    before = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(before)


def until_stopped(lines: Iterable[T]) -> Iterator[T]:
    """The lines, for as long as they are wanted. Raises Stopped."""
    stop = _stop.get()
    for line in lines:
        if stop():
            raise Stopped
        yield line
