"""Products with weights in blocks: to the bit what is written over compiled/blocks.py, whatever a processor has for them."""

import os
import platform

import numpy as np
import pytest

from specviz.engine.backends.compiled import PackedLinear, PackedTable, pack, with_lanes
from specviz.engine.compiled.blocks import LANES
from specviz.engine.model import ModelError
from specviz.engine.sampling import BLOCKS, block_bits, to_float32

from .test_compiler import ends, lacks, start

ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 30)
EDGES = [0.0, 1e-38, 1e30, 0.5, -0.5, 126.5, 127.0, -127.0]


def matrix(kind: str, rows: int, columns: int) -> np.ndarray:
    """Blocks of every number that there is, the smallest among them wherever its products are the largest."""
    chance, blocks = np.random.RandomState(0), np.zeros((rows, columns // 32), BLOCKS[kind])
    blocks["bits"] = chance.randint(0, 256, blocks["bits"].shape).astype(np.uint8).view(blocks["bits"].dtype)
    blocks["bits"][0] = blocks["bits"].dtype.type(-128 if kind == "Q8_0" else 255)
    blocks["scale"] = chance.uniform(-0.01, 0.01, blocks.shape)
    if "least" in (blocks.dtype.names or ()):
        blocks["least"] = chance.normal(size=blocks.shape)
    return blocks


def product(x: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """x [n, K] in float32 → [n, N], with sums of whole numbers."""
    by_block = x.reshape(len(x), -1, 32)
    largest = abs(by_block).max(-1)
    tiny = largest < np.float32(1e-30)
    d = np.where(tiny, np.float32(0), largest / np.float32(127))
    whole = np.rint(by_block * np.where(tiny, np.float32(0), np.float32(127) / np.where(tiny, np.float32(1), largest))[..., None])
    y, bits, scale = (
        np.zeros((len(x), len(blocks)), np.float32),
        block_bits(blocks).astype(int),
        blocks["scale"].astype(np.float32),
    )
    for b in range(by_block.shape[1]):
        if "least" in (blocks.dtype.names or ()):
            y += (d[:, b] * whole[:, b].sum(-1))[:, None] * blocks["least"][:, b].astype(np.float32)
        y += (scale[:, b] * d[:, b, None]) * (whole[:, b].astype(int) @ bits[:, b].T).astype(np.float32)
    return y


def differing() -> list[str]:
    """Where a product is not what numpy's whole numbers give, or a row of the table not what it stands for."""
    wrong = []
    for kind, (rows, columns) in [(kind, size) for kind in BLOCKS for size in ((64, 64), (33, 1536), (100, 576))]:
        blocks, chance = matrix(kind, rows, columns), np.random.RandomState(1)
        linear = PackedLinear(blocks)
        for n in ROWS:
            x = chance.normal(size=(n, columns)).astype(np.float32)
            x[0, : len(EDGES)], x[-1, 32:64] = EDGES, 0.0
            if not np.array_equal(linear(x), product(x, blocks)):
                wrong.append(f"{kind} {rows}×{columns}, {n} rows")
        ids = [0, rows - 1, 5]
        if not np.array_equal(PackedTable(linear)(ids), to_float32(blocks)[ids]):
            wrong.append(f"{kind} {rows}×{columns}, table")
    return wrong


def test_products_have_the_bits_of_sums_of_whole_numbers_for_any_number_of_rows():
    assert not differing()


@pytest.mark.parametrize("kind", BLOCKS)
def test_blocks_are_laid_out_anew_for_registers_of_any_width_but_for_a_weight_that_browsers_lack(kind):
    blocks = matrix(kind, 100, 576)
    if kind == "Q8_0":
        with pytest.raises(ModelError, match="a weight of 8 bits is −128"):
            with_lanes(pack(blocks), 4)
        blocks["bits"][blocks["bits"] == -128] = -127
    packed = with_lanes(pack(blocks), 1)  # an output after the other, as the file has them
    assert packed.tobytes()[: blocks.nbytes] == blocks.tobytes() and not packed.reshape(128, -1)[100:].any()
    assert np.array_equal(with_lanes(pack(blocks), LANES), pack(blocks))


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_no_number_stays_none(number):
    x = np.ones((2, 64), np.float32)
    x[1, 40] = number
    y = PackedLinear(matrix("Q4_1", 40, 64))(x)
    assert np.isfinite(y[0]).all() and not np.isfinite(y[1]).any()


@pytest.mark.full
@pytest.mark.timeout(400)
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="makes code for other processors of the x86 kind")
@pytest.mark.parametrize(
    "features",
    [
        "+sse2",
        "+sse2,+ssse3,+sse4.1",
        "+avx,+avx2,+fma,+f16c",
        "+avx,+avx2,+fma,+f16c,+avx512vl,+avx512vnni",
        "+avx,+avx2,+fma,+f16c,+avx512f,+avx512bw",
        "+avx,+avx2,+fma,+f16c,+avx512f,+avx512bw,+avx512vl,+avx512vnni",
    ],
)
def test_every_processor_gives_the_same_bits(tmp_path, features):
    if missing := lacks(features):
        pytest.skip(f"this processor cannot run that code: it lacks {', '.join(missing)}")
    code = "from tests.engine.compiled.test_blocks import differing; print(differing())"
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = start(tmp_path, code, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES=features, PYTHONPATH=path)
    assert ends(process) == "[]"
