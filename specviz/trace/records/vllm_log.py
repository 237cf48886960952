"""vLLM's log: a line on speculation every ten seconds, and the engine's line on its load before it (0.26, 0.32).

    … INFO 08-04 21:01:58 [metrics.py:120] SpecDecoding metrics: Mean acceptance length: 7.24, …, Accepted: 231 tokens, …
    … INFO 08-04 21:02:08 [loggers.py:310] Engine 000: …, Avg generation throughput: 4.4 tokens/s, Running: 0 reqs, …

It prints no number of steps: that is what all printed ratios agree on.
"""

import re
from collections.abc import Iterable
from math import isfinite

from .line import Clock, check_number, counts_behind, plain, steps_behind
from .record import Acceptance, Moment, Record
from .unread import Unread

SPEAKS, LOAD = "SpecDecoding metrics:", re.compile(r"Engine (\d+): ")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?|nan")
KNOWN = {
    "Mean acceptance length", "Accepted throughput", "Drafted throughput", "Accepted", "Drafted",
    "Per-position acceptance rate", "Avg Draft acceptance rate", "Draft acceptance rate",
}  # fmt: skip


def read(lines: Iterable[str]) -> Record | None:
    """None where no line speaks of speculation."""
    clock, unread = Clock(), Unread()
    parts: list[Acceptance] = []
    moments: list[Moment] = []
    load: dict[str, dict[str, str]] = {}
    for line in lines:
        if SPEAKS in line:
            line = plain(line)
            seconds, fields = clock.seconds(line), _fields(line.partition(SPEAKS)[2].strip())  # nothing in a line that `plain` cut
            counts = [_first(fields, name) for name in ("Accepted", "Drafted")]
            if any(count is None or count != int(count) for count in counts):
                unread.add("a line that is cut", line[-80:].strip())
                continue
            check_number(len(moments))
            part, moment = _window(fields, [int(count or 0) for count in counts], seconds, unread, list(load.values()))
            moments.append(moment)
            if part:
                parts.append(part)
        elif "Running:" in line and (engine := LOAD.search(line)):
            load[engine[1]] = _fields(plain(line)[engine.end() :])
    if not moments:
        return None
    return Record("vLLM", "log", (_pooled(parts),) if parts else (), moments=tuple(moments), at_once=_usual(moments),
                  rounded=any((part.num_spec_steps or 0) >= 1000 for part in parts), unread=unread.found())  # fmt: skip


def _fields(text: str) -> dict[str, str]:
    """`name: value, name: value, value`, where a piece without a name belongs to the one before."""
    found: dict[str, list[str]] = {}
    name = ""
    for piece in text.split(", "):
        head, colon, value = piece.partition(": ")
        if colon:
            name = head.strip()
            found[name] = [value.strip()]
        elif name:
            found[name].append(piece.strip())
    return {name: ", ".join(values) for name, values in found.items()}


def _numbers(fields: dict[str, str], name: str) -> list[float]:
    return [float(each) for each in NUMBER.findall(fields.get(name, ""))]


def _first(fields: dict[str, str], name: str) -> float | None:
    """The number of a field; nan, which is printed where nothing was drafted, is none."""
    found = _numbers(fields, name)
    return found[0] if found and isfinite(found[0]) else None


def _window(
    fields: dict[str, str], counts: list[int], seconds: float | None, unread: Unread, load: list[dict]
) -> tuple[Acceptance | None, Moment]:
    """`counts`: accepted and drafted. `load`: the fields of each engine's last line on its load."""
    for name, value in fields.items():
        if name not in KNOWN:
            unread.add(name, value)
    accepted, drafted = counts
    rates = [rate for rate in _numbers(fields, "Per-position acceptance rate") if isfinite(rate)]
    length = _first(fields, "Mean acceptance length")
    steps = steps_behind(accepted, drafted, length, rates)
    positions = counts_behind(rates, steps, accepted) if steps and rates else None
    part = Acceptance(drafted, accepted, steps, len(rates) or None, accepted_per_position=positions) if drafted else None
    running, waiting, pace = (
        [_first(each, name) for each in load] for name in ("Running", "Waiting", "Avg generation throughput")
    )
    return part, Moment(
        seconds,
        length,
        accepted / drafted if drafted else None,
        steps,
        drafted,
        accepted,
        _sum(running),
        _sum(waiting),
        _sum(pace),
    )


def _pooled(parts: list[Acceptance]) -> Acceptance:
    """All lines as one; positions only where every line has as many."""
    rows = [part.accepted_per_position for part in parts]
    same = len({len(row) for row in rows if row is not None}) == 1 and None not in rows
    steps = [part.num_spec_steps for part in parts]
    Ks = [part.num_spec_tokens or 0 for part in parts]
    return Acceptance(
        sum(part.num_draft_tokens for part in parts),
        sum(part.num_accepted_draft_tokens for part in parts),
        sum(step or 0 for step in steps) if None not in steps else None,
        max(Ks) or None,
        accepted_per_position=tuple(sum(column) for column in zip(*(row or () for row in rows), strict=True)) if same else None,
    )


def _sum(values: list[float | None]) -> float | None:
    found = [value for value in values if value is not None]
    return sum(found) if found else None


def _usual(moments: list[Moment]) -> float | None:
    """Requests at a time, by the steps that were taken with them: lines of an idle server do not count."""
    weighed = [(m.running, m.drafted) for m in moments if m.running and m.drafted]
    return round(sum(r * d for r, d in weighed) / sum(d for _, d in weighed), 2) if weighed else None
