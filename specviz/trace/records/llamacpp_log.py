"""llama.cpp's log: a few lines a request (build 9500 and before; positions since its pull request 24536).

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
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import isfinite

from .document import Unknown
from .line import before_time, check_number, clean_line, counts_behind, steps_behind
from .record import Acceptance, RecordError, ServerRecord, undrafted_note

DRAFT_LINE, HYBRID = "draft acceptance", "does not support partial sequence removal"
SLOT = re.compile(r"\bid +(\d{1,9}) \| task +(-?\d{1,12}) \|")
CHILD = re.compile(r"\[(\d{1,7})\]")
PROMPT = re.compile(r"prompt eval time =\s*[\d.]+ ms /\s*(\d{1,9}) tokens")
EVAL = re.compile(r"eval time =\s*([\d.]{1,20}) ms /\s*(\d{1,9}) tokens")
COUNTS = re.compile(r"draft acceptance(?: rate)? = [\d.naif-]+ \(\s*(\d{1,12}) accepted /\s*(\d{1,12}) generated\)")
LENGTH = re.compile(r"mean (?:acceptance )?len(?:gth)? =\s*([\d.]{1,12})")
RATES = re.compile(r"acceptance rate per position = \(([\d., ]*)\)")
KNOWN = re.compile(r"mean (acceptance )?len(gth)?|acceptance rate per position")
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


def read(lines: Iterable[str]) -> ServerRecord | None:
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
        if equals and not KNOWN.fullmatch(name.strip()):
            unread.add(name.strip(), value.strip())
    try:
        shares = [float(each) for each in rates[1].split(",")] if rates and rates[1].strip() else []
        mean = float(length[1]) if length else None
    except ValueError:
        raise RecordError(f"the acceptance of a request cannot be read: {line[-120:].strip()!r}") from None
    request = server.open.pop(server.slot, Request())
    steps = steps_behind(accepted, drafted, mean, shares) if shares or mean else None
    positions = counts_behind(shares, steps, accepted) if steps and shares else None
    part = Acceptance(drafted, accepted, steps, len(shares) or None, accepted_per_position=positions,
                      completion_tokens=request.completion_tokens, tokens_per_second=request.tokens_per_second, prompt_tokens=request.prompt_tokens)  # fmt: skip
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
        server.contradiction = {
            "first": f"{requests[0]} of {requests[1]} accepted",
            "second": f"{accepted} of {drafted}, by the drafter's line",
        }


def _record(server: LoggedServer, unread: Unknown) -> ServerRecord:
    undrafted = [*server.undrafted, *(request for request in server.open.values() if request.completion_tokens is not None)]
    notes = undrafted_note(
        len(undrafted), [request.tokens_per_second for request in undrafted if request.tokens_per_second is not None]
    )
    all_accepted = all(part.num_accepted_draft_tokens == part.num_draft_tokens for part in server.parts)
    if server.contradiction:
        notes += (("contradicted", server.contradiction),)
    elif all_accepted and server.hybrid:
        notes += (("hybrid", {}),)
    return ServerRecord("llama.cpp", "requests", tuple(server.parts), unread=unread.all(), notes=notes,
                  contradicted=server.contradiction is not None or (all_accepted and server.hybrid), format="llamacpp_log")  # fmt: skip


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
