"""What may follow each token of a level, in one call: the likeliest, or draws without replacement."""

import numpy as np

from .compiler import compiled
from .vector import sample, sum_all, top_k


@compiled
def top_k_rows(rows, ids, values):
    """ids [n, m] and `values` [n, m]: the largest m of each row [n, V], in their order; of equals the first."""
    for i in range(len(rows)):
        top_k(rows[i], ids[i], ids.shape[1])
        for j in range(ids.shape[1]):
            values[i, j] = rows[i, ids[i, j]]


@compiled
def sample_without_replacement(q, width, u, ids, remainders, counts):
    """`width` children of each row of q [n, V], or as many as have a chance: `counts` [n]. Child m of all, with u[m], is ids[m] and was drawn from
    left[m] [V], which is its row without the children before it, scaled to 1."""
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
