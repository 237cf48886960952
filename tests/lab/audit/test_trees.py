"""Runs of trees are redone: every drafter that branches, every rule that walks; and what is changed in one is found."""

from dataclasses import replace

import pytest

from specviz.engine.race import race
from specviz.lab.audit.audit import audit
from specviz.trace.events import Round
from specviz.trace.file import dumps, loads

from ...products import some
from .runs import PROMPT, STATIC, TREES, placed, put, ran, ready

LONG = {"max_new_tokens": 28}
DRAFTS = ["near", "lookup", "early-exit:2", "mtp:heads", "eagle:eagle", "bigram:bigram"]


def redone(folder, trace, draft: str):
    return audit(trace, str(folder / "target"), placed(folder, draft))


@pytest.mark.slow
@pytest.mark.parametrize("how", TREES.values(), ids=TREES)
def test_a_run_of_trees_is_redone_by_every_rule(folder, how):
    ledger = redone(folder, ran(folder, "near", **how), "near")
    assert not ledger.wrong, ledger.wrong[:3]


CUT = {  # by the draft's own context, in a round or in all of a level; by the target's context, that of a tree as deep too
    "a static tree": ("near", "short", {"tree": "static", "children": "2-2-1", "K": 6}),
    "a dynamic tree": (
        "near",
        "short",
        {"tree": "dynamic", "K": 5, "nodes": 12, "drafting": "argmax", "top_k": 5, "top_p": 0.95},
    ),
    "a greedy dynamic tree": ("near", "short", {"tree": "dynamic", "K": 7, "nodes": 16, "temperature": 0}),
    "a deep tree at the end of the target's context": (
        "short",
        "near",
        {"tree": "dynamic", "K": 8, "nodes": 7, "drafting": "argmax", "max_new_tokens": 60},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUT)
def test_a_tree_that_a_context_or_the_end_cuts_short_is_redone(folder, cut):
    target, draft, how = CUT[cut]
    *_, trace = race(ready(str(folder / target), str(folder / draft)), PROMPT, **({"ignore_eos": True, "seed": 7} | LONG | how))
    ledger = audit(loads(dumps(trace)), str(folder / target), str(folder / draft))
    assert not ledger.wrong, ledger.wrong[:3]
    rounds = [r for r in trace.speculative if isinstance(r, Round)]
    assert {r.fewer for r in rounds} & {"context", "length"} and any(r.drafted for r in rounds)


@pytest.mark.slow
@pytest.mark.parametrize("draft", DRAFTS[1:])
def test_a_run_of_trees_is_redone_whatever_drafts(folder, draft):
    ledger = redone(folder, ran(folder, draft, **STATIC), draft)
    assert not ledger.wrong, ledger.wrong[:3]


@pytest.mark.slow
@pytest.mark.parametrize("draft", some(DRAFTS[1:], "bigram:bigram"))
def test_the_nodes_of_a_dynamic_tree_are_redone_whatever_drafts(folder, draft):
    ledger = redone(folder, ran(folder, draft, **TREES["dynamic"]), draft)
    assert not ledger.wrong and not ledger.skipped, (ledger.wrong[:3], ledger.skipped)
    assert not redone(folder, ran(folder, draft, **TREES["filtered dynamic"]), draft).wrong


def test_a_node_that_is_not_among_the_likeliest_is_found(folder):
    trace = ran(folder, "near", **TREES["dynamic"])
    forged = put(trace, ["speculative", 1, "drafted", -1, "token"], lambda token: replace(token, id=(token.id + 7) % 200))
    wrong = redone(folder, forged, "near").wrong
    assert any(each.where.endswith("tree") and "without" in str(each.redone) for each in wrong)


def test_a_tree_says_which_round_is_redone_next(folder):
    trace, heard = ran(folder, "near", **STATIC), []
    assert audit(trace, str(folder / "target"), placed(folder, "near"), now=heard.append).wrong == []
    rounds = sum(isinstance(event, Round) for event in trace.speculative)
    assert heard[:2] == ["vanilla", "speculative"] and len(heard) == 2 + rounds
