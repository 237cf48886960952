"""The engine keeps the rules that a reader of traces asks for, whatever ends the run; and what it says survives a file."""

import itertools
import re
from dataclasses import replace

import pytest

from specviz.config import DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.draft.model import SmallModel
from specviz.rules import RULES
from specviz.rules.rejection import SLACK
from specviz.trace.events import Choice, Token, Trace
from specviz.trace.file import TraceError, dumps, loads
from specviz.trace.grammar import violations

from ..fake_trace import fake_trace, reticent, rounds, tree_trace
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


CHAIN, BLOCK, ARGMAX, TYPICAL, GRAMMAR = (
    fake_trace(K=3, **settings)
    for settings in ({}, {"verifier": "block"}, {"drafting": "argmax"}, {"verifier": "typical"}, {"grammar": "a*"})
)
TREE = tree_trace("2-2", K=3)


def forgery(trace: Trace, change) -> Trace:
    """The trace with `change` made to the first round that accepts its first drafted token and rejects the second, or to its first."""
    lane = list(trace.speculative)
    verdicts = ([d.verdict for d in r.drafted[:2]] for r in rounds(lane))
    at = next((i for i, two in enumerate(verdicts, 1) if two == ["accepted", "rejected"]), 1)
    lane[at] = change(lane[at])
    return replace(trace, speculative=tuple(lane))


def with_draft(i: int, **fields):
    return lambda r: replace(r, drafted=(*r.drafted[:i], replace(r.drafted[i], **fields), *r.drafted[i + 1 :]))


def with_position(**fields):
    return lambda r: with_draft(0, position=replace(r.drafted[0].position, **fields))(r)


def with_asked(**fields):
    return lambda r: replace(r, **{"asked": 3} | fields)


CONTRADICTIONS = [  # a run, what is forged in one of its rounds, and what is refused
    (CHAIN, with_asked(asked=9), "asked: must be from"),
    (CHAIN, with_asked(asked=0), "asked: must be from"),
    (CHAIN, with_asked(fewer="context"), "fewer: must say why"),
    (CHAIN, with_asked(choice=Choice(0, "none")), "choice.K: must be from"),
    (CHAIN, with_draft(1, u=0.0), "drafted[1].verdict: must be accepted"),
    (CHAIN, with_draft(0, joint=1.0, chance=1.0), "drafted[0].joint: joint and chance must be null"),
    (CHAIN, with_draft(0, void=True), "drafted[0].void: must be false but under a grammar"),
    (CHAIN, with_draft(0, p=-0.5), "drafted[0].p: must be from 0 to 1"),
    (CHAIN, with_draft(0, token=Token(1, "x" * 10_001)), "drafted[0].token.text: must have at most 10,000 characters"),
    (CHAIN, with_draft(0, token=Token(2**31, "x")), "drafted[0].token.id: must be below 36"),
    (
        CHAIN,
        lambda r: with_position(entries=(replace(r.drafted[0].position.entries[0], q=2.0),))(r),
        "drafted[0].position.entries[0].q: must be",
    ),
    (CHAIN, with_position(beta=1.5), "drafted[0].position.beta: must be from 0 to 1"),
    (CHAIN, with_position(product=1.0, beta=0.5), "drafted[0].position.product: must be at most"),
    (CHAIN, with_position(best=None), "drafted[0].position.best: must be there if, and only if, product is"),
    (CHAIN, with_position(product=None), "drafted[0].position.best: must be there if, and only if, product is"),
    (
        CHAIN,
        lambda r: replace(r, emitted=(replace(r.emitted[0], forced=True), *r.emitted[1:])),
        "emitted[0].forced: must be false",
    ),
    (GRAMMAR, with_draft(0, void=True), "drafted[0].void: must be false but under a grammar, of a token that is not accepted"),
    (BLOCK, with_draft(0, joint=None), "drafted[0].joint: joint and chance must be there"),
    (BLOCK, with_draft(0, joint=0.123), "drafted[0].joint: must be"),
    (BLOCK, with_draft(0, u=1 + SLACK / 2), "drafted: the first 0 must be accepted"),
    (BLOCK, with_draft(2, u=0.0), "drafted: the first 3 must be accepted"),
    (ARGMAX, with_draft(0, q=0.5), "drafted[0].q: must be 1"),
    (ARGMAX, with_position(own=None), "drafted[0].position.own: must be there"),
    (ARGMAX, with_position(best=0.0123), "drafted[0].position.best: must be p of the drafted token"),
    (
        ARGMAX,
        lambda r: with_position(own=replace(r.drafted[0].position.own, entries=(1.5,)))(r),
        "drafted[0].position.own.entries: must be",
    ),
    (TYPICAL, with_draft(0, u=0.5), "drafted[0].u: must be null"),
    (TYPICAL, with_draft(0, p=0.0), "drafted[0].verdict: must be accepted if p is above"),
    (fake_trace(verifier="threshold", theta=0.9), with_draft(1, u=0.0), "drafted[1].verdict: must be accepted"),
    (TREE, with_draft(3, parent=3), "drafted[3].parent: must be"),
    (TREE, with_draft(3, parent=5), "drafted[3].parent: must be"),
    (TREE, with_draft(3, parent=None), "drafted[3].parent: parent, depth and rank must be there"),
    (TREE, with_draft(1, rank=0), "drafted[1].rank: must be"),
    (TREE, with_draft(3, depth=1), "drafted[3].depth: must be"),
    (TREE, with_draft(2, verdict="accepted"), "drafted[2].verdict: must be"),
]


@pytest.mark.parametrize(
    ("trace", "change", "problem"), CONTRADICTIONS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_round_that_contradicts_its_settings_or_itself_is_refused(trace, change, problem):
    with pytest.raises(TraceError, match=re.escape(f", {problem}")):
        loads(dumps(forgery(trace, change)))


@pytest.mark.parametrize("change", [with_asked(asked=None), with_position(product=None, best=None)])
def test_what_an_older_trace_does_not_say_breaks_nothing(change):
    assert list(violations("speculative", forgery(CHAIN, change).speculative, CHAIN.header.config)) == []


@pytest.mark.parametrize("temperature", [0, 1])
def test_another_engine_may_leave_out_what_it_does_not_tell_and_ours_may_not(temperature):
    trace = reticent(fake_trace(K=3, temperature=temperature))
    assert loads(dumps(trace)) == trace
    ours = [f"{name}: {problem}" for _, name, problem in violations("speculative", trace.speculative, trace.header.config)]
    for name in ("target_ms", "target_cache", "times.draft", "drafted[0].q", "draft_forwards", "prefill_ms"):
        assert f"{name}: must not be null: specviz tells it" in ours


def test_of_what_another_engine_tells_as_much_is_asked_as_of_ours():
    def problem(change=lambda r: r) -> str | None:
        lane = forgery(CHAIN, change).speculative
        return next((f"{name}: {says}" for _, name, says in violations("speculative", lane, CHAIN.header.config, "vLLM")), None)

    assert problem() is None
    assert problem(with_draft(1, u=0.0)).startswith("drafted[1].verdict: must be ")
    assert problem(with_asked(fewer="prefill", asked=None)).startswith("fewer: prefill is for the first round")
    assert problem(with_asked(target_forwards=10_000)).startswith("target_forwards: forward passes must count up")
