"""Recursive rejection: siblings that were sampled without replacement are tested one after the other, each against what is left of p.

A child x is kept with chance min(1, p(x)/q(x)). If it is rejected, p becomes the residual norm(max(p − q, 0)), and q, from which the next
sibling was drawn, is q without x, normalised. So each sibling is a round of rejection whose target is the residual of the round before,
and by the theorem (acceptance.py) the outcome of the last one is distributed as p. Children that were chosen without chance have one-hot q's:
then x is kept with chance p(x), and else p loses x and is normalised.
"""

from ..acceptance import accepts, residual
from .tree import TreeInputs, Walk


def recursive(tree: TreeInputs, theta: float = 1.0, left=residual) -> Walk:
    """SpecInfer's multi-step sampling (Miao et al. 2023, arXiv 2305.09781, algorithm 2), with siblings without replacement as in recursive
    rejection sampling (Jeon et al. 2024, arXiv 2402.14160). `theta` below 1 keeps more, and `left(p, q)` is the residual."""
    walk = Walk([], [], [], [])
    at, p = -1, tree.p[0]
    while here := tree.children[at + 1]:
        for node in here:
            q, x = tree.q(node), tree.x[node]
            walk.tested.append(node), walk.p.append(p), walk.q.append(q)
            if accepts(tree.u[node], float(p[x]), theta * float(q[x])):
                walk.path.append(node)
                at, p = node, tree.p[node + 1]
                break
            p = left(p, q)
        else:  # all children were rejected: what is left of p gives the token in their place
            return walk._replace(next_distribution=p)
    return walk._replace(next_distribution=p)  # after a leaf p itself gives a bonus token
