"""A block that branches: which tokens follow which, chosen by the drafter's own softmax or drawn from it without replacement.

A drafter gives the logits after the text, and after each level of tokens that it is fed; what grows of them is decided here.

    static      each token has so many children, by depth                     (SpecInfer, Miao et al. 2023; Medusa, Cai et al. 2024)
    dynamic     the likeliest tokens by the product of the draft's chances    (EAGLE-2, Li et al. 2024, arXiv 2406.16858 §4)

How many children a token has never depends on which they are, unless they are chosen without chance: to drop a token that was drawn for its
own chance would be to draw it from another q than the one that is tested.
"""

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import NamedTuple

from ..sampling import Array, DraftSampler, Sampler, compiled_rows, concatenate, draw, fit_vocabulary, on_host, top_k
from .base import Block, DraftContext, TreePlan

Level = Callable[[list[int], list[int]], Array]
"""level(ids, parents) → logits [n, V] after tokens that are fed; a parent is the number of a token that was fed before, or −1, the text."""


def grow_tree(context: DraftContext, depth: int, u: Array | None, first: Array, level: Level) -> Block:
    """A tree of `depth` levels: `first` [1, V] are the logits after the text. Node i is drawn with u[i]; u is None when greedy."""
    sampler, plan = context.sampler, context.tree_plan
    assert plan
    if plan.nodes:
        return _dynamic(sampler, plan, depth, u is None, first, level)
    return _static(sampler, plan.widths[:depth], u, first, level)


def _static(sampler: DraftSampler, widths: tuple[int, ...], u: Array | None, logits: Array, level: Level) -> Block:
    ids, parents, rows = list[int](), list[int](), list[Array]()
    above = [-1]  # the nodes of the level before; all of them are fed, so their numbers there are the same
    for depth, width in enumerate(widths):
        logits = fit_vocabulary(on_host(logits), sampler.vocabulary)
        children, q = _children(sampler, logits, width, None if u is None else u[len(ids) :])
        here = list(range(len(ids), len(ids) + sum(map(len, children))))
        for parent, siblings in zip(above, children, strict=True):
            ids += siblings
            parents += [parent] * len(siblings)
        rows += [] if q is None else [q]
        if depth + 1 == len(widths) or not here:
            break
        logits = level([ids[i] for i in here], [parents[i] for i in here])
        above = here
    return Block(ids, concatenate(rows) if rows else None, parents=parents)


def _children(sampler: DraftSampler, logits: Array, width: int, u: Array | None):
    """The children of each row of logits [n, V], up to `width`, and [·, V] what each was drawn from; of children that were chosen the
    softmax that they are the largest of. None when greedy."""
    if u is None:
        return top_k(logits, width)[0], None
    q = sampler.sampler(logits)
    if sampler.argmax:
        best, chances = top_k(q, width)
        children = [[id for id, part in zip(*row, strict=True) if part > 0] for row in zip(best, chances, strict=True)]
        return children, q[[i for i, row in enumerate(children) for _ in row]]
    if rows := compiled_rows(q):
        return rows.sample_without_replacement(q, width, u)
    return _without_replacement(q, width, u)


def _without_replacement(q: Array, width: int, u: Array) -> tuple[list[list[int]], Array]:
    """As of compiled/rows.py, rank by rank: on a device, or without a compiler."""
    counts = [min(width, n) for n in (q > 0).sum(-1).tolist()]
    starts = [0, *accumulate(counts)]
    ids, rows = [0] * starts[-1], [q[:1]] * starts[-1]
    here = [*range(len(counts))]  # rows that have a child of this rank
    for rank in range(max(counts)):
        places = [starts[row] + rank for row in here]
        picked = draw(q, u[places]).tolist()
        for i, (slot, id) in enumerate(zip(places, picked, strict=True)):
            ids[slot], rows[slot] = id, q[i : i + 1]
        more = [i for i, row in enumerate(here) if counts[row] > rank + 1]
        here, q = [here[i] for i in more], q[more] * 1
        if more:
            q[[*range(len(more))], [picked[i] for i in more]] = 0
            q = q / q.sum(-1, keepdims=True)
    return [ids[first:end] for first, end in pairwise(starts)], concatenate(rows)


class Offer(NamedTuple):
    """A token that may stay in a dynamic tree: the offer that it follows, −1 the text; the row of softmax that it is of; and its
    chance, the product along its path."""

    id: int
    parent: int
    row: int
    chance: float


def _dynamic(sampler: DraftSampler, plan: TreePlan, depth: int, greedy: bool, logits: Array, level: Level) -> Block:
    """Every level that is fed offers the likeliest children of each of its tokens, and the `breadth` likeliest of those are fed next. The
    `nodes` likeliest of all stay. A child is never likelier than its parent, so what stays is a tree."""
    softmax, breadth = Sampler() if greedy else sampler.sampler, plan.breadth
    offers, levels = list[Offer](), list[Array]()
    fed = [-1]  # offers that were fed, after the text; so each has a row of softmax
    above = fed  # those of the latest level
    for d in range(depth):
        first = len(offers)
        levels.append(s := softmax(fit_vocabulary(on_host(logits), sampler.vocabulary)))
        for row, node, ids, chances in zip(range(len(fed) - len(above), len(fed)), above, *top_k(s, breadth), strict=True):
            so_far = offers[node].chance if node >= 0 else 1.0
            offers += [Offer(id, node, row, so_far * chance) for id, chance in zip(ids, chances, strict=True) if chance > 0]
        above = _best(offers, range(first, len(offers)), breadth)
        if d + 1 == depth or not above:
            break
        logits = level([offers[node].id for node in above], [fed.index(offers[node].parent) - 1 for node in above])
        fed = fed + above
    nodes = sorted(_best(offers, range(len(offers)), plan.nodes))
    places = {node: position for position, node in enumerate([-1, *nodes], -1)}
    q = None if greedy else concatenate(levels)[[offers[node].row for node in nodes]]
    return Block([offers[node].id for node in nodes], q, parents=[places[offers[node].parent] for node in nodes])


def _best(offers: list[Offer], among: range, most: int) -> list[int]:
    """The likeliest; of equals the earlier, which is a parent before its child."""
    return sorted(among, key=lambda node: -offers[node].chance)[:most]
