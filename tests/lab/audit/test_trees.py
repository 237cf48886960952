"""Runs of trees are redone (by every rule and drafter: test_audit.py): cut short, dynamic; and what is changed in one is found."""

from dataclasses import replace

import pytest
import torch

from specviz.engine.race import race
from specviz.lab.audit.audit import audit
from specviz.lab.audit.filters import Distribution, rejection_rest
from specviz.trace.file import dumps, loads

from ...fakes import rounds
from ...products import some
from .runs import BRANCHING, PROMPT, STATIC, TREES, path_of, run_trace, set_at, setup_of
from .test_audit import audited

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
    settings = {"ignore_eos": True, "seed": 7, "max_new_tokens": 28} | how
    *_, trace = race(setup_of(str(folder / target), str(folder / draft)), PROMPT, **settings)
    ledger = audit(loads(dumps(trace)), str(folder / target), str(folder / draft))
    assert not ledger.wrong, ledger.wrong[:3]
    lane = rounds(trace.speculative)
    assert {r.fewer for r in lane} & {"context", "length"} and any(r.drafted for r in lane)


@pytest.mark.slow
@pytest.mark.parametrize("draft", some(BRANCHING, "bigram:bigram"))
def test_the_nodes_of_a_dynamic_tree_are_redone_whatever_drafts(folder, draft):
    ledger = audited(folder, run_trace(folder, draft, **TREES["dynamic"]), draft)
    assert not ledger.wrong and not ledger.skipped, (ledger.wrong[:3], ledger.skipped)
    assert not audited(folder, run_trace(folder, draft, **TREES["filtered dynamic"]), draft).wrong


def test_a_node_that_is_not_among_the_likeliest_is_found(folder):
    trace = run_trace(folder, "near", **TREES["dynamic"])
    forged = set_at(trace, ["speculative", 1, "drafted", -1, "token"], lambda token: replace(token, id=(token.id + 7) % 200))
    wrong = audited(folder, forged, "near").wrong
    assert any(each.where.endswith("tree") and "without" in str(each.redone) for each in wrong)


def test_what_a_rejection_leaves_of_p_is_known_as_well_in_a_large_vocabulary_as_in_a_small_one():
    """Else β and entropy of a later sibling may be anything."""
    share = 4e-4
    for V in (50, 4096):
        p, q = torch.randn(2, V, generator=torch.Generator().manual_seed(V), dtype=torch.float64).softmax(-1)
        rest = rejection_rest(Distribution.of(p, share), Distribution.of(q, share))
        assert float(rest.distribution.error.sum()) <= 4.5 * share / rest.mass, V


def test_a_tree_says_which_round_is_redone_next(folder):
    trace, messages = run_trace(folder, "near", **STATIC), []
    assert audit(trace, str(folder / "target"), path_of(folder, "near"), progress=messages.append).wrong == []
    assert messages[:2] == ["vanilla", "speculative"] and len(messages) == 2 + len(rounds(trace.speculative))
