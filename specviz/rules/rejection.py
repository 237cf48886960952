"""The rule of the papers: keep x with chance min(1, p/q), else replace it from the residual."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from typing import ClassVar

from ..acceptance import accepts, overlap, residual
from .base import SLACK, BlockInputs, Decision, Rule, TreeDecision, TreeInputs, count_leading


@dataclass(frozen=True)
class Rejection(Rule):
    """Accept, reject, resample. `theta`: u is compared with p/q/θ; 1 is this rule, threshold.py has less."""

    name = "rejection"
    exact = True
    title = "sampled, rejection"
    label = "rejection: accept x if u < p(x) / q(x)"
    sentence = "Draw u from 0 to 1 and accept x if u < p(x)/q(x). The chance is Σ min(p, q)."
    condition = "u·q(x) < p(x)"
    source = "Leviathan et al. 2022 (arXiv 2211.17192), algorithm 1; Chen et al. 2023 (arXiv 2302.01318), algorithm 2"
    terms = (
        (
            "rejection rule",
            "Accept x if u < p(x)/q(x). Else draw from the residual. It is exact.",
            "rejection rule",
            "rejection sampling",
        ),
    )
    words: ClassVar = {"limit_is": "p/q"}
    on_trees = "Test the first child by u < p/q. After a rejection p becomes norm(max(p − q, 0)), and q loses the child. Then test the next."
    theta: ClassVar[float] = 1.0

    def verify(self, block: BlockInputs) -> Decision:
        for i, (u_i, p_i, q_i) in enumerate(zip(block.u, block.p_x, block.q_x, strict=True)):
            # case 1, u < p/q: accepted
            if not accepts(
                u_i, p_i, self.theta * q_i
            ):  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
                return Decision(i, residual(block.p[i], block.q[i]))
        # case 3, all accepted → p at position K + 1 gives a bonus; with nothing drafted it is vanilla decoding
        return Decision(len(block.x), block.p[len(block.x)])

    def decide(self, block: BlockInputs) -> Decision:
        accepted = count_leading(accepts(block.u, block.p_x, self.theta * block.q_x))
        return Decision(accepted, distribution_after(block, accepted))

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        return recursive_rejection(tree, self.theta)

    def chance(self, p, q):
        """β = Σ min(p, q); of an inexact θ Σ min(p/θ, q)."""
        return overlap(p / self.theta, q)

    def contradictions(self, round) -> Iterator[tuple[str, str]]:
        """The verdict of u and p/q; where they are closer than single precision tells apart, either is right."""
        for i, d in enumerate(round.drafted):
            known = d.u is not None and d.p is not None and d.q is not None and d.verdict != "unexamined"
            if not known or isclose(self.theta * d.u * d.q, d.p, rel_tol=1e-4, abs_tol=SLACK):
                continue
            right = "accepted" if accepts(d.u, d.p, self.theta * d.q) else "rejected"
            if d.verdict != right:
                yield f"drafted[{i}].verdict", f"must be {right}: u is {d.u:.6f} and p/q {d.p:.6f}/{d.q:.6f}"


def recursive_rejection(tree: TreeInputs, theta: float = 1.0) -> TreeDecision:
    """Siblings that were sampled without replacement are tested one after the other, each against what is left of p. A child x is kept with
    chance min(1, p(x)/q(x)). If it is rejected, p becomes the residual norm(max(p − q, 0)), and q, from which the next sibling was drawn, is q
    without x, normalised. So each sibling is a round of rejection whose target is the residual of the round before, and by the theorem
    (acceptance.py) the outcome of the last one is distributed as p. Children that were chosen without chance have one-hot q's: then x is kept
    with chance p(x), and else p loses x and is normalised.

    SpecInfer's multi-step sampling (Miao et al. 2023, arXiv 2305.09781, algorithm 2), with siblings without replacement as in recursive
    rejection sampling (Jeon et al. 2024, arXiv 2402.14160). `theta` below 1 keeps more."""
    decision = TreeDecision([], [], [], [])
    at, p = -1, tree.p[0]
    while here := tree.children[at + 1]:
        for node in here:
            q, x = tree.q(node), tree.x[node]
            decision.tested.append(node), decision.p.append(p), decision.q.append(q)
            if accepts(tree.u[node], float(p[x]), theta * float(q[x])):
                decision.path.append(node)
                at, p = node, tree.p[node + 1]
                break
            p = residual(p, q)
        else:  # all children were rejected: what is left of p gives the token in their place
            return decision._replace(next_distribution=p)
    return decision._replace(next_distribution=p)  # after a leaf p itself gives a bonus token


def distribution_after(block: BlockInputs, accepted, scale=None):
    """What the token after `accepted` [1] is drawn from, [1, V]: the residual norm(max(scale·p − q, 0)) there, or p after a whole block."""
    p = block.p.index_select(0, accepted)
    if block.q is None:
        return p
    k = len(block.q)
    rest = residual(p if scale is None else scale.to(p.dtype) * p, block.q.index_select(0, accepted.clamp(max=k - 1)))
    return rest.where(accepted[:, None] < k, p)
