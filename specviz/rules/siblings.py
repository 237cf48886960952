"""The full softmax of the draft tested on siblings, and p left as it was: a rule that a server shipped."""

from dataclasses import dataclass
from typing import ClassVar

from ..acceptance import accepts, residual
from .base import TreeDecision, TreeInputs
from .rejection import Rejection


@dataclass(frozen=True)
class Siblings(Rejection):
    """Not exact: a sibling is tested as if none had been rejected before it. With p = (.4, .3, .2, .1), q = (.7, .15, .1, .05) and its two
    likeliest tokens as children, it writes (.571, .429, 0, 0)."""

    name = "siblings"
    exact = False
    title = "siblings by one softmax"
    label = "siblings, not exact: u < p(x) / q(x), p not updated"
    sentence = "Test every sibling with the same p and the draft's whole softmax, as if no sibling had been rejected before it."
    condition = "u·s(x) < p(x); s is the draft's softmax, and p is the same for all siblings"
    source = "TensorRT-LLM's dynamic trees until June 2026 (mended by its pull request 15098)"
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q = {limit}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q = {limit}. The next sibling is tested with the same p.",
        "limit_is": "p/q",
        "set": "siblings by one softmax (not exact)",
    }
    trees = "only"
    on_trees = "Test each child by u < p/s with the draft's whole softmax s, and the same p for all."
    tests_softmax = True

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        decision = TreeDecision([], [], [], [])
        at, p = -1, tree.p[0]
        while here := tree.children[at + 1]:
            for node in here:
                q, x = tree.s(node), tree.x[node]
                decision.tested.append(node), decision.p.append(p), decision.q.append(q)
                if accepts(tree.u[node], float(p[x]), float(q[x])):
                    decision.path.append(node)
                    at, p = node, tree.p[node + 1]
                    break
            else:
                return decision._replace(next_distribution=residual(p, q))
        return decision._replace(next_distribution=p)
