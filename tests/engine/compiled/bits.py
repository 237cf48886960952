"""Whether compiled code gives the same bits wherever in memory its numbers lie. Also run as code for other processors (test_compiler.py).

A compiler makes several forms of one loop: lanes, left-over numbers, arrays that may overlap. Once each form summed in another order, and
on a Zen 5 each rounded other products: a run could differ from itself in a last bit.
"""

import numpy as np

from specviz.engine.compiled import verdict

LENGTHS = (1, 2, 3, 5, 7, 8, 13, 15, 17, 31, 33, 203)
GAPS = (0, 1, 4, 64, 1000)  # numbers between what is read and what is written
TEMPERATURE = np.float32(0.7)


def differing(v: int) -> int:
    """For how many of 40 seeds a softmax, a decision or what it draws from depends on where rows of v numbers lie."""
    return sum(len({_decided(v, seed, gap) for gap in GAPS}) > 1 for seed in range(40))


def _decided(v: int, seed: int, gap: int) -> bytes:
    chance = np.random.default_rng(seed)
    q, ids, u = np.empty((1, v), np.float32), np.array([seed % v]), chance.random(2)
    verdict.softmax_rows(3 * chance.standard_normal((1, v), np.float32), TEMPERATURE, q)
    room = np.empty(8 * v + 3 * gap, np.float32)
    logits, p, then = (room[at : at + n * v] for at, n in ((0, 2), (2 * v + gap, 2), (4 * v + 2 * gap, 1)))
    logits[:] = 3 * chance.standard_normal(2 * v, np.float32)
    verdict.softmax_rows(logits.reshape(2, v), TEMPERATURE, p.reshape(2, v))
    softmax, numbers = p.tobytes(), np.empty(4)
    verdict.decide(logits.reshape(2, v), ids, q, u, TEMPERATURE, 1.0, False, p.reshape(2, v), then, numbers)
    return softmax + p.tobytes() + then.tobytes() + numbers.tobytes()
