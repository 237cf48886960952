"""Whether what is read is still wanted: files are read line by line, and whoever waits for one may press Stop, leave, or have had the time
that there is.

with within(stop): loads(data)      # Stopped, soon after stop() is true
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from ..request import never

T = TypeVar("T")
_stop: ContextVar[Callable[[], bool]] = ContextVar("stop", default=never)


class Stopped(Exception):
    """Nobody wants the rest."""


@contextmanager
def stop_when(stop: Callable[[], bool]) -> Iterator[None]:
    """What is read here, in this thread, asks `stop` between lines."""
    before = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(before)


def until_stopped(lines: Iterable[T]) -> Iterator[T]:
    """The lines, for as long as they are wanted. Raises Stopped."""
    stop = _stop.get()
    for line in lines:
        if stop():
            raise Stopped
        yield line
