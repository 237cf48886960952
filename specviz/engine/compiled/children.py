"""What may follow each token of a level, in one call: the likeliest, or draws without replacement."""

import numpy as np

from .compiler import compiled
from .vector import largest, sample, sum_all


@compiled
def likeliest(rows, ids, values):
    """ids [n, m] and `values` [n, m]: the largest m of each row [n, V], in their order; of equals the first."""
    for i in range(len(rows)):
        largest(rows[i], ids[i], ids.shape[1])
        for j in range(ids.shape[1]):
            values[i, j] = rows[i, ids[i, j]]


@compiled
def without_replacement(q, width, u, ids, left, counts):
    """`width` children of each row of q [n, V], or as many as have a chance: `counts` [n]. Child m of all, with u[m], is ids[m] and was drawn from
    left[m] [V], which is its row without the children before it, scaled to 1."""
    m = 0
    for i in range(len(q)):
        for rank in range(width):
            row = left[m]
            for j in range(len(row)):
                row[j] = q[i, j] if rank == 0 else left[m - 1, j]
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
