"""What the first model on a CPU waits for, compiled on empty arrays and without PyTorch, which takes two seconds to import.

For weights that are stored in bf16, as the bundled family's are. Types and numbers of dimensions are those of backends/compiled.py and rows.py.
"""

import numpy as np

from . import children, forward, look, verdict
from .forward import DrawArrays, InputArrays, KVCache, OutputArrays, PackedLayers, TreeArrays, Workspace, run
from .threads import compile_serve

ONE, VECTOR, U, IDS = np.float32(1), np.zeros(0, np.float32), np.zeros(0), np.zeros(0, np.int64)
ROWS = np.zeros((0, 0), np.float32)


def passes() -> None:
    """Most of it."""
    matrix, matrices, cube = np.zeros((0, 1, 16), np.uint32), np.zeros((0, 0, 1, 16), np.uint32), np.zeros((0, 0, 0), np.float32)
    layers = PackedLayers(ROWS, matrices, ROWS, cube, matrices, ROWS, matrices, matrices)
    kv_cache = KVCache(*(np.zeros((0,) * 6, np.float32),) * 2)
    flat, each = np.zeros((1, 0), np.float32), np.zeros((1, 0, 0), np.float32)  # by row, and by thread
    scratch = Workspace(flat, each, flat, each, each, each, flat, flat, flat, flat)
    run(
        IDS, ROWS, InputArrays(matrix, VECTOR, VECTOR, matrix), ROWS, layers, kv_cache, scratch, cube, (1, 1, 1), ONE, 0, 0, IDS, cube,
        OutputArrays(VECTOR, matrix), ROWS, DrawArrays(0, IDS, ONE, True, U, ROWS, IDS, ROWS, matrix, ROWS),
        TreeArrays(0, np.zeros((0, 0), np.int64), IDS), 0, 0, 0, 1, np.zeros(2, np.int64),
    )  # fmt: skip


def verdicts() -> None:
    """The rest."""
    verdict.softmaxes(ROWS, ONE, ROWS)
    verdict.samples(ROWS, U, IDS)
    verdict.argmaxes(ROWS, IDS)
    row = np.zeros((1, 1), np.float32)
    verdict.decide(row, IDS, ROWS, np.zeros(1), ONE, 1.0, True, row, VECTOR, np.zeros(2))
    children.likeliest(ROWS, np.zeros((0, 0), np.int64), ROWS)
    children.without_replacement(ROWS, 0, U, IDS, ROWS, IDS)
    look.top_entries(ROWS, ROWS, IDS, ROWS, 0, 0, U)
    compile_serve(True)  # what threads run between passes


def products() -> None:
    """What heads take beside passes."""
    packed = np.zeros((0, 1, 16), np.uint32)
    forward.multiply(ROWS, packed, ROWS)
    forward.normalise(ROWS, VECTOR, ONE, ROWS)
    forward.look_up(IDS, packed, ROWS)
