"""What is computed from one row of numbers, with the same bits wherever the row lies in memory, and on every processor.

Each product and each sum is rounded by itself, and a row is summed in sixteen lanes, whatever registers there are. So a browser draws
the token that a server draws with the same seed.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compiler import device_function, inline
from .registers import LANES

PART, SPAN = 16, 256  # numbers of a row that are looked at together


def _reduction(start: float, take, join):
    """What `join` makes, of `start` and the first n numbers of x, each as `take` gives it. Number j is joined in lane j % 16,
    then half of the lanes to the other half; what is past the last whole 16 comes one by one."""

    @intrinsic
    def reduction(typing, x, n):
        assert x.layout == "C"
        return types.float32(x, types.int64), run

    def run(context, b, signature, args):
        first, n = context.make_array(signature.args[0])(context, b, args[0]).data, args[1]
        kind = ir.VectorType(ir.FloatType(), LANES)
        whole = b.and_(n, n.type(-LANES))
        lanes = cgutils.alloca_once_value(b, ir.Constant(kind, [start] * LANES))

        def add(so_far, at):
            value = b.load(b.bitcast(b.gep(first, [at]), so_far.type), align=4)
            b.store(join(b, b.load(so_far), take(b, value)), so_far)

        with cgutils.for_range_slice(b, n.type(0), whole, n.type(LANES)) as (at, _):
            add(lanes, at)
        halves_joined = b.load(lanes)
        for half in (8, 4, 2, 1):
            parts = (ir.Constant(ir.VectorType(ir.IntType(32), half), [*range(i, i + half)]) for i in (0, half))
            halves_joined = join(b, *(b.shuffle_vector(halves_joined, halves_joined, part) for part in parts))
        total = cgutils.alloca_once_value(b, b.extract_element(halves_joined, ir.IntType(32)(0)))
        with cgutils.for_range_slice(b, whole, n, n.type(1)) as (at, _):
            add(total, at)
        return b.load(total)

    return reduction


def _identity(b, value):
    return value


def _square(b, value):
    return b.fmul(value, value)


def _add(b, x, y):
    return b.fadd(x, y)


def _maximum(b, x, y):
    return b.select(b.fcmp_ordered(">", y, x), y, x)


sum_all, sum_squares = _reduction(0.0, _identity, _add), _reduction(0.0, _square, _add)
maximum = _reduction(float("-inf"), _identity, _maximum)


@device_function
def exp(x):
    """e^x of x ≤ 0, to 2 units in the last place: 2^n·e^r with |r| ≤ ln 2 / 2, e^r by its polynomial (Cephes, expf). Unlike the library's,
    sixteen at a time."""
    small = x < np.float32(-80.0)  # its products would leave the normal numbers, which takes a processor a hundred times as long
    x = max(x, np.float32(-80.0))
    n = np.int32(x * np.float32(1.44269504) - np.float32(0.5))
    r = np.float32(n) * np.float32(2.12194440e-4) + (x - np.float32(n) * np.float32(0.693359375))
    y = np.float32(1.9875691500e-4) * r + np.float32(1.3981999507e-3)
    y = y * r + np.float32(8.3334519073e-3)
    y = y * r + np.float32(4.1665795894e-2)
    y = y * r + np.float32(1.6666665459e-1)
    y = y * r + np.float32(5.0000001201e-1)
    y = (y * r * r + r) + np.float32(1.0)
    y *= np.int32((n + np.int32(127)) << np.int32(23)).view(np.float32)
    return np.float32(0.0) if small else y


@device_function
def norm(x, weight, eps, y, offset):
    """y, from column `offset`, = x/√(mean x² + ε)·weight, over as many numbers as there are weights."""
    size = len(weight)
    scale = np.float32(1.0) / np.sqrt(sum_squares(x, size) / np.float32(size) + eps)
    for k in range(size):
        y[offset + k] = x[k] * scale * weight[k]


@inline
def rotate(head, cos_sin):
    """Rotate a head's pairs [size] by `cos_sin` [2, size/2], cosines and sines."""
    for i in range(cos_sin.shape[1]):
        a, b = head[2 * i], head[2 * i + 1]
        head[2 * i] = a * cos_sin[0, i] - b * cos_sin[1, i]
        head[2 * i + 1] = b * cos_sin[0, i] + a * cos_sin[1, i]


@inline
def softmax(scores, scale, visible, end):
    """Of the first `visible` scores times `scale`; what is not visible, up to `end`, gets nothing."""
    top = maximum(scores, visible)
    for j in range(visible):
        scores[j] = exp((scores[j] - top) * scale)
    part = np.float32(1.0) / sum_all(scores, visible)
    for j in range(visible):
        scores[j] *= part
    for j in range(visible, end):
        scores[j] = np.float32(0.0)


@inline
def softmax_path(scores, scale, settled, path, end):
    """Of the first `settled` scores and, counted from there, those of an ascending `path`; what is not seen, up to `end`, gets nothing. As
    `softmax` of a chain, to the bit: what is seen is moved together first, and back."""
    for j in range(len(path)):
        scores[settled + j] = scores[settled + path[j]]
    softmax(scores, scale, settled + len(path), end)
    for j in range(len(path) - 1, -1, -1):
        part = scores[settled + j]
        scores[settled + j] = np.float32(0.0)
        scores[settled + path[j]] = part


@device_function
def softmax_at_temperature(logits, temperature, p):
    """p [V] = softmax(logits/temperature); what is past the logits gets nothing."""
    count = min(len(logits), len(p))
    top, scale = maximum(logits, count), np.float32(1.0) / temperature
    for j in range(count):
        p[j] = exp((logits[j] - top) * scale)
    part = np.float32(1.0) / sum_all(p, count)
    for j in range(count):
        p[j] *= part
    for j in range(count, len(p)):
        p[j] = np.float32(0.0)


@device_function
def sample(p, u):
    """The first id whose cumulative probability exceeds u of all of it: sums in float64, from left to right. One with p = 0 is never it."""
    mass = 0.0
    for j in range(len(p)):
        mass += p[j]
    threshold, so_far = u * mass, 0.0
    for j in range(len(p)):
        so_far += p[j]
        if so_far > threshold:
            return j
    return len(p) - 1


@device_function
def argmax(logits):
    """The first of the largest: in the first part that holds one."""
    top, first = logits[0], 0
    for start in range(0, len(logits), SPAN):
        part_top = maximum(logits[start:], min(SPAN, len(logits) - start))
        if part_top > top:
            top, first = part_top, start
    for j in range(first, len(logits)):
        if logits[j] == top:
            return j
    return 0


@device_function
def top_k(row, ids, k):
    """The ids of the largest `k` of a row, in their order; of equals the first. What holds none of them is passed over, many
    parts or one at a time."""
    count, smallest = 0, row[0]
    for span in range(0, len(row), SPAN):
        edge = min(span + SPAN, len(row))
        if count == k and maximum(row[span:], edge - span) <= smallest:
            continue
        for start in range(span, edge, PART):
            end = min(start + PART, edge)
            if count == k and maximum(row[start:], end - start) <= smallest:
                continue
            for j in range(start, end):
                if count < k or row[j] > smallest:
                    place = min(count, k - 1)
                    while place > 0 and row[j] > row[int(ids[place - 1])]:
                        ids[place] = ids[place - 1]
                        place -= 1
                    ids[place] = j
                    count = min(count + 1, k)
                    smallest = row[int(ids[count - 1])]
