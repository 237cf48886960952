"""Distributions of one round → the plain values of its event, outside the round's timed part.

In two steps: a look finds all numbers where the distributions are, `positions_from` and `residual_from` read them. While a block is on a device
nobody knows which rows will be shown: there all are looked at, and the numbers leave in the verdict's transfer (tensors.pack, `unpack`).
"""

from collections.abc import Sequence

import numpy as np

from ..trace.events import TOP, Entry, Own, Position, Residual, ResidualEntry, RoundValues
from .result import VerifyResult
from .sampling import compiled_rows
from .text import Text


def host_top_entries(p, q, ids: list[int], m: int, next_distribution, last: int) -> np.ndarray:
    """The numbers, side by side in float64, that tensors.top_entries finds of the first n = len(ids) rows of p [·, V] and the first m of q [·, V]
    or None, and of `next_distribution` [V] or None: by one compiled call where that can be."""
    n, has_residual, top = len(ids), next_distribution is not None, min(TOP, p.shape[-1])
    if rows := compiled_rows(p):
        numbers = np.empty(n + m + m * (6 * top + 5) + (n - m) * (2 * top + 2) + has_residual * (2 * top + 1))
        rows.top_entries(p, q, ids, m, next_distribution, last, top, numbers)
        return numbers
    from . import tensors  # they are on a device, or there is no compiler

    return tensors.top_entries_now(p[:n], q[:m] if m else None, ids, next_distribution, last)


def make_positions(
    result: VerifyResult, rows: int, tested: int, from_residual: bool, argmax: bool, vocabulary: int, text: Text
) -> tuple[list[Position], Residual | None]:
    """The first `rows` positions of a decided block, `tested` of them drafted, and the residual if the last of these was replaced
    from it. `argmax`: what was looked at as q is the draft's own softmax, and q is one-hot.

    Their numbers are found now. They become Python's when one of them is asked for: that takes longer, and of most runs nobody asks."""
    entropies: list[float] = []
    if result.logits is not None:
        entropies = logits_entropy(result.logits[[*map(result.row, result.tested), result.last_row][:rows]])
    result = result.as_chain
    k, last = len(result.ids), result.last
    if result.best:
        positions = one_hot_positions(result.best[:rows], result.ids[:tested], text, entropies)
        return positions, one_hot_residual(last, text) if from_residual else None
    numbers: np.ndarray | Sequence[float]
    if result.p is not None:  # only the rows that are shown: here each of them costs
        ids, m = [*result.ids[:tested], last][:rows], 0 if result.q is None else tested
        numbers = host_top_entries(result.p, result.q, ids, m, result.next_distribution if from_residual else None, last)
        shape = rows, m, from_residual, vocabulary
    else:
        numbers, shape = result.device_numbers, (k + 1, k, True, vocabulary)
    mass = result.mass  # not of the result itself, which holds all of p and q

    def read() -> list:
        parts = unpack(numbers.tolist() if isinstance(numbers, np.ndarray) else numbers, *shape)
        positions = positions_from(parts, rows, tested, text, argmax)
        if not from_residual:
            return positions
        beta = positions[-1].beta
        assert beta is not None  # what was replaced had been drafted
        return [*positions, residual_from(parts, last, 1.0 - beta if mass is None else mass, text)]

    values = RoundValues(read)
    return [Position.later(values, i) for i in range(rows)], Residual.later(values, rows) if from_residual else None


def unpack(numbers: Sequence[float], n: int, m: int, has_residual: bool, vocabulary: int) -> list[list]:
    """As lists, what a look at V = `vocabulary` found of n rows, m of them with a q, and of a residual: the numbers that `pack` put last."""
    top, read = min(TOP, vocabulary), 0

    def rows(n: int, width: int) -> list:
        nonlocal read
        start, read = read, read + n * width
        return [numbers[at : at + width] for at in range(start, read, width)]

    def ids(n: int, width: int) -> list[list]:
        return [[*map(int, row)] for row in rows(n, width)]

    parts = rows(1, n + m)
    if m:
        parts += [ids(m, 2 * top + 1), rows(m, 2 * top + 1), rows(m, 2 * top + 1), *rows(2, m)]
    if m < n:
        parts += [ids(n - m, top + 1), rows(n - m, top + 1)]
    return [*parts, ids(1, top), rows(1, top), rows(1, 1)] if has_residual else parts  # of a device empty if there was none


def positions_from(parts: list[list], n: int, m: int, text: Text, argmax: bool = False) -> list[Position]:
    """The first n rows of what a look found, m of them with a q: by then it is known which are shown. `argmax`: as in `make_positions`."""
    entropy, *parts = parts
    positions, token = [], text.token
    if m:
        unions, p_rows, s_rows, beta, product, *parts = parts
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
                positions.append(Position(entries, p_rest, 0.0, p_x, entropy[i], 0.0, dot, p_x, own))
            else:
                entries = tuple([Entry(token(id), a, b) for id, (a, b) in pairs.items()])
                best = p_rows[i][top + 1]  # of the largest of q
                positions.append(Position(entries, p_rest, s_rest, overlap, entropy[i], s_entropy[i], dot, best))
    if m < n:
        [ids], [p_row] = parts[:2]
        likely = {id: a for id, a in zip(ids, p_row, strict=True) if a > 0}
        entries = tuple([Entry(token(id), a, None) for id, a in likely.items()])
        positions.append(Position(entries, max(0.0, 1.0 - sum([e.p for e in entries])), None, None, entropy[m], None))
    return positions


def residual_from(parts: list[list], last: int, mass: float, text: Text) -> Residual:
    """The residual of what a look found, whose `mass` was 1 − β before normalising; `last` is among the entries."""
    [ids], [values], [[value]] = parts[-3:]
    pairs = {id: a for id, a in zip(ids, values, strict=True) if a > 0}
    pairs.setdefault(last, value)
    entries = tuple([ResidualEntry(text.token(id), a) for id, a in pairs.items()])
    return Residual(entries, rest=max(0.0, 1.0 - sum([e.probability for e in entries])), mass=mass)


def logits_entropy(logits: np.ndarray) -> list[float]:
    """Of the softmax of each row of [n, V], in nats."""
    below = np.maximum(logits - logits.max(-1, keepdims=True), np.float32(-80.0))  # e^−80 adds nothing, and −∞ would add 0 · ∞
    parts = np.exp(below)
    whole = parts.sum(-1)
    return (np.log(whole) - (parts * below).sum(-1) / whole).tolist()


def one_hot_positions(best: list[int], drafted: list[int], text: Text, entropies: Sequence[float] = ()) -> list[Position]:
    """`positions_from` of greedy decoding: `best` [n] has all of p, and `drafted` [m] all of q where something was drafted. `entropies` [n]: entropies of
    the logits' softmax, if they are known."""
    positions = []
    for i, y in enumerate(best):
        x, entropy = drafted[i] if i < len(drafted) else None, entropies[i] if entropies else None
        if x is None:
            positions.append(Position((Entry(text.token(y), 1.0, None),), 0.0, None, None, 0.0, None, logits_entropy=entropy))
        elif x == y:
            same = (Entry(text.token(y), 1.0, 1.0),)
            positions.append(Position(same, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, logits_entropy=entropy))
        else:
            both = Entry(text.token(y), 1.0, 0.0), Entry(text.token(x), 0.0, 1.0)
            positions.append(Position(both, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, logits_entropy=entropy))
    return positions


def one_hot_residual(best: int, text: Text) -> Residual:
    """`residual_from` of greedy decoding: all of p is left."""
    return Residual((ResidualEntry(text.token(best), 1.0),), rest=0.0, mass=1.0)
