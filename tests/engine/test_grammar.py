"""A grammar masks p of both lanes before any rule: what is written is distributed as the masked target writes it, and every text matches.

The masks are compared with partial matches of the package `regex`, which shares no code with the automaton.
"""

from functools import cache

import pytest
import regex
import torch

from specviz.automaton import GrammarError
from specviz.config import ASSETS, ConfigError, DecodeConfig
from specviz.engine.decode import decode
from specviz.engine.text import TokenizerText, own_tokenizer
from specviz.engine.verify import Grammar

from .. import tiny
from ..fakes import FakeText, Markov, finished, random_chain, rounds, run, tokens
from ..products import some
from .test_every_rule import DRAFTERS, DRAFTING, MODEL, VERIFIER, assert_same, law_alone, law_of

LOOPS, FILTERED = "(a|b+c)*", {"temperature": 0.7, "top_k": 2}
RECORD = r'\{"name": "[A-Z][a-z]{2,8}", "age": [1-9][0-9]?\}'
STATES = ("", '{"name": "', '{"name": "Li', '{"name": "Lily", "age": 1', '{"name": "Lily", "age": 11')


def goes_on(expression: str, text: str) -> bool:
    return regex.compile(expression, regex.ASCII).fullmatch(text, partial=True) is not None


def masked(ids, logits):
    """Without what the grammar does not allow after these ids, before any filter."""
    logits, before = torch.as_tensor(logits).clone(), "".join(FakeText().pieces[id] for id in ids)
    for x in range(logits.shape[-1]):
        if not goes_on(LOOPS, before + FakeText().pieces[x]):
            logits[:, x] = -torch.inf
    return logits.numpy()


@DRAFTING
@VERIFIER
@pytest.mark.parametrize("name", some(["small", "lookup", "mtp"], "small"))
def test_every_exact_rule_writes_the_law_of_the_masked_target(monkeypatch, name, verifier, drafting):
    target = tiny.own(MODEL)
    law, _ = law_of(monkeypatch, target, DRAFTERS[name](target), verifier=verifier, drafting=drafting, grammar=LOOPS, **FILTERED)
    assert_same(law, law_alone(target, masked, **FILTERED))


@pytest.mark.parametrize("verifier", ["rejection", "match"])
def test_a_tree_writes_the_law_of_the_masked_target(monkeypatch, verifier):
    target = tiny.own(MODEL)
    how = {"tree": "static", "children": "2-1", "drafting": "argmax", "verifier": verifier}
    law, _ = law_of(monkeypatch, target, DRAFTERS["small"](target), grammar=LOOPS, **how, **FILTERED)
    assert_same(law, law_alone(target, masked, **FILTERED))


@cache
def fable() -> TokenizerText:
    return TokenizerText(own_tokenizer(ASSETS / "models" / "fable"), frozenset([0]))


@pytest.mark.parametrize("before", some(STATES))
def test_a_mask_has_the_tokens_with_which_the_text_still_matches_in_part(before):
    text = fable()
    vocabulary = text.backend.get_vocab_size()
    grammar = Grammar(RECORD, text, vocabulary)
    mask = grammar.mask(grammar.automaton.read(grammar.automaton.start, before))
    words = [text.characters(id) for id in range(vocabulary)]
    assert mask.tolist() == [bool(word) and goes_on(RECORD, before + word) for word in words]
    assert 0 < mask.sum() < vocabulary / 2


def test_the_text_may_end_where_the_grammar_accepts_and_only_there():
    grammar = Grammar("a{2}|ab*", FakeText("abc", eos="c"), 3)
    allowed = {before: grammar.mask(grammar.automaton.read(1, before)).tolist() for before in ("", "a", "aa", "ab")}
    assert allowed == {"": [1, 0, 0], "a": [1, 1, 1], "aa": [0, 0, 1], "ab": [0, 1, 1]}


def even(size: int) -> Markov:
    return Markov(torch.full((size, size), 1 / size))


@pytest.mark.parametrize("K", [0, 3])
@pytest.mark.parametrize("temperature", [0, 1])
def test_a_run_matches_its_grammar_and_ends_with_it(K, temperature):
    text = FakeText("abc", eos="c")
    for seed in range(20):
        how = {"K": K, "seed": seed, "temperature": temperature, "grammar": "a(ba){1,3}", "max_new_tokens": 20}
        end = finished(run(even(3), even(3), [0], text, **how))
        assert end.reason == "eos" and regex.fullmatch("a(ba){1,3}c", end.text)


def test_a_void_draft_is_rejected_whatever_its_u_and_after_it_p_is_the_targets_own():
    runs = [run(even(3), even(3), [0], K=3, seed=seed, grammar="(ab)*") for seed in range(20)]
    drafted = [d for events in runs for r in rounds(events) for d in r.drafted]
    void = [d for d in drafted if d.void]
    assert void and {d.verdict for d in void} <= {"rejected", "unexamined"}
    assert all(d.p == 0 for d in void) and all(d.u is not None for d in void if d.verdict == "rejected")
    assert not any(d.void for d in drafted if d.verdict == "accepted")
    [first, *_] = rounds(run(even(3), Markov(torch.eye(3)), [2], K=3, grammar="(ab)*"))
    assert [(d.void, round(d.p, 3)) for d in first.drafted] == [(True, 0), (False, 0.333), (False, 0.333)]


def test_a_token_is_forced_where_the_grammar_allows_no_other():
    emitted = [e for r in rounds(run(even(3), even(3), [0], K=2, grammar="a(b|c)(ab)*", max_new_tokens=8)) for e in r.emitted]
    assert [e.forced for e in emitted] == [True, False, *[True] * 6]
    drafted = [d for r in rounds(run(even(2), even(2), [0], K=2, grammar="(ab)*")) for d in r.drafted]
    assert all(d.p == 1 for d in drafted if d.verdict == "accepted")


def test_a_text_that_no_token_goes_on_ends_the_run_with_a_sentence():
    events = []
    with pytest.raises(GrammarError, match="allows no token of this vocabulary after 2 characters, “ab”"):
        for event in decode(even(3), None, [0], DecodeConfig(K=0, grammar="abxy"), FakeText("abc")):
            events.append(event)
    assert finished(events).reason == "error" and finished(events).text == "ab"


def test_a_draft_past_the_end_of_the_grammar_ends_no_run():
    """A drafted dead end, or what was drafted after an end of text, is no error while the text does not go there."""
    certain = Markov(torch.tensor([[0, 1.0, 0], [0, 0, 1.0], [1.0, 0, 0]]))
    events = run(even(3), certain, [2], FakeText("abc", eos="c"), K=3, grammar="ab|aaaa", temperature=0, max_new_tokens=9)
    assert finished(events).reason in ("eos", "length")


def test_a_grammar_is_refused_on_a_device_with_the_name_of_the_target():
    target = even(3)
    target.device = torch.device("meta")
    with pytest.raises(ConfigError, match="empty with markov on this device"):
        decode(target, None, [0], DecodeConfig(K=0, grammar="a"), FakeText())


def test_a_run_without_a_grammar_has_no_field_of_one():
    assert not any(d.void for r in rounds(run(even(3), even(3), [0], K=2)) for d in r.drafted)
    assert not any(e.forced for r in rounds(run(even(3), even(3), [0], K=2)) for e in r.emitted)


def test_the_compiled_decision_is_that_of_the_readable_form(monkeypatch):
    target, draft = Markov(random_chain(5, 1)), Markov(random_chain(5, 2))
    how = {"K": 3, "grammar": "[abc]([ab]|cd)*", "max_new_tokens": 24}
    compiled = [tokens(run(target, draft, [0], seed=seed, **how)) for seed in range(5)]
    monkeypatch.setattr("specviz.engine.sampling._rows", lambda: None)
    assert compiled == [tokens(run(target, draft, [0], seed=seed, **how)) for seed in range(5)]
