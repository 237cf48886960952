"""What the first model on a CPU waits for, compiled on empty arrays and without PyTorch, which takes two seconds to import.

For weights that are stored in bf16, as the bundled family's are. Types and numbers of dimensions are those of
backends/compiled.py and rows.py.
"""

import numpy as np

from . import forward, verdict
from .forward import DrawArrays, InputArrays, KVCache, OutputArrays, PackedLayers, TreeArrays, Workspace, forward_pass
from .threads import compile_serve_passes

ONE, VECTOR, U, IDS = np.float32(1), np.zeros(0, np.float32), np.zeros(0), np.zeros(0, np.int64)
ROWS = np.zeros((0, 0), np.float32)


def compile_passes(layers_type: type[np.generic] = np.uint32, table_type: type[np.generic] = np.uint32) -> None:
    """Compile what a pass runs: most of the time. Types of packed weights: uint32 of bf16, uint8 and int8 of blocks (forward.py)."""
    matrix, matrices = np.zeros((0, 1, 16), table_type), np.zeros((0, 0, 1, 16), layers_type)
    cube = np.zeros((0, 0, 0), np.float32)
    layers = PackedLayers(ROWS, matrices, ROWS, cube, matrices, ROWS, matrices, matrices)
    kv_cache = KVCache(*(np.zeros((0,) * 6, np.float32),) * 2)
    flat, each = np.zeros((1, 0), np.float32), np.zeros((1, 0, 0), np.float32)  # by row, and by thread
    scratch = Workspace(flat, each, flat, each, each, each, flat, flat, flat, flat)
    forward_pass(
        IDS, ROWS, InputArrays(matrix, VECTOR, VECTOR, matrix), ROWS, layers, kv_cache, scratch, cube, (1, 1, 1), ONE, 0, 0, IDS, cube,
        OutputArrays(VECTOR, matrix), ROWS, DrawArrays(0, IDS, ONE, True, U, ROWS, IDS, ROWS, matrix, ROWS),
        TreeArrays(0, np.zeros((0, 0), np.int64), IDS), 0, 0, 0, 1, np.zeros(2, np.int64),
    )  # fmt: skip


def compile_verdicts() -> None:
    """Compile what decides a block and what shows it."""
    verdict.softmax_rows(ROWS, ONE, ROWS)
    verdict.sample_rows(ROWS, U, IDS)
    verdict.argmax_rows(ROWS, IDS)
    row = np.zeros((1, 1), np.float32)
    verdict.decide(row, IDS, ROWS, np.zeros(1), ONE, 1.0, True, row, VECTOR, np.zeros(2))
    verdict.top_k_rows(ROWS, np.zeros((0, 0), np.int64), ROWS)
    verdict.sample_without_replacement(ROWS, 0, U, IDS, ROWS, IDS)
    verdict.top_entries(ROWS, ROWS, IDS, ROWS, 0, 0, U)
    compile_serve_passes(True)  # what threads run between passes


def compile_products(packed_type: type[np.generic] = np.uint32) -> None:
    """Compile what heads call beside passes."""
    packed = np.zeros((0, 1, 16), packed_type)
    forward.multiply(ROWS, packed, ROWS)
    forward.normalise(ROWS, VECTOR, ONE, ROWS)
    forward.embed_ids(IDS, packed, ROWS)
