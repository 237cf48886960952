"""What a screen shows of rows of p and q, in one call after the clock has stopped: observe.py says which numbers, and reads them."""

import numpy as np

from .compiler import compiled, device_function, fast_sum
from .vector import largest, log


@fast_sum
def _entropy(p):
    so_far = np.float32(0.0)
    for j in range(len(p)):
        so_far -= p[j] * log(max(p[j], np.float32(1e-37)))  # 0·log 0 = 0
    return so_far


@fast_sum
def _overlap(p, q):
    so_far = np.float32(0.0)
    for j in range(len(p)):
        so_far += min(p[j], q[j])
    return so_far


@fast_sum
def _product(p, q):
    so_far = np.float32(0.0)
    for j in range(len(p)):
        so_far += p[j] * q[j]
    return so_far


@device_function
def _read(row, ids, n, values):
    for j in range(n):
        values[j] = row[int(ids[j])]


@compiled
def look(p, q, shown, then, drawn, top, numbers):
    """p [n, V], q [m, V], shown [n], `then` [1, V] or [0, V], whose `drawn` is shown too. `numbers`: those of observe.look, side by side."""
    n, m, wide = len(p), len(q), 2 * top + 1
    for i in range(n):
        numbers[i] = _entropy(p[i])
    for i in range(m):
        numbers[n + i] = _entropy(q[i])
    start = n + m
    for i in range(m):
        ids = numbers[start + i * wide : start + (i + 1) * wide]
        largest(p[i], ids, top)
        ids[top] = shown[i]
        largest(q[i], ids[top + 1 :], top)
        _read(p[i], ids, wide, numbers[start + (m + i) * wide :])
        _read(q[i], ids, wide, numbers[start + (2 * m + i) * wide :])
        numbers[start + 3 * m * wide + i] = _overlap(p[i], q[i])
        numbers[start + 3 * m * wide + m + i] = _product(p[i], q[i])
    start += 3 * m * wide + 2 * m
    for i in range(m, n):
        ids = numbers[start + (i - m) * (top + 1) :]
        largest(p[i], ids, top)
        ids[top] = shown[i]
        _read(p[i], ids, top + 1, numbers[start + (n - m + i - m) * (top + 1) :])
    start += 2 * (n - m) * (top + 1)
    for i in range(len(then)):
        ids = numbers[start:]
        largest(then[i], ids, top)
        _read(then[i], ids, top, numbers[start + top :])
        numbers[start + 2 * top] = then[i, drawn]
