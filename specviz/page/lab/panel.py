"""What a panel of the Lab is made of. The panels themselves: tab.py lists them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from time import monotonic

from ...config import ASSETS
from ...trace.events import Trace
from ..component import answer
from ..engine import Engine
from ..exercise import Exercise, Question
from ..queue import RunQueue
from ..watch.controls import Controls

COUNT_SECONDS = 0.7  # seconds between two countings: each takes time that what is measured could use


@dataclass(frozen=True)
class PanelContext:
    """What panels are given of the page: its engine, who decodes next, the controls of Watch, the recorded runs by name."""

    engine: Engine
    queue: RunQueue
    controls: Controls
    load: Callable[[str], Trace]


@dataclass(frozen=True)
class PanelRequest:
    """What a run was asked for. `settings`: what the panel's script sent, texts by name; `models`: those that are chosen in Watch;
    `stop` is asked between rounds."""

    settings: Mapping[str, str]
    models: str
    stop: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class PanelStep:
    """How far a run is, `done` of `of` in any unit, and all that it has found so far, in JSON's own types."""

    done: float
    of: float
    result: dict | None = None


@dataclass(frozen=True)
class Panel:
    """`place`: panels stand in the order of these. `answers`: the question, in one sentence. `words`: all else that its script writes, and "run", the word on Run.

    `serves` makes functions that its script may call by their names and that answer at once, each (sent) → a text. `runs` does what takes longer:
    it yields PanelSteps; a ValueError carries one line for the visitor. Neither: the panel is worked out in the browser.
    `asks`: the question that it puts to the phones of a class, by what its script names.
    `takes`: it sets settings in Watch (`context.openInWatch`). `formerly`: what links of earlier versions call it; where that was another panel, a word says so.
    `alone`: it is whole on a page without a server: what it asks for is a recorded run, or the same for everybody."""

    key: str  # in the address, of its file in panels/ and of its folder in assets/lab
    place: int
    short: str
    title: str
    answers: str
    exercise: Exercise
    words: dict[str, str] = field(default_factory=dict)
    serves: Callable[[PanelContext], list[Callable]] | None = None
    runs: Callable[[PanelContext, PanelRequest], Iterator[PanelStep]] | None = None
    asks: Callable[[str], Question | None] | None = None
    takes: bool = False
    formerly: str = ""
    alone: bool = False

    def for_browser(self) -> dict:
        exercise = {"task": self.exercise.task, "key": self.exercise.key}
        values = {name: getattr(self, name) for name in ("key", "formerly", "short", "title", "answers", "words")}
        return {**values, "exercise": exercise, "runs": self.runs is not None}


def recorded_result(key: str) -> Callable[[object], str]:
    """A panel's function that gives the result that comes with the app (scripts/picture_data.py)."""
    return answer(f"recorded_{key}", lambda: (ASSETS / "lab" / key / "recorded.json").read_text("utf-8"))


def panel_steps(steps, request: PanelRequest) -> Iterator[PanelStep]:
    """A PanelStep for each run; what was found is counted now and then, and always at the end."""
    step, result, counted_at = None, None, 0.0
    for step in steps:
        if monotonic() - counted_at >= COUNT_SECONDS or step.done == step.of or request.stop():
            result, counted_at = step.as_json(), monotonic()
        yield PanelStep(step.done, step.of, result)
    if step is not None:
        yield PanelStep(step.done, step.of, step.as_json())
