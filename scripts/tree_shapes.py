"""Acceptance by depth and rank of drafted trees, and the best tree and the best chain that it promises within a budget.

share, tested = by_rank(rounds)
best(share, 16).tokens                # and best(firsts(share), 16), the best chain

What a page makes of it: assets/picture/shapes.js.
"""

from collections.abc import Sequence
from typing import NamedTuple

from specviz.trace.events import Round
from specviz.trace.tree import children

Share = list[list[float]]
"""share[d][r]: the chance that the child of rank r, from 0, at depth d + 1 is kept where its parent is. Of siblings one is kept, or none."""


class TreeShape(NamedTuple):
    """A tree: `tokens` of a round on average, with the last one; `nodes` at each depth, from 1."""

    tokens: float
    nodes: tuple[int, ...]


def by_rank(rounds: Sequence[Round]) -> tuple[Share, list[list[int]]]:
    """The chances that these rounds showed, and how often each place was open: its parent was kept, and its siblings were tested."""
    tested, kept = list[list[int]](), list[list[int]]()
    for r in rounds:
        below, at, depth = children(r.drafted), -1, 0
        while here := below[at + 1]:
            verdicts = [r.drafted[i].verdict for i in here]
            if set(verdicts) == {"unexamined"}:
                break
            for counts in (tested, kept):
                counts += [[]] * (depth + 1 - len(counts))
                counts[depth] = counts[depth] + [0] * (len(here) - len(counts[depth]))
            for rank in range(len(here)):
                tested[depth][rank] += 1
            if "accepted" not in verdicts:
                break
            rank = verdicts.index("accepted")
            kept[depth][rank] += 1
            at, depth = here[rank], depth + 1
    return [[k / n for k, n in zip(kept_at, all_, strict=True)] for kept_at, all_ in zip(kept, tested, strict=True)], tested


def best(share: Share, n: int) -> TreeShape:
    """Of all trees of at most n tokens the one with the most tokens a round: a place is never likelier than the one before it, so the
    likeliest are taken, of equals the earlier. Of siblings an earlier one is taken to be the likelier. Deeper than was measured nothing is promised."""
    open_, tokens, nodes = [(1.0, 0)], 0.0, [0] * (len(share) + 1)
    for _ in range(n + 1):  # the text itself is the first place: it stands for the last token of a round, which is sure
        if not open_:
            break
        at = max(range(len(open_)), key=lambda i: open_[i][0])
        chance, depth = open_.pop(at)
        tokens += chance
        nodes[depth] += 1
        if depth < len(share):
            open_ += [(chance * part, depth + 1) for part in share[depth]]
    return TreeShape(tokens, tuple(count for count in nodes[1:] if count))


def firsts(share: Share) -> Share:
    """The first choices alone: the best tree of these is a chain."""
    return [ranks[:1] for ranks in share]
