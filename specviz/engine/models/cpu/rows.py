"""Rows of logits → probabilities → ids → a verdict, each one compiled call: what sampling.py and verify.py do by PyTorch.

After a pass, whose weights have gone through the caches, every operation's own code comes from far away, and that takes longer than its
numbers do: a decision by some thirty operations took a fifth of a pass.
"""

import numpy as np
import torch

from ....acceptance import accepts as _accepts
from .compiler import compiled, ordered, part
from .forward import exp
from .packed import largest, total

NO_Q = np.empty((0, 0), np.float32)
accepts = part(_accepts)


@part
def law(logits, temperature, p):
    """p [V] = softmax(logits/temperature); what is past the logits gets nothing."""
    known = min(len(logits), len(p))
    top = largest(logits, known)
    for j in range(known):
        p[j] = exp((logits[j] - top) / temperature)
    mass = total(p, known)
    for j in range(known):
        p[j] /= mass
    for j in range(known, len(p)):
        p[j] = np.float32(0.0)


@ordered
def drawn(p, u):
    """The first id whose cumulative probability exceeds u of all of it: sums in float64, from left to right. One with p = 0 is never it."""
    mass = 0.0
    for j in range(len(p)):
        mass += p[j]
    wanted, so_far = u * mass, 0.0
    for j in range(len(p)):
        so_far += p[j]
        if so_far > wanted:
            return j
    return len(p) - 1


@part
def best(logits, known):
    """The first of the largest."""
    top = largest(logits, known)
    for j in range(known):
        if logits[j] == top:
            return j
    return 0


@compiled
def _laws(logits, temperature, p):
    for i in range(len(p)):
        law(logits[i], temperature, p[i])


@compiled
def _draws(p, u, ids):
    for i in range(len(p)):
        ids[i] = drawn(p[i], u[i])


@compiled
def _bests(logits, ids):
    for i in range(len(ids)):
        ids[i] = best(logits[i], logits.shape[1])


@compiled
def _decide(logits, ids, q, u, temperature, theta, argmax, p, then, told):
    """p [k + 1, V], `then` [V], and told [2k + 2]: how many are accepted, the last token, p and q of each drafted."""
    k = len(ids)
    accepted = k
    for i in range(k + 1):
        law(logits[i], temperature, p[i])
    for i in range(k):
        told[2 + i] = p[i, ids[i]]
        told[2 + k + i] = 1.0 if argmax else q[i, ids[i]]
    for i in range(k):
        if not accepts(u[i], told[2 + i], theta * told[2 + k + i]):
            accepted = i
            break
    row, mass = p[accepted], np.float32(0.0)
    if accepted < k:  # acceptance.residual; by argmax q is one-hot
        for j in range(len(then)):
            q_j = np.float32(j == ids[accepted]) if argmax else q[accepted, j]
            then[j] = max(row[j] - q_j, np.float32(0.0))
        mass = total(then, len(then))
    for j in range(len(then)):
        then[j] = then[j] / mass if mass > 0 else row[j]
    told[0], told[1] = accepted, drawn(then, u[k])


def _array(x: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.numpy())


def softmax(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """Of logits [n, V], float32."""
    p = np.empty(logits.shape, np.float32)
    _laws(_array(logits), np.float32(temperature), p)
    return torch.from_numpy(p)


def draw(p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """As sampling.draw; p [n, V] in float32."""
    ids = np.empty(len(p), np.int64)
    _draws(_array(p), _array(u.double()), ids)
    return torch.from_numpy(ids)


def argmax(logits: torch.Tensor) -> list[int]:
    """Of each row of [n, V], float32: the first of the largest."""
    ids = np.empty(len(logits), np.int64)
    _bests(_array(logits), ids)
    return ids.tolist()


def decide(
    logits: torch.Tensor, ids: list[int], q: torch.Tensor | None, u: torch.Tensor, temperature: float, theta: float, argmax: bool
):
    """logits [k + 1, V], float32; of k drafted `ids` their q [k, V], whose largest they are if `argmax`; u [k + 1], float64.

    Returns how many are accepted, the last token, p and q of each drafted as [2k], p [k + 1, V], and the distribution [V] that the last
    token was drawn from; the last two as arrays: nobody may ask for them."""
    k, rows = len(ids), _array(logits)
    p, then, told = np.empty(rows.shape, np.float32), np.empty(rows.shape[1], np.float32), np.empty(2 * k + 2)
    drafted = np.array(ids, np.int64)
    _decide(rows, drafted, NO_Q if q is None else _array(q), _array(u), np.float32(temperature), theta, argmax, p, then, told)
    accepted, last, *chances = told.tolist()
    return int(accepted), int(last), chances, p, then
