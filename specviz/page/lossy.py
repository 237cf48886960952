"""A log that a full disk cannot stop: gradio prints a traceback before it tells a visitor, who would wait for ever if that raised.

sys.stdout, sys.stderr = Lossy(sys.stdout), Lossy(sys.stderr)
"""

from contextlib import suppress
from typing import TextIO


class Lossy:
    """As the stream that it writes to; what finds no room is lost."""

    def __init__(self, to: TextIO):
        self._to = to

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._to.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._to.flush()

    def __getattr__(self, name: str):
        return getattr(self._to, name)
