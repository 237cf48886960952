"""A drafted tree is decided: one row of the target's distributions for each of its nodes, and a rule that walks from the text along them."""

from ..rules import Rule, TreeInputs, greedy
from .arrays import Array, is_tensor, on_host
from .draft.base import Block
from .result import VerifyResult
from .sampling import Sampler, compiled_rows, draw


def verify_tree(rule: Rule, sampler: Sampler, argmax: bool, block: Block, logits: Array, u: Array | None) -> VerifyResult:
    """logits [K + 1, V], the target's after the text and after each of the K nodes, an array where they are on the host; u [K + 1], None when
    greedy. `argmax`: children were chosen as the largest of the rows of `block.q`, not drawn from them."""
    ids, parents = list(block.ids), block.parents
    assert parents is not None
    children: list[list[int]] = [[] for _ in range(len(ids) + 1)]
    for node, parent in enumerate(parents):
        children[parent + 1].append(node)
    if u is None:
        return _greedy(ids, parents, children, logits)
    assert block.q is not None  # something was drafted, and not greedily
    p, q, uniforms = sampler(logits), on_host(block.q), u.tolist()
    own = argmax and not rule.tests_softmax  # q is one-hot

    def tested(node: int) -> Array:
        if not own:
            return q[node]
        hot = p[0] * 0
        hot[ids[node]] = 1
        return hot

    def softmax(node: int) -> Array:
        first = q[children[parents[node] + 1][0]]  # which was drawn from all of it; a copy is certain of itself alone
        return first if first[ids[node]] > 0 else q[node]

    def drawn(node: int) -> int:
        return int(draw(p[node + 1][None], u[node + 1 : node + 2])[0])

    walk = rule.walk(TreeInputs(ids, children, p, tested, softmax, uniforms, drawn))
    last = walk.last if walk.last is not None else int(draw(walk.next_distribution[None], u[-1:])[0])
    p_x = p[[parent + 1 for parent in parents], ids].tolist()
    q_x = [1.0] * len(ids) if own else q[[*range(len(ids))], ids].tolist()
    if rule.tests_softmax:
        q_x = [float(softmax(node)[id]) for node, id in enumerate(ids)]
    for node, of_p, of_q in zip(walk.tested, walk.p, walk.q, strict=True):
        p_x[node], q_x[node] = float(of_p[ids[node]]), float(of_q[ids[node]])
    after = p[walk.path[-1] + 1 if walk.path else 0]
    shown = [q[node] for node in walk.tested] if own else walk.q
    return VerifyResult(
        ids, len(walk.path), last, p_x, q_x, uniforms, mass=walk.mass, p=[*walk.p, after], q=shown, next_distribution=walk.next_distribution,
        parents=parents, path=walk.path, tested=walk.tested,
    )  # fmt: skip


def _greedy(ids: list[int], parents: list[int], children: list[list[int]], logits) -> VerifyResult:
    rows = compiled_rows(logits)
    best: list[int] = (rows.argmax(logits) if rows else logits.argmax(-1)).tolist()
    path, tested = greedy.walk(ids, best, children)
    p_x = [float(id == best[parent + 1]) for id, parent in zip(ids, parents, strict=True)]
    last = best[path[-1] + 1 if path else 0]
    return VerifyResult(
        ids, len(path), last, p_x, [1.0] * len(ids), None, best=[*(best[parents[node] + 1] for node in tested), last],
        parents=parents, path=path, tested=tested, logits=None if is_tensor(logits) else logits,
    )  # fmt: skip
