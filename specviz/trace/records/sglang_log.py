"""SGLang's log: a line every few decoding passes with mean length, share, load and pace (0.5).

    [2025-10-22 10:27:57 TP0] Decode batch. #running-req: 1, #token: 186, …, accept len: 1.95, accept rate: 0.49, …

It has no counts. `accept len` holds the extra token; what `accept rate` is differs by version (sglang_rate.py). K comes from the server's
arguments, which it prints when it starts.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from .line import Clock, check_number, plain
from .record import Moment, Record
from .sglang_rate import shares
from .unread import Unread

SPEAKS = "Decode batch"
STEPS = re.compile(r"\bspeculative_num_steps=(\d{1,3})\b")
READ = {"#running-req", "#queue-req", "accept len", "accept rate", "gen throughput (token/s)"}
OTHERS = re.compile(
    r"#?(full |swa |mamba |pre-allocated )?(token|usage|num|token usage|cache).*|cuda graph|largest-len|#.*-req|#.*token"
)


def read(lines: Iterable[str]) -> Record | None:
    """None where no line has an `accept len`."""
    clock, unread, K = Clock(), Unread(), None
    moments: list[Moment] = []
    rates: list[float | None] = []
    for line in lines:
        if K is None and "speculative_num_steps=" in line and (found := STEPS.search(line)):
            K = int(found[1]) or None
        if SPEAKS not in line or "accept len" not in line:
            continue
        line = plain(line)
        check_number(len(moments))
        seconds = clock.seconds(line)
        fields = dict(piece.split(": ", 1) for piece in line.partition(SPEAKS)[2].lstrip("., ").split(", ") if ": " in piece)
        for name, value in fields.items():
            if name not in READ and not OTHERS.fullmatch(name):
                unread.add(name, value)
        numbers = {name: _number(fields.get(name)) for name in READ}
        if numbers["accept len"] is None:
            continue
        moments.append(
            Moment(
                seconds,
                numbers["accept len"],
                running=numbers["#running-req"],
                waiting=numbers["#queue-req"],
                tokens_per_second=numbers["gen throughput (token/s)"],
            )
        )
        rates.append(numbers["accept rate"])
    if not moments:
        return None
    told = shares([moment.tokens_per_step for moment in moments], rates, K)
    moments = [replace(moment, accepted_of_drafted=share) for moment, share in zip(moments, told, strict=True)]
    running = [m.running for m in moments if m.running]
    at_once = round(sum(running) / len(running), 2) if running else None
    return Record("SGLang", "log", moments=tuple(moments), at_once=at_once, num_spec_tokens=K, unread=unread.found())


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").rstrip(" ,"))
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None
