"""What the app offers: the bundled family at once, public pairs where they can be had, and a clear line where they cannot."""

import shutil
from dataclasses import replace

import pytest
import torch

from specviz import drafters, local
from specviz.config import ConfigError, DecodeConfig
from specviz.engine import machine
from specviz.engine.compiled import compiler
from specviz.engine.draft import choose
from specviz.engine.model import ModelError
from specviz.engine.models import assistant
from specviz.engine.models.load import bundled, present
from specviz.engine.models.pair import PUBLIC, Pair
from specviz.engine.race import race
from specviz.engine.text import PromptError, TokenizerText
from specviz.local import ANYWHERE, DRAFTERS, HYBRID, MIXTURE, TARGET, LocalEngine, default_draft, drafts_for, owner_choices
from specviz.picture.frame import show
from specviz.request import RunRequest
from specviz.trace.events import Trace

from . import tiny, tiny_gguf

SHORT = DecodeConfig(K=2, max_new_tokens=6, temperature=0, ignore_eos=True)


@pytest.fixture(scope="module")
def engine():
    return LocalEngine()


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def down(*_, **__):
        raise ConnectionError("no route to host")

    monkeypatch.setattr("huggingface_hub.snapshot_download", down)


def public_key(engine) -> str:
    return next(key for key in engine.models() if engine.needs(key))


def trace_of(steps) -> Trace:
    *_, trace = steps
    assert isinstance(trace, Trace)
    return trace


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_every_bundled_drafter_writes_what_the_target_writes_and_is_what_the_table_of_drafters_says(engine, drafter):
    trace, entry = trace_of(engine.race(RunRequest("Once upon a time", SHORT, drafter))), drafters.DRAFTERS[drafter]
    end, blocks = trace.speculative[-1], [r for r in trace.speculative[1:-1] if r.drafted]
    assert end.tokens == 6 and end.text == trace.vanilla[-1].text
    assert end.draft_forwards == {"token": end.drafted, "block": len(blocks), "none": 0}[entry.passes]
    header = trace.header
    from tests.view import view

    assert header.drafter == entry.kind and view(trace)["header"]["draft"]["kind"] == entry.picture_name
    assert (header.draft.family == entry.family) is (entry.family is not None)


def test_the_bundled_family_is_offered_first_and_every_public_pair_after_it(engine):
    assert engine.models()[:3] == [TARGET, HYBRID, MIXTURE] and len(engine.models()) == 3 + len(PUBLIC)
    assert engine.drafters() == list(DRAFTERS) and engine.needs(TARGET) is None
    for key, pair in zip(engine.models()[3:], PUBLIC, strict=True):
        assert engine.needs(key) is pair
        assert {"lookup", "oracle", "random"} < set(engine.drafters(key))


@pytest.mark.parametrize("how", [{"drafter": "psychic"}, {"models": "owner/name"}])
def test_what_is_not_offered_is_refused_with_what_is(engine, how):
    with pytest.raises(ModelError, match="choose"):
        engine.race(RunRequest("Once", SHORT, **how))


def test_a_pair_that_is_refused_costs_nobody_the_one_that_is_loaded(engine, monkeypatch):
    loaded = engine._public = (public_key(engine), "a pair", {})  # of 3.7 GB
    monkeypatch.setattr(machine, "free_gigabytes", lambda: 6.0)
    with pytest.raises(ModelError, match=r"needs 17.9 GB; 9.7 GB are free"):
        engine.race(RunRequest("Once", SHORT, models="Qwen/Qwen3-8B + Qwen/Qwen3-0.6B"))
    assert engine._public is loaded
    monkeypatch.setattr(machine, "free_gigabytes", lambda: 14.5)
    with pytest.raises(ModelError, match="could not be fetched"):  # with what the old one gives back it fits
        engine.race(RunRequest("Once", SHORT, models="Qwen/Qwen3-8B + Qwen/Qwen3-0.6B"))
    engine._public = None


def test_warming_up_makes_rounds_of_both_lanes_with_caches_as_long_as_a_run_of_the_defaults_has(engine, monkeypatch):
    runs = []

    def decode(target, drafter, prompt, config, text, **how):
        runs.append((config.K, len(prompt), config.max_new_tokens, how["reserve"]))
        return iter(())

    monkeypatch.setattr("specviz.engine.race.decode", decode)
    engine.warm()
    default = DecodeConfig()
    assert [(K, new, reserve) for K, _, new, reserve in runs] == [(K, 16, default.max_new_tokens) for K in (0, default.K)]


def test_without_a_network_a_public_pair_is_one_clear_line_and_the_bundled_family_goes_on(engine, monkeypatch):
    monkeypatch.setattr(machine, "free_gigabytes", lambda: 999.0)
    with pytest.raises(ModelError, match="could not be fetched from the hub: no network"):
        engine.race(RunRequest("Once", SHORT, models=public_key(engine)))
    assert trace_of(engine.race(RunRequest("Once upon a time", SHORT))).speculative[-1].tokens == 6


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_running_out_of_memory_is_one_clear_line(engine, monkeypatch, error):
    def full(*_, **__):
        raise error

    monkeypatch.setattr(machine, "free_gigabytes", lambda: 999.0)
    monkeypatch.setattr(local, "load_pair", full)
    with pytest.raises(ModelError, match="do not fit in memory"):
        engine.race(RunRequest("Once", SHORT, models=public_key(engine)))


def test_a_public_pair_runs_with_its_own_draft_and_with_any_that_needs_none(engine, monkeypatch):
    tokenizer = tiny.byte_level()
    shape = {"vocab_size": len(tokenizer)}
    target, draft = (tiny.own(tiny.make(tiny.config("llama", **shape), seed=s), name) for s, name in ((0, "t"), (1, "d")))
    loaded = []

    def load_pair(name, draft, *_):
        loaded.append(name)
        return Pair(target, None, TokenizerText(tokenizer, frozenset({0})))

    monkeypatch.setattr(machine, "free_gigabytes", lambda: 999.0)
    monkeypatch.setattr(local, "load_pair", load_pair)
    monkeypatch.setattr("specviz.engine.draft.choose.load_draft", lambda *_: draft)
    key = public_key(engine)
    for drafter, name in ((None, "d"), ("lookup", "lookup"), ("oracle", "t")):
        assert trace_of(engine.race(RunRequest("Hi", SHORT, drafter, models=key))).header.draft.name == name
    assert loaded == [PUBLIC[0].target]  # once


def test_a_target_alone_is_set_up_with_something_to_draft_and_no_words_at_all_with_the_bundled_pair():
    bundled, own = local.set_up(), local.set_up("fable-large")
    assert (bundled.target.info.name, bundled.drafter.info.name) == ("fable", "fable-small")
    assert (own.target.info.name, own.drafter.info.name) == ("fable-large", "lookup")
    assert default_draft(HYBRID) == "fable-small" and str(bundled.target.device) == str(machine.device())


def test_models_of_ones_own_are_set_up_from_their_folders_and_raced(tmp_path):
    tokenizer = tiny.byte_level()
    for seed, name in enumerate(("target", "draft")):
        tiny.save(tmp_path / name, tiny.make(tiny.config("llama", vocab_size=len(tokenizer)), seed), tokenizer)
    setup = local.set_up(str(tmp_path / "target"), str(tmp_path / "draft"))
    trace = trace_of(race(setup, "Once", K=2, max_new_tokens=6, ignore_eos=True))
    assert trace.header.target.name.endswith("target") and trace.header.draft.name.endswith("draft")
    assert "“Once”" in repr(show(trace)) and trace.speculative[-1].tokens == 6


def test_people_draft_beside_every_drafter_of_the_family_and_are_told_when_a_timed_run_takes_too_long(engine, monkeypatch):
    text = [token.id for token in engine.cut("Once upon a")]
    continuation = engine.cut(" time, there", further=True)
    assert [token.text for token in continuation] == [" time", ",", " there"]
    played = engine.score(text, [[token.id for token in continuation]], DecodeConfig(temperature=0))
    assert played.people.accepted == 3 and played.round.emitted[-1].role == "bonus"
    assert set(played.others) == set(DRAFTERS) - {"oracle"} and played.others["small"].drafted == 3
    monkeypatch.setattr(local, "TIMED_RUN_WAIT_S", 0)
    with machine.TIMED_RUN, pytest.raises(ModelError, match="try again"):
        engine.score([0], [[1]], DecodeConfig())


def test_with_a_device_map_a_public_target_is_spread_and_none_is_too_large_for_one_device(monkeypatch):
    loads = []

    def load_pair(name, draft, *how):
        loads.append((name, how[-1]))
        raise ModelError("that is all")

    monkeypatch.setattr("specviz.engine.models.load.find_spec", lambda name: name)
    monkeypatch.setattr(machine, "free_gigabytes", lambda: 1.5)
    monkeypatch.setattr(local, "load_pair", load_pair)
    spread = LocalEngine(device_map="auto")
    with pytest.raises(ModelError, match="that is all"):
        spread.race(RunRequest("Once", SHORT, models=public_key(spread)))
    assert loads == [(PUBLIC[0].target, "auto")]
    trace = trace_of(spread.race(RunRequest("Once upon a time", SHORT)))
    assert trace.header.target.forward == "own"  # the bundled family is not


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    compiler.cache_dir()  # what is compiled stays where it is
    monkeypatch.setenv("SPECVIZ_CACHE", str(tmp_path))
    monkeypatch.delenv("SPECVIZ_FETCH", raising=False)
    monkeypatch.setattr(local, "heads", lambda source: [])  # those of the project are for a wider model
    sizes = {**tiny_gguf.SIZES, "vocab_size": 400, "head_dim": 64, "num_hidden_layers": 6, "rms_norm_eps": 1e-5}
    hf = tiny.make(tiny.config("smollm", **sizes))
    yield tiny_gguf.write(assistant.folder(), hf, "Q4_1", assistant.FILE)
    for cached in (local._cached_target, local._cached_drafter):
        cached.cache_clear()


def test_the_assistant_comes_first_where_it_was_fetched_and_is_asked_by_its_template(fetched, monkeypatch):
    monkeypatch.setattr(assistant, "EXIT", 4)
    engine = LocalEngine()
    assert engine.models()[:2] == [assistant.KEY, TARGET] and engine.needs(assistant.KEY) is None
    assert engine.chats(assistant.KEY) and not engine.chats(TARGET)
    assert {"lookup", "early-exit", "oracle", "random"} <= set(engine.drafters()) and engine.drafters(TARGET) == list(DRAFTERS)
    for drafter in engine.drafters():
        header = trace_of(engine.race(RunRequest("What's 7? 🦊", SHORT, drafter))).header
        assert (header.target.name, header.chat, header.prompt) == (assistant.NAME, True, "What's 7? 🦊")
    assert trace_of(engine.race(RunRequest("Once upon a time", SHORT, models=TARGET))).header.target.name == TARGET


def test_heads_of_the_assistant_are_offered_as_soon_as_they_lie_beside_the_family_the_best_first(fetched, tmp_path, monkeypatch):
    for kind in ("mtp", "eagle"):
        (tmp_path / "models" / f"smollm2-{kind}").mkdir(parents=True)
    monkeypatch.setattr("specviz.engine.draft.choose.BUNDLED", tmp_path / "models")
    monkeypatch.setattr(local, "heads", choose.heads)
    assert list(drafts_for(assistant.KEY))[:3] == ["eagle", "mtp", "lookup"]
    assert default_draft(assistant.KEY) == "eagle"
    with pytest.raises(ModelError, match=f"{assistant.NAME} comes with no block, only with mtp, eagle: name a folder"):
        local.set_up(assistant.KEY, "block")


def test_the_assistant_is_found_where_it_was_fetched_and_heads_that_a_file_does_not_hold_are_not_looked_for(fetched, monkeypatch):
    assert present() == [*bundled(), assistant.KEY]
    with pytest.raises(ModelError, match=f"no model 'nosuch': give a name .*{assistant.KEY}"):
        local.set_up("nosuch")
    monkeypatch.setenv("SPECVIZ_FETCH", "none")
    assert present() == bundled()
    with pytest.raises(ModelError, match="mine comes with no mtp: name a folder or a hub id, as in mtp:owner/name"):
        local.set_up(str(fetched.rename(fetched.with_name("mine.gguf"))), "mtp")


def test_a_broken_file_in_the_assistants_place_leaves_the_family(fetched):
    fetched.write_bytes(fetched.read_bytes()[:5000])
    engine = LocalEngine()
    with pytest.raises(ModelError, match=r"cannot be read: it ends before|it claims"):
        engine.race(RunRequest("Hi", SHORT))
    engine.warm()
    assert engine.models()[0] == TARGET


def test_a_prompt_that_would_keep_the_processor_for_long_is_refused_by_what_it_costs(fetched, monkeypatch):
    engine = LocalEngine()
    parameters = engine._pair(*engine._choice(None)).target.info.parameters
    monkeypatch.setattr(local, "PROMPT_WORK", 60.0 * parameters)
    assert trace_of(engine.race(RunRequest("short", SHORT))).vanilla[-1].tokens == 6
    with pytest.raises(PromptError, match=rf"the prompt has \d+ tokens; {assistant.NAME} takes at most 60 here, on a CPU"):
        engine.race(RunRequest("long " * 100, SHORT))
    with pytest.raises(PromptError, match="takes at most 60"):
        list(engine.luck("long " * 100, [("lookup", SHORT)], 2))


def test_an_owner_offers_a_target_by_its_path_and_a_visitor_picks_it_by_its_name(fetched, tmp_path):
    path = fetched.rename(tmp_path / "mine.gguf")
    engine = LocalEngine(own=owner_choices([str(path)], ["early-exit:2", str(path)], chat=True))
    assert engine.models()[:4] == [TARGET, HYBRID, MIXTURE, "mine"] and engine.chats("mine")
    assert engine.drafters("mine") == ["early-exit", "mine", *(key for key in ANYWHERE if key != "early-exit")]
    header = trace_of(engine.race(RunRequest("Hi", SHORT, "mine", "mine"))).header
    assert (header.target.name, header.draft.name, header.drafter) == ("mine", "mine", "model")
    with pytest.raises(ModelError, match="choose"):
        engine.race(RunRequest("Hi", SHORT, models=str(path)))


def test_of_several_targets_each_has_its_own_draft_or_none(fetched, tmp_path):
    one, two = (shutil.copy(fetched, tmp_path / f"{name}.gguf") for name in ("one", "two"))
    choices = owner_choices([str(one), str(two)], ["lookup", "early-exit:3"])
    assert list(choices) == ["one", "two"] and choices["two"].drafters["early-exit"] == "early-exit:3"
    assert owner_choices([str(one), str(two)], [])["one"].drafters == ANYWHERE
    assert owner_choices([TARGET], ["lookup"])[TARGET].drafters == {"lookup": "lookup"} | DRAFTERS
    with pytest.raises(ModelError, match="there are 2 targets and 1 drafts"):
        owner_choices([str(one), str(two)], ["lookup"])
    with pytest.raises(ModelError, match="there is no file"):
        owner_choices([str(tmp_path / "none.gguf")], [])


def test_the_experiments_of_the_lab_run_the_family(engine):
    *_, luck = engine.luck("Once upon a time", [("small", SHORT), ("small", replace(SHORT, K=3))], 4)
    result = luck.as_json()
    assert len(result["dots"]) == 11 and [setting["K"] for setting in result["settings"]] == [2, 3]
    assert ("busy" in result["sentence"]) is any(dot["disturbed"] or dot["by_processor"] for dot in result["dots"])
    assert result["spreads"][0]["alpha"]["runs"] == 4  # counts are there however busy the machine is
    *_, sweep = engine.sweep("Once upon a time", ["lookup"], [1], SHORT)
    result = sweep.as_json()
    assert result["done"] == result["of"] == 1 and result["cells"][0]["where"]["drafter"] == "lookup"


STATIC = replace(SHORT, tree="static")


@pytest.mark.parametrize(
    ("drafter", "config", "complaint"),
    [
        ("psychic", SHORT, "'psychic' cannot draft for fable"),
        ("block", STATIC, "it must be off with fable-block, which drafts chains"),
    ],
)
def test_what_the_lab_cannot_run_is_refused_before_anything_runs(engine, drafter, config, complaint):
    for experiment in (lambda: engine.luck("Once", [(drafter, config)], 4), lambda: engine.sweep("Once", [drafter], [2], config)):
        with pytest.raises((ModelError, ConfigError), match=complaint):
            experiment()
