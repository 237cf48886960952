"""Logs of vLLM, SGLang and llama.cpp → a record. Of thousands of lines few matter: a reader first asks for a plain piece of text.

vLLM and SGLang print a line every so often on the interval before it, of each rank; the ranks are put together for the whole server.

    … INFO 08-04 21:01:58 [loggers.py:310] Engine 000: …, Avg generation throughput: 4.4 tokens/s, Running: 8 reqs, …
    … INFO 08-04 21:01:58 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 7.24, …, Accepted: 231 tokens, …
    [2025-10-22 10:27:57 DP0 TP0] Decode batch. #running-req: 1, …, accept len: 1.95, accept rate: 0.49, …

vLLM prints no number of steps: that is what all printed ratios agree on. SGLang prints no counts, and K only among its arguments.
Requests at a time are those of the whole server: what ranks and replicas report between two reports of one of them is summed up.

llama.cpp prints a few lines a request (build 9500 and before; positions since its pull request 24536).

    … slot print_timing: id  1 | task 0 | prompt eval time = 300.11 ms / 20 tokens (…)
    …        eval time =    2296.72 ms /   256 tokens (    8.97 ms per token,   111.46 tokens per second)
    … draft acceptance = 0.64479 (  167 accepted /   259 generated), mean acceptance length =  2.92, acceptance rate per position = (…)
    … statistics mtp: #calls(b,g,a) = 1 861 690, #gen drafts = 690, #acc drafts = 690, #gen tokens = 1207, #acc tokens = 1186, …

A line belongs to the request of its slot and task, and to the server that its prefix names: a router's children are models of their own.
The line of statistics counts since the server started, for all requests, and all drafts that were made, also those that were never
checked. So it gives steps only where the tokens since the line before are those of the request. Where the same accepted tokens came
from many more drafted ones, the two contradict each other: a hybrid target counts only steps that were accepted whole.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from statistics import fmean

from ..grammar import WHOLE
from .document import REQUESTS, Unknown
from .pages import shares
from .record import Acceptance, Moment, Notes, RecordError, ServerRecord, total, undrafted_note

DATED = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
ELAPSED = re.compile(r"(?<![\d.])(\d{1,6})\.(\d\d)\.(\d{3})\.\d{3} ")  # llama.cpp: minutes, seconds, ms, µs since it began
BEGINS = re.compile(rf"\(\w+ pid=\d+\)|\b(?:INFO|DEBUG|WARNING|ERROR) |{DATED.pattern}|{ELAPSED.pattern}")
TIME = re.compile(r"\d:\d\d|^\d{1,2}$|^[A-Z][a-z]{2}$")  # a word of a time: 12:00:01, 26, Nov
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HEAD = 400  # characters in which a line's time stands
PREFIX = 160  # and in which a container's name may stand before it
LINE_CHARACTERS = 20_000  # characters of a line that is read: those of a server's arguments are the longest
MAX_CANDIDATES = 40  # numbers of steps: a line of a busy server leaves some ten, and a file may have many lines


def check_number(lines: int) -> None:
    """RecordError where there are more lines on speculation than are read."""
    if lines == REQUESTS:
        raise RecordError(f"the log has more than {REQUESTS} lines about speculation: give a part of it")


def clean_line(line: str, speaks: str = "") -> str:
    """Without colours, and without what stands far before `speaks`: its beginning, with the time, and what follows."""
    at = line.find(speaks) if speaks else 0
    return COLOUR.sub("", line[:LINE_CHARACTERS] if at < HEAD else f"{line[:HEAD]} {line[at : at + LINE_CHARACTERS]}")


def before_time(line: str) -> str:
    """What stands before a line's time or level: a container's or a process's name, without a time of its own."""
    head = line[:PREFIX]
    begins = BEGINS.search(head)
    return " ".join(word for word in head[: begins.start() if begins else 0].rstrip("[ ").split() if not TIME.search(word))


def steps_behind(accepted: int, drafted: int, length: float | None, rates: Sequence[float]) -> int | None:
    """How many steps gave `length` = 1 + accepted/steps (two digits) and `rates` = accepted at a position/steps (three digits).

    The number that all steps of K drafts would have taken is tried first, then those that `length` allows, from its middle outwards.
    None where no number gives what was printed, or too many might: without `rates`, more than one."""
    if max(accepted, drafted) > WHOLE or not all(0 <= rate <= 1 for rate in rates):
        return None
    K = len(rates)
    if K and drafted % K == 0 and _explains(drafted // K, accepted, length, rates):
        return drafted // K
    if length is None or length <= 1.005 or not accepted:
        return None
    low, high = accepted / (length - 1 + 0.005), accepted / (length - 1 - 0.005)
    if high - low > MAX_CANDIDATES:
        return None
    middle = accepted / (length - 1)
    candidates = sorted(range(max(1, int(low), -(-drafted // K) if K else 1), int(high) + 2), key=lambda n: abs(n - middle))
    fitting = [n for n in candidates if _explains(n, accepted, length, rates)]
    return fitting[0] if fitting and (rates or len(fitting) == 1) else None


def counts_behind(rates: Sequence[float], steps: int, accepted: int) -> tuple[int, ...] | None:
    """Accepted at each position, whole, summing up to `accepted`: what rounding left over goes to the positions in turn."""
    counts = [round(rate * steps) for rate in rates]
    room = int(0.0005 * steps + 0.5)
    left = accepted - sum(counts)
    if abs(left) > room * len(counts):
        return None
    for i in range(len(counts)):
        part = max(-room, min(room, left))
        counts[i] += part
        left -= part
    falls = all(a >= b for a, b in zip([steps, *counts], counts, strict=False))
    return tuple(counts) if falls and min(counts, default=0) >= 0 else None


def _explains(steps: int, accepted: int, length: float | None, rates: Sequence[float]) -> bool:
    if steps <= 0 or (length is not None and abs(1 + accepted / steps - length) > 0.00501):
        return False
    near = 0.0005 * steps + 1e-6
    if any(abs(rate * steps - round(rate * steps)) > near for rate in rates):
        return False
    return not rates or counts_behind(rates, steps, accepted) is not None


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
            date, fields = DATED.search(line[:HEAD]), _read(line.partition(engine[0])[2], Unknown())
            at = date and date[0]
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
    record = ServerRecord("vLLM", "log", parts, moments=tuple(moments), at_once=at_once, rounded=rounded, format="vllm_log")
    return replace(record, unread=unread.all(), notes=notes)


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
    parts: list[Acceptance] = [fields["part"] for fields in reports if fields["part"]]
    whole, running = total(parts), _sum([engine.get("running") for engine in load])
    lengths = [fields["length"] for fields in reports if fields.get("length")]
    length = lengths[0] if len(lengths) == 1 else whole.tokens_per_step or (fmean(lengths) if lengths else None)
    return Moment(length, whole.accepted_of_drafted, whole.num_draft_tokens, whole.num_accepted_draft_tokens, running)


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
    record = ServerRecord("SGLang", "log", moments=tuple(moments), at_once=at_once, num_spec_tokens=K, format="sglang_log")
    return replace(record, unread=unread.all(), notes=notes)


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
            models = f"{len(self.names)} models, {first[-60:]} and {second[-60:]}"
            raise RecordError(f"it has the log of {models}: give the lines of one")


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
            numbers_there = [float(each) for text in values for each in NUMBER.findall(text)]
            known = [number for number in numbers_there if isfinite(number) and abs(number) < 1e15]
            if FIELDS[name] == "rates":
                numbers["rates"] = known
            elif known and known[0] >= 0:
                numbers[FIELDS[name]] = known[0]
    return numbers


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


DRAFT_LINE, HYBRID = "draft acceptance", "does not support partial sequence removal"
SLOT = re.compile(r"\bid +(\d{1,9}) \| task +(-?\d{1,12}) \|")
CHILD = re.compile(r"\[(\d{1,7})\]")
PROMPT = re.compile(r"prompt eval time =\s*[\d.]+ ms /\s*(\d{1,9}) tokens")
EVAL = re.compile(r"eval time =\s*([\d.]{1,20}) ms /\s*(\d{1,9}) tokens")
COUNTS = re.compile(r"draft acceptance(?: rate)? = [\d.naif-]+ \(\s*(\d{1,12}) accepted /\s*(\d{1,12}) generated\)")
LENGTH = re.compile(r"mean (?:acceptance )?len(?:gth)? =\s*([\d.]{1,12})")
RATES = re.compile(r"acceptance rate per position = \(([\d., ]*)\)")
KNOWN_ACCEPTANCE = re.compile(r"mean (acceptance )?len(gth)?|acceptance rate per position")
STATISTICS = re.compile(r"\bstatistics +([\w-]{1,40}): (#calls.*)")
FIELD = re.compile(r"(#?[\w ]{1,40}(?:\([\w,]{1,20}\)|/\w{1,20})?) = +(\([^()]{0,400}\)|[^,(]{0,80}(?:, +[\d.]{1,20}){0,9})")
COUNT_FIELDS = ("#gen drafts", "#gen tokens", "#acc tokens")
KNOWN_STATISTICS = {*COUNT_FIELDS, "#calls", "#calls(b,g,a)", "#acc drafts", "#mean acc len", "#acc rate/pos", "dur(b,g,a)"}
UNCHECKED_FACTOR = 1.25  # times as many drafted tokens as a request counts: more than drafts which a request's end threw away


@dataclass
class Request:
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens_per_second: float | None = None


@dataclass
class LoggedServer:
    """What one process logged. `since`: its requests with drafts after the last line of statistics."""

    name: str
    open: dict[tuple, Request] = field(default_factory=dict)
    slot: tuple = ()
    parts: list[Acceptance] = field(default_factory=list)
    undrafted: list[Request] = field(default_factory=list)
    since: list[Acceptance] = field(default_factory=list)
    has_statistics: bool = False
    statistics: dict[str, tuple[int, ...]] = field(default_factory=dict)  # calls, drafts, drafted, accepted of each drafter
    hybrid: bool = False
    contradiction: dict | None = None


def llamacpp(lines: Iterable[str]) -> ServerRecord | None:
    """None where no request tells its acceptance, and no drafter its statistics. RecordError if requests of two models do."""
    unread, servers = Unknown(), dict[str, LoggedServer]()
    for line in lines:
        timed, has_drafts = "eval time =" in line, DRAFT_LINE in line
        if not (timed or has_drafts or "#gen drafts" in line or "slot print_timing" in line or HYBRID in line):
            continue
        line = clean_line(line)
        name = before_time(line)
        child = CHILD.findall(name)
        name = f"[{child[-1]}]" if child else name.rpartition("|")[0].strip() or name
        server = servers.setdefault(name, LoggedServer(name))
        server.hybrid |= HYBRID in line
        if slot := SLOT.search(line):
            server.slot = slot.groups()
        if timed:
            _read_times(server, line)
        elif has_drafts and (counts := COUNTS.search(line)):
            check_number(len(server.parts))
            _read_acceptance(server, line, counts, unread)
        elif statistics := STATISTICS.search(line):
            _read_statistics(server, statistics[1], statistics[2], unread)
    drafting = [server for server in servers.values() if server.parts]
    if len(drafting) > 1:
        names = " and ".join(server.name[:40] or "no prefix" for server in drafting[:2])
        raise RecordError(f"it has requests of {len(drafting)} models, by the prefixes {names}: give the lines of one")
    return _record(drafting[0], unread) if drafting else _statistics(servers)


def _read_times(server: LoggedServer, line: str) -> None:
    if match := PROMPT.search(line):
        before = server.open.get(server.slot)
        if before and before.completion_tokens is not None:
            server.undrafted.append(before)  # it ended without a line on drafts
        server.open[server.slot] = Request(int(match[1]))
    elif match := EVAL.search(line):
        ms = float(match[1]) if match[1].count(".") < 2 and match[1] != "." else 0.0
        request = server.open.setdefault(server.slot, Request())
        request.completion_tokens = int(match[2])
        request.tokens_per_second = 1e3 * request.completion_tokens / ms if ms > 0 and isfinite(ms) else None


def _read_acceptance(server: LoggedServer, line: str, counts: re.Match, unread: Unknown) -> None:
    """A request's line on its drafts, which is its last."""
    accepted, drafted = int(counts[1]), int(counts[2])
    length, rates = LENGTH.search(line), RATES.search(line)
    for piece in line[counts.end() :].split(", "):
        name, equals, value = piece.partition(" = ")
        if equals and not KNOWN_ACCEPTANCE.fullmatch(name.strip()):
            unread.add(name.strip(), value.strip())
    try:
        shares = [float(each) for each in rates[1].split(",")] if rates and rates[1].strip() else []
        mean = float(length[1]) if length else None
    except ValueError:
        raise RecordError(f"the acceptance of a request cannot be read: {line[-120:].strip()!r}") from None
    request = server.open.pop(server.slot, Request())
    steps = steps_behind(accepted, drafted, mean, shares) if shares or mean else None
    positions = counts_behind(shares, steps, accepted) if steps and shares else None
    part = Acceptance(drafted, accepted, steps, len(shares) or None, accepted_per_position=positions, **asdict(request))
    server.parts.append(part)
    server.since, server.has_statistics = ([] if server.has_statistics else server.since) + [part], False


def _read_statistics(server: LoggedServer, drafter: str, text: str, unread: Unknown) -> None:
    """A line of statistics: the steps of the request before it, where only that was decoding, or what it contradicts."""
    fields = {name.strip(): value.strip() for name, value in FIELD.findall(text)}
    for name, value in fields.items():
        if name not in KNOWN_STATISTICS:
            unread.add(f"statistics {name}", value)
    texts = [fields.get(name, "") for name in COUNT_FIELDS]
    if not all(text.isascii() and text.isdigit() and len(text) < 13 for text in texts):
        return
    calls = [each for each in fields.get("#calls(b,g,a)", "").split() if each.isdigit() and len(each) < 13]
    before = server.statistics.get(drafter, (0, 0, 0, 0))
    now = (int(calls[1]) if len(calls) == 3 else 0, int(texts[0]), int(texts[1]), int(texts[2]))
    server.statistics[drafter], server.has_statistics = now, True
    steps, drafted, accepted = (a - b for a, b in zip(now[1:], before[1:], strict=True))
    if not server.since:
        return
    last = server.since[-1]
    if (drafted, accepted) == (last.num_draft_tokens, last.num_accepted_draft_tokens):
        if 0 < steps <= drafted and last.num_spec_steps is None:
            server.parts[-1] = replace(last, num_spec_steps=steps)
        return
    requests = [sum(getattr(part, name) for part in server.since) for name in ("num_accepted_draft_tokens", "num_draft_tokens")]
    if accepted == requests[0] and drafted > UNCHECKED_FACTOR * requests[1] and server.contradiction is None:
        first, second = f"{requests[0]} of {requests[1]} accepted", f"{accepted} of {drafted}, by the drafter's line"
        server.contradiction = {"first": first, "second": second}


def _record(server: LoggedServer, unread: Unknown) -> ServerRecord:
    undrafted = [*server.undrafted, *(request for request in server.open.values() if request.completion_tokens is not None)]
    paces = [request.tokens_per_second for request in undrafted]
    notes = undrafted_note(len(undrafted), [pace for pace in paces if pace is not None])
    all_accepted = all(part.num_accepted_draft_tokens == part.num_draft_tokens for part in server.parts)
    if server.contradiction:
        notes += (("contradicted", server.contradiction),)
    elif all_accepted and server.hybrid:
        notes += (("hybrid", {}),)
    record = ServerRecord("llama.cpp", "requests", tuple(server.parts), unread=unread.all(), notes=notes, format="llamacpp_log")
    return replace(record, contradicted=server.contradiction is not None or (all_accepted and server.hybrid))


def _statistics(servers: dict[str, LoggedServer]) -> ServerRecord | None:
    """Where no request tells its acceptance: what the drafters say of all of them. RecordError where they drafted nothing."""
    statistics = [(server, drafter, now) for server in servers.values() for drafter, now in server.statistics.items()]
    if not statistics:
        return None
    if all(drafted == 0 for *_, (_, _, drafted, _) in statistics):
        counts = " and ".join(f"{drafter} drafted 0 tokens in {calls} calls" for _, drafter, (calls, *_) in statistics[:2])
        raise RecordError(
            f"this is a log of llama.cpp, and its drafter drafted nothing: {counts}. A drafter of repeated text (ngram) needs "
            "prompts whose text comes again"
        )
    if len({server.name for server, *_ in statistics}) > 1:
        raise RecordError(f"it has drafters of {len(servers)} models: give the lines of one")
    totals = [sum(column) for column in zip(*(now for *_, now in statistics), strict=True)]
    return ServerRecord("llama.cpp", "server", (Acceptance(totals[2], totals[3]),), format="llamacpp_log")
