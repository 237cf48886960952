"""Recursive rejection whose residual is subtracted by place in two lists, and not by token: a rule that a program shipped."""

from dataclasses import dataclass
from typing import ClassVar

from .recursive import recursive
from .rejection import Rejection
from .tree import TreeInputs, Walk


@dataclass(frozen=True)
class Places(Rejection):
    """Not exact once a filter cuts the lists: place 2 of one is then another token than place 2 of the other. Without filters it is
    recursive rejection."""

    name = "places"
    exact = False
    called = "residual by place"
    label = "places, not exact: the residual subtracts by place"
    sentence = (
        "As rejection, but p − q is taken by place in two lists. Where top-k cuts them, one place holds two different tokens."
    )
    condition = "u·q(x) < p(x), as `rejection`; only its residual differs"
    source = "llama.cpp, examples/speculative"
    said: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q = {limit}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q = {limit}. The residual subtracts q by place, not by token.",
        "limit_is": "p/q",
        "set": "residual by place (not exact)",
    }
    inexact = "once a filter cuts the lists"
    trees = "only"
    on_trees = "As `rejection`, but p − q is taken by place in two lists."

    def walk(self, tree: TreeInputs) -> Walk:
        walk = recursive(tree, left=by_place)
        if not walk.tested or walk.tested[-1] in walk.path:
            return walk
        return walk._replace(mass=float(_excess(walk.p[-1], walk.q[-1]).sum()))


def by_place(p, q):
    """norm(max(p − q, 0)) of the lists of what is possible under each, by id [V]; p itself where nothing is left."""
    left = _excess(p, q)
    mass = left.sum()
    return left / mass if mass > 0 else p


def _excess(p, q):
    of_p, of_q = _possible(p), _possible(q)
    n = min(len(of_p), len(of_q))
    left = p * 1
    left[of_p[:n]] -= q[of_q[:n]]
    return left * (left > 0)


def _possible(p):
    """The ids that have a chance: of an array, or of a tensor, whose `nonzero` gives another shape."""
    indices = p.nonzero()
    return indices[0] if isinstance(indices, tuple) else indices[:, 0]
