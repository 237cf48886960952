"""What is compiled of rows of logits → probabilities → ids → a verdict, and of what a screen shows of them. Called through
rows.py. The rule itself is acceptance.py's; events.py says which numbers are shown, and reads them."""

import numpy as np

from ...acceptance import accepts as _accepts
from .compiler import compiled, device_function, fast_sum
from .vector import argmax, sample, softmax_at_temperature, sum_all, top_k

accepts = device_function(_accepts)


@compiled
def softmax_rows(logits, temperature, p):
    for i in range(len(p)):
        softmax_at_temperature(logits[i], temperature, p[i])


@compiled
def sample_rows(p, u, ids):
    for i in range(len(p)):
        ids[i] = sample(p[i], u[i])


@compiled
def argmax_rows(logits, ids):
    for i in range(len(ids)):
        ids[i] = argmax(logits[i])


@compiled
def decide(logits, ids, q, u, temperature, theta, argmax, p, next_distribution, numbers):
    """p [k + 1, V], `next_distribution` [V], and `numbers` [2k + 2]: how many are accepted, the last token, p and q of each drafted."""
    k = len(ids)
    accepted = k
    for i in range(k + 1):
        softmax_at_temperature(logits[i], temperature, p[i])
    for i in range(k):
        numbers[2 + i] = p[i, ids[i]]
        numbers[2 + k + i] = 1.0 if argmax else q[i, ids[i]]
    for i in range(k):
        if not accepts(u[i], numbers[2 + i], theta * numbers[2 + k + i]):
            accepted = i
            break
    row, mass = p[accepted], np.float32(0.0)
    if accepted < k:  # acceptance.residual; by argmax q is one-hot
        for j in range(len(next_distribution)):
            q_j = np.float32(j == ids[accepted]) if argmax else q[accepted, j]
            next_distribution[j] = max(row[j] - q_j, np.float32(0.0))
        mass = sum_all(next_distribution, len(next_distribution))
    for j in range(len(next_distribution)):
        next_distribution[j] = next_distribution[j] / mass if mass > 0 else row[j]
    numbers[0], numbers[1] = accepted, sample(next_distribution, u[k])


@compiled
def top_k_rows(rows, ids, values):
    """ids [n, m] and `values` [n, m]: the largest m of each row [n, V], in their order; of equals the first."""
    for i in range(len(rows)):
        top_k(rows[i], ids[i], ids.shape[1])
        for j in range(ids.shape[1]):
            values[i, j] = rows[i, ids[i, j]]


@compiled
def sample_without_replacement(q, width, u, ids, remainders, counts):
    """`width` children of each row of q [n, V], or as many as have a chance: `counts` [n]. Child m of all, with u[m], is ids[m]
    and was drawn from remainders[m] [V], which is its row without the children before it, scaled to 1."""
    m = 0
    for i in range(len(q)):
        for rank in range(width):
            row = remainders[m]
            for j in range(len(row)):
                row[j] = q[i, j] if rank == 0 else remainders[m - 1, j]
            if rank:
                row[ids[m - 1]] = np.float32(0.0)
                mass = sum_all(row, len(row))
                if mass <= 0:
                    break
                for j in range(len(row)):
                    row[j] = row[j] / mass
            ids[m] = sample(row, u[m])
            counts[i] += 1
            m += 1


@fast_sum
def _log(x):
    """The natural logarithm of a normal x > 0, to 2 units in the last place: x = 2^n·(1 + r) with 1 + r from √½ to √2, and its polynomial
    (Cephes, logf). As `exp` of vector.py, many at a time."""
    bits = np.float32(x).view(np.int32)
    n = np.int32(bits >> np.int32(23)) - np.int32(127)
    part = np.int32((bits & np.int32(0x7FFFFF)) | np.int32(0x3F800000)).view(np.float32)
    high = part > np.float32(1.41421356)
    r = (part * np.float32(0.5) if high else part) - np.float32(1.0)
    whole = np.float32(n + np.int32(1)) if high else np.float32(n)
    y = np.float32(7.0376836292e-2) * r + np.float32(-1.1514610310e-1)
    y = y * r + np.float32(1.1676998740e-1)
    y = y * r + np.float32(-1.2420140846e-1)
    y = y * r + np.float32(1.4249322787e-1)
    y = y * r + np.float32(-1.6668057665e-1)
    y = y * r + np.float32(2.0000714765e-1)
    y = y * r + np.float32(-2.4999993993e-1)
    y = y * r + np.float32(3.3333331174e-1)
    y = whole * np.float32(-2.12194440e-4) + y * r * (r * r)
    return whole * np.float32(0.693359375) + (r + (np.float32(-0.5) * (r * r) + y))


@fast_sum
def _entropy(p):
    so_far = np.float32(0.0)
    for j in range(len(p)):
        so_far -= p[j] * _log(max(p[j], np.float32(1e-37)))  # 0·log 0 = 0
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
def _copy_values(row, ids, n, values):
    for j in range(n):
        values[j] = row[int(ids[j])]


@compiled
def top_entries(p, q, shown_ids, next_distribution, drawn_id, top, numbers):
    """p [·, V], whose first n rows are looked at, q [m, V], `shown_ids` [n], `next_distribution` [1, V] or [0, V], whose
    `drawn_id` is shown too. `numbers`: those of tensors.top_entries, side by side."""
    n, m, width = len(shown_ids), len(q), 2 * top + 1
    start = n + m
    for i in range(m):
        numbers[i], numbers[n + i] = _entropy(p[i]), _entropy(q[i])
        ids = numbers[start + i * width : start + (i + 1) * width]
        top_k(p[i], ids, top)
        ids[top] = shown_ids[i]
        top_k(q[i], ids[top + 1 :], top)
        _copy_values(p[i], ids, width, numbers[start + (m + i) * width :])
        _copy_values(q[i], ids, width, numbers[start + (2 * m + i) * width :])
        numbers[start + 3 * m * width + i] = _overlap(p[i], q[i])
        numbers[start + 3 * m * width + m + i] = _product(p[i], q[i])
    start += 3 * m * width + 2 * m
    for i in range(m, n):
        numbers[i] = _entropy(p[i])
        ids = numbers[start + (i - m) * (top + 1) :]
        top_k(p[i], ids, top)
        ids[top] = shown_ids[i]
        _copy_values(p[i], ids, top + 1, numbers[start + (n - m + i - m) * (top + 1) :])
    start += 2 * (n - m) * (top + 1)
    for i in range(len(next_distribution)):
        ids = numbers[start:]
        top_k(next_distribution[i], ids, top)
        _copy_values(next_distribution[i], ids, top, numbers[start + top :])
        numbers[start + 2 * top] = next_distribution[i, drawn_id]
