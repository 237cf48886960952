"""The engine of a Space with ZeroGPU: models are loaded here on a GPU that is only pretended, and a race runs in a worker, forked from
this process, that has a real one for some seconds. What is yielded comes back pickled.

SPACES_ZERO_GPU=true python app.py     # the platform sets it, and `specviz app` takes this engine

`spaces` replaces parts of torch, so nothing imports that before it; and it pretends in the main thread only, so everything is loaded
there, before the page is served. How to deploy, and what could not be tried here: docs/deploy.md.
"""

import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import spaces  # isort: skip (before torch)
import torch  # noqa: F401 (which pretends to have a GPU from here on, and is asked for it)

from .engine.model import ModelError
from .engine.models.pair import PublicPair
from .engine.race import Progress
from .local import DRAFTERS, TARGET, LocalEngine
from .request import RunRequest, never
from .trace.events import Trace
from .words import page as words

# seconds, estimated: until a worker has started and recorded, until a GB is on its GPU, of a pass, and for each GB that it reads
BEGIN, A_GIGABYTE, A_PASS, A_GIGABYTE_READ = 12.0, 1.0, 0.01, 0.002
MAX_SECONDS = 120  # that are asked for at most
# passes of the target that a drafted token may take, by drafter
PASSES_PER_K = {"oracle": 1.0, "large": 0.8, "random": 0.5, "bigram": 0.5, "lookup": 0.0}
OTHER_PASSES_PER_K = 0.4
SLICE_GB = 45.0  # GB that a task of the default size may hold (spaces/zero/configs.json, 0.51.3)

log = logging.getLogger("specviz")
local: LocalEngine | None = None  # a worker is forked with what this process has loaded


@dataclass(frozen=True)
class WorkerError:
    """What the engine refused in the worker, where an exception would lose its words on the way."""

    message: str


def seconds(request: RunRequest, stopped: str, again: bool) -> int:
    """What to ask the platform for `race_in_worker`: a shorter time waits less and takes less of a visitor's day."""
    gigabytes = (local.needs(request.models or TARGET) or NO_PAIR).gigabytes if local else 0.0
    drafter = request.drafter or next(iter(DRAFTERS))
    passes = request.config.max_new_tokens * (2 + request.config.K * PASSES_PER_K.get(drafter, OTHER_PASSES_PER_K))
    return round(BEGIN + A_GIGABYTE * gigabytes + passes * (A_PASS + A_GIGABYTE_READ * gigabytes) + again)


@spaces.GPU(duration=seconds)
def race_in_worker(request: RunRequest, stopped: str, again: bool) -> Iterator[Progress | Trace | WorkerError]:
    """A race, in the worker. `request` comes pickled, so it carries no functions of the page's; `stopped`: a file that is there once the
    visitor pressed Stop; `again`: nobody waits, so short runs are timed several times."""
    assert local  # this process was forked from one that had loaded it
    try:
        yield from local.race(replace(request, stop=Path(stopped).exists, awaited=lambda: not again))
    except ValueError as error:
        yield WorkerError(str(error))
    except Exception as error:
        log.exception("run failed")
        yield WorkerError(words.FAILED.format(error=f"{type(error).__name__}: {error}"))


class ZeroEngine:
    """What the page asks for (page/engine.py). `pair`: a public pair to offer beside the bundled family, by its key; `say`: where to tell
    why it cannot be."""

    def __init__(self, pair: str | None = os.environ.get("SPECVIZ_PAIR"), say: Callable[[str], object] = print):
        global local
        local = self.local = LocalEngine()
        self.local.load(TARGET)
        self.keys = [TARGET]
        if pair:
            try:
                _refuse_too_large(self.local.needs(pair))
                self.local.load(pair)
                self.keys.append(pair)
            except ModelError as error:
                say(f"specviz: {pair} is not offered: {error}")

    def models(self) -> list[str]:
        return list(self.keys)

    def needs(self, models: str) -> PublicPair | None:
        return None  # what is offered is here already

    def chats(self, models: str) -> bool:
        return self.local.chats(models)

    def drafters(self, models: str | None = None) -> list[str]:
        return self.local.drafters(models or TARGET)

    def race(self, request: RunRequest) -> Iterator[Progress | Trace]:
        """Raises ModelError, before a GPU is asked for, for what is not loaded here and for a run that takes too long; ValueError with a
        sentence for the visitor if there is no GPU, or no longer."""
        if (models := request.models or TARGET) not in self.keys:
            raise ModelError(words.ZERO["not_here"].format(models=models, offered=", ".join(self.keys)))
        booked = seconds(request, "", True)
        if booked > MAX_SECONDS:
            raise ModelError(words.ZERO["too_long"].format(asked=booked, most=MAX_SECONDS))
        return self._run(replace(request, models=models), not request.awaited(), booked)

    def _run(self, request: RunRequest, again: bool, booked: int) -> Iterator[Progress | Trace]:
        with tempfile.TemporaryDirectory(prefix="specviz-") as folder:
            stopped, began = Path(folder) / "stopped", time.monotonic()
            steps = race_in_worker(replace(request, stop=never, awaited=never), str(stopped), again)
            try:
                for step in steps:
                    if isinstance(step, WorkerError):
                        raise ModelError(step.message)
                    if isinstance(step, Progress) and request.stop():
                        stopped.touch()  # the run ends with what it has
                    yield step
            except ModelError:
                raise
            except Exception as error:  # the platform's are of gradio, of httpx, and plain
                raise ValueError(failure_sentence(error, time.monotonic() - began, booked)) from error
            finally:
                steps.close()  # a visitor who left: the worker stops at its next step


def _refuse_too_large(pair: PublicPair | None) -> None:
    """Raises ModelError before anything is fetched. For more than this the platform takes a whole card, at twice the visitors' time."""
    if pair and pair.gigabytes > SLICE_GB:
        raise ModelError(f"{pair.target} with {pair.draft} needs {pair.gigabytes:.1f} GB; a run here has {SLICE_GB:.0f} GB")


def failure_sentence(error: Exception, took: float, booked: float) -> str:
    """A sentence for the visitor: what the platform said by `error` after `took` of `booked` seconds, and what to do."""
    title, text = str(getattr(error, "title", "")), " ".join(str(getattr(error, "message", error)).split())
    kind = next((kind for kind, (head, part) in PLATFORM_ERRORS.items() if head in title and part in text), "failed")
    if kind == "killed" and took >= booked:
        kind = "exceeded"
    return f"{words.ZERO[kind].format(detail=(text or type(error).__name__)[:160], asked=booked)} {words.ZERO['without']}"


PLATFORM_ERRORS = {  # kind: (in the title, in the text), as spaces/zero/client.py and wrappers.py word them
    "illegal": ("illegal duration", ""),
    "pending": ("pending credits", ""),
    "queue": ("quota exceeded", "No GPU was available"),
    "quota": ("quota exceeded", ""),
    "late": ("queue timeout", ""),
    "none": ("client error", "No GPU was available"),
    "token": ("client error", "proxy token"),
    "killed": ("worker error", "aborted"),
}
NO_PAIR = PublicPair("", "", 0.0, "float32", "")
