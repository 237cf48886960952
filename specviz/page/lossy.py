"""A log that neither a full disk nor a stranger can stop or fill: gradio prints a traceback before it tells a visitor, who would wait for
ever if that raised, and prints one for each bad request.

sys.stdout, sys.stderr = Lossy(sys.stdout), Lossy(sys.stderr)
"""

import traceback
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TextIO

MOST, WITHIN = 2**16, 60.0  # characters in so many seconds: 94 MB a day at most
LONG = 300  # characters that are quoted of what went wrong


class Lossy:
    """As the stream that it writes to; what finds no room is lost, and so is what comes too fast."""

    def __init__(self, to: TextIO, clock: Callable[[], float] = monotonic):
        self._to, self._clock = to, clock
        self._began, self._written, self._lost = clock(), 0, 0

    def write(self, text: str) -> int:
        if self._clock() - self._began > WITHIN:
            lost, self._began, self._written, self._lost = self._lost, self._clock(), 0, 0
            if lost:
                self._put(f"\n({lost:,} characters of the log were left out)\n")
        if self._written + len(text) > MOST:
            self._lost += len(text)
        else:
            self._written += len(text)
            self._put(text)
        return len(text)

    def _put(self, text: str) -> None:
        with suppress(OSError, UnicodeError):
            self._to.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._to.flush()

    def __getattr__(self, name: str):
        return getattr(self._to, name)


def in_a_line(error: BaseException) -> str:
    """What went wrong and where, in one line whatever it quotes: nobody writes a second one into a log."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({where[0].filename.rpartition('/')[2]}:{where[0].lineno})" if where else ""
    return f"{type(error).__name__}: {str(error)[:LONG]!a}{place}"
