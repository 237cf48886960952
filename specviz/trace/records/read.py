"""A file of another engine → a Record, whichever of the known formats (formats.py) it has.

    record = read("profile_export.jsonl")       # or RecordError: one sentence on what is wrong
    record = loads(data)                        # the same of bytes
    record = loads(data, fresh=True)            # counters that are all 0 are a record too: something is subtracted from them

A file is asked what it is by what stands in it, never by its name. Standard library only.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from ..clock import until_stopped
from . import iterations, llamacpp_log, logs, pages, refusal, report, watched
from .difference import difference
from .document import FILE_LIMIT, Unknown, documents, is_stream, nested, number_of, responses, text_of
from .exposition import Sample, is_exposition, samples
from .formats import AIPERF_ENGINES, DOCUMENTS, FORMATS, Format, counts, values
from .record import Acceptance, Engine, Idle, Moment, Notes, RecordError, ServerRecord, undrafted_note

LOGS = (  # a reader, and what one of its lines must have; the last is always asked
    (logs.vllm, (logs.VLLM,)),
    (logs.lmdeploy, (logs.LMDEPLOY,)),
    (logs.vllm_v0, (logs.V0,)),
    (logs.sglang, ("accept len", logs.FINISHED)),
    (llamacpp_log.read, ("",)),
)
BEGINNING = 200_000  # characters of a log that say whose it is
JSON = re.compile(r'\{|\[\s*(?:[\[{"\]]|-?[\d.]+\s*,)')  # and not a log's "[2025-10-22", "[rank0]:"
LATER_CHOICES = {
    "sglang_requests": ("meta_info", "spec_verify_ct"),
    "tensorrt_requests": ("speculative_decoding", "num_spec_steps"),
}
SGLANG_DETAILS = {*DOCUMENTS["sglang_requests"].all_known, "completion_tokens", "prompt_tokens"}


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
    """What JSON, a stream, a metrics page or a printed report holds; None where the text is none of them."""
    if JSON.match(text.lstrip()[:BEGINNING]):
        objects = documents(text)
        listed = pages.metrics_list(objects) if isinstance(objects, list) else None
        return _requests(objects, fresh) if listed is None else _page(listed, fresh)
    if is_stream(text):
        return _requests(responses(text), fresh)
    if any(mark in text for mark in report.MARKS):
        return _requests(report.documents(until_stopped(text.splitlines())), fresh)
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
    records = [
        record for reader, marks in LOGS if any(mark in text for mark in marks) and (record := reader(until_stopped(lines)))
    ]
    if len(records) > 1:
        raise RecordError(f"it has lines from {records[0].engine} and from {records[1].engine}: a file must be from one engine")
    return records[0] if records else None


def _requests(objects: Iterable[dict], fresh: bool) -> ServerRecord:
    objects = iter(objects)
    opening = next(objects, {})
    every = chain([opening], objects)
    if watched.is_line(opening):
        return watched.read(every)
    if iterations.is_pass(opening):
        if record := iterations.read(every):
            return record
        raise refusal.of_document(opening)
    if (workers := opening.get("decode")) and isinstance(workers, list) and isinstance(workers[0], dict):
        opening = workers[0] | {
            "internal_states": _states(workers)
        }  # what a router before prefill and decode workers says of each
    if FORMATS["sglang_server"].part(opening) is not None:
        return _sglang_server(opening)
    if (answer := pages.query_samples(opening)) is not None:
        first, last = answer if isinstance(answer, tuple) else (None, answer)
        return difference(_page(first, True), _page(last, fresh)) if first is not None else _page(last, fresh)
    if (exported := pages.aiperf_samples(opening)) is not None:
        if record := pages.read(exported, "difference"):
            return record
        raise refusal.of_document(opening)
    return _documents(every, opening)


def _states(workers: list) -> list:
    listed = [worker.get("internal_states") for worker in workers if isinstance(worker, dict)]
    return [rank for ranks in listed if isinstance(ranks, list) for rank in ranks]


def _sglang_server(document: dict) -> ServerRecord:
    """What SGLang says of itself: of each rank its mean length."""
    format = FORMATS["sglang_server"]
    listed = document.get("internal_states") or document.get("loads")
    ranks = [values({}, format, rank) for rank in listed or () if isinstance(rank, dict)]
    K = values({}, replace(format, fields={"num_spec_tokens": "speculative_num_steps"}), document).get("num_spec_tokens")
    running, waiting, pace = (sum(known) if (known := [rank[name] for rank in ranks if rank.get(name)]) else None for name in ("running", "waiting", "tokens_per_second"))  # fmt: skip
    rates = [rank["rate"] for rank in ranks if "rate" in rank]
    return replace(
        pages.gauges([rank.get("tokens_per_step", 0) for rank in ranks], rates, running, waiting, pace, K), format="sglang_server"
    )


def _documents(objects: Iterator[dict], opening: dict) -> ServerRecord:
    parts: list[Acceptance] = []
    moments: list[Moment] = []
    first: tuple[Engine, str] | None = None
    models: set[str] = set()
    unread, loads, excluded, paces = Unknown(), list[float | None](), Counter[str](), list[float]()
    for number, document in enumerate(objects, 1):
        if why := _exclusion_reason(document):
            excluded[why] += 1
            continue
        name, part = next(
            ((name, part) for name, format in DOCUMENTS.items() if (part := format.part(document)) is not None), ("", {})
        )
        if not name or (name == "openai" and not any(part.get(f"{kind}_prediction_tokens") for kind in ("accepted", "rejected"))):
            # every response in OpenAI's format may have its counts, and says 0 where nothing was predicted
            timings = nested(document, "timings")
            excluded["undrafted" if timings else "silent"] += 1
            paces += [pace] if (pace := number_of(timings, "predicted_per_second")) else []
            continue
        format = DOCUMENTS[name]
        engine = part.get("engine") if name == "aiperf_requests" else None
        this = AIPERF_ENGINES.get(engine, format.engine) if isinstance(engine, str) else format.engine, name
        first = first or this
        if this != first:
            raise RecordError(
                f"entry {number} is from {this[0]}, those before it from {first[0]}: a file must be from one engine"
            )
        model = document.get("model") or document.get("model_id")
        models |= {model} if isinstance(model, str) else set()
        unread.add_all(format.unread(part))
        if name == "sglang_requests":
            unread.add_all(_unknown_details(document))
        if name in LATER_CHOICES:
            unread.add_all(_later_choices(document, *LATER_CHOICES[name]))
        try:
            result = counts(document, format, part)
        except RecordError as error:
            raise RecordError(f"entry {number}: {error}") from None
        if isinstance(result, Moment):
            moments.append(result)
        elif not result.num_draft_tokens:
            excluded["undrafted"] += 1
            paces += [result.tokens_per_second] if result.tokens_per_second else []
        else:
            parts.append(result)
        if format.of == "bench":
            loads.append(_load(document, format))
    if first is None:
        if excluded["warmup"] or excluded["cancelled"]:
            raise RecordError(
                f"all its requests are left out: {excluded['warmup']} of the warm-up, {excluded['cancelled']} that failed or were cancelled"
            )
        raise refusal.of_document(opening)
    if len(models) > 1:
        one, other = sorted(models)[:2]
        raise RecordError(f"it has the answers of {len(models)} models, {one[-60:]} and {other[-60:]}: give those of one")
    format = DOCUMENTS[first[1]]
    if not parts and not moments:
        raise Idle(
            f"nothing was drafted in it (entries that say so: {excluded['undrafted']}). Send requests whose text the drafter can guess"
        )
    if not parts and format.engine == "TensorRT-LLM" and all(moment.tokens_per_step == 1 for moment in moments):
        raise Idle("each pass wrote one token: nothing was drafted, or nothing was accepted")
    notes: Notes = tuple((key, {"requests": excluded[key]}) for key in ("warmup", "cancelled") if excluded[key])
    notes += undrafted_note(excluded["undrafted"], paces)
    if first[1] == "tensorrt_responses":
        notes += (("passes", {}),)
    at_once = loads[0] if loads and len(set(loads)) == 1 else None  # runs at several loads have none in common
    if len(set(loads)) > 1:
        notes += (("load", {"why": "the runs had different ones"}),)
    return ServerRecord(first[0], format.of, tuple(parts), excluded["silent"], () if parts else tuple(moments), at_once, unread=unread.all(), notes=notes, format=first[1])  # fmt: skip


def _exclusion_reason(document: dict) -> str | None:
    """Why a request counts for nothing."""
    meta = document.get("metadata")
    if isinstance(meta, dict):
        if meta.get("benchmark_phase") == "warmup":
            return "warmup"
        if meta.get("was_cancelled") is True:
            return "cancelled"
    if document.get("error"):
        return "cancelled"
    choices = document.get("choices")
    last = choices[0] if isinstance(choices, list) and choices else document.get("meta_info")
    reason = last.get("finish_reason") if isinstance(last, dict) else None
    return "cancelled" if reason == "abort" or (isinstance(reason, dict) and reason.get("type") == "abort") else None


def _load(document: dict, format: Format) -> float | None:
    """Requests at a time of a benchmark: those that it kept up. A rate of requests bounds them from elsewhere, so then it is not known."""
    if document.get("request_rate") in (None, "inf", float("inf")):
        return values(document, format).get("running")
    return None


def _unknown_details(document: dict) -> dict[str, object]:
    """Of SGLang, unknown names beside the part that is read."""
    details = nested(document, "sglext", "spec_tokens_details") or {}
    return {name: value for name, value in details.items() if name not in SGLANG_DETAILS}


def _later_choices(document: dict, part: str, count: str) -> dict[str, object]:
    """The steps of choices after the first, which is read. `part`, `count`: where each choice has them."""
    choices = document.get("choices")
    others = {f"choices[{i}]": nested(each, part) for i, each in enumerate(choices) if i} if isinstance(choices, list) else {}
    return {name: own[count] for name, own in others.items() if own and count in own}
