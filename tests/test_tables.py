"""What stands at a rule and at a way to draft agrees with the documents and with the words of pictures."""

import re
from pathlib import Path

import pytest

from specviz.drafters import DRAFTERS, KINDS
from specviz.picture.words import BROWSER
from specviz.rules import ALL, RULES

ROOT = Path(__file__).parent.parent


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def field_of_the_document(name: str) -> str:
    """What docs/trace.md says of a field, to the end of its entry."""
    [said] = re.findall(rf"^- `{name}`: (.*(?:\n  .*)*)", text("docs/trace.md"), re.MULTILINE)
    return said


def named(said: str) -> set[str]:
    return set(re.findall(r"`([\w-]+)`", said))


def test_the_document_of_rules_has_a_row_for_each_and_marks_those_that_are_not_exact():
    rows = [line.split("|")[1:-1] for line in text("docs/rules.md").split("exact |\n")[1].split("\n\n")[0].splitlines()[1:]]
    exact = {rule: "no" not in row[-1] for row in rows for rule in named(row[1])}
    assert exact == {name: rule.exact for name, rule in RULES.items()}
    for rule in RULES.values():
        assert rule.sentence.endswith(".") and rule.source


def test_the_document_of_rules_has_a_row_for_each_that_walks_along_a_tree():
    rows = [
        line.split("|")[1:-1] for line in text("docs/rules.md").split("exact on trees |\n")[1].split("\n\n")[0].splitlines()[1:]
    ]
    exact = {rule: "no" not in row[-1] for row in rows for rule in named(row[1])}
    assert exact == {name: rule.exact for name, rule in ALL.items() if rule.trees != "no"}


def test_the_document_of_traces_names_every_rule_and_every_way_to_draft():
    assert named(field_of_the_document("verifier")) == set(ALL)
    assert named(field_of_the_document("drafter")) - {"null"} == set(KINDS)


@pytest.mark.parametrize("key", DRAFTERS)
def test_a_picture_has_sentences_for_every_way_to_draft(key):
    one = DRAFTERS[key]
    assert {f"note_{one.drawn}", f"models_{one.drawn}"} <= set(BROWSER)
    assert one.label and one.sentence.endswith(".") and (one.kind is None or one.kind in ("model", key))


@pytest.mark.parametrize("name", ALL)
def test_a_picture_says_what_every_rule_decided(name):
    own = {"kept", "rejected", "set"} if name != "rejection" else set()  # its sentences are those without a name
    assert own <= set(ALL[name].said) and f"rule_{name}" in BROWSER
