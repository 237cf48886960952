"""Rows of logits → probabilities → ids → a verdict, each one compiled call: what sampling.py and verify.py do by PyTorch.

After a pass, whose weights have gone through the caches, every operation's own code comes from far away, and that takes longer than its
numbers do: a decision by some thirty operations took a fifth of a pass.
"""

import numpy as np
import torch

from . import verdict

NO_Q = np.empty((0, 0), np.float32)


def _array(x: torch.Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.numpy())


def softmax(logits: torch.Tensor, temperature: float) -> torch.Tensor:
    """Of logits [n, V], float32."""
    p = np.empty(logits.shape, np.float32)
    verdict.laws(_array(logits), np.float32(temperature), p)
    return torch.from_numpy(p)


def draw(p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """As sampling.draw; p [n, V] in float32."""
    ids = np.empty(len(p), np.int64)
    verdict.draws(_array(p), _array(u.double()), ids)
    return torch.from_numpy(ids)


def argmax(logits: torch.Tensor) -> list[int]:
    """Of each row of [n, V], float32: the first of the largest."""
    ids = np.empty(len(logits), np.int64)
    verdict.bests(_array(logits), ids)
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
    verdict.decide(
        rows, drafted, NO_Q if q is None else _array(q), _array(u), np.float32(temperature), theta, argmax, p, then, told
    )
    accepted, last, *chances = told.tolist()
    return int(accepted), int(last), chances, p, then
