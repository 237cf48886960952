"""Tensors of one round → the plain values of its event, outside the round's timed part.

In two steps: `look` finds all numbers where the tensors are, `positions` and `residual` read them. While a block is on a device
nobody knows which rows will be shown: there all are looked at, and the numbers leave in the verdict's transfer (`pack`, `unpack`).
"""

from collections.abc import Sequence

import numpy as np
import torch

from ..acceptance import overlap
from ..trace.events import Entry, Own, Position, Residual, ResidualEntry, RoundValues
from .result import VerifyResult
from .sampling import compiled_rows
from .text import Text

TOP = 8  # entries of p and of q that are kept, beside the token in question; their union has up to twice as many


def look(p, q, shown, then=None, drawn=None) -> list[torch.Tensor]:
    """The numbers to show of each row of p [n, V] and of its row of q [m, V], n = m or m + 1 (a bonus or plain row has no q; q
    is None if m is 0), and of the residual `then` [1, V], if there is one, which the id `drawn` [1] comes from.

    `shown` [n]: the drafted token of each row, or the one drawn there; it is among the entries even if it is unlikely.

    In this order, t being TOP, without what is not there: entropies [n + m] of all rows of p, then of q. Of rows with a q: ids
    [m, 2t + 1], the largest of p, `shown`, the largest of q; p of them; q of them; β [m]; Σ p·q [m]. Of the row without: ids
    [1, t + 1]; p of them. Of the residual: ids [1, t] of the largest; their values; that of `drawn` [1, 1]."""
    n, m, top = len(p), 0 if q is None else len(q), min(TOP, p.shape[-1])
    both = torch.cat([p, q]) if m else p
    largest = both.topk(top).indices
    ids = torch.cat([largest[:n], shown[:, None]], 1)
    found = [both.clamp(min=1e-38).log_().mul_(both).sum(-1).neg()]  # 0·log 0 = 0; half the time of special.entr
    if m:
        union = torch.cat([ids[:m], largest[n:]], 1)
        found += [union, p[:m].gather(1, union), q.gather(1, union), overlap(p[:m], q), torch.linalg.vecdot(p[:m], q)]
    if m < n:
        found += [ids[m:], p[m:].gather(1, ids[m:])]
    if then is not None:
        values, ids = then.topk(top)
        found += [ids, values, then.gather(1, drawn[:, None])]
    return found


def host_look(p, q, ids: list[int], m: int, then, drawn: int) -> np.ndarray:
    """The numbers, side by side in float64, that `look` finds of the first n = len(ids) rows of p [·, V] and the first m of q [·, V] or None, arrays
    or tensors, and of `then` [V] or None: by one compiled call where that can be."""
    n, left_over, top = len(ids), then is not None, min(TOP, p.shape[-1])
    if rows := compiled_rows(p):
        numbers = np.empty(n + m + m * (6 * top + 5) + (n - m) * (2 * top + 2) + left_over * (2 * top + 1))
        rows.look(p, q, ids, m, then, drawn, top, numbers)
        return numbers
    p = torch.as_tensor(p)
    left = (torch.as_tensor(then, device=p.device)[None], torch.tensor([drawn], device=p.device)) if left_over else ()
    q = torch.as_tensor(q, device=p.device)[:m] if m else None
    return torch.cat(_flat(look(p[:n], q, torch.tensor(ids, device=p.device), *left))).numpy(force=True)


def shown(
    result: VerifyResult, rows: int, tested: int, replaced: bool, argmax: bool, vocabulary: int, text: Text
) -> tuple[list[Position], Residual | None]:
    """The first `rows` positions of a decided block, `tested` of them drafted, and the residual if the last of these was replaced
    from it. `argmax`: what was looked at as q is the draft's own softmax, and q is one-hot.

    Their numbers are found now. They become Python's when one of them is asked for: that takes longer, and of most runs nobody asks."""
    result = result.chain
    k, last = len(result.ids), result.last
    if result.best:
        seen = one_hot(result.best[:rows], result.ids[:tested], text)
        return seen, one_hot_residual(last, text) if replaced else None
    numbers: np.ndarray | Sequence[float]
    if result.p is not None:  # only the rows that are shown: here each of them costs
        ids, m = [*result.ids[:tested], last][:rows], 0 if result.q is None else tested
        numbers = host_look(result.p, result.q, ids, m, result.then if replaced else None, last)
        shape = rows, m, replaced, vocabulary
    else:
        numbers, shape = result.seen, (k + 1, k, True, vocabulary)
    mass = result.mass  # not of the result itself, which holds all of p and q

    def read() -> list:
        found = unpack(numbers.tolist() if isinstance(numbers, np.ndarray) else numbers, *shape)
        seen = positions(found, rows, tested, text, argmax)
        if not replaced:
            return seen
        beta = seen[-1].beta
        assert beta is not None  # what was replaced had been drafted
        return [*seen, residual(found, last, 1.0 - beta if mass is None else mass, text)]

    values = RoundValues(read)
    return [Position.later(values, i) for i in range(rows)], Residual.later(values, rows) if replaced else None


def pack(numbers, p, last, ids, q=None, then=None) -> tuple[torch.Tensor]:
    """`numbers` of a decision, float64, and after them those of a look at all of its K + 1 rows: one flat tensor, exact for ids.

    ids [K], `last` [1]: what was drafted, and drawn after it. No value is looked at on the way: it can be recorded."""
    found = look(p, q, torch.cat([ids, last]), then, last)
    return (torch.cat([numbers, *_flat(found)]),)


def _flat(found: list[torch.Tensor]) -> list[torch.Tensor]:
    return [x.double().flatten() for x in found]


def unpack(numbers: Sequence[float], n: int, m: int, left_over: bool, vocabulary: int) -> list[list]:
    """As lists, what a look at V = `vocabulary` found of n rows, m of them with a q, and of a residual: the numbers that `pack` put last."""
    top, read = min(TOP, vocabulary), 0

    def rows(n: int, width: int) -> list:
        nonlocal read
        start, read = read, read + n * width
        return [numbers[at : at + width] for at in range(start, read, width)]

    def ids(n: int, width: int) -> list[list]:
        return [[*map(int, row)] for row in rows(n, width)]

    found = rows(1, n + m)
    if m:
        found += [ids(m, 2 * top + 1), rows(m, 2 * top + 1), rows(m, 2 * top + 1), *rows(2, m)]
    if m < n:
        found += [ids(n - m, top + 1), rows(n - m, top + 1)]
    return [*found, ids(1, top), rows(1, top), rows(1, 1)] if left_over else found  # of a device empty if there was none


def positions(found: list[list], n: int, m: int, text: Text, argmax: bool = False) -> list[Position]:
    """The first n rows of what `look` found, m of them with a q: by then it is known which are shown. `argmax`: as in `shown`."""
    entropy, *found = found
    seen, token = [], text.token
    if m:
        unions, p_rows, s_rows, beta, product, *found = found
        s_entropy, top = entropy[-len(unions) :], len(unions[0]) // 2
        for i in range(m):
            rows = zip(unions[i], p_rows[i], s_rows[i], strict=True)
            pairs = {id: (a, b) for id, a, b in rows if a > 0 or b > 0}
            p_rest = max(0.0, 1.0 - sum([a for a, _ in pairs.values()]))
            s_rest = max(0.0, 1.0 - sum([b for _, b in pairs.values()]))
            overlap, dot = min(beta[i], 1.0), min(product[i], 1.0)
            if argmax:
                x, p_x = unions[i][top], p_rows[i][top]
                own = Own(tuple([b for _, b in pairs.values()]), s_rest, overlap, s_entropy[i])
                entries = tuple([Entry(token(id), a, float(id == x)) for id, (a, _) in pairs.items()])
                seen.append(Position(entries, p_rest, 0.0, p_x, entropy[i], 0.0, dot, p_x, own))
            else:
                entries = tuple([Entry(token(id), a, b) for id, (a, b) in pairs.items()])
                best = p_rows[i][top + 1]  # of the largest of q
                seen.append(Position(entries, p_rest, s_rest, overlap, entropy[i], s_entropy[i], dot, best))
    if m < n:
        [ids], [p_row] = found[:2]
        likely = {id: a for id, a in zip(ids, p_row, strict=True) if a > 0}
        entries = tuple([Entry(token(id), a, None) for id, a in likely.items()])
        seen.append(Position(entries, max(0.0, 1.0 - sum([e.p for e in entries])), None, None, entropy[m], None))
    return seen


def residual(found: list[list], drawn: int, mass: float, text: Text) -> Residual:
    """The residual of what `look` found, whose `mass` was 1 − β before normalising; `drawn` is among the entries."""
    [ids], [values], [[value]] = found[-3:]
    pairs = {id: a for id, a in zip(ids, values, strict=True) if a > 0}
    pairs.setdefault(drawn, value)
    entries = tuple([ResidualEntry(text.token(id), a) for id, a in pairs.items()])
    return Residual(entries, rest=max(0.0, 1.0 - sum([e.probability for e in entries])), mass=mass)


def one_hot(best: list[int], drafted: list[int], text: Text) -> list[Position]:
    """`positions` of greedy decoding: `best` [n] has all of p, and `drafted` [m] all of q where something was drafted."""
    found = []
    for i, y in enumerate(best):
        x = drafted[i] if i < len(drafted) else None
        if x is None:
            found.append(Position((Entry(text.token(y), 1.0, None),), 0.0, None, None, 0.0, None))
        elif x == y:
            found.append(Position((Entry(text.token(y), 1.0, 1.0),), 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0))
        else:
            both = Entry(text.token(y), 1.0, 0.0), Entry(text.token(x), 0.0, 1.0)
            found.append(Position(both, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    return found


def one_hot_residual(best: int, text: Text) -> Residual:
    """`residual` of greedy decoding: all of p is left."""
    return Residual((ResidualEntry(text.token(best), 1.0),), rest=0.0, mass=1.0)
