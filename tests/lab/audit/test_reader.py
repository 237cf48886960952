"""docs/trace.md says enough: a reader written from it alone (reader.py) redoes every number of runs of every drafter and rule."""

import re
from pathlib import Path

import pytest

from specviz.trace.file import dumps

from ...products import some
from .reader import read
from .runs import DRAFTS, WAYS, honest, mixed, put, ran
from .test_trees import DRAFTS as TREES
from .test_trees import RULES, STATIC


def redone(folder, trace, draft):
    wrong, counts = read(dumps(trace), folder / "target", folder / draft.rpartition(":")[2])
    assert wrong == []
    return counts


@pytest.mark.parametrize("draft", some(DRAFTS))
def test_a_run_of_every_drafter_is_redone_from_the_page_alone(folder, draft):
    counts = redone(folder, ran(folder, DRAFTS[draft], max_new_tokens=16), DRAFTS[draft])
    assert counts["p"] and counts["q"] and counts["u"] and counts["beta"] and counts["draft_cache"]


@pytest.mark.parametrize("way", some(WAYS))
def test_a_run_by_every_rule_is_redone_from_the_page_alone(folder, way):
    counts = redone(folder, ran(folder, "near", **WAYS[way]), "near")
    assert counts["verdicts"] and counts["u of a draw"] and counts["fewer"]


@pytest.mark.parametrize("draft", some(TREES))
def test_a_tree_of_every_drafter_is_redone_from_the_page_alone(folder, draft):
    counts = redone(folder, ran(folder, draft, max_new_tokens=16, **STATIC), draft)
    assert counts["verdict"] and counts["drafted"] and counts["draft_cache"] and counts["beta"]


@pytest.mark.parametrize("how", some(RULES))
def test_a_tree_by_every_rule_is_redone_from_the_page_alone(folder, how):
    counts = redone(folder, ran(folder, "near", max_new_tokens=16, **RULES[how]), "near")
    assert counts["verdict"] and counts["fewer"] and counts["last token"]


@pytest.mark.parametrize("name", ["p", "q", "u"])
def test_it_finds_what_is_not_so(folder, name):
    trace = honest(folder)
    forged = put(trace, ["speculative", mixed(trace.speculative), "drafted", 0, name], lambda value: 0.98 * value)
    wrong, _ = read(dumps(forged), folder / "target", folder / "near")
    assert any(f": {name} is " in each for each in wrong)


def test_it_knows_nothing_of_ours():
    for path in Path(__file__).parent.glob("reader*.py"):
        assert not re.search(r"^\s*(from|import) .*(specviz|tests)", path.read_text("utf-8"), re.MULTILINE)
