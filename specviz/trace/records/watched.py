"""What `specviz server` saves: a line of JSON a scrape, with the server's counts so far or its gauges, so that half a file is whole too.

    {"specviz": "server", "engine": "vLLM", "seconds": 6.0, "counts": {"num_draft_tokens": 96, …}, "running": 8.0}

Counts between two lines are their difference. Where a count falls the server was started again, and the sum goes on from there.
"""

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import cast, get_args

from .difference import subtract
from .document import Unknown, count_list, number_of, short
from .document import optional_count as count
from .record import COUNTS, Acceptance, Engine, Moment, Of, RecordError, ServerRecord, mean_load, total

GAUGES = ("tokens_per_step", "accepted_of_drafted", "running", "waiting", "tokens_per_second")


def saved_line(seconds: float, record: ServerRecord) -> dict:
    """Of one scrape."""
    fields: dict = {"specviz": "server", "engine": record.engine, "seconds": round(seconds, 3)}
    if record.parts:
        fields["counts"] = {
            name: value for name, value in asdict(record.parts[0]).items() if value is not None and name != "tokens_per_second"
        }
    moment = record.moments[-1] if record.moments else Moment(running=record.at_once)
    fields |= {name: value for name in GAUGES if (value := getattr(moment, name)) is not None}
    fields |= {"num_spec_tokens": record.num_spec_tokens} if record.num_spec_tokens else {}
    return fields | ({"unread": dict(record.unread)} if record.unread else {})


def is_line(document: dict) -> bool:
    return document.get("specviz") == "server"


def read(documents: Iterable[dict]) -> ServerRecord:
    """All lines as one record: counts from the first to the last, a moment for each interval. RecordError if they are not of one server."""
    steps: list[Acceptance] = []
    before: tuple[float, Acceptance | None] | None = None
    moments: list[Moment] = []
    unread = Unknown()
    engine: str = ""
    K: int | None = None
    for number, document in enumerate(documents, 1):
        name = document.get("engine")
        if not is_line(document) or name not in get_args(Engine) or (engine and name != engine):
            raise RecordError(f"line {number} comes from another server than the lines before it")
        engine, K = str(name), count(document, "num_spec_tokens") or K
        seconds, part = number_of(document, "seconds") or 0.0, _counts(document.get("counts"))
        unread.add_all(_unread(document.get("unread", {})))
        gauges: dict = {name: number_of(document, name) for name in GAUGES}
        step = None
        if before and before[1] and part:
            step = subtract(part, before[1]) or part  # started again: all that it counted since
            steps.append(step)
        if before or not part:
            load = {name: gauges[name] for name in ("running", "waiting", "tokens_per_second")}
            moments.append(Moment.of(step, seconds, **load) if step else Moment(seconds, **gauges))
        before = seconds, part
    parts = (total(steps),) if any(step.num_draft_tokens for step in steps) else ()
    if not parts and not any(moment.tokens_per_step for moment in moments):
        raise RecordError("nothing was drafted meanwhile: watch the server while requests are running")
    at_once = mean_load(moment.running for moment in moments)
    of: Of = "difference" if parts else "gauges"
    return ServerRecord(
        cast(Engine, engine), of, parts, moments=tuple(moments), at_once=at_once, num_spec_tokens=K, unread=unread.all(), format="watched"
    )  # fmt: skip


def _unread(fields: object) -> dict:
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        raise RecordError(f"unread must have names and texts, found {short(fields)}")
    return fields


def _counts(holder: object) -> Acceptance | None:
    if holder is None:
        return None
    known = {field.name for field in fields(Acceptance)}
    if not isinstance(holder, dict) or not holder.keys() <= known:
        raise RecordError(f"counts must be counts of a record, found {short(holder)}")
    values = {name: count(holder, name) for name in COUNTS} | {
        "accepted_per_position": count_list(holder, "accepted_per_position")
    }
    if values["num_draft_tokens"] is None or values["num_accepted_draft_tokens"] is None:
        raise RecordError("counts must have num_draft_tokens and num_accepted_draft_tokens")
    return Acceptance(**values)  # type: ignore[arg-type]
