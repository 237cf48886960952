"""A Space with ZeroGPU: what goes to a worker and comes back is plain, stopping and leaving end it, and what the platform refuses is a
sentence. `spaces` is a stand-in here."""

import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.model import ModelError
from specviz.engine.models.pair import PublicPair
from specviz.engine.race import Progress
from specviz.local import DRAFTERS, TARGET
from specviz.request import RunRequest
from specviz.trace.events import Trace
from specviz.trace.file import dumps, loads
from specviz.words import page as words

from .fake_trace import fake_trace

ROOT = Path(__file__).parent.parent
CONFIG = DecodeConfig(max_new_tokens=40, seed=3)


class Raised(ValueError):
    """As gradio's own errors are: with a title, and a message in quotation marks."""

    def __init__(self, message, title=""):
        super().__init__(repr(message))
        self.message, self.title = message, title


class Platform:
    """The decorator, as far as a task can tell: what goes in and out is pickled, and it may fail before or in the middle."""

    def __init__(self):
        self.durations, self.closed, self.before, self.after = [], 0, None, {}

    def GPU(self, duration):
        def wrap(task):
            def handler(*arguments):
                self.durations.append(duration(*arguments))
                if self.before:
                    raise self.before
                steps = task(*pickle.loads(pickle.dumps(arguments)))
                try:
                    for i, step in enumerate(steps):
                        if error := self.after.get(i):
                            raise error
                        yield pickle.loads(pickle.dumps(step))
                finally:
                    steps.close()
                    self.closed += 1

            return handler

        return wrap


class Local:
    """A LocalEngine that loads nothing. `loaded`: what was; pairs called `huge` and `large` do not fit."""

    def __init__(self):
        self.loaded = []

    def load(self, models):
        if models == "huge":
            raise ModelError("huge needs 99.0 GB; 48.0 GB are free")
        self.loaded.append(models)

    def needs(self, models):
        return PublicPair("owner/large", "owner/small", 46.0, "bfloat16", "MIT") if models == "large" else None

    def chats(self, models):
        return models == "some/pair"

    def drafters(self, models=None):
        return list(DRAFTERS)

    def race(self, request):
        prompt, config, stop = request.prompt, request.config, request.stop
        if prompt == "bad":
            raise ValueError("the prompt is 900 tokens long")
        if prompt == "broken":
            raise RuntimeError("device is gone")
        for lane in ("vanilla", "speculative"):
            for tokens in range(4):
                if stop():
                    yield fake_trace(prompt, config=config, cancelled=0 if lane == "vanilla" else 3)
                    return
                yield Progress(lane, tokens, config.max_new_tokens)
        yield fake_trace(prompt, config=config)


@pytest.fixture
def platform():
    return Platform()


@pytest.fixture
def zero(monkeypatch, platform):
    fake = ModuleType("spaces")
    fake.GPU = platform.GPU
    monkeypatch.setitem(sys.modules, "spaces", fake)
    monkeypatch.delitem(sys.modules, "specviz.zero", raising=False)
    module = importlib.import_module("specviz.zero")
    monkeypatch.setattr(module, "LocalEngine", Local)
    yield module
    sys.modules.pop("specviz.zero", None)


def races(zero, prompt="Once", **how) -> list:
    return list(zero.ZeroEngine(pair=None).race(RunRequest(prompt, CONFIG, "small", **how)))


def test_a_run_comes_back_as_it_was_told_and_its_trace_can_be_saved(zero, platform):
    *steps, trace = races(zero)
    assert [(step.lane, step.tokens) for step in steps] == [(lane, i) for lane in ("vanilla", "speculative") for i in range(4)]
    assert isinstance(trace, Trace) and loads(dumps(trace)) == trace == fake_trace("Once", config=CONFIG)
    assert platform.closed == 1


def test_everything_is_loaded_at_the_start_and_nothing_else_is_offered(zero, platform):
    engine = zero.ZeroEngine(pair="some/pair")
    assert engine.local.loaded == engine.models() == [TARGET, "some/pair"]
    assert [engine.chats(models) for models in engine.models()] == [False, True]  # the page asks a pair that answers questions
    assert engine.needs("some/pair") is None
    with pytest.raises(ModelError, match="other/pair is not loaded on this Space: choose fable, some/pair"):
        engine.race(RunRequest("Once", CONFIG, "small", models="other/pair"))
    assert platform.durations == [], "no GPU is asked for"


@pytest.mark.parametrize(
    ("pair", "why"),
    [
        ("huge", "huge needs 99.0 GB; 48.0 GB are free"),
        ("large", "owner/large with owner/small needs 46.0 GB; a run here has 45 GB"),
    ],
)
def test_a_pair_that_does_not_fit_is_said_at_the_start_and_not_offered(zero, pair, why):
    messages = []
    engine = zero.ZeroEngine(pair=pair, say=messages.append)
    assert engine.models() == engine.local.loaded == [TARGET]
    assert messages == [f"specviz: {pair} is not offered: {why}"]


def test_the_time_that_is_asked_for_grows_with_the_length_and_with_what_a_draft_costs(zero, platform):
    engine = zero.ZeroEngine(pair=None)
    for tokens, drafter in ((20, "lookup"), (400, "lookup"), (400, "small"), (400, "oracle")):
        list(engine.race(RunRequest("Once", DecodeConfig(K=4, max_new_tokens=tokens), drafter)))
    durations = platform.durations
    assert durations == sorted(set(durations)) and durations[0] >= 10 and durations[-1] <= zero.MAX_SECONDS
    with pytest.raises(ModelError, match=r"may take \d+ s of a GPU\. At most 120 s"):
        engine.race(RunRequest("Once", DecodeConfig(K=16, max_new_tokens=4096), "oracle"))
    assert len(platform.durations) == 4


def test_stop_ends_a_run_with_what_it_has(zero, platform):
    steps = []
    for step in zero.ZeroEngine(pair=None).race(RunRequest("Once", CONFIG, "small", stop=lambda: len(steps) > 4)):
        steps.append(step)
    assert steps[-1].speculative[-1].reason == "cancelled" and platform.closed == 1


def test_a_visitor_who_leaves_takes_the_worker_away_and_leaves_no_file(zero, platform, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    steps = zero.ZeroEngine(pair=None).race(RunRequest("Once", CONFIG, "small"))
    next(steps)
    assert list(tmp_path.iterdir())
    steps.close()
    assert platform.closed == 1 and not list(tmp_path.iterdir())


@pytest.mark.parametrize(("prompt", "why"), [("bad", "900 tokens long"), ("broken", "RuntimeError: device is gone")])
def test_what_the_engine_refuses_keeps_its_words(zero, prompt, why):
    with pytest.raises(ModelError, match=why):
        races(zero, prompt)


REFUSALS = {  # as spaces 0.51.3 words them (zero/client.py, zero/wrappers.py)
    "quota": Raised(
        "You have exceeded your free ZeroGPU quota (20s requested vs. 3s left). Try again in 1:00:00.", "ZeroGPU quota exceeded"
    ),
    "queue": Raised("No GPU was available after 60s. Try re-running outside of examples", "ZeroGPU quota exceeded"),
    "late": Raised("No GPU was available after 60s. <a>Create a free account</a>", "ZeroGPU queue timeout"),
    "none": Raised("No GPU was available", "ZeroGPU client error"),
    "token": Raised("Expired ZeroGPU proxy token", "ZeroGPU client error"),
    "illegal": Raised("The requested GPU duration (90s) is larger than the maximum allowed", "ZeroGPU illegal duration"),
    "pending": Raised("You have too many ZeroGPU credits allocated", "ZeroGPU pending credits exceeded"),
    "failed": RuntimeError("ZeroGPU API /schedule error: 500"),
}


@pytest.mark.parametrize("kind", REFUSALS)
def test_what_the_platform_refuses_is_a_sentence_with_what_to_do_and_the_next_run_is_as_any(zero, platform, kind):
    engine, platform.before = zero.ZeroEngine(pair=None), REFUSALS[kind]
    with pytest.raises(ValueError) as raised:
        list(engine.race(RunRequest("Once", CONFIG, "small")))
    message, head = str(raised.value), words.ZERO[kind].split("{")[0]
    assert message.startswith(head) and message.endswith(words.ZERO["without"]) and "\n" not in message
    platform.before = None
    assert isinstance(list(engine.race(RunRequest("Once", CONFIG, "small")))[-1], Trace)


@pytest.mark.parametrize(("kind", "took"), [("killed", 1.0), ("exceeded", 500.0)])
def test_a_worker_that_is_taken_away_is_told_from_one_that_took_too_long(zero, platform, monkeypatch, kind, took):
    clock = iter([0.0, took])
    monkeypatch.setattr(zero, "time", SimpleNamespace(monotonic=lambda: next(clock)))  # its own: others tell the time too
    platform.after = {2: Raised("GPU task aborted", "ZeroGPU worker error")}
    with pytest.raises(ValueError, match=words.ZERO[kind].split("{")[0]):
        races(zero)


def test_on_such_a_space_the_package_is_imported_before_torch_and_elsewhere_not_at_all(tmp_path):
    (tmp_path / "spaces.py").write_text("import os, sys\nos._exit(7 if 'torch' in sys.modules else 3)\n")
    where = os.environ | {"PYTHONPATH": str(tmp_path), "SPACES_ZERO_GPU": "true"}
    ran = subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=where, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 3, ran.stderr[-500:]
