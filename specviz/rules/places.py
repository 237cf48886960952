"""Recursive rejection whose residual is subtracted by place in two lists, and not by token: a rule that a program shipped."""

from dataclasses import dataclass
from typing import ClassVar

from .base import TreeDecision, TreeInputs
from .rejection import Rejection, recursive_rejection


@dataclass(frozen=True)
class Places(Rejection):
    """Not exact once a filter cuts the lists: place 2 of one is then another token than place 2 of the other. Without filters it is
    recursive rejection."""

    name = "places"
    exact = False
    title = "residual by place"
    label = "places, not exact: the residual subtracts by place"
    sentence = (
        "As rejection, but p − q is taken by place in two lists. Where top-k cuts them, one place holds two different tokens."
    )
    condition = "u·q(x) < p(x), as `rejection`; only its residual differs"
    source = "llama.cpp, examples/speculative"
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q = {limit}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q = {limit}. The residual subtracts q by place, not by token.",
        "limit_is": "p/q",
        "set": "residual by place (not exact)",
    }
    inexact = "once a filter cuts the lists"
    trees = "only"
    on_trees = "As `rejection`, but p − q is taken by place in two lists."

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        decision = recursive_rejection(tree, residual_of=residual_by_place)
        if not decision.tested or decision.tested[-1] in decision.path:
            return decision
        return decision._replace(mass=float(_excess(decision.p[-1], decision.q[-1]).sum()))


def residual_by_place(p, q):
    """norm(max(p − q, 0)) of the lists of what is possible under each, by id [V]; p itself where nothing is left."""
    excess = _excess(p, q)
    mass = excess.sum()
    return excess / mass if mass > 0 else p


def _excess(p, q):
    of_p, of_q = _possible(p), _possible(q)
    n = min(len(of_p), len(of_q))
    excess = p * 1
    excess[of_p[:n]] -= q[of_q[:n]]
    return excess * (excess > 0)


def _possible(p):
    """The ids that have a chance: of an array, or of a tensor, whose `nonzero` gives another shape."""
    indices = p.nonzero()
    return indices[0] if isinstance(indices, tuple) else indices[:, 0]
