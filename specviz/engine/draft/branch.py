"""A block that branches: which tokens follow which, chosen by the drafter's own softmax or drawn from it without replacement.

A drafter gives the logits after the text, and after each level of tokens that it is fed; what grows of them is decided here.

    static      each token has so many children, by depth                     (SpecInfer, Miao et al. 2023; Medusa, Cai et al. 2024)
    dynamic     the likeliest tokens by the product of the draft's chances    (EAGLE-2, Li et al. 2024, arXiv 2406.16858 §4)

How many children a token has never depends on which they are, unless they are chosen without chance: to drop a token that was drawn for its
own chance would be to draw it from another q than the one that is tested.
"""

from collections.abc import Callable
from itertools import accumulate

import torch

from ..sampling import DraftSampler, draw, fit
from .base import Block
from .growth import Growth

Level = Callable[[list[int], list[int]], torch.Tensor]
"""level(ids, parents) → logits [n, V] after tokens that are fed; a parent is the number of a token that was fed before, or −1, the text."""


def grow(sampler: DraftSampler, growth: Growth, depth: int, u: torch.Tensor | None, first: torch.Tensor, level: Level) -> Block:
    """A tree of `depth` levels: `first` [1, V] are the logits after the text. Node i is drawn with u[i]; u is None when greedy."""
    if growth.nodes:
        return _dynamic(sampler, growth, depth, u is None, first, level)
    return _static(sampler, growth.widths[:depth], u, first, level)


def _static(sampler: DraftSampler, widths: tuple[int, ...], u: torch.Tensor | None, logits: torch.Tensor, level: Level) -> Block:
    ids, parents, rows = list[int](), list[int](), list[torch.Tensor]()
    above = [-1]  # the nodes of the level before; all of them are fed, so their numbers there are the same
    for depth, width in enumerate(widths):
        logits = fit(logits, sampler.vocabulary)
        found, q = _children(sampler, logits, width, None if u is None else u[len(ids) :])
        here = list(range(len(ids), len(ids) + sum(map(len, found))))
        for parent, some in zip(above, found, strict=True):
            ids += some
            parents += [parent] * len(some)
        rows += [] if q is None else [q]
        if depth + 1 == len(widths) or not here:
            break
        logits = level([ids[i] for i in here], [parents[i] for i in here])
        above = here
    return Block(ids, torch.cat(rows) if rows else None, parents=parents)


def _children(sampler: DraftSampler, logits: torch.Tensor, width: int, u: torch.Tensor | None):
    """The children of each row of logits [n, V], up to `width`, and [·, V] what each was drawn from; of children that were chosen the
    softmax that they are the largest of. None when greedy."""
    if u is None:
        return logits.topk(min(width, logits.shape[-1])).indices.tolist(), None
    q = sampler.sampler(logits)
    possible = (q > 0).sum(-1).clamp(max=width).tolist()
    if sampler.argmax:
        best = q.topk(min(width, q.shape[-1])).indices.tolist()
        counts = torch.tensor(possible, device=q.device)
        return [row[:n] for row, n in zip(best, possible, strict=True)], q.repeat_interleave(counts, 0)
    starts = [0, *accumulate(possible)]
    drawn = [[0] * n for n in possible]
    rows: list[list[torch.Tensor]] = [[] for _ in possible]
    for rank in range(width):
        open_ = [row for row, n in enumerate(possible) if n > rank]
        if not open_:
            break
        left = q[open_]
        picked = draw(left, u[[starts[row] + rank for row in open_]])
        for row, own, id in zip(open_, left, picked.tolist(), strict=True):
            drawn[row][rank] = id
            rows[row].append(own)
        without = left.scatter(1, picked[:, None], 0.0)
        q = q.index_copy(0, torch.tensor(open_, device=q.device), without / without.sum(-1, keepdim=True))
    return drawn, torch.stack([own for some in rows for own in some])


def _dynamic(sampler: DraftSampler, growth: Growth, depth: int, greedy: bool, logits: torch.Tensor, level: Level) -> Block:
    """Every level that is fed offers the likeliest children of each of its tokens, and the `breadth` likeliest of those are fed next. The
    `nodes` likeliest of all stay. A child is never likelier than its parent, so what stays is a tree."""
    ids, parents, chances, rows = list[int](), list[int](), list[float](), list[torch.Tensor]()
    fed: list[tuple[int, int]] = [(-1, -1)]  # of the latest level: the node, and its number among what was fed
    count = 0
    for d in range(depth):
        s = sampler.sampler(logits := fit(logits, sampler.vocabulary)) if not greedy else logits.float().softmax(-1)
        best, which = (each.tolist() for each in s.topk(min(growth.breadth, s.shape[-1])))
        first = len(ids)
        for row, (node, _) in enumerate(fed):
            before = chances[node] if node >= 0 else 1.0
            for chance, id in zip(best[row], which[row], strict=True):
                if chance > 0:
                    ids.append(id)
                    parents.append(node)
                    chances.append(before * chance)
                    rows.append(s[row])
        following = sorted(range(first, len(ids)), key=lambda i: -chances[i])[: growth.breadth]
        if d + 1 == depth or not following:
            break
        numbers = dict(fed)
        logits = level([ids[i] for i in following], [numbers[parents[i]] for i in following])
        fed = [(node, count + i) for i, node in enumerate(following)]
        count += len(following)
    kept = sorted(
        sorted(range(len(ids)), key=lambda i: -chances[i])[: growth.nodes]
    )  # of equals the earlier: a parent, before its child
    place = {-1: -1} | {node: i for i, node in enumerate(kept)}
    q = None if greedy else torch.stack([rows[i] for i in kept])
    return Block([ids[i] for i in kept], q, parents=[place[parents[i]] for i in kept])
