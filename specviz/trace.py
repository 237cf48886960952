"""A finished run as JSON lines: a header, the events of both lanes, and a last line that seals them.

    with open("run.jsonl", "wb") as f: write(trace, f)
    trace = read("run.jsonl")          # or TraceError, which names line and field

    {"format":"specviz-trace","version":1,"prompt":…}                the fields of Header
    {"lane":"vanilla","event":"prefill",…}                           one line an event: its fields
    {"event":"end","lines":41,"sha256":"…"}                          over every byte before this line

Live runs, bundled lessons and files that someone sent are the same thing to whoever draws them. A field that has a default
may be left out, so a new setting does not make old files unreadable. The seal finds damage; it is no signature.
"""

import hashlib
import io
import json
import reprlib
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, Union, get_args

from . import rules
from .config import ConfigError, DecodeConfig
from .events import Event

FORMAT, VERSION = "specviz-trace", 1
FILE_LIMIT, LINE_LIMIT, LINES_LIMIT = 32 * 2**20, 4 * 2**20, 10_000  # bytes, bytes, lines: twice what a run of 4096 tokens needs
Lane = Literal["vanilla", "speculative"]
LANES: tuple[Lane, ...] = get_args(Lane)
KINDS = {cls.__name__.lower(): cls for cls in get_args(Event)}
SHORT = reprlib.Repr()
SHORT.maxlevel, SHORT.maxstring, SHORT.maxother = 1, 40, 40


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a screen says of a model. `forward` is `own` or `transformers`: which forward pass ran it."""

    name: str
    family: str
    layers: int
    width: int
    vocabulary: int
    parameters: int
    dtype: str
    forward: Literal["own", "transformers"]


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the run was measured."""

    device: str
    threads: int
    python: str
    torch: str
    transformers: str


@dataclass(frozen=True, slots=True)
class Header:
    """What was asked for and where it ran. `created` is an ISO 8601 date and time in UTC; `draft` is None without a draft model."""

    prompt: str
    config: DecodeConfig
    target: ModelInfo
    draft: ModelInfo | None
    machine: Machine
    created: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Both lanes of one prompt. A lane is one `Prefill`, `Round`s, one `Finished`; it is empty if the run was stopped before it began."""

    header: Header
    vanilla: tuple[Event, ...]
    speculative: tuple[Event, ...]


class TraceError(ValueError):
    """A file is not a whole, unchanged, consistent trace. One line of text; `line` counts from 1, `field` is a path in that line."""

    def __init__(self, line: int | None, field: str, problem: str):
        self.line, self.field = line, field
        where = "trace" if line is None else f"line {line}"
        super().__init__(f"{where}{', ' if field else ''}{field}: {problem}")


class Writer:
    """Writes a trace to a binary file as its events arrive: the header at once, the last line on `close`. Standard library only."""

    def __init__(self, header: Header, file: BinaryIO):
        self._file, self._sha256, self._lines = file, hashlib.sha256(), 0
        self._write({"format": FORMAT, "version": VERSION, **asdict(header)})

    def add(self, lane: Lane, event: Event) -> None:
        self._write({"lane": lane, "event": type(event).__name__.lower(), **asdict(event)})

    def close(self) -> None:
        """Seal the trace. The file itself stays open."""
        self._file.write(_seal(self._lines, self._sha256.hexdigest()))

    def _write(self, fields: dict) -> None:
        try:
            line = json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        except (TypeError, ValueError) as error:  # a tensor, a NaN, half a surrogate pair
            raise TraceError(self._lines + 1, "", f"cannot be written: {error}") from error
        self._file.write(line)
        self._sha256.update(line)
        self._lines += 1


def write(trace: Trace, file: BinaryIO) -> None:
    """Write the whole of `trace` to a binary file. TraceError if a value has no place in JSON."""
    writer = Writer(trace.header, file)
    for lane in LANES:
        for event in getattr(trace, lane):
            writer.add(lane, event)
    writer.close()


def dumps(trace: Trace) -> bytes:
    """The bytes that `write` writes."""
    write(trace, file := io.BytesIO())
    return file.getvalue()


def read(path: str | Path) -> Trace:
    """Read the file at `path`. TraceError, and nothing else, whatever it holds; a file over FILE_LIMIT is not opened."""
    try:
        path = Path(path)
        if path.exists() and not path.is_file():
            raise TraceError(None, "", "this is not a file")
        _check_size(path.stat().st_size)
        with path.open("rb") as file:
            return loads(file.read(FILE_LIMIT + 1))
    except OSError as error:
        raise TraceError(None, "", f"the file cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise error if isinstance(error, TraceError) else TraceError(None, "", "this is not the name of a file") from error


def loads(data: bytes) -> Trace:
    """The trace that `data` holds: whole, unchanged since it was sealed, each field of its type, its sums right."""
    _check_size(len(data))
    lines = data.split(b"\n", LINES_LIMIT)
    _check_version(lines[0])
    *lines, last, rest = lines if len(lines) > 1 else [*lines, b"", b""]
    end = len(lines) + 1
    if rest or not last.startswith(b'{"event":"end",'):
        raise TraceError(end, "", "the line that ends a trace is missing: the file was cut short, or is too long")
    if last + b"\n" != _seal(len(lines), hashlib.sha256(memoryview(data)[: -len(last) - 1]).hexdigest()):
        raise TraceError(end, "sha256", "does not match: the file was changed after it was written")

    header = _parse(1, lines[0], Header)
    lanes = {lane: [] for lane in LANES}  # in a file the lanes may follow each other in either order, or interleave
    for number, line in enumerate(lines[1:], 2):
        lane, event = _parse(number, line, Event)
        lanes[lane].append((number, event))
    if not any(lanes.values()):
        raise TraceError(end, "event", "no lane was run: a trace holds at least one")
    for lane, numbered in lanes.items():
        for index, name, problem in rules.broken(lane, [event for _, event in numbered], header.config):
            raise TraceError(numbered[index][0], name, problem)
    return Trace(header, *(tuple(event for _, event in lanes[lane]) for lane in LANES))


def _seal(lines: int, sha256: str) -> bytes:
    return b'{"event":"end","lines":%d,"sha256":"%s"}\n' % (lines, sha256.encode())


def _check_size(size: int) -> None:
    if size > FILE_LIMIT:
        raise TraceError(None, "", f"{size} bytes are too many; the largest that is read is {FILE_LIMIT}")


def _check_version(line: bytes) -> None:
    try:
        tag = json.loads(line) if len(line) <= LINE_LIMIT else None
    except (ValueError, RecursionError):
        tag = None
    if not isinstance(tag, dict) or tag.get("format") != FORMAT:
        raise TraceError(1, "", "this is not a specviz trace")
    if tag.get("version") is not VERSION:
        raise TraceError(1, "version", f"this file says {_short(tag.get('version'))}; version {VERSION} is read here")


@cache
def _lines(kind):
    """What reads one line: pydantic over the dataclasses, imported only here, so that writing needs nothing installed."""
    from pydantic import ConfigDict, Discriminator, TypeAdapter

    strict = {"__pydantic_config__": ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)}

    def tagged(cls, **tags):
        own = [(f.name, f.type, field(default=f.default)) for f in fields(cls)]
        return make_dataclass(cls.__name__, [*tags.items(), *own], namespace=strict)

    if kind is Header:
        return TypeAdapter(tagged(Header, format=Literal[FORMAT], version=Literal[VERSION]))
    kinds = [tagged(cls, lane=Lane, event=Literal[cls.__name__.lower()]) for cls in KINDS.values()]
    return TypeAdapter(Annotated[Union[*kinds], Discriminator("event")])


def _parse(number: int, line: bytes, kind):
    """One line as a Header, or as its lane and Event."""
    from pydantic import ValidationError

    if len(line) > LINE_LIMIT:
        raise TraceError(number, "", f"longer than {LINE_LIMIT} bytes")
    try:
        parsed = _lines(kind).validate_json(line)
        json.loads(line, object_pairs_hook=_once)
    except ValidationError as error:
        raise _explained(number, error) from None
    except KeyError as error:
        raise TraceError(number, _short(error.args[0]), "is there twice") from None
    cls = KINDS.get(getattr(parsed, "event", None), Header)
    value = cls(*(getattr(parsed, f.name) for f in fields(cls)))
    if found := rules.out_of_range(value):
        raise TraceError(number, *found)
    return value if cls is Header else (parsed.lane, value)


def _once(pairs: list) -> dict:
    keys = set()
    for key, _ in pairs:
        if key in keys:
            raise KeyError(key)
        keys.add(key)
    return dict(pairs)


def _explained(number: int, error) -> TraceError:
    """The first thing that pydantic found, in one line that quotes little of what was sent."""
    if error.error_count() > 1000:
        return TraceError(number, "", "more than 1000 fields are wrong")
    first = error.errors(include_url=False)[0]
    kind, context, found = first["type"], first.get("ctx", {}), first["input"]
    path = list(first["loc"])
    path = path[1:] if path and path[0] in KINDS else path
    if isinstance(context.get("error"), ConfigError):
        path, problem = [*path, context["error"].field], str(context["error"])
    elif kind == "json_invalid":
        problem = f"this is not JSON ({context['error'].split(' at line ')[0]})"
    elif kind.startswith("union_tag"):
        path, problem = ["event"], f"must be {', '.join(map(repr, KINDS))}"
    elif kind in ("missing", "unexpected_keyword_argument"):
        problem = "is missing" if kind == "missing" else "is not a field of this line"
    else:
        problem = first["msg"].replace("Input should be", "must be") + f", found {_short(found)}"
    names = (f"[{p}]" if isinstance(p, int) else f".{p if p.isidentifier() and len(p) < 40 else _short(p)}" for p in path)
    return TraceError(number, "".join(names).removeprefix("."), problem)


def _short(value) -> str:
    return SHORT.repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a number of many digits"
