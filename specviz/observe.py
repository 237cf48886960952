"""Tensors of one round → the plain values of its event. Runs after the round's timed part."""

import torch

from .events import Entry, Position, Residual, ResidualEntry
from .text import Text

TOP = 8  # entries of p and of q that are kept, beside the token in question; their union has up to twice as many


def positions(p: torch.Tensor, q: torch.Tensor | None, shown: list[int], text: Text) -> list[Position]:
    """What to show of each row of p [n, V] and of its row of q [m, V], m ≤ n (a bonus row has no q).

    `shown` [n]: the drafted token of each row, or the one drawn there; it is among the entries even if it is unlikely."""
    n, m, top = len(p), 0 if q is None else len(q), min(TOP, p.shape[-1])
    both = torch.cat([p, q]) if m else p
    largest = both.topk(top).indices
    ids = torch.cat([largest[:n], torch.tensor(shown, device=p.device)[:, None]], 1)
    entropy = both.clamp(min=1e-38).log_().mul_(both).sum(-1).neg().tolist()  # 0·log 0 = 0; half the time of special.entr
    found, token = [], text.token
    if m:
        union = torch.cat([ids[:m], largest[n:]], 1)
        beta = p[:m].minimum(q).sum(-1).tolist()
        rows = zip(union.tolist(), p[:m].gather(1, union).tolist(), q.gather(1, union).tolist(), strict=True)
        for i, (row, p_row, q_row) in enumerate(rows):
            pairs = {id: (a, b) for id, a, b in zip(row, p_row, q_row, strict=True) if a > 0 or b > 0}
            entries = tuple([Entry(token(id), a, b) for id, (a, b) in pairs.items()])
            p_rest, q_rest = 1.0 - sum([e.p for e in entries]), 1.0 - sum([e.q for e in entries])
            found.append(Position(entries, max(0.0, p_rest), max(0.0, q_rest), min(beta[i], 1.0), entropy[i], entropy[n + i]))
    for i in range(m, n):
        pairs = {id: a for id, a in zip(ids[i].tolist(), p[i, ids[i]].tolist(), strict=True) if a > 0}
        entries = tuple([Entry(token(id), a, None) for id, a in pairs.items()])
        found.append(Position(entries, max(0.0, 1.0 - sum([e.p for e in entries])), None, None, entropy[i], None))
    return found


def one_hot(best: list[int], drafted: list[int], text: Text) -> list[Position]:
    """`positions` of greedy decoding: `best` [n] has all of p, and `drafted` [m] all of q where something was drafted."""
    found = []
    for i, y in enumerate(best):
        x = drafted[i] if i < len(drafted) else None
        if x is None:
            found.append(Position((Entry(text.token(y), 1.0, None),), 0.0, None, None, 0.0, None))
        elif x == y:
            found.append(Position((Entry(text.token(y), 1.0, 1.0),), 0.0, 0.0, 1.0, 0.0, 0.0))
        else:
            found.append(Position((Entry(text.token(y), 1.0, 0.0), Entry(text.token(x), 0.0, 1.0)), 0.0, 0.0, 0.0, 0.0, 0.0))
    return found


def residual(then: torch.Tensor, mass: float, drawn: int, text: Text) -> Residual:
    """What to show of the residual `then` [V], whose `mass` was 1 − β before normalising; `drawn` is among the entries."""
    values, ids = then.topk(min(TOP, then.shape[-1]))
    found = {id: value for id, value in zip(ids.tolist(), values.tolist(), strict=True) if value > 0}
    if drawn not in found:
        found[drawn] = float(then[drawn])
    entries = tuple([ResidualEntry(text.token(id), value) for id, value in found.items()])
    return Residual(entries, rest=max(0.0, 1.0 - sum([e.probability for e in entries])), mass=mass)
