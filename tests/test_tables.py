"""A rule and a way to draft say all that documents and pictures are made from."""

import pytest

from specviz.drafters import DRAFTERS, KINDS
from specviz.picture.words import BROWSER
from specviz.rules import RULES, SAVED


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_does_when_it_accepts_and_who_described_it(name):
    rule = RULES[name]
    assert rule.name == name and rule.label.startswith(name)
    assert rule.sentence and rule.condition and rule.source
    assert not (rule.exact and rule.inexact)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_drafter_says_what_its_tokens_are_drawn_by(kind):
    assert next(one for one in DRAFTERS.values() if one.kind == kind).logits


@pytest.mark.parametrize("key", DRAFTERS)
def test_a_picture_has_sentences_for_every_way_to_draft(key):
    one = DRAFTERS[key]
    assert {f"note_{one.picture_name}", f"models_{one.picture_name}"} <= set(BROWSER)
    assert one.label and one.sentence and (one.kind is None or one.kind in ("model", key))


@pytest.mark.parametrize("name", RULES | SAVED)
def test_a_picture_says_what_every_rule_decided(name):
    own = {"kept", "rejected", "set"} if name != "rejection" else set()  # its sentences are those without a name
    assert own <= set((RULES | SAVED)[name].words) and f"rule_{name}" in BROWSER
