"""Runs of trees are redone: every drafter that branches, every rule that walks; and what is changed in one is found."""

from contextlib import suppress
from dataclasses import replace

import pytest

from specviz.lab.audit.audit import audit
from specviz.trace.events import Round
from specviz.trace.file import TraceError, dumps, loads

from ...products import some
from .runs import placed, put, ran

STATIC = {"tree": "static", "children": "2-2-1", "K": 3}
DRAFTS = ["near", "lookup", "early-exit:2", "mtp:heads", "eagle:eagle", "bigram:bigram"]
RULES = {
    "sampled": STATIC,
    "chosen": STATIC | {"drafting": "argmax"},
    "match": STATIC | {"verifier": "match"},
    "filtered": STATIC | {"top_k": 8, "temperature": 0.8},
    "threshold": STATIC | {"verifier": "threshold"},
    "siblings": STATIC | {"verifier": "siblings", "drafting": "argmax"},
    "places": STATIC | {"verifier": "places", "top_k": 3},
    "greedy": STATIC | {"temperature": 0},
    "dynamic": {"tree": "dynamic", "K": 3, "nodes": 7, "drafting": "argmax"},
    "filtered dynamic": {"tree": "dynamic", "K": 4, "nodes": 12, "drafting": "argmax", "top_k": 6, "top_p": 0.9},
    "greedy dynamic": {"tree": "dynamic", "K": 3, "nodes": 7, "temperature": 0},
}


def redone(folder, trace, draft: str):
    return audit(trace, str(folder / "target"), placed(folder, draft))


@pytest.mark.parametrize("how", RULES.values(), ids=RULES)
def test_a_run_of_trees_is_redone_by_every_rule(folder, how):
    ledger = redone(folder, ran(folder, "near", **how), "near")
    assert not ledger.wrong, ledger.wrong[:3]


@pytest.mark.slow
@pytest.mark.parametrize("draft", DRAFTS[1:])
def test_a_run_of_trees_is_redone_whatever_drafts(folder, draft):
    ledger = redone(folder, ran(folder, draft, **STATIC), draft)
    assert not ledger.wrong, ledger.wrong[:3]


@pytest.mark.slow
@pytest.mark.parametrize("draft", some(DRAFTS[1:], "bigram:bigram"))
def test_the_nodes_of_a_dynamic_tree_are_redone_whatever_drafts(folder, draft):
    ledger = redone(folder, ran(folder, draft, **RULES["dynamic"]), draft)
    assert not ledger.wrong and not ledger.skipped, (ledger.wrong[:3], ledger.skipped)
    assert not redone(folder, ran(folder, draft, **RULES["filtered dynamic"]), draft).wrong


def test_a_node_that_is_not_among_the_likeliest_is_found(folder):
    trace = ran(folder, "near", **RULES["dynamic"])
    forged = put(trace, ["speculative", 1, "drafted", -1, "token"], lambda token: replace(token, id=(token.id + 7) % 200))
    wrong = redone(folder, forged, "near").wrong
    assert any(each.where.endswith("tree") and "without" in str(each.found) for each in wrong)


def first_rejected_sibling(trace) -> tuple[int, int]:
    return next(
        (i, j)
        for i, r in enumerate(trace.speculative[1:-1], 1)
        for j, d in enumerate(r.drafted)
        if d.rank and d.verdict == "rejected" and d.p > 0.01
    )


def change(name, by):
    def changed(trace):
        i, j = first_rejected_sibling(trace)
        return put(trace, ["speculative", i, "drafted", j, name], by)

    return changed


FORGED = {
    "p of a sibling": lambda trace: change("p", lambda p: p * 0.9)(change("ratio", lambda r: r * 0.9)(trace)),
    "q of a sibling": change("q", lambda q: q * 1.2),
    "u of a sibling": change("u", lambda u: u * 0.999),
    "a residual": lambda trace: put(
        trace, ["speculative", first_rejected_sibling(trace)[0], "residual"], lambda r: r and replace(r, mass=r.mass / 2)
    ),
    "the parent of a node": change("parent", lambda parent: parent - 1),
    "the rank of a node": change("rank", 0),
    "the depth of a node": change("depth", 3),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_what_is_changed_in_a_tree_is_found(folder, forge):
    honest = next(trace for seed in range(20) if has(trace := ran(folder, "near", **STATIC, seed=seed)))
    with suppress(TraceError):  # the reader refuses it already
        assert redone(folder, loads(dumps(forge(honest))), "near").wrong


def has(trace) -> bool:
    try:
        i, _ = first_rejected_sibling(trace)
    except StopIteration:
        return False
    return trace.speculative[i].residual is not None


def test_a_tree_says_which_round_is_redone_next(folder):
    trace, heard = ran(folder, "near", **STATIC), []
    assert audit(trace, str(folder / "target"), placed(folder, "near"), now=heard.append).wrong == []
    rounds = sum(isinstance(event, Round) for event in trace.speculative)
    assert heard[:2] == ["vanilla", "speculative"] and len(heard) == 2 + rounds
