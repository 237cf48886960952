"""A file of vLLM, SGLang or llama.cpp → a record, whichever of the eight formats (formats.py) it has; of any other engine five numbers.

    record = read("server.log")                 # or RecordError: one sentence on what is wrong
    record = loads(data)                        # the same of bytes
    record = loads(data, fresh=True)            # counters that are all 0 are a record too: something is subtracted from them
    record = counts(b'{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}')

A file is asked what it is by what stands in it, never by its name. One without a record is refused in a sentence: what it is, what of
speculative decoding is missing, what to save instead. Nothing is said that the file does not show: a counter that stands there is never
called missing, and no drafter is asked for where one is. Standard library only.

Of the five numbers a step is a pass of the target that checked a draft. `drafted`, `accepted`: tokens in all of them, without the extra
token that ends a step; `K`: the most that a step drafts. `accepted_by_position`: how many steps kept the first, the second, … of K; it
may be left out.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path

from ..file import short, until_stopped
from ..grammar import WHOLE
from . import logs, pages
from .document import FILE_LIMIT, Unknown, documents, is_stream, nested, number_of, responses, text_of
from .formats import DOCUMENTS, acceptance, values
from .pages import DRAFT_NAMES, NAME, Sample, is_exposition, samples
from .record import LONGEST, Acceptance, CountsError, Idle, Notes, OtherEngine, RecordError, ServerRecord, undrafted_note

# a reader, and what one of its lines must have
LOGS = ((logs.vllm, logs.VLLM), (logs.sglang, "accept len"), (logs.llamacpp, ""))
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
    raise log_refusal(text[:BEGINNING])


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
    raise page_refusal({each.name for each in samples})


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
    if is_counts(opening):
        return counts_record(opening)
    parts: list[Acceptance] = []
    first = ""
    models: set[str] = set()
    unread, loads, excluded, paces = Unknown(), list[float | None](), Counter[str](), list[float]()
    for number, document in enumerate(chain([opening], objects), 1):
        if _is_cancelled(document):
            excluded["cancelled"] += 1
            continue
        parts_of = ((name, format.part(document)) for name, format in DOCUMENTS.items())
        name, part = next(((name, part) for name, part in parts_of if part is not None), ("", {}))
        if not name:
            timings = nested(document, "timings")
            excluded["undrafted" if timings else "silent"] += 1
            paces += [pace] if (pace := number_of(timings, "predicted_per_second")) else []
            continue
        format, first = DOCUMENTS[name], first or name
        if name != first:
            before = DOCUMENTS[first].name
            raise RecordError(f"entry {number} is {format.name}, those before it {before}: a file must be from one engine")
        model = document.get("model") or document.get("model_id")
        models |= {model} if isinstance(model, str) else set()
        for field, value in format.unread(part).items():
            unread.add(field, value)
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
        # requests that were kept up; a rate of requests bounds them from elsewhere, so then they are not known
        if format.of == "bench":
            loads.append(fields.get("running") if document.get("request_rate") in (None, "inf", float("inf")) else None)
    if not first:
        if excluded["cancelled"]:
            raise RecordError(f"all its requests are left out: {excluded['cancelled']} that failed or were cancelled")
        raise document_refusal(opening)
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
    record = ServerRecord(format.engine, format.of, tuple(parts), excluded["silent"], at_once=at_once, format=first)
    return replace(record, unread=unread.all(), notes=notes)


def _is_cancelled(document: dict) -> bool:
    """Whether a request failed or was ended from outside, so that it counts for nothing."""
    choices = document.get("choices")
    last = choices[0] if isinstance(choices, list) and choices else None
    return bool(document.get("error")) or (isinstance(last, dict) and last.get("finish_reason") == "abort")


REQUIRED, POSITIONS = ("steps", "drafted", "accepted", "K"), "accepted_by_position"


def counts(data: bytes) -> ServerRecord:
    """The record of one JSON object. RecordError if it is none; CountsError where the five cannot be true together."""
    text = text_of(data)
    if not text.strip():
        raise CountsError("the five numbers are missing")
    [*several] = documents(text)
    if len(several) != 1:
        raise CountsError(f"the five numbers must be one JSON object, found {len(several)}")
    return counts_record(several[0])


def is_counts(document: dict) -> bool:
    """Whether it has names of the five numbers and no others."""
    return {"steps", "drafted", "accepted"} <= document.keys() <= {*REQUIRED, POSITIONS}


def counts_record(document: dict) -> ServerRecord:
    """CountsError, which names the field and its bound, unless all can be true together."""
    if unknown := document.keys() - {*REQUIRED, POSITIONS}:
        raise CountsError(f"{short(min(unknown))} is not one of {', '.join((*REQUIRED, POSITIONS))}")
    steps = _whole("steps", document.get("steps"), 1, WHOLE)
    K = _whole("K", document.get("K"), 1, LONGEST)
    drafted = _whole("drafted", document.get("drafted"), 1, min(WHOLE, steps * K), "steps · K")
    accepted = _whole("accepted", document.get("accepted"), 0, drafted, "drafted")
    positions = document.get(POSITIONS)
    if positions is not None:
        positions = _positions(positions, steps, accepted, K)
    part = Acceptance(drafted, accepted, steps, K, accepted_per_position=positions)
    return ServerRecord("another engine", "counts", (part,))


def _positions(positions: object, steps: int, accepted: int, K: int) -> tuple[int, ...]:
    if not isinstance(positions, list) or len(positions) != K:
        found = f"{len(positions)} of them" if isinstance(positions, list) else short(positions)
        raise CountsError(f"{POSITIONS} must be a list of {K} whole numbers, one for each of K, found {found}")
    most, bound = steps, "steps"
    for i, value in enumerate(positions, 1):
        most, bound = _whole(f"{POSITIONS}, number {i},", value, 0, most, bound), "the one before it"
    if sum(positions) != accepted:
        raise CountsError(f"{POSITIONS} must sum up to accepted, {accepted}, found {sum(positions)}")
    return tuple(positions)


def _whole(name: str, value: object, least: int, most: int, bound: str = "") -> int:
    """`bound`: what sets `most`, in words."""
    if value is None:
        raise CountsError(f"{name} is missing; it must be a whole number from {least} to {most}{bound and f' ({bound})'}")
    if type(value) is not int or not least <= value <= most:
        raise CountsError(f"{name} must be a whole number from {least} to {most}{bound and f' ({bound})'}, found {short(value)}")
    return value


SAVE = {  # engine: where it tells of drafts, to be put after what is missing
    "vLLM": "Start it with --speculative-config and without --disable-log-stats, or save its metrics page: "
    "curl http://localhost:8000/metrics > metrics.txt",
    "SGLang": "Start it with --speculative-algorithm; with --enable-metrics also save its metrics page: "
    "curl http://localhost:30000/metrics > metrics.txt",
    "llama.cpp": "Start llama-server with -md draft.gguf, and save its log, where each request has a line “draft acceptance”",
}
EIGHT = (
    "vLLM's metrics page, log, responses and result of bench serve, SGLang's log and metrics page, llama.cpp's responses and log"
)
OTHER = f"specviz reads {EIGHT}. Of any other file read off five numbers: {', '.join(REQUIRED)}, {POSITIONS.replace('_', ' ')}"
LOG_MARKS = (  # engine, what stands in any log of it, what its lines on drafts begin with
    ("vLLM", ("vllm", "[loggers.py:", "[metrics.py:"), "SpecDecoding metrics", "line “SpecDecoding metrics”"),
    ("SGLang", ("sglang", "Prefill batch", "Decode batch"), "accept len:", "“accept len”"),
    (
        "llama.cpp",
        ("slot print_timing", "llama_model_loader", "llama-server", "srv  update_slots"),
        "draft acceptance",
        "“draft acceptance”",
    ),
)
FOREIGN_LOGS = ("Avg thr (in/out):", "[TensorRT-LLM]", "[TRT-LLM]", "Serving Benchmark Result", "spec_decode_num_")
"""What stands in files that may look like one of LOG_MARKS: of LMDeploy, TensorRT-LLM, in a benchmark's report, in tables."""
PAGES = {
    "vllm": ("vLLM", "that counts no draft", "start vllm serve with --speculative-config, send requests, save the page again"),
    "sglang": (
        "SGLang",
        "without spec_accept_length",
        "start it with --speculative-algorithm and --enable-metrics, and save the page while requests are running",
    ),
}
DOCUMENT_MARKS = (  # names that are all there, what it is, what it has not, what to save
    (
        ("output_throughput", "mean_ttft_ms"),
        "a benchmark's result",
        "counts of drafts",
        "its server drafts nothing, or vllm is older than the counts. "
        "Save curl URL/metrics before and after the benchmark, and give both files",
    ),
    (
        ("timings",),
        "a response of llama.cpp",
        "draft_n",
        "nothing was drafted for it, or the server has no draft: start llama-server with -md draft.gguf",
    ),
    (("format", "prompt", "config"), "a run saved by specviz", "", "specviz audit redoes it, and the page opens it"),
    (("choices",), "a response", "counts of drafts", "start vllm serve with --per-request-spec-decode-metrics detailed"),
)


def log_refusal(text: str) -> RecordError:
    """`text`: the beginning of a file that no reader knows."""
    if any(mark in text for mark in FOREIGN_LOGS):
        return OtherEngine(OTHER)
    joined = text.replace("\r", "").replace("\n", "")
    for engine, marks, line_start, line in LOG_MARKS:
        if line_start in joined:
            return RecordError(
                f"this is a log of {engine}, and its lines with “{line_start}” are broken or cut, as a terminal breaks long "
                "lines: save the log itself, with > server.log 2>&1 behind the command"
            )
        if any(mark in text for mark in marks):
            lacks = f"a {line}" if line.startswith("line") else line
            return RecordError(f"this is a log of {engine} without {lacks}. {SAVE[engine]}")
    return OtherEngine(OTHER)


def page_refusal(names: Collection[str]) -> RecordError:
    """`names`: of a metrics page's samples."""
    ours = {match[1] for name in names if (match := NAME.fullmatch(name))}
    draft_names = sorted(name for name in names if DRAFT_NAMES.search(name))
    for prefix, (engine, missing, save) in PAGES.items():
        if prefix in ours:
            there = f"with {_some(draft_names)}, which specviz cannot read" if draft_names else missing
            return RecordError(f"this is a metrics page of {engine} {there}: {save}")
    return OtherEngine(OTHER)


def document_refusal(document: dict) -> RecordError:
    """`document`: the first one of a JSON file."""
    for names, what, missing, save in DOCUMENT_MARKS:
        if all(name in document for name in names) and (not missing or not _counts_drafts(document)):
            return RecordError(f"this is {what}{f' without {missing}' if missing else ''}: {save}")
    return OtherEngine(OTHER)


def _counts_drafts(document: dict, depth: int = 3) -> bool:
    """Whether another engine's counts stand in a document: names of speculative decoding, unless they say nothing (null or 0)."""
    for name, value in document.items():
        if DRAFT_NAMES.search(name) and value not in (None, 0, [], {}):
            return True
        inner = value[0] if isinstance(value, list) and value else value
        if depth and isinstance(inner, dict) and _counts_drafts(inner, depth - 1):
            return True
    return False


def _some(names: Collection[str]) -> str:
    first = [name if len(name) <= 50 else f"{name[:49]}…" for name in list(names)[:2]]
    return " and ".join(first) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
