"""What a panel of the Lab is made of. The panels themselves: tab.py lists them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...trace.header import Trace
from ..engine import Engine
from ..turns import Turns
from ..watch.controls import Controls


@dataclass(frozen=True)
class Place:
    """What panels are given of the page: its engine, whose turn it is, the controls of Watch, the recorded runs by name."""

    engine: Engine
    turns: Turns
    asked: Controls
    load: Callable[[str], Trace]


@dataclass(frozen=True)
class Asked:
    """What a run was asked for. `settings`: what the panel's script sent, which may be anything; `watch`: the values of
    `Controls.inputs`; `stop` is asked between steps."""

    settings: object
    watch: tuple
    stop: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """How far a run is, `done` of `of` in any unit, and all that it has found so far, in JSON's own types."""

    done: float
    of: float
    found: dict | None = None


@dataclass(frozen=True, slots=True)
class Exercise:
    """`task` and `key` in the same order."""

    task: tuple[str, ...]
    key: tuple[str, ...]


@dataclass(frozen=True)
class Panel:
    """`answers`: the question, in one sentence. `words`: all else that its script writes, and "run", the word on Run.

    `serves` makes functions that its script may call by their names and that answer at once, each (sent) → a text. `runs` does what takes longer:
    it yields Steps; a ValueError carries one line for the visitor. Neither: the panel is worked out in the browser.
    `takes`: it sets settings in Watch (`bench.take`)."""

    key: str  # in the address, and of its script in assets/lab/panels.js
    short: str
    title: str
    answers: str
    exercise: Exercise
    words: dict[str, str] = field(default_factory=dict)
    serves: Callable[[Place], list[Callable]] | None = None
    runs: Callable[[Place, Asked], Iterator[Step]] | None = None
    takes: bool = False

    def for_browser(self) -> dict:
        exercise = {"task": self.exercise.task, "key": self.exercise.key}
        named = {name: getattr(self, name) for name in ("key", "short", "title", "answers", "words")}
        return {**named, "exercise": exercise, "runs": self.runs is not None}
