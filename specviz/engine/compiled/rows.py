"""Rows of logits → probabilities → ids → a verdict, each one compiled call: what sampling.py and verify.py do step by step.

After a pass, whose weights have gone through the caches, every operation's own code comes from far away, and that takes longer than its
numbers do: a decision by some thirty operations took a fifth of a pass.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np

from . import verdict


def same_types(function: Callable) -> Callable:
    """A compiled `function` for calls whose arguments all have the types of the first call. numba looks up the type of every
    argument in each call, also of those inside tuples: after a pass, when that comes from far away, this takes as long as a small
    product."""
    compiled_call: Callable | None = None

    @wraps(function)
    def checked_call(*args):
        nonlocal compiled_call
        if compiled_call is not None:
            return compiled_call(*args)
        result = function(*args)
        overload = function.overloads.get(tuple(map(function.typeof_pyval, args)))  # type: ignore[attr-defined]
        compiled_call = overload.entry_point if overload else function
        return result

    return checked_call


NO_Q = np.empty((0, 0), np.float32)
_softmax_rows, _sample_rows, _argmax_rows, _decide = map(
    same_types, (verdict.softmax_rows, verdict.sample_rows, verdict.argmax_rows, verdict.decide)
)
_top_k_rows, _sample_without_replacement, _top_entries = map(
    same_types, (verdict.top_k_rows, verdict.sample_without_replacement, verdict.top_entries)
)


def _array(x: np.ndarray, dtype: type = np.float32) -> np.ndarray:
    return np.ascontiguousarray(x, dtype)


def softmax(logits: np.ndarray, temperature: float) -> np.ndarray:
    """Of logits [n, V], float32."""
    p = np.empty(logits.shape, np.float32)
    _softmax_rows(_array(logits), np.float32(temperature), p)
    return p


def draw(p: np.ndarray, u: np.ndarray) -> np.ndarray:
    """As sampling.draw; p [n, V] in float32."""
    ids = np.empty(len(p), np.int64)
    _sample_rows(_array(p), _array(u, np.float64), ids)
    return ids


def argmax(logits: np.ndarray) -> np.ndarray:
    """Ids [n] of the largest of each row of [n, V], float32, of equals the first."""
    ids = np.empty(len(logits), np.int64)
    _argmax_rows(_array(logits), ids)
    return ids


def top_k(x: np.ndarray, k: int) -> tuple[list[list[int]], list[list[float]]]:
    """The ids [n, most] of the largest of each row of [n, V], float32, in their order, of equals the first; and their values."""
    ids = np.empty((len(x), min(k, x.shape[1])), np.int64)
    values = np.empty_like(ids, np.float32)
    _top_k_rows(_array(x), ids, values)
    return ids.tolist(), values.tolist()


def sample_without_replacement(q: np.ndarray, width: int, u: np.ndarray) -> tuple[list[list[int]], np.ndarray]:
    """Up to `width` children of each row of q [n, V], child m of all drawn with u[m]: ids by row, and [·, V] what each was drawn from."""
    limit = len(q) * width
    ids, counts = np.empty(limit, np.int64), np.zeros(len(q), np.int64)
    remainders = np.empty((limit + 1, q.shape[1]), np.float32)  # one more: where a row has no more children, the next is begun
    _sample_without_replacement(_array(q), width, _array(u, np.float64), ids, remainders, counts)
    ends = counts.cumsum().tolist()
    children = ids.tolist()
    return [children[end - n : end] for end, n in zip(ends, counts.tolist(), strict=True)], remainders[: ends[-1]]


def decide(logits, ids: list[int], q, u, temperature: float, theta: float, argmax: bool):
    """logits [k + 1, V], float32; of k drafted `ids` their q [k, V] or None, whose largest they are if `argmax`; u [k + 1], float64.

    Returns how many are accepted, the last token, p and q of each drafted, p [k + 1, V], and the distribution [V] that the last token was
    drawn from."""
    k, rows = len(ids), _array(logits)
    p, next_distribution, numbers = np.empty(rows.shape, np.float32), np.empty(rows.shape[1], np.float32), np.empty(2 * k + 2)
    drafted = np.array(ids, np.int64)
    _decide(
        rows,
        drafted,
        NO_Q if q is None else _array(q),
        _array(u, np.float64),
        np.float32(temperature),
        theta,
        argmax,
        p,
        next_distribution,
        numbers,
    )
    accepted, last, *chances = numbers.tolist()
    return int(accepted), int(last), chances[:k], chances[k:], p, next_distribution


def top_entries(p, q, shown_ids: list[int], m: int, next_distribution, drawn_id: int, top: int, numbers: np.ndarray) -> None:
    """Into `numbers`, float64, what events.host_top_entries finds of the first len(shown_ids) rows of p [·, V], of m rows of q
    [·, V] or None, and of `next_distribution` [V] or None."""
    q, left = _array(q)[:m] if m else NO_Q, NO_Q if next_distribution is None else _array(next_distribution)[None]
    _top_entries(_array(p), q, np.array(shown_ids, np.int64), left, drawn_id, top, numbers)


def self_test() -> str:
    """What these functions compute wrongly here, compared with numpy; empty if nothing. A compiler may not know this processor."""
    try:
        logits = np.random.RandomState(0).normal(0.0, 3.0, (5, 40)).astype(np.float32)
        parts, u = np.exp(logits.astype(np.float64)), np.full(len(logits), 0.5)
        p, best = parts / parts.sum(-1, keepdims=True), logits.argmax(-1).tolist()
        ours, cumulative = softmax(logits, 1.0), p.cumsum(-1)
        accepted, *_ = decide(logits, best[:-1], ours[:-1], u, 1.0, 1.0, False)
        agreements = {
            "a softmax": np.allclose(ours, p, atol=1e-5),
            "a largest": argmax(logits).tolist() == best,
            "a draw": np.array_equal(draw(p, u), (cumulative <= 0.5 * cumulative[:, -1:]).sum(-1)),
            "a decision": accepted == len(best) - 1,
        }
    except Exception as error:  # a compiler that does not fit on this machine
        return f"compiled rows fail: {' '.join(str(error).split())[:200] or type(error).__name__}"
    wrong = [what for what, fits in agreements.items() if not fits]
    return f"{wrong[0]} is not what numpy gives" if wrong else ""
