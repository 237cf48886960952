"""What the first model on a CPU waits for, compiled on empty arrays and without PyTorch, which takes two seconds to import."""

import numpy as np

from . import verdict
from .forward import Draws, Entry, Exit, Held, Layers, Scratch, run


def compile_all() -> None:
    """For weights that are stored in bf16, as the bundled family's are. Numbers of dimensions and types are those of stack.py and rows.py."""
    vector, rows, three = (np.zeros((0,) * n, np.float32) for n in (1, 2, 3))
    matrix, matrices, ids = np.zeros((0, 1, 16), np.uint32), np.zeros((0, 0, 1, 16), np.uint32), np.zeros(0, np.int64)
    layers = Layers(rows, matrices, rows, three, matrices, rows, matrices, matrices)
    caches = Held(*(np.zeros((0,) * 6, np.float32),) * 2)
    room = np.zeros((1, 0), np.float32), np.zeros((1, 0, 0), np.float32)
    scratch = Scratch(room[0], room[1], *room[:1], *room[1:] * 3, *room[:1] * 4)
    u, one, gate = np.zeros(0), np.float32(1), np.zeros(2, np.int64)
    run(
        ids, rows, Entry(matrix, vector, vector, matrix), rows, layers, caches, scratch, three, (1, 1, 1), one, 0, 0, ids, three,
        Exit(vector, matrix), rows, Draws(0, one, True, u, rows, ids), 0, 1, gate,
    )  # fmt: skip
    verdict.laws(rows, one, rows)
    verdict.draws(rows, u, ids)
    verdict.bests(rows, ids)
    verdict.decide(
        np.zeros((1, 1), np.float32), ids, rows, np.zeros(1), one, 1.0, True, np.zeros((1, 1), np.float32), vector, np.zeros(2)
    )
