"""What the page asks of whatever decodes: the one place where the two halves meet.

The engine is handed to `build`; the page never imports it, and a fake with these two methods is enough to test every screen.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from ..config import DecodeConfig
from ..trace import Lane, Trace


class Progress(Protocol):
    """How far the run is: `tokens` of at most `of` in this lane."""

    lane: Lane
    tokens: int
    of: int


class Engine(Protocol):
    def pairs(self) -> list[str]:
        """What can be run, in words for the visitor; the first is what `race` runs."""

    def race(self, prompt: str, config: DecodeConfig, stop: Callable[[], bool]) -> Iterator[Progress | Trace]:
        """Decode `prompt` in both lanes, one after the other. Any number of `Progress`, then one `Trace`, whole or stopped.

        `stop` is asked between rounds. A `ValueError` (ConfigError, or one about the prompt) carries one line for the visitor.
        """
