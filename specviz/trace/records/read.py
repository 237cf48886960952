"""A file of another engine → a Record, whichever of the known ones wrote it.

    record = read("profile_export.jsonl")       # or RecordError: one sentence on what is wrong
    record = loads(data)                        # the same of bytes
    record = loads(data, fresh=True)            # counters that are all 0 are a record too: something is subtracted from them

A file is asked what it is by what stands in it, never by its name. Standard library only.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Protocol

from ..clock import wanted
from . import (
    advice,
    aiperf,
    aiperf_totals,
    bench,
    llamacpp,
    llamacpp_log,
    lmstudio,
    sglang,
    sglang_gauges,
    sglang_log,
    tensorrt,
    tensorrt_iterations,
    vllm,
    vllm_log,
    watched,
)
from .document import FILE_LIMIT, documents, text_of
from .exposition import Sample, is_exposition, samples
from .record import Acceptance, Engine, Idle, Moment, Of, Record, RecordError
from .stream import is_stream, responses
from .unread import Unread


class Reader(Protocol):
    """What each format's file gives. `unread`: fields of speculation that are unknown, with their values."""

    def found(self, document: dict) -> dict | None: ...

    def read(self, document: dict) -> Acceptance: ...

    def unread(self, document: dict) -> dict[str, object]: ...


READERS: tuple[tuple[Engine | None, Reader], ...] = (  # AIPerf, the first, says itself who served
    (None, aiperf),
    ("another engine", aiperf_totals),
    ("vLLM", bench),
    ("vLLM", vllm),
    ("SGLang", sglang),
    ("llama.cpp", llamacpp),
    ("TensorRT-LLM", tensorrt),
    ("LM Studio", lmstudio),
)
RUNS = (aiperf_totals, bench)  # a document of these is a run of many requests
LOGS = (vllm_log, sglang_log, llamacpp_log)
BEGINNING = 200_000  # characters of a log that say whose it is
JSON = re.compile(r'\{|\[\s*(?:[\[{"\]]|-?[\d.]+\s*,)')  # and not a log's "[2025-10-22", "[rank0]:"


def read(path: str | Path, fresh: bool = False) -> Record:
    """The record in the file at `path`. RecordError, and nothing else, whatever is there."""
    try:
        path = Path(path)
        if not path.is_file():
            raise RecordError("this is not a file" if path.exists() else "there is no such file")
        with path.open("rb") as file:
            return loads(file.read(FILE_LIMIT + 1), fresh)
    except RecordError:
        raise
    except (OSError, ValueError) as error:
        raise RecordError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from error


def loads(data: bytes, fresh: bool = False) -> Record:
    """The record that `data` holds. RecordError unless all of it is of one engine and its counts can be true. Idle, which is one, where
    a server counted nothing yet and no `fresh` page is asked for."""
    text = text_of(data)
    if not text.strip():
        raise RecordError("the file is empty")
    try:
        record = _structured(text, fresh)
    except RecordError:
        if record := _log(text):  # a log may begin with a sample or a line of JSON, and hold a line of a stream
            return record
        raise
    if record or (record := _log(text)):
        return record
    raise RecordError(advice.of_log(text[:BEGINNING]))


def _structured(text: str, fresh: bool) -> Record | None:
    """What JSON, a stream or a metrics page holds; None where the text is none of them."""
    if JSON.match(text.lstrip()[:BEGINNING]):
        found = documents(text)
        listed = vllm.listed(found) if isinstance(found, list) else None
        return _requests(found) if listed is None else _page(listed, fresh)
    if is_stream(text):
        return _requests(responses(text))
    return _page(list(samples(text)), fresh) if is_exposition(text) else None


def _page(found: list[Sample], fresh: bool) -> Record:
    for reader in (vllm.counted, llamacpp.counted, tensorrt.counted, sglang_gauges.read):
        if record := reader(found):
            if not fresh and record.parts and not record.parts[0].num_draft_tokens:
                raise Idle("its counters of drafts are 0: nothing was drafted yet. Send requests, and save the page again")
            return record
    raise RecordError(advice.of_page({each.name for each in found}))


def _log(text: str) -> Record | None:
    """None where no line is one on speculation."""
    lines = text.splitlines()
    found = [record for reader in LOGS if (record := reader.read(wanted(lines)))]
    if len(found) > 1:
        raise RecordError(f"it has lines from {found[0].engine} and from {found[1].engine}: a file must be from one engine")
    return found[0] if found else None


def _requests(found: Iterable[dict]) -> Record:
    found = iter(found)
    opening = next(found, {})
    if watched.found(opening):
        return watched.read(chain([opening], found))
    if tensorrt_iterations.found(opening):
        if record := tensorrt_iterations.read(chain([opening], found)):
            return record
        raise RecordError(advice.of_document(opening))
    if bench.sglang(opening):
        return _runs_of_sglang(chain([opening], found))
    parts: list[Acceptance] = []
    first: tuple[Engine, Reader] | None = None
    unread, loads, number = Unread(), [], 0
    for number, document in enumerate(chain([opening], found), 1):
        this = _reader(document)
        if this is None:
            continue
        first = first or this
        if this != first:
            raise RecordError(
                f"entry {number} is from {this[0]}, those before it from {first[0]}: a file must be from one engine"
            )
        unread.add_all(this[1].unread(document))
        loads.append(bench.at_once(document) if this[1] is bench else None)
        try:
            parts.append(this[1].read(document))
        except RecordError as error:
            raise RecordError(f"entry {number}: {error}") from None
    if first is None:
        raise RecordError(advice.of_document(opening))
    at_once = loads[0] if len(set(loads)) == 1 else None  # runs at several loads have none in common
    of: Of = "bench" if first[1] in RUNS else "requests"
    return Record(first[0], of, tuple(parts), number - len(parts), at_once=at_once, unread=unread.found())


def _runs_of_sglang(found: Iterator[dict]) -> Record:
    moments: list[Moment] = []
    unread = Unread()
    for document in found:
        if moment := bench.sglang(document):
            moments.append(moment)
            unread.add_all(bench.unread_of_sglang(document))
    loads = {moment.running for moment in moments}
    at_once = loads.pop() if len(loads) == 1 else None
    return Record("SGLang", "bench", moments=tuple(moments), at_once=at_once, unread=unread.found())


def _reader(document: dict) -> tuple[Engine, Reader] | None:
    """Who wrote it: the engine that served, and the reader that knows the format."""
    for engine, reader in READERS:
        if reader.found(document) is not None:
            return engine or aiperf.engine(document), reader
    return None
