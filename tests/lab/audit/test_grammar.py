"""A run with a grammar is redone by another matcher: each mask, each void draft, each forced token."""

from dataclasses import replace
from functools import cache

import pytest

from specviz.lab.audit import grammar
from specviz.lab.audit.checkpoint import AuditError, checkpoint

from ...fakes import finished, rounds
from ...products import some
from .runs import STATIC, run_trace, set_at
from .test_audit import audited

WORDS = r"the [a-z]{1,4}( (and|or) [a-z]{1,4}){0,2}\."
HOW = {"ignore_eos": False, "grammar": WORDS, "max_new_tokens": 24}
WAYS = {
    "sampled": {"temperature": 0.9},
    "greedy": {"temperature": 0},
    "filtered": {"top_k": 5, "top_p": 0.9},
    "match": {"verifier": "match"},
    "block": {"verifier": "block"},
    "tree": STATIC | {"top_k": 8},
}


@pytest.mark.parametrize("way", some(WAYS, "filtered", "tree"))
def test_a_run_with_a_grammar_is_redone_and_nothing_is_wrong(folder, way):
    trace = run_trace(folder, "near", **HOW | WAYS[way])
    ledger = audited(folder, trace)
    assert not ledger.wrong, ledger.wrong[:3]
    assert not ledger.skipped
    assert ledger.checked["void"] == sum(len(r.drafted) for r in rounds(trace.speculative)) > 0
    assert any(d.void for r in rounds(trace.speculative) for d in r.drafted)
    assert any(e.forced for r in rounds(trace.speculative) for e in r.emitted)
    assert finished(trace.speculative).text.startswith("the ")


@cache
def place_of(trace, kind: str, name: str) -> list:
    """Where the first drafted or emitted token stands that is void, or forced."""
    for at, event in enumerate(trace.speculative):
        for i, each in enumerate(getattr(event, kind, ())):
            if getattr(each, name):
                return ["speculative", at, kind, i]
    raise AssertionError(f"no {kind} token is {name}")


@pytest.mark.parametrize(("kind", "name"), [("drafted", "void"), ("emitted", "forced")])
def test_a_void_draft_or_a_forced_token_that_is_hidden_is_found(folder, kind, name):
    trace = run_trace(folder, "near", **HOW)
    forged = set_at(trace, [*place_of(trace, kind, name), name], False)
    assert [wrong.what for wrong in audited(folder, forged).wrong] == [name]


def test_another_grammar_than_that_of_the_run_is_found(folder):
    trace = run_trace(folder, "near", **HOW)
    config = replace(trace.header.config, grammar=WORDS.replace("1,4", "1,3"))
    assert audited(folder, set_at(trace, ["header", "config"], config)).wrong


def test_a_grammar_on_which_the_matcher_goes_back_without_end_is_refused(folder, monkeypatch):
    monkeypatch.setattr(grammar, "MATCH_SECONDS", 0.05)
    target = checkpoint("target", str(folder / "target"))
    masks = grammar.Masks("(a|aa)+X", target.tokenizer, target.vocabulary, 0, frozenset())
    with pytest.raises(AuditError, match="too long"):
        masks.mask_after("a" * 60)
