"""Logs of vLLM, LMDeploy and SGLang: a line every so often on the interval before it, of each rank, put together for the whole server.

    … INFO 08-04 21:01:58 [loggers.py:310] Engine 000: …, Avg generation throughput: 4.4 tokens/s, Running: 8 reqs, …
    … INFO 08-04 21:01:58 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 7.24, …, Accepted: 231 tokens, …
    … INFO 02-11 14:50:33 metrics.py:477] Speculative metrics: …, Number of accepted tokens: 1020, …       (V0, counts since its start)
    [2026-08-21 10:00:10 DP0] Avg thr (in/out): 120.0 / 90.0 tokens/s, …, Engine (running/waiting): 6 / 1, …, SpecDecoding metrics: …   (LMDeploy)
    [2025-10-22 10:27:57 DP0 TP0] Decode batch. #running-req: 1, …, accept len: 1.95, accept rate: 0.49, …

vLLM and LMDeploy print no number of steps: that is what all printed ratios agree on. SGLang prints no counts, and K only among its arguments.
Requests at a time are those of the whole server: what ranks and replicas report between two reports of one of them is summed up.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isfinite
from statistics import fmean

from .document import Unknown
from .formats import DOCUMENTS, counts
from .line import Clock, before_time, check_number, clean_line, counts_behind, steps_behind
from .pages import shares
from .record import Acceptance, Engine, Moment, Notes, RecordError, ServerRecord, mean_load, total
from .report import finished_request

VLLM, V0, SGLANG, FINISHED = "SpecDecoding metrics:", "Speculative metrics:", "Decode batch", "Finish: obj="
LOAD = re.compile(r"Engine (\d+): |(\d+) Engines Aggregated: ")
LMDEPLOY = "Avg thr (in/out):"
LMDEPLOY_LOAD = re.compile(
    r"Avg thr \(in/out\): [\d.]{1,15} / (?P<pace>[\d.]{1,15}) .{0,400}?\(running/waiting\): (?P<running>\d{1,9}) / (?P<waiting>\d{1,9}),"
)
PID = re.compile(r"pid=(\d+)")
RANK = re.compile(r"\b(DP|TP|PP|EP|MOE_EP)(\d+)\b")
MODEL = re.compile(r"(?:with config: model|ServerArgs\(model_path)='([^']{1,200})'")
STEPS = re.compile(r"\bspeculative_num_steps=(\d{1,3})\b")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?|nan")
FIELDS = {  # there → here
    "Mean acceptance length": "length", "Accepted": "accepted", "Drafted": "drafted", "Per-position acceptance rate": "rates",
    "Running": "running", "Waiting": "waiting", "Avg generation throughput": "pace",
    "Number of accepted tokens": "accepted", "Number of draft tokens": "drafted", "Number of emitted tokens": "emitted", "Number of speculative tokens": "K",
    "accept len": "length", "accept rate": "rate", "#running-req": "running", "#queue-req": "waiting", "gen throughput (token/s)": "pace",
}  # fmt: skip
KNOWN = {
    *FIELDS,
    "Accepted throughput",
    "Drafted throughput",
    "Avg Draft acceptance rate",
    "Draft acceptance rate",
    "System efficiency",
}
OTHERS = re.compile(
    r"#?(full |swa |mamba |pre-allocated )?(token|usage|num|token usage|cache).*|(cuda|cpu|npu) graph|est\. .*|largest-len|#.*-req|#.*token"
)


def vllm(lines: Iterable[str]) -> ServerRecord | None:
    """None where no line speaks of speculation."""
    clock, unread, models = Clock(), Unknown(), _Models()
    windows: list[Acceptance] = []
    moments: list[Moment] = []
    load: dict[tuple, dict] = {}  # what each engine said of its load since the last moment
    reports: dict[tuple, tuple[float | None, dict]] = {}  # what each said since the last moment: when, and its fields
    newest: dict[str, tuple] = {}  # the engine that spoke last, of each replica
    doubled = False

    def close() -> None:
        if reports:
            check_number(len(moments))
            moments.append(
                _interval([fields for _, fields in reports.values()], next(iter(reports.values()))[0], list(load.values()))
            )
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
            reports[key] = clock.seconds(line), fields
            if fields["part"]:
                windows.append(fields["part"])
        elif "Running:" in line and (engine := LOAD.search(line)):
            line = clean_line(line, engine[0])
            prefix, pid = before_time(line), PID.search(line)
            key = (prefix, pid and pid[1], engine[1] or "all")
            seconds, fields = clock.seconds(line), _read(line.partition(engine[0])[2], Unknown())
            if key in load and load[key]["at"] == seconds is not None and load[key].get("running") != fields.get("running"):
                doubled = True
            if key in load:  # an engine that said nothing since the last time decodes no more
                close()
                load.clear()
            load[key], newest[prefix] = {**fields, "at": seconds}, key
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
    return _intervals("vLLM", "vllm_log", windows, moments, unread, notes)


def lmdeploy(lines: Iterable[str]) -> ServerRecord | None:
    """LMDeploy's words are vLLM's, behind the load of the same rank (lmdeploy/metrics/loggers.py, 0.16). None where no line has them."""
    clock, unread = Clock(), Unknown()
    windows: list[Acceptance] = []
    moments: list[Moment] = []
    reports: dict[str, tuple[float | None, dict]] = {}  # of each rank since it spoke last

    def close() -> None:
        if drafts := [fields for _, fields in reports.values() if "part" in fields]:
            check_number(len(moments))
            load = [fields for _, fields in reports.values()]
            moments.append(_interval(drafts, next(iter(reports.values()))[0], load))
        reports.clear()

    for line in lines:
        if LMDEPLOY not in line:
            continue
        line = clean_line(line, LMDEPLOY)
        rank = " ".join(before_time(line).split() + [number for _, number in RANK.findall(line.split(LMDEPLOY, 1)[0])])
        if rank in reports:
            close()
        load = LMDEPLOY_LOAD.search(line)
        fields = {name: float(number) for name, number in load.groupdict().items()} if load else {}
        if VLLM in line:
            drafts = _drafts(line, unread)
            if drafts.get("part"):
                windows.append(drafts["part"])
            fields |= drafts
        reports[rank] = clock.seconds(line), fields
    close()
    return _intervals("LMDeploy", "lmdeploy_log", windows, moments, unread) if moments else None


def _drafts(line: str, unread: Unknown) -> dict:
    """What stands behind VLLM in a line, with its counts as `part`; empty where the line is cut, which is noted."""
    fields = _read(line.split(VLLM, 1)[1], unread)
    if fields.get("accepted") is None or fields.get("drafted") is None:
        unread.add("a line that is cut", line[-80:].strip())
        return {}
    return {**fields, "part": _window(fields)}


def _intervals(
    engine: Engine, format: str, windows: Sequence[Acceptance], moments: Sequence[Moment], unread: Unknown, notes: Notes = ()
) -> ServerRecord:
    """`windows`: the counts of each engine in each interval; `moments`: the whole server in each."""
    idle = sum(1 for moment in moments if not moment.drafted)
    if idle and windows:
        notes = (("idle", {"idle": idle, "all": len(moments)}), *notes)
    weighed = [(m.running, m.drafted) for m in moments if m.running and m.drafted]  # an idle server's lines do not count
    at_once = round(sum(r * d for r, d in weighed) / sum(d for _, d in weighed), 2) if weighed else None
    parts = tuple(total([part for part in windows if part.num_spec_tokens == K]) for K in sorted({part.num_spec_tokens for part in windows}, key=lambda K: K or 0))  # fmt: skip
    rounded = any((part.num_spec_steps or 0) >= 1000 for part in windows)
    return ServerRecord(engine, "log", parts, moments=tuple(moments), at_once=at_once, rounded=rounded, unread=unread.all(), notes=notes, format=format)  # fmt: skip


def _window(fields: dict) -> Acceptance | None:
    """One engine's counts of an interval; None where nothing was drafted."""
    accepted, drafted, rates, length = fields["accepted"], fields["drafted"], fields.get("rates", []), fields.get("length")
    if accepted != int(accepted) or drafted != int(drafted) or not drafted:
        return None
    accepted, drafted = int(accepted), int(drafted)
    steps = steps_behind(accepted, drafted, length, rates)
    positions = counts_behind(rates, steps, accepted) if steps and rates else None
    return Acceptance(drafted, accepted, steps, len(rates) or None, accepted_per_position=positions)


def _interval(reports: list[dict], seconds: float | None, load: list[dict]) -> Moment:
    """What all engines did in an interval."""
    parts: list[Acceptance] = [fields["part"] for fields in reports if fields["part"]]
    running, waiting, pace = (_sum([engine.get(name) for engine in load]) for name in ("running", "waiting", "pace"))
    moment = Moment.of(total(parts), seconds, running=running, waiting=waiting, tokens_per_second=pace)
    lengths = [fields["length"] for fields in reports if fields.get("length")]
    length = lengths[0] if len(lengths) == 1 else moment.tokens_per_step or (fmean(lengths) if lengths else None)
    return replace(moment, tokens_per_step=length, steps=moment.steps if parts else None)


def vllm_v0(lines: Iterable[str]) -> ServerRecord | None:
    """V0 counts since its start, and counts as accepted every token that passes its own test, also behind a rejection. Emitted are the
    tokens that it wrote, so these give the mean length. None where no line is one of V0's."""
    clock, unread, moments = Clock(), Unknown(), list[Moment]()
    before, last = {"drafted": 0.0, "emitted": 0.0, "accepted": 0.0}, dict[str, float]()
    for line in lines:
        if V0 not in line:
            continue
        line = clean_line(line, V0)
        now = _read(line.split(V0, 1)[1], unread)
        K = now.get("K")
        if K is None or any(now.get(name) is None for name in before) or not K:
            continue
        check_number(len(moments))
        if any(now[name] < before[name] for name in before):
            raise RecordError("a count falls from one line to the next, so the log has two runs of the server: give one of them")
        steps, emitted, drafted, accepted = (now["drafted"] - before["drafted"]) / K, now["emitted"] - before["emitted"], now["drafted"] - before["drafted"], now["accepted"] - before["accepted"]  # fmt: skip
        if steps:
            moments.append(Moment(clock.seconds(line), emitted / steps, min(1.0, accepted / drafted), drafted=int(drafted)))
        before, last = {name: now[name] for name in before}, now
    if not moments:
        return None
    part = Acceptance(int(last["drafted"]), int(last["accepted"]), None, int(last["K"]))
    return ServerRecord(
        "vLLM", "log", (part,), moments=tuple(moments), unread=unread.all(), notes=(("v0", {}),), format="vllm_v0_log"
    )


def sglang(lines: Iterable[str]) -> ServerRecord | None:
    """None where no line has an `accept len`, and none tells of a finished request."""
    clock, unread, models, K = Clock(), Unknown(), _Models(), None
    reports: list[tuple[float | None, tuple, dict]] = []  # when, by which rank, what
    tags: dict[tuple, str] = {}  # of the ranks that hold the same requests, the one that is read
    skipped: Counter[str] = Counter()
    requests: list[dict] = []
    for line in lines:
        if "server_args=" in line or "ServerArgs(" in line:
            models.add(line)
            K = int(steps[1]) or None if K is None and (steps := STEPS.search(line)) else K
        elif FINISHED in line and "'spec_verify_ct'" in line:
            check_number(len(requests))
            requests.append(finished_request(line) or {})
        if SGLANG not in line or "accept len" not in line:
            continue
        line = clean_line(line, SGLANG)
        check_number(len(reports))
        head, fields = line.split(SGLANG, 1)[0], _read(line.split(SGLANG, 1)[1].lstrip("., "), unread, strict=False)
        ranks = dict(RANK.findall(head))
        key = (before_time(line), ranks.pop("DP", None))
        if tags.setdefault(key, str(ranks)) != str(ranks):
            skipped["copies"] += 1
        elif fields.get("length") is not None:
            reports.append((clock.seconds(line), key, fields))
    models.check()
    if not reports:
        return _finished_requests(requests)
    busy = [report for report in reports if report[2]["length"]]
    if bad := [fields["length"] for _, _, fields in busy if fields["length"] < 1]:
        raise RecordError(f"accept len must be 1 or more, found {bad[0]}: a step writes at least one token")
    if not busy:
        raise RecordError(
            f"this is a log of SGLang whose {len(reports)} lines with “accept len” all say 0: nothing was decoded by drafts in them"
        )
    notes: Notes = tuple((key, {"lines": number}) for key, number in skipped.items())
    if len(busy) < len(reports):
        notes += (("idle", {"idle": len(reports) - len(busy), "all": len(reports)}),)
    rates = shares([fields["length"] for *_, fields in busy], [fields.get("rate") for *_, fields in busy], K)
    moments: list[Moment] = []
    group: dict[tuple, tuple] = {}
    earlier: dict[tuple, tuple] = {}  # of the group before: a rank that is a little slower reports again in the next
    for (seconds, key, fields), share in zip(busy, rates, strict=True):
        if key in group:
            moments.append(_merge_ranks(group, earlier))
            earlier, group = group, {}
        group[key] = seconds, fields, share
    moments.append(_merge_ranks(group, earlier))
    at_once = mean_load(moment.running for moment in moments)
    return ServerRecord("SGLang", "log", moments=tuple(moments), at_once=at_once, num_spec_tokens=K, unread=unread.all(), notes=notes, format="sglang_log")  # fmt: skip


def _merge_ranks(group: dict[tuple, tuple], earlier: dict[tuple, tuple]) -> Moment:
    """What the ranks of a server report: (seconds, fields, share) each."""
    lengths = [fields["length"] for _, fields, _ in group.values()]
    known = [share for *_, share in group.values() if share is not None]
    all_ranks = [fields for _, fields, _ in {**earlier, **group}.values()]
    running, waiting, pace = (_sum([fields.get(name) for fields in all_ranks]) for name in ("running", "waiting", "pace"))
    return Moment(
        next(iter(group.values()))[0], fmean(lengths) if len(lengths) > 1 else lengths[0], fmean(known) if known else None,
        running=running, waiting=waiting, tokens_per_second=pace,
    )  # fmt: skip


def _finished_requests(requests: list[dict]) -> ServerRecord | None:
    """Requests that SGLang's log tells of as each ends."""
    finished = [document for document in requests if document and "finish_reason" not in document["meta_info"]]
    results = [counts(document, DOCUMENTS["sglang_requests"]) for document in finished]
    notes: Notes = (("cancelled", {"requests": len(requests) - len(finished)}),) if len(finished) < len(requests) else ()
    parts, moments = (tuple(each for each in results if isinstance(each, kind)) for kind in (Acceptance, Moment))
    if not results:
        return None
    return ServerRecord("SGLang", "requests", parts, moments=() if parts else moments, notes=notes, format="sglang_finish")  # type: ignore[arg-type]


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
