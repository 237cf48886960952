"""What a panel of the Lab is made of (panels/), and what its script sends, read as strictly as a link: each value by itself, and what is
wrong in one sentence.

run = panel_run(fields(data), engine, models)        # a RunRequest
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

from ... import drafters
from ...config import ASSETS, SETTINGS, DecodeConfig
from ...request import RunRequest
from ...trace.events import Trace
from ...words import lab
from ...words import page as words
from ..classroom.rooms import Question
from ..component import answer
from ..engine import Engine
from ..learn.chapter import Exercise
from ..queue import RunQueue
from ..settings import PROMPT_LIMIT, default_values, read_link
from ..watch.controls import Controls

# What panels call the ways to draft, the rules and the trees.
DRAFTERS = {f"drafter_{key}": one.label for key, one in drafters.DRAFTERS.items()}
RULES = {
    f"{name}_{key}": label.partition(":")[0] for name in ("verifier", "drafting") for key, label in SETTINGS[name].choices.items()
}
TREES = {
    **{name: SETTINGS[name].label for name in ("tree", "children", "nodes")},
    **{f"tree_{key}": label for key, label in SETTINGS["tree"].choices.items()},
    **lab.TREES,
}
COUNT_SECONDS = 0.7  # seconds between two countings: each takes time that what is measured could use


@dataclass(frozen=True)
class PanelContext:
    """What panels are given of the page: its engine, who decodes next, the controls of Watch, the recorded runs by name."""

    engine: Engine
    queue: RunQueue
    controls: Controls
    load: Callable[[str], Trace]

    def method(self, name: str) -> Callable:
        """Of the engine. Raises ValueError where it has none of this name."""
        if not hasattr(self.engine, name):
            raise ValueError(NO_METHOD)
        return getattr(self.engine, name)


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
    """`answers`: the question, in one sentence. `words`: all else that its script writes, and "run", the word on Run.

    `serves` makes functions that its script may call by their names and that answer at once, each (sent) → a text. `runs` does what
    takes longer: it yields PanelSteps; a ValueError carries one line for the visitor. Neither: the panel is worked out in the browser.
    `asks`: the question that it puts to the phones of a class, by what its script names.
    `takes`: it sets settings in Watch (`context.openInWatch`). `formerly`: what links of earlier versions call it; where that was
    another panel, a word says so. `alone`: it is whole on a page without a server: what it asks for is a recorded run, or the
    same for everybody."""

    key: str  # in the address, of its file in panels/ and of its script in assets/lab
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


def panel_words(key: str, **more: str) -> dict:
    """What words/lab.toml says of a panel, as fields of a Panel. `more`: words that follow from code."""
    said = lab.PANELS[key]
    fields = {name: said[name] for name in ("short", "title", "answers")}
    return {"key": key, **fields, "exercise": Exercise(said["task"], said["exercise_key"]), "words": said["words"] | more}


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


# What a script sent ----------------------------------------------------------------------------------------------------

NAMES = ("prompt", "drafter", "K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed", "length")
NO_METHOD = "What decodes here cannot run this experiment; a page with the bundled models does (specviz app)."
LIST_CHARACTERS = 500  # characters: more numbers than an experiment takes
MOST_FIELDS = 64  # more than any panel has


def fields(data: object) -> Mapping[str, str]:
    """The `settings` among an event's data as texts by name, no more and no longer than a panel has; nothing of what is no such thing."""
    settings = data.get("settings") if isinstance(data, dict) else None
    few = islice(settings.items(), MOST_FIELDS) if isinstance(settings, dict) else ()
    return {name[:LIST_CHARACTERS]: str(value)[: PROMPT_LIMIT + 1] for name, value in few if isinstance(value, str | int | float)}


def panel_run(message: Mapping[str, str], engine: Engine, models: str, prefix: str = "") -> RunRequest:
    """What `message` says under these names after `prefix`, else without it, else the page's own. A run that goes on past the
    end of its text, so that all are as long. Raises ValueError for what may not be."""
    texts = {name: message.get(prefix + name, message.get(name, "")).strip() for name in NAMES}
    link = read_link({"models": models, **{name: value for name, value in texts.items() if value}}, engine)
    if link.problems:
        raise ValueError("; ".join(link.problems))
    values = default_values(engine, models) | link.settings
    same = ("K", "temperature", "verifier", "drafting", "tree", "children", "nodes", "seed")
    config = DecodeConfig(max_new_tokens=values["length"], ignore_eos=True, **{name: values[name] for name in same})
    return RunRequest(values["prompt"], config, values["drafter"], models)


def whole_numbers(label: str, text: str, low: int, high: int) -> list[int]:
    """The whole numbers of a list such as `1, 2, 4`. Raises ValueError."""
    if len(text) > LIST_CHARACTERS:
        raise _out_of_bounds(label, text, f"a list of at most {LIST_CHARACTERS} characters")
    return [whole_number(label, part, low, high) for part in re.split(r"[,;\s]+", text) if part]


def whole_number(label: str, text: str, low: int, high: int) -> int:
    """Raises ValueError."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not low <= int(text) <= high:
        raise _out_of_bounds(label, text, f"a whole number from {low} to {high}")
    return int(text)


def check_count(label: str, values: list, most: int) -> list:
    """What a list names, by its label. Raises ValueError for nothing and for more than an experiment takes."""
    if not 1 <= len(set(values)) <= most:
        value = words.SEVERAL.format(count=len(set(values))) if values else words.EMPTY
        raise _out_of_bounds(label, value, words.ONE_TO.format(most=most))
    return values


def _out_of_bounds(label: str, value: str, bound: str) -> ValueError:
    """By the label of this panel, which may be that of a setting of Watch under another name."""
    return ValueError(words.OUT_OF_BOUNDS.format(field=label, value=value[:60], bound=bound))
