"""llama.cpp's log: a few lines a request (build 9500 and before; positions since its pull request 24536).

    … slot print_timing: id  1 | task 0 | prompt eval time = 300.11 ms / 20 tokens (…)
    …        eval time =    2296.72 ms /   256 tokens (    8.97 ms per token,   111.46 tokens per second)
    … draft acceptance = 0.64479 (  167 accepted /   259 generated), mean acceptance length =  2.92, acceptance rate per position = (…)

A request's lines stand together. The one on acceptance is their last; the server's line of statistics may follow.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite

from .line import Clock, check_number, counts_behind, plain, steps_behind
from .llamacpp_statistics import Statistics
from .record import Acceptance, Moment, Record, RecordError
from .unread import Unread

SPEAKS = "draft acceptance"
PROMPT = re.compile(r"prompt eval time =\s*[\d.]+ ms /\s*(\d{1,9}) tokens")
EVAL = re.compile(r"eval time =\s*([\d.]{1,20}) ms /\s*(\d{1,9}) tokens")
COUNTS = re.compile(r"draft acceptance(?: rate)? = [\d.naif-]+ \(\s*(\d{1,12}) accepted /\s*(\d{1,12}) generated\)")
LENGTH = re.compile(r"mean (?:acceptance )?len(?:gth)? =\s*([\d.]{1,12})")
RATES = re.compile(r"acceptance rate per position = \(([\d., ]*)\)")
KNOWN = re.compile(r"mean (acceptance )?len(gth)?|acceptance rate per position")


def read(lines: Iterable[str]) -> Record | None:
    """None where no request tells its acceptance."""
    clock, unread, statistics = Clock(), Unread(), Statistics()
    parts: list[Acceptance] = []
    moments: list[Moment] = []
    prompt = written = pace = None
    for line in lines:
        if "eval time =" in line:
            line = plain(line)
            if found := PROMPT.search(line):
                prompt, written, pace = int(found[1]), None, None
            elif found := EVAL.search(line):
                written = int(found[2])
                ms = float(found[1]) if found[1].count(".") < 2 and found[1] != "." else 0.0
                pace = 1e3 * written / ms if ms > 0 and isfinite(ms) else None
        elif SPEAKS in line and (found := COUNTS.search(line := plain(line))):
            check_number(len(parts))
            parts.append(_request(line, found, written, pace, prompt, unread))
            moments.append(_moment(clock.seconds(line), parts[-1]))
            prompt = written = pace = None
        elif parts and "#gen drafts" in line:
            steps = statistics.steps(plain(line), parts[-1], unread)
            if steps and parts[-1].num_spec_steps is None:
                parts[-1] = replace(parts[-1], num_spec_steps=steps)
                moments[-1] = _moment(moments[-1].seconds, parts[-1])
    if not parts:
        return None
    return Record("llama.cpp", "requests", tuple(parts), moments=tuple(moments), unread=unread.found())


def _request(
    line: str, counts: re.Match, written: int | None, pace: float | None, prompt: int | None, unread: Unread
) -> Acceptance:
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
    steps = steps_behind(accepted, drafted, mean, shares) if shares or mean else None
    positions = counts_behind(shares, steps, accepted) if steps and shares else None
    return Acceptance(drafted, accepted, steps, len(shares) or None, accepted_per_position=positions,
                      completion_tokens=written, tokens_per_second=pace, prompt_tokens=prompt)  # fmt: skip


def _moment(seconds: float | None, part: Acceptance) -> Moment:
    drafted, accepted, steps = part.num_draft_tokens, part.num_accepted_draft_tokens, part.num_spec_steps
    return Moment(
        seconds, 1 + accepted / steps if steps else None, accepted / drafted if drafted else None, steps, drafted, accepted
    )
