"""A file of vLLM, SGLang or llama.cpp → a record, whichever of the eight formats (formats.py) it has; the five numbers of any
other engine (counts.py) are read too.

    record = read("server.log")                 # or RecordError: one sentence on what is wrong
    record = loads(data)                        # the same of bytes
    record = loads(data, fresh=True)            # counters that are all 0 are a record too: something is subtracted from them

A file is asked what it is by what stands in it, never by its name. Standard library only.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ..clock import until_stopped
from . import counts, llamacpp_log, logs, pages, refusal
from .document import FILE_LIMIT, Unknown, documents, is_stream, nested, number_of, responses, text_of
from .exposition import Sample, is_exposition, samples
from .formats import DOCUMENTS, acceptance, values
from .record import Acceptance, Idle, Notes, RecordError, ServerRecord, undrafted_note

LOGS = (
    (logs.vllm, logs.VLLM),
    (logs.sglang, "accept len"),
    (llamacpp_log.read, ""),
)  # a reader, and what one of its lines must have
BEGINNING = 200_000  # characters of a log that say whose it is
JSON = re.compile(r'\{|\[\s*(?:[\[{"\]]|-?[\d.]+\s*,)')  # and not a log's "[2025-10-22", "[rank0]:"


def read(path: str | Path, fresh: bool = False) -> ServerRecord:
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


def loads(data: bytes, fresh: bool = False) -> ServerRecord:
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
    raise refusal.of_log(text[:BEGINNING])


def _structured(text: str, fresh: bool) -> ServerRecord | None:
    """What JSON, a stream or a metrics page holds; None where the text is none of them."""
    if JSON.match(text.lstrip()[:BEGINNING]):
        objects = documents(text)
        listed = pages.metrics_list(objects) if isinstance(objects, list) else None
        return _documents(objects) if listed is None else _page(listed, fresh)
    if is_stream(text):
        return _documents(responses(text))
    return _page(list(samples(text)), fresh) if is_exposition(text) else None


def _page(samples: list[Sample], fresh: bool) -> ServerRecord:
    if record := pages.read(samples):
        if not fresh and record.parts and not record.parts[0].num_draft_tokens:
            raise Idle("its counters of drafts are 0: nothing was drafted yet. Send requests, and save the page again")
        return record
    raise refusal.of_page({each.name for each in samples})


def _log(text: str) -> ServerRecord | None:
    """None where no line is one on speculation."""
    lines = text.splitlines()
    records = [record for reader, mark in LOGS if mark in text and (record := reader(until_stopped(lines)))]
    if len(records) > 1:
        raise RecordError(f"it has lines from {records[0].engine} and from {records[1].engine}: a file must be from one engine")
    return records[0] if records else None


def _documents(objects: Iterable[dict]) -> ServerRecord:
    objects = iter(objects)
    opening = next(objects, {})
    if counts.is_counts(opening):
        return counts.record_of(opening)
    parts: list[Acceptance] = []
    first = ""
    models: set[str] = set()
    unread, loads, excluded, paces = Unknown(), list[float | None](), Counter[str](), list[float]()
    for number, document in enumerate(chain([opening], objects), 1):
        if _is_cancelled(document):
            excluded["cancelled"] += 1
            continue
        name, part = next(
            ((name, part) for name, format in DOCUMENTS.items() if (part := format.part(document)) is not None), ("", {})
        )
        if not name:
            timings = nested(document, "timings")
            excluded["undrafted" if timings else "silent"] += 1
            paces += [pace] if (pace := number_of(timings, "predicted_per_second")) else []
            continue
        format, first = DOCUMENTS[name], first or name
        if name != first:
            raise RecordError(
                f"entry {number} is {format.name}, those before it {DOCUMENTS[first].name}: a file must be from one engine"
            )
        model = document.get("model") or document.get("model_id")
        models |= {model} if isinstance(model, str) else set()
        unread.add_all(format.unread(part))
        try:
            fields = values(document, format, part)
            result = acceptance(fields, dict(format.fields))
        except RecordError as error:
            raise RecordError(f"entry {number}: {error}") from None
        if not result.num_draft_tokens:
            excluded["undrafted"] += 1
            paces += [result.tokens_per_second] if result.tokens_per_second else []
            continue
        parts.append(result)
        if (
            format.of == "bench"
        ):  # requests that were kept up; a rate of requests bounds them from elsewhere, so then they are not known
            loads.append(fields.get("running") if document.get("request_rate") in (None, "inf", float("inf")) else None)
    if not first:
        if excluded["cancelled"]:
            raise RecordError(f"all its requests are left out: {excluded['cancelled']} that failed or were cancelled")
        raise refusal.of_document(opening)
    if len(models) > 1:
        one, other = sorted(models)[:2]
        raise RecordError(f"it has the answers of {len(models)} models, {one[-60:]} and {other[-60:]}: give those of one")
    if not parts:
        raise Idle(
            f"nothing was drafted in it (entries that say so: {excluded['undrafted']}). Send requests whose text the drafter can guess"
        )
    notes: Notes = (("cancelled", {"requests": excluded["cancelled"]}),) if excluded["cancelled"] else ()
    notes += undrafted_note(excluded["undrafted"], paces)
    at_once = loads[0] if loads and len(set(loads)) == 1 else None  # runs at several loads have none in common
    if len(set(loads)) > 1:
        notes += (("load", {"why": "the runs had different ones"}),)
    format = DOCUMENTS[first]
    return ServerRecord(
        format.engine,
        format.of,
        tuple(parts),
        excluded["silent"],
        at_once=at_once,
        unread=unread.all(),
        notes=notes,
        format=first,
    )


def _is_cancelled(document: dict) -> bool:
    """Whether a request failed or was ended from outside, so that it counts for nothing."""
    choices = document.get("choices")
    last = choices[0] if isinstance(choices, list) and choices else None
    return bool(document.get("error")) or (isinstance(last, dict) and last.get("finish_reason") == "abort")
