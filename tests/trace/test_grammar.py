"""The engine keeps the rules that a reader of traces asks for, whatever ends the run; and what it says survives a file."""

import itertools
from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.small import SmallModel
from specviz.rules import RULES
from specviz.trace.events import Choice
from specviz.trace.file import dumps, loads
from specviz.trace.grammar import violations
from specviz.trace.header import Trace

from ..fake_trace import fake_trace, reticent
from ..fakes import FakeText, Markov, random_chain
from ..products import every
from .test_file import HEADER

TARGET, DRAFT = random_chain(6, 1), random_chain(6, 2)
ENDINGS = {
    "length": {"max_new_tokens": 7},
    "context": {"max_new_tokens": 100},  # it is full before
    "stop": {"stop": ["de", "f"], "max_new_tokens": 40},
    "no eos": {"ignore_eos": True, "max_new_tokens": 20},
    "grammar": {"grammar": "(ab|[de]f*)+", "max_new_tokens": 12},
}


@every(together=2, K=[0, 1, 4, 9], temperature=[0.0, 1.0], verifier=RULES, drafting=["sample", "argmax"], ending=ENDINGS)
def test_every_run_keeps_the_rules_and_comes_back_from_a_file(K, temperature, verifier, drafting, ending):
    ending = ENDINGS[ending]
    for seed, eos, draft in itertools.product(range(2), ((), ("c",)), (DRAFT, TARGET) if K else (DRAFT,)):
        config = DecodeConfig(K=K, temperature=temperature, verifier=verifier, drafting=drafting, seed=seed, **ending)
        drafter = SmallModel(Markov(draft, context=25))
        events = tuple(decode(Markov(TARGET, context=40), drafter, [0, 1], config, FakeText("abcdef", eos)))
        lane = "speculative" if K else "vanilla"
        assert list(violations(lane, events, config)) == []
        trace = Trace(replace(HEADER, config=config), *((), events) if K else (events, ()))
        assert loads(dumps(trace)) == trace


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"seed": 1, "K": 8},
        {"ends_inside": True},
        {"temperature": 0},
        {"verifier": "match"},
        {"verifier": "block"},
        {"verifier": "block", "ends_inside": True, "K": 4},
        {"verifier": "typical"},
        {"verifier": "threshold"},
        {"drafting": "argmax"},
        {"drafting": "argmax", "verifier": "block"},
        {"cancelled": 2},
        {"observed": False},
        {"short": True, "K": 4},
        {"short": True, "drafter": "lookup", "temperature": 0},
        {"drafter": "early-exit"},
    ],
    ids=str,
)
def test_the_traces_that_screens_are_tested_with_are_ones_that_a_reader_takes(settings):
    trace = fake_trace(**settings)
    assert loads(dumps(trace)) == trace


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"asked": 9}, "asked: must be from"),
        ({"asked": 0}, "asked: must be from"),
        ({"fewer": "context"}, "fewer: must say why"),
        ({"asked": None, "fewer": None}, None),
    ],
    ids=str,
)
def test_what_a_round_was_asked_for_and_why_it_drafted_fewer_fit_what_it_drafted(change, said):
    trace = fake_trace(K=3)
    at = next(i for i, e in enumerate(trace.speculative) if getattr(e, "drafted", None) and len(e.drafted) == 3)
    lane = list(trace.speculative)
    lane[at] = replace(lane[at], **({"asked": 3} | change))
    found = [f"{name}: {problem}" for _, name, problem in violations("speculative", lane, trace.header.config)]
    assert (found == []) if said is None else found[0].startswith(said)


def changed(how: dict, change):
    """What is broken once `change` has been made to the second round of a lane, in which at least two tokens were drafted."""
    trace = fake_trace(**how)
    lane = list(trace.speculative)
    at = next(
        i for i, e in enumerate(lane) if i > 1 and len(getattr(e, "drafted", ())) > 1 and e.drafted[0].verdict == "accepted"
    )
    lane[at] = change(lane[at])
    return [f"{name}: {problem}" for _, name, problem in violations("speculative", lane, trace.header.config)]


def first(**values):
    return lambda r: replace(r, drafted=(replace(r.drafted[0], **values), *r.drafted[1:]))


def first_position(**values):
    return lambda r: first(position=replace(r.drafted[0].position, **values))(r)


@pytest.mark.parametrize(
    ("how", "change", "said"),
    [
        ({"verifier": "block"}, first(joint=None), "drafted[0].joint: joint and chance must be there"),
        ({"verifier": "block"}, first(joint=0.123), "drafted[0].joint: must be"),
        (
            {"verifier": "block"},
            lambda r: replace(r, drafted=tuple(replace(d, u=1.0) for d in r.drafted)),
            "drafted: the first 0",
        ),
        ({}, first(joint=1.0, chance=1.0), "drafted[0].joint: joint and chance must be null"),
        ({"drafting": "argmax"}, first(q=0.5), "drafted[0].q: must be 1"),
        ({"drafting": "argmax"}, first_position(own=None), "drafted[0].position.own: must be there"),
        ({"drafting": "argmax"}, first_position(best=0.0123), "drafted[0].position.best: must be p of the drafted token"),
        ({}, first_position(product=1.0, beta=0.5), "drafted[0].position.product: must be at most"),
        ({}, first_position(best=None), "drafted[0].position.best: must be there if, and only if, product is"),
        ({}, first_position(product=None), "drafted[0].position.best: must be there if, and only if, product is"),
        ({"verifier": "typical"}, first(u=0.5), "drafted[0].u: must be null"),
        ({"verifier": "typical"}, first(p=0.0), "drafted[0].verdict: must be accepted if p is above"),
        ({}, lambda r: replace(r, asked=len(r.drafted), choice=Choice(0, "none")), "choice.K: must be from"),
        ({}, first(void=True), "drafted[0].void: must be false but under a grammar"),
        (
            {"grammar": "a*"},
            first(void=True),
            "drafted[0].void: must be false but under a grammar, of a token that is not accepted",
        ),
        (
            {},
            lambda r: replace(r, emitted=(replace(r.emitted[0], forced=True), *r.emitted[1:])),
            "emitted[0].forced: must be false",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_a_rule_says_of_itself_must_fit_what_it_did(how, change, said):
    found = changed({"K": 3} | how, change)
    assert any(problem.startswith(said) for problem in found), found


def test_a_trace_that_was_written_before_other_rules_were_told_of_breaks_nothing():
    assert changed({"K": 3}, first_position(product=None, best=None)) == []


@pytest.mark.parametrize("temperature", [0, 1])
def test_another_engine_may_leave_out_what_it_does_not_tell_and_ours_may_not(temperature):
    trace = reticent(fake_trace(K=3, temperature=temperature))
    assert loads(dumps(trace)) == trace
    ours = [f"{name}: {problem}" for _, name, problem in violations("speculative", trace.speculative, trace.header.config)]
    for name in ("target_ms", "target_cache", "times.draft", "drafted[0].q", "draft_forwards", "prefill_ms"):
        assert f"{name}: must not be null: specviz tells it" in ours


def other(**values):
    """A run of another engine that tells all, the first round with two drafts changed."""
    trace = fake_trace(K=3)
    at = next(i for i, e in enumerate(trace.speculative) if len(getattr(e, "drafted", ())) > 1)
    lane = list(trace.speculative)
    lane[at] = replace(lane[at], **values)
    return [f"{name}: {problem}" for _, name, problem in violations("speculative", lane, trace.header.config, "vLLM")]


def test_of_what_another_engine_tells_as_much_is_asked_as_of_ours():
    drafted = next(e for e in fake_trace(K=3).speculative if len(getattr(e, "drafted", ())) > 1).drafted
    turned = replace(drafted[0], u=0.999 if drafted[0].verdict == "accepted" else 0.0, p=0.5, q=0.9)
    assert other() == []
    assert other(drafted=(turned, *drafted[1:]))[0].startswith("drafted[0].verdict: must be ")
    assert "fewer: prefill is for the first round" in other(fewer="prefill", asked=None)[0]
    assert other(target_forwards=10_000)[0].startswith("target_forwards: forward passes must count up")
