"""The walk: the target draws a token y, and while y is among the children the walk goes on there."""

from .tree import TreeInputs, Walk


def walk(tree: TreeInputs) -> Walk:
    """Exact, since every token is one that p drew, whatever the children are. Child by child it is the same distribution: the first is kept with
    chance p(x), else p loses it and is normalised (EAGLE's code); and so is one coin against the sum of p over the children so far
    (SGLang, `tree_speculative_sampling_target_only` at thresholds of 1)."""
    taken = Walk([], [], [], [])
    at = -1
    while True:
        y = tree.y(at)
        for node in tree.children[at + 1]:
            taken.tested.append(node), taken.p.append(tree.p[at + 1]), taken.q.append(tree.q(node))
            if tree.x[node] == y:
                taken.path.append(node)
                at = node
                break
        else:
            return taken._replace(last=y)
