"""Rows of logits → probabilities → ids → a verdict: the rule itself is acceptance.py's."""

import numpy as np

from ...acceptance import accepts as _accepts
from .compiler import compiled, device_function
from .vector import argmax, sample, softmax_at_temperature, sum_all

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
