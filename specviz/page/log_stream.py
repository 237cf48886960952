"""A log that neither a full disk nor a stranger can stop or fill: gradio prints a traceback before it tells a visitor, who would wait for
ever if that raised, and prints one for each bad request. Here that is one line, whatever it quotes.

sys.stdout, sys.stderr = LossyStream(sys.stdout), LossyStream(sys.stderr)
"""

import traceback
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import TextIO

LOG_CHARACTERS, WINDOW_SECONDS = 2**16, 60.0  # characters in so many seconds: 94 MB a day at most
ERROR_CHARACTERS = 300  # characters that are quoted of what went wrong


TRACEBACK = ("Traceback (most recent call last)", "\nDuring handling of the above", "\nThe above exception was the direct cause")


class LossyStream:
    """As the stream that it writes to; what finds no room is lost, and so is what comes too fast, and all of a traceback but what it is of."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = monotonic):
        self._stream, self._clock = stream, clock
        self._window_start, self._count, self._lost_count = clock(), 0, 0
        self._in_traceback = False

    def write(self, text: str) -> int:
        if text and (self._in_traceback or text.startswith(TRACEBACK)):  # `traceback` writes what it prints piece by piece
            self._in_traceback = text.startswith((" ", *TRACEBACK))
            return len(text) if self._in_traceback else self._write(f"an event failed: {text.strip()[:ERROR_CHARACTERS]!a}\n")
        return self._write(text)

    def _write(self, text: str) -> int:
        if self._clock() - self._window_start > WINDOW_SECONDS:
            lost_count, self._window_start, self._count, self._lost_count = self._lost_count, self._clock(), 0, 0
            if lost_count:
                self._forward(f"\n({lost_count:,} characters of the log were left out)\n")
        if self._count + len(text) > LOG_CHARACTERS:
            self._lost_count += len(text)
        else:
            self._count += len(text)
            self._forward(text)
        return len(text)

    def _forward(self, text: str) -> None:
        with suppress(OSError, UnicodeError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


def error_line(error: BaseException) -> str:
    """What went wrong and where, in one line whatever it quotes: nobody writes a second one into a log."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({where[0].filename.rpartition('/')[2]}:{where[0].lineno})" if where else ""
    return f"{type(error).__name__}: {str(error)[:ERROR_CHARACTERS]!a}{place}"
