"""What logs have in common: a line's time, and the counts behind ratios that were printed with few digits.

A log is thousands of lines of which few matter, so a reader first asks for a plain piece of text. Standard library only.
"""

import re
from collections.abc import Sequence

from ..grammar import WHOLE
from .document import REQUESTS
from .record import RecordError

DATED = re.compile(r"(?:(\d{4})-)?(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)")
ELAPSED = re.compile(r"(?<![\d.])(\d{1,6})\.(\d\d)\.(\d{3})\.\d{3} ")  # llama.cpp: minutes, seconds, ms, µs since it began
BEGINS = re.compile(rf"\(\w+ pid=\d+\)|\b(?:INFO|DEBUG|WARNING|ERROR) |{DATED.pattern}|{ELAPSED.pattern}")
TIME = re.compile(r"\d:\d\d|^\d{1,2}$|^[A-Z][a-z]{2}$")  # a word of a time: 12:00:01, 26, Nov
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HEAD = 400  # characters in which a line's time stands
PREFIX = 160  # and in which a container's name may stand before it
LINE_CHARACTERS = 20_000  # characters of a line that is read: those of a server's arguments are the longest
MAX_CANDIDATES = 40  # numbers of steps: a line of a busy server leaves some ten, and a file may have many lines


def time_of(line: str) -> str | None:
    """A line's date and time, as they stand there."""
    date = DATED.search(line[:HEAD])
    return date and date[0]


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
