"""What an engine is asked for when a run is started: the page asks it of this machine's, of vLLM's, and of a Space's with ZeroGPU."""

from collections.abc import Callable
from dataclasses import dataclass

from .config import DecodeConfig

PROMPT_LIMIT = 400_000  # characters of a prompt: a tokenizer takes about a second for so many, and holds Python's lock meanwhile


def never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One race. `models`, `drafter`: keys that the engine offers, its first where none is given. `stop` is asked between rounds. While
    somebody is `awaited`, who waits for a turn, short runs are not repeated only to time them better."""

    prompt: str
    config: DecodeConfig
    drafter: str | None = None
    models: str | None = None
    stop: Callable[[], bool] = never
    awaited: Callable[[], bool] = never
