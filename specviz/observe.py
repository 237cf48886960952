"""Tensors of one round → the plain values of its event. Runs after the round's timed part."""

import torch

from .events import Entry, Position, Residual, ResidualEntry
from .text import Text

TOP = 8  # entries of p and of q that are kept; their union has up to twice as many


def positions(p: torch.Tensor, q: torch.Tensor | None, text: Text) -> list[Position]:
    """What to show of each row of p [n, V] and, if there is a draft, of q [n, V]."""
    n, top = len(p), min(TOP, p.shape[-1])
    if n == 0:
        return []
    both = p if q is None else torch.cat([p, q])
    ids = both.topk(top).indices
    entropy = torch.special.entr(both).sum(-1).tolist()
    if q is None:
        rows = zip(ids.tolist(), p.gather(1, ids).tolist(), strict=True)
        return [_position(i, v, None, None, entropy[row], None, text) for row, (i, v) in enumerate(rows)]
    union = torch.cat([ids[:n], ids[n:]], 1)
    beta = p.minimum(q).sum(-1).tolist()
    rows = zip(union.tolist(), p.gather(1, union).tolist(), q.gather(1, union).tolist(), strict=True)
    return [_position(i, pv, qv, beta[r], entropy[r], entropy[n + r], text) for r, (i, pv, qv) in enumerate(rows)]


def _position(ids, p, q, beta, p_entropy, q_entropy, text) -> Position:
    pairs = dict(zip(ids, zip(p, q or [None] * len(p), strict=True), strict=True))  # the union: an id in both tops once
    entries = [Entry(text.token(id), pv, qv) for id, (pv, qv) in pairs.items() if pv > 0 or qv]
    entries.sort(key=lambda e: -max(e.p, e.q or 0.0))
    return Position(
        entries=tuple(entries),
        p_rest=max(0.0, 1.0 - sum(e.p for e in entries)),
        q_rest=None if q is None else max(0.0, 1.0 - sum(e.q for e in entries)),
        beta=None if beta is None else min(beta, 1.0),
        p_entropy=p_entropy,
        q_entropy=q_entropy,
    )


def residual(p: torch.Tensor, q: torch.Tensor, then: torch.Tensor, text: Text) -> Residual:
    """What to show of the residual `then` [V] of p and q [V]."""
    values, ids = then.topk(min(TOP, then.shape[-1]))
    entries = tuple(ResidualEntry(text.token(i), v) for i, v in zip(ids.tolist(), values.tolist(), strict=True) if v > 0)
    mass = float((p - q).clamp(min=0).sum())
    return Residual(entries, rest=max(0.0, 1.0 - sum(e.probability for e in entries)), mass=min(mass, 1.0))
