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
    def drafters(self) -> list[str]:
        """The keys of the ways to draft that can be chosen, the default first; words.DRAFTERS says what a visitor reads for each."""

    def race(self, prompt: str, config: DecodeConfig, drafter: str, stop: Callable[[], bool]) -> Iterator[Progress | Trace]:
        """Decode `prompt` in both lanes, one after the other. Any number of `Progress`, then one `Trace`, whole or stopped.

        `drafter` is one of `drafters()`. `stop` is asked between rounds. A `ValueError` (ConfigError, or one about the prompt) carries one line for the visitor.
        """
