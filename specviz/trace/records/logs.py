"""Logs of vLLM and SGLang: a line every so often on the interval before it, of each rank, put together for the whole server.

    … INFO 08-04 21:01:58 [loggers.py:310] Engine 000: …, Avg generation throughput: 4.4 tokens/s, Running: 8 reqs, …
    … INFO 08-04 21:01:58 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 7.24, …, Accepted: 231 tokens, …
    [2025-10-22 10:27:57 DP0 TP0] Decode batch. #running-req: 1, …, accept len: 1.95, accept rate: 0.49, …

vLLM prints no number of steps: that is what all printed ratios agree on. SGLang prints no counts, and K only among its arguments.
Requests at a time are those of the whole server: what ranks and replicas report between two reports of one of them is summed up.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from statistics import fmean

from .document import Unknown
from .line import before_time, check_number, clean_line, counts_behind, steps_behind, time_of
from .pages import shares
from .record import Acceptance, Moment, Notes, RecordError, ServerRecord, total

VLLM, SGLANG = "SpecDecoding metrics:", "Decode batch"
LOAD = re.compile(r"Engine (\d+): |(\d+) Engines Aggregated: ")
LMDEPLOY = "Avg thr (in/out):"  # its lines have vLLM's words behind them
PID = re.compile(r"pid=(\d+)")
RANK = re.compile(r"\b(DP|TP|PP|EP|MOE_EP)(\d+)\b")
MODEL = re.compile(r"(?:with config: model|ServerArgs\(model_path)='([^']{1,200})'")
STEPS = re.compile(r"\bspeculative_num_steps=(\d{1,3})\b")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?|nan")
FIELDS = {  # there → here
    "Mean acceptance length": "length",
    "Accepted": "accepted",
    "Drafted": "drafted",
    "Per-position acceptance rate": "rates",
    "Running": "running",
    "accept len": "length",
    "accept rate": "rate",
    "#running-req": "running",
}
KNOWN = {  # also names that are not read
    *FIELDS,
    "Accepted throughput",
    "Drafted throughput",
    "Avg Draft acceptance rate",
    "gen throughput (token/s)",
    "Avg generation throughput",
    "Waiting",
}
OTHERS = re.compile(
    r"#?(full |swa |mamba |pre-allocated )?(token|usage|num|token usage|cache).*|(cuda|cpu|npu) graph|est\. .*|largest-len|#.*-req|#.*token"
)


def vllm(lines: Iterable[str]) -> ServerRecord | None:
    """None where no line speaks of speculation."""
    unread, models = Unknown(), _Models()
    windows: list[Acceptance] = []
    moments: list[Moment] = []
    load: dict[tuple, dict] = {}  # what each engine said of its load since the last moment
    reports: dict[tuple, dict] = {}  # what each said of its drafts since the last moment
    newest: dict[str, tuple] = {}  # the engine that spoke last, of each replica
    doubled = False

    def close() -> None:
        if reports:
            check_number(len(moments))
            moments.append(_interval(list(reports.values()), list(load.values())))
            reports.clear()

    for line in lines:
        if LMDEPLOY in line:
            continue
        if VLLM in line:
            line = clean_line(line, VLLM)
            fields = _drafts(line, unread)
            if not fields:
                continue
            key = newest.get(before_time(line), (before_time(line),))
            if key in reports:
                close()
            reports[key] = fields
            if fields["part"]:
                windows.append(fields["part"])
        elif "Running:" in line and (engine := LOAD.search(line)):
            line = clean_line(line, engine[0])
            prefix, pid = before_time(line), PID.search(line)
            key = (prefix, pid and pid[1], engine[1] or "all")
            at, fields = time_of(line), _read(line.partition(engine[0])[2], Unknown())
            if key in load and load[key]["at"] == at is not None and load[key].get("running") != fields.get("running"):
                doubled = True
            if key in load:  # an engine that said nothing since the last time decodes no more
                close()
                load.clear()
            load[key], newest[prefix] = {**fields, "at": at}, key
        else:
            models.add(line)
    close()
    models.check()
    if not moments:
        return None
    notes: Notes = ()
    if doubled:
        moments = [replace(moment, running=None) for moment in moments]
        notes = (("load", {"why": "two servers print the same engine's number at the same time"}),)
    idle = sum(1 for moment in moments if not moment.drafted)
    if idle and windows:
        notes = (("idle", {"idle": idle, "all": len(moments)}), *notes)
    weighed = [(m.running, m.drafted) for m in moments if m.running and m.drafted]  # an idle server's lines do not count
    at_once = round(sum(r * d for r, d in weighed) / sum(d for _, d in weighed), 2) if weighed else None
    Ks = sorted({part.num_spec_tokens for part in windows}, key=lambda K: K or 0)
    parts = tuple(total([part for part in windows if part.num_spec_tokens == K]) for K in Ks)
    rounded = any((part.num_spec_steps or 0) >= 1000 for part in windows)
    return ServerRecord(
        "vLLM",
        "log",
        parts,
        moments=tuple(moments),
        at_once=at_once,
        rounded=rounded,
        unread=unread.all(),
        notes=notes,
        format="vllm_log",
    )


def _drafts(line: str, unread: Unknown) -> dict:
    """What stands behind VLLM in a line, with its counts as `part`; empty where the line is cut, which is noted."""
    fields = _read(line.split(VLLM, 1)[1], unread)
    if fields.get("accepted") is None or fields.get("drafted") is None:
        unread.add("a line that is cut", line[-80:].strip())
        return {}
    return {**fields, "part": _window(fields)}


def _window(fields: dict) -> Acceptance | None:
    """One engine's counts of an interval; None where nothing was drafted."""
    accepted, drafted, rates, length = fields["accepted"], fields["drafted"], fields.get("rates", []), fields.get("length")
    if accepted != int(accepted) or drafted != int(drafted) or not drafted:
        return None
    accepted, drafted = int(accepted), int(drafted)
    steps = steps_behind(accepted, drafted, length, rates)
    positions = counts_behind(rates, steps, accepted) if steps and rates else None
    return Acceptance(drafted, accepted, steps, len(rates) or None, accepted_per_position=positions)


def _interval(reports: list[dict], load: list[dict]) -> Moment:
    """What all engines did in an interval."""
    parts: list[Acceptance] = [fields["part"] for fields in reports if fields["part"]]
    moment = Moment.of(total(parts), _sum([engine.get("running") for engine in load]))
    lengths = [fields["length"] for fields in reports if fields.get("length")]
    length = lengths[0] if len(lengths) == 1 else moment.tokens_per_step or (fmean(lengths) if lengths else None)
    return replace(moment, tokens_per_step=length)


def sglang(lines: Iterable[str]) -> ServerRecord | None:
    """None where no line has an `accept len`."""
    unread, models, K = Unknown(), _Models(), None
    reports: list[tuple[tuple, dict]] = []  # by which rank, what
    tags: dict[tuple, str] = {}  # of the ranks that hold the same requests, the one that is read
    copies = 0
    for line in lines:
        if "server_args=" in line or "ServerArgs(" in line:
            models.add(line)
            K = int(steps[1]) or None if K is None and (steps := STEPS.search(line)) else K
        if SGLANG not in line or "accept len" not in line:
            continue
        line = clean_line(line, SGLANG)
        check_number(len(reports))
        head, fields = line.split(SGLANG, 1)[0], _read(line.split(SGLANG, 1)[1].lstrip("., "), unread, strict=False)
        ranks = dict(RANK.findall(head))
        key = (before_time(line), ranks.pop("DP", None))
        if tags.setdefault(key, str(ranks)) != str(ranks):
            copies += 1
        elif fields.get("length") is not None:
            reports.append((key, fields))
    models.check()
    if not reports:
        return None
    busy = [report for report in reports if report[1]["length"]]
    if bad := [fields["length"] for _, fields in busy if fields["length"] < 1]:
        raise RecordError(f"accept len must be 1 or more, found {bad[0]}: a step writes at least one token")
    if not busy:
        raise RecordError(
            f"this is a log of SGLang whose {len(reports)} lines with “accept len” all say 0: nothing was decoded by drafts in them"
        )
    notes: Notes = (("copies", {"lines": copies}),) if copies else ()
    if len(busy) < len(reports):
        notes += (("idle", {"idle": len(reports) - len(busy), "all": len(reports)}),)
    rates = shares([fields["length"] for _, fields in busy], [fields.get("rate") for _, fields in busy], K)
    moments: list[Moment] = []
    group: dict[tuple, tuple] = {}
    earlier: dict[tuple, tuple] = {}  # of the group before: a rank that is a little slower reports again in the next
    for (key, fields), share in zip(busy, rates, strict=True):
        if key in group:
            moments.append(_merge_ranks(group, earlier))
            earlier, group = group, {}
        group[key] = fields, share
    moments.append(_merge_ranks(group, earlier))
    running = [moment.running for moment in moments if moment.running]  # reports in which any request was decoded
    at_once = round(fmean(running), 2) if running else None
    return ServerRecord(
        "SGLang",
        "log",
        moments=tuple(moments),
        at_once=at_once,
        num_spec_tokens=K,
        unread=unread.all(),
        notes=notes,
        format="sglang_log",
    )


def _merge_ranks(group: dict[tuple, tuple], earlier: dict[tuple, tuple]) -> Moment:
    """What the ranks of a server report: (fields, share) each."""
    lengths = [fields["length"] for fields, _ in group.values()]
    known = [share for _, share in group.values() if share is not None]
    running = _sum([fields.get("running") for fields, _ in {**earlier, **group}.values()])
    length = fmean(lengths) if len(lengths) > 1 else lengths[0]
    return Moment(length, fmean(known) if known else None, running=running)


class _Models:
    """The models that a log says are served: its lines do not say which one they are of."""

    def __init__(self):
        self.names: set[str] = set()

    def add(self, line: str) -> None:
        if ("with config: model=" in line or "ServerArgs(model_path=" in line) and (model := MODEL.search(line)):
            self.names.add(model[1])

    def check(self) -> None:
        if len(self.names) > 1:
            first, second = sorted(self.names)[:2]
            raise RecordError(
                f"it has the log of {len(self.names)} models, {first[-60:]} and {second[-60:]}: give the lines of one"
            )


def _read(text: str, unread: Unknown, strict: bool = True) -> dict:
    """`name: value, name: value, value` → numbers by our names, where a piece without a name belongs to the one before. A number that is
    printed as nan, where nothing was drafted, is none."""
    texts: dict[str, list[str]] = {}
    name = ""
    for piece in text.strip().split(", "):
        head, colon, value = piece.partition(": ")
        if colon:
            name = head.strip()
            texts[name] = [value.strip()]
        elif name:
            texts[name].append(piece.strip())
    numbers: dict = {}
    for name, values in texts.items():
        if name not in KNOWN and not (not strict and OTHERS.fullmatch(name)):
            unread.add(name, ", ".join(values))
        elif name in FIELDS:
            known = [
                number
                for text in values
                for each in NUMBER.findall(text)
                if isfinite(number := float(each)) and abs(number) < 1e15
            ]
            if FIELDS[name] == "rates":
                numbers["rates"] = known
            elif known and known[0] >= 0:
                numbers[FIELDS[name]] = known[0]
    return numbers


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
