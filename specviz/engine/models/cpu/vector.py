"""What is worked out of one row of numbers. Sums run over the row in one order, whatever stands beside it."""

import numpy as np

from .compiler import ordered, part, spliced


@part
def largest(x, n):
    """Of the first n numbers: four at a time, since each comparison waits for the one before."""
    a = b = c = d = x[0]
    for j in range(n // 4):
        a, b, c, d = max(a, x[4 * j]), max(b, x[4 * j + 1]), max(c, x[4 * j + 2]), max(d, x[4 * j + 3])
    for j in range(n - n % 4, n):
        a = max(a, x[j])
    return max(max(a, b), max(c, d))


@part
def total(x, n):
    """Of the first n numbers. A loop that also wrote to another array would be compiled twice, for arrays that lie apart and for those that
    may not, each with its own order of sums: the bits would depend on where in memory they lie."""
    so_far = np.float32(0.0)
    for j in range(n):
        so_far += x[j]
    return so_far


@part
def exp(x):
    """e^x of x ≤ 0, to 2 units in the last place: 2^n·e^r with |r| ≤ ln 2 / 2, e^r by its polynomial (Cephes, expf). Unlike the library's,
    sixteen at a time."""
    small = x < np.float32(-80.0)  # its products would leave the normal numbers, which takes a processor a hundred times as long
    x = max(x, np.float32(-80.0))
    n = np.int32(x * np.float32(1.44269504) - np.float32(0.5))
    r = (x - np.float32(n) * np.float32(0.693359375)) + np.float32(n) * np.float32(2.12194440e-4)
    y = np.float32(1.9875691500e-4)
    y = y * r + np.float32(1.3981999507e-3)
    y = y * r + np.float32(8.3334519073e-3)
    y = y * r + np.float32(4.1665795894e-2)
    y = y * r + np.float32(1.6666665459e-1)
    y = y * r + np.float32(5.0000001201e-1)
    y = y * r * r + r + np.float32(1.0)
    y *= np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)
    return np.float32(0.0) if small else y


@part
def norm(x, weight, eps, y, on):
    """y, from place `on`, = x/√(mean x² + ε)·weight, over as many numbers as there are weights."""
    size = len(weight)
    squares = np.float32(0.0)
    for k in range(size):
        squares += x[k] * x[k]
    scale = np.float32(1.0) / np.sqrt(squares / np.float32(size) + eps)
    for k in range(size):
        y[on + k] = x[k] * scale * weight[k]


@spliced
def rotate(head, turn):
    """Rotate a head's pairs [size] by `turn` [2, size/2], cosines and sines."""
    for i in range(turn.shape[1]):
        a, b = head[2 * i], head[2 * i + 1]
        head[2 * i] = a * turn[0, i] - b * turn[1, i]
        head[2 * i + 1] = a * turn[1, i] + b * turn[0, i]


@spliced
def softmax(scores, scale, seen, end):
    """Of the first `seen` scores times `scale`; what is not seen, up to `end`, gets nothing."""
    top, total = largest(scores, seen), np.float32(0.0)
    for j in range(seen):
        scores[j] = exp((scores[j] - top) * scale)
        total += scores[j]
    part = np.float32(1.0) / total
    for j in range(seen):
        scores[j] *= part
    for j in range(seen, end):
        scores[j] = np.float32(0.0)


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
def best(logits):
    """The first of the largest."""
    top = largest(logits, len(logits))
    for j in range(len(logits)):
        if logits[j] == top:
            return j
    return 0
