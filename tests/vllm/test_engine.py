"""The page's second engine: one choice of models more, everything else as the first one has it."""

import sys
from pathlib import Path

import pytest

from specviz.config import DecodeConfig
from specviz.engine.backends.base import ModelError
from specviz.page import words
from specviz.page.watch import controls
from specviz.request import RunRequest
from specviz.trace.file import dumps, loads
from specviz.vllm import process
from specviz.vllm.engine import WithVllm
from specviz.vllm.process import ServerError

HERE = Path(__file__).parent
NAME = words.SERVED.format(name="fable")
CONFIG = DecodeConfig(K=3, temperature=0.8, max_new_tokens=12)


class Local:
    """What this machine runs itself."""

    def models(self):
        return ["story"]

    def needs(self, models):
        return f"what {models} needs"

    def drafters(self, models=None):
        return ["oracle"]

    def block_times(self):
        return "passes"

    def race(self, request):
        return iter([request])


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(process, "SERVE", HERE / "fake_child.py")
    engines = []

    def make(**more):
        lines = {"lines": str(HERE / "steps.jsonl"), **more}
        engines.append(WithVllm(Local(), Path(sys.executable), NAME, options=lines))
        return engines[-1]

    yield make
    for each in engines:
        each.close()


def test_what_this_machine_offers_stays_and_comes_first(engine):
    one = engine()
    assert one.models() == ["story", NAME] and one.drafters() == one.drafters("story") == ["oracle"]
    assert one.needs("story") == "what story needs" and one.block_times() == "passes"
    request = RunRequest("a", CONFIG, "oracle", "story", bool, bool)
    assert next(one.race(request)) is request
    assert one.needs(NAME) is None and one.drafters(NAME) == ["small", "eagle", "lookup"]
    assert all(key in words.DRAFTERS for key in [*one.drafters(NAME), "suffix", "mtp"])


def test_the_page_says_of_the_choice_whose_it_is_and_not_that_it_is_bundled(engine):
    assert controls._models_note(engine(), NAME) == words.SERVED_IS and NAME not in words.TARGET_LABELS


def test_a_race_is_a_trace_like_any_other(engine):
    *progress, trace = engine().race(RunRequest("Once upon a time", CONFIG, "small", models=NAME))
    assert [step.lane for step in progress] == sorted((step.lane for step in progress), reverse=True)
    assert progress[-1].tokens == progress[-1].of == 12
    assert loads(dumps(trace)) == trace and (trace.header.engine, trace.header.engine_version) == ("vLLM", "0.32.0")
    assert trace.header.target.name == "fable" and trace.header.target.parameters > 5_000_000
    assert trace.header.draft.name == "fable-small" and trace.header.drafter == "model"
    from tests.view import view

    picture = view(trace)
    assert picture["header"]["left_out"] == ["chance", "cache"] and picture["account"]["missing"] in (None, "disturbed")
    assert picture["comparison"]["speedup"] > 0


def test_another_way_to_draft_takes_the_place_of_the_process_and_the_same_keeps_it(engine):
    one = engine()
    list(one.race(RunRequest("Once", CONFIG, "small", models=NAME)))
    first = one._server.pid
    list(one.race(RunRequest("Once", CONFIG, "small", models=NAME)))
    assert one._server.pid == first
    list(one.race(RunRequest("Once", CONFIG, "lookup", models=NAME)))
    assert one._server.pid != first and one._server.alive
    one.close()
    assert not one._server.alive


def test_what_cannot_draft_and_a_prompt_that_is_too_long_are_said_in_one_line(engine):
    with pytest.raises(ModelError, match="'oracle' cannot draft in vLLM"):
        list(engine().race(RunRequest("Once", CONFIG, "oracle", models=NAME)))
    with pytest.raises(ServerError, match=r"the prompt has \d+ tokens; the target's context has only 1024"):
        list(engine().race(RunRequest("Once upon a time " * 600, CONFIG, "small", models=NAME)))


def test_a_race_that_is_stopped_before_it_began_is_an_empty_trace(engine):
    [trace] = engine().race(RunRequest("Once", CONFIG, "small", stop=lambda: True, models=NAME))
    assert trace.vanilla == trace.speculative == ()
