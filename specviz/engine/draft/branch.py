"""A block that branches: which tokens follow which, chosen by the drafter's own softmax or drawn from it without replacement.

A drafter gives the logits after the text, and after each level of tokens that it is fed; what grows of them is decided here.

    static      each token has so many children, by depth                     (SpecInfer, Miao et al. 2023; Medusa, Cai et al. 2024)
    dynamic     the likeliest tokens by the product of the draft's chances    (EAGLE-2, Li et al. 2024, arXiv 2406.16858 §4)

How many children a token has never depends on which they are, unless they are chosen without chance: to drop a token that was drawn for its
own chance would be to draw it from another q than the one that is tested.
"""

from collections.abc import Callable
from itertools import accumulate, pairwise

import numpy as np
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
    drawn, lefts, order = [0] * starts[-1], list[torch.Tensor](), list[int]()
    for rank in range(max(possible)):
        open_ = [row for row, n in enumerate(possible) if n > rank]
        left = q if len(open_) == len(possible) else q[open_]
        here = [starts[row] + rank for row in open_]
        picked = draw(left, u[here])
        for place, id in zip(here, picked.tolist(), strict=True):
            drawn[place] = id
        lefts.append(left)
        order += here
        if rank + 1 < max(possible):
            without = left.scatter(1, picked[:, None], 0.0)
            without /= without.sum(-1, keepdim=True)
            q = without if len(open_) == len(possible) else q.index_copy(0, torch.tensor(open_, device=q.device), without)
    found = [drawn[first:end] for first, end in pairwise(starts)]
    if len(lefts) == 1:
        return found, lefts[0]
    rows = torch.empty(len(drawn), q.shape[-1], dtype=q.dtype, device=q.device)
    return found, rows.index_copy_(0, torch.tensor(order, device=q.device), torch.cat(lefts))


def _dynamic(sampler: DraftSampler, growth: Growth, depth: int, greedy: bool, logits: torch.Tensor, level: Level) -> Block:
    """Every level that is fed offers the likeliest children of each of its tokens, and the `breadth` likeliest of those are fed next. The
    `nodes` likeliest of all stay. A child is never likelier than its parent, so what stays is a tree."""
    breadth, count = growth.breadth, 0
    ids, parents, chances, rows = (np.zeros(0, kind) for kind in (np.int64, np.int64, np.float64, np.int64))
    levels = list[torch.Tensor]()
    # of the latest level: which nodes were fed, their chances, and their numbers among what was fed
    nodes, before, numbers = np.array([-1]), np.ones(1), np.array([-1])
    for d in range(depth):
        s = sampler.sampler(logits := fit(logits, sampler.vocabulary)) if not greedy else logits.float().softmax(-1)
        best, which = (each.cpu().numpy() for each in s.topk(min(breadth, s.shape[-1])))
        row, place = np.nonzero(best > 0)
        first, new = len(ids), before[row] * best[row, place].astype(np.float64)
        ids, chances = np.append(ids, which[row, place]), np.append(chances, new)
        parents, rows = np.append(parents, nodes[row]), np.append(rows, row + sum(map(len, levels)))
        levels.append(s)
        chosen = np.argsort(-new, kind="stable")[:breadth]
        if d + 1 == depth or not len(chosen):
            break
        logits = level(which[row, place][chosen].tolist(), numbers[row][chosen].tolist())
        nodes, before, numbers = first + chosen, new[chosen], count + np.arange(len(chosen))
        count += len(chosen)
    kept = np.sort(np.argsort(-chances, kind="stable")[: growth.nodes])  # of equals the earlier: a parent, before its child
    places = np.searchsorted(kept, parents[kept])  # where its parent is among what stays
    q = None if greedy else torch.cat(levels).index_select(0, torch.from_numpy(rows[kept]).to(s.device))
    return Block(ids[kept].tolist(), q, parents=np.where(parents[kept] < 0, -1, places).tolist())
