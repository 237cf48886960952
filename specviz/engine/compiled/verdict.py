"""Rows of logits → probabilities → ids → a verdict: the rule itself is acceptance.py's."""

import numpy as np

from ...acceptance import accepts as _accepts
from .compiler import compiled, device_function
from .vector import argmax, sample, softmax_at, sum_all

accepts = device_function(_accepts)


@compiled
def softmaxes(logits, temperature, p):
    for i in range(len(p)):
        softmax_at(logits[i], temperature, p[i])


@compiled
def samples(p, u, ids):
    for i in range(len(p)):
        ids[i] = sample(p[i], u[i])


@compiled
def argmaxes(logits, ids):
    for i in range(len(ids)):
        ids[i] = argmax(logits[i])


@compiled
def decide(logits, ids, q, u, temperature, theta, argmax, p, then, told):
    """p [k + 1, V], `then` [V], and told [2k + 2]: how many are accepted, the last token, p and q of each drafted."""
    k = len(ids)
    accepted = k
    for i in range(k + 1):
        softmax_at(logits[i], temperature, p[i])
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
        mass = sum_all(then, len(then))
    for j in range(len(then)):
        then[j] = then[j] / mass if mass > 0 else row[j]
    told[0], told[1] = accepted, sample(then, u[k])
