"""The one loop of a matrix product that is written down operation by operation: rows of x times 32 or 64 rows of W, over all columns.

For every column k: weights of 32 outputs are read, one cache line in bf16, widened to float32 in registers, and multiplied into one sum
for each row and output. A weight is read and widened once for all rows, and a sum runs over k in order, whatever stands beside
it: a row gives the same bits alone and in a block. A compiler that chooses for itself keeps the sums in memory, at half the speed.

Weights of 4 and 8 bits have a loop of their own (blocks.py).
"""

from collections.abc import Callable
from typing import NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .blocks import LAYOUTS, block_element, block_tile
from .registers import BITS, F16, F32, I32, I64, LANES, PANEL, REGISTERS, constant, function, load, prefetch, sizes, splat, store

PREFETCH_COLUMNS = 64  # columns that are asked for before they are needed
# rows whose sums over one panel, and over two at once, fit into the registers beside the weights: 32 of 16 numbers, or 16 of 8
ROWS, ROWS_OF_TWO = (12, 6) if BITS == 512 else (3, 0)
# by rows: the parts of a panel that are summed one after the other, and of each half of one the numbers in a vector and such vectors
SHAPES = ((1, LANES, 1),) * (ROWS + 1)
TURN_COLUMNS = None  # columns after which the next part has its turn, the sums of the first waiting in y; or all
if BITS == 256 and REGISTERS == 16:  # three rows by a whole panel would fill the registers with sums alone
    ROWS, SHAPES, TURN_COLUMNS = 6, (*((1, LANES, 1),) * 3, *((2, 8, 1),) * 4), 32
if BITS == 128 and REGISTERS == 16:  # and in a browser, which may have no more: six rows leave none to work with
    ROWS, SHAPES = 5, ((1, 4, 4), (1, 4, 4), (2, 8, 1), *((4, 4, 1),) * 3)


@intrinsic
def tile(typing, x, w, y, row, rows, panel, panels, K):
    """x [·, ≥ K], w [·, ≥ K, ·], y [·, N]: `rows` rows of x, from `row` on, by `panels` panels of w, from `panel` on, over the first K
    columns, into their place in y. One panel and at most ROWS rows, or two and
    ROWS_OF_TWO: for each number of them there is a loop of its own. Of weights in blocks one panel and at most ROWS_OF_BLOCKS rows."""
    signature = types.void(x, w, y, *[types.int64] * 5)

    def run(context, b, signature, args):
        x, w, y = (context.make_array(kind)(context, b, array) for kind, array in zip(signature.args, args[:3], strict=False))
        (_, across), (_, deep, wide), (_, out) = (sizes(b, array) for array in (x, w, y))
        row, rows, panel, panels, K = args[3:]
        if blocks := LAYOUTS.get(signature.args[1].dtype):
            block_tile(b, x, w, y, row, rows, panel, K, blocks)
            return context.get_dummy_value()
        starts = (
            b.gep(x.data, [b.mul(row, across)]),
            b.gep(w.data, [b.mul(b.mul(panel, deep), wide)]),
            b.gep(y.data, [b.add(b.mul(row, out), b.mul(panel, I64(PANEL)))]),
        )
        layout = LAYOUTS_OF_NUMBERS[signature.args[1].dtype]
        done = b.append_basic_block("done")
        switch = b.switch(b.add(b.mul(rows, I64(2)), panels), done)
        for m, n in (*((m, 1) for m in range(1, ROWS + 1)), *((m, 2) for m in range(1, ROWS_OF_TWO + 1))):
            block = b.append_basic_block(f"rows{m}x{n}")
            switch.add_case(I64(2 * m + n), block)
            b.position_at_end(block)
            steps = across, b.mul(deep, wide), wide, out
            parts, lanes, chunks = SHAPES[m]
            if parts == 1:
                _sums(b, starts, steps, None, K, m, n, lanes, chunks, layout)
            else:
                deepest = I64(TURN_COLUMNS) if TURN_COLUMNS else K
                with cgutils.for_range_slice(b, I64(0), K, deepest) as (first, _), cgutils.for_range(b, I64(parts)) as part:
                    at = b.mul(part.index, I64(lanes * chunks))
                    here = starts[0], b.gep(starts[1], [at]), b.gep(starts[2], [at])
                    end = b.add(first, deepest)
                    end = b.select(b.icmp_signed("<", end, K), end, K)
                    _sums(b, here, steps, (first, part.index) if TURN_COLUMNS else None, end, m, n, lanes, chunks, layout)
            b.branch(done)
        b.position_at_end(done)
        return context.get_dummy_value()

    return signature, run


def _sums(b, starts, steps, turn, end, rows: int, panels: int, lanes: int, chunks: int, layout: "Layout"):
    """One of the loops: `rows` × `panels`·2·`chunks`·`lanes` sums over the columns up to `end`, all of them in registers. `turn`:
    from which column on, with what y has of those before it, and which part has its turn. `steps`: from a row of x, a panel, a
    column of w, a row of y to the next."""
    (x, w, y), (across, deep, wide, out) = starts, steps
    floats = ir.VectorType(F32, lanes)
    xs = [b.gep(x, [b.mul(I64(m), across)]) for m in range(rows)]
    ws = [b.gep(w, [b.mul(I64(g), deep)]) for g in range(panels)]
    ys = [b.gep(y, [b.mul(I64(m), out)]) for m in range(rows)]
    fma = function(b, f"llvm.fmuladd.v{lanes}f32", floats, [floats] * 3)
    offsets = [g * PANEL + c * lanes + half for g in range(panels) for c in range(chunks) for half in (0, LANES)]

    zero, first, sums_before = constant(floats, 0.0), I64(0), None
    if turn:
        first, part = turn
        new = b.icmp_signed("==", first, I64(0))
        sums_before = [[b.select(new, zero, load(b, y, offset, floats, 4)) for offset in offsets] for y in ys]
    before, loop, after = b.block, b.append_basic_block("column"), b.append_basic_block("summed")
    b.branch(loop)
    b.position_at_end(loop)
    k = b.phi(I64)
    k.add_incoming(first, before)
    phis = [[b.phi(floats) for _ in offsets] for _ in range(rows)]
    sums = [[*row] for row in phis]

    def value(m: int):
        return splat(b, b.load(b.gep(xs[m], [k])), lanes)

    def add(m: int, value, first: int, weights: list):
        for i, weight in enumerate(weights, first):
            sums[m][i] = b.call(fma, [value, weight, sums[m][i]])

    columns = []  # where those from k on lie, of each panel
    for start in ws:
        columns.append(b.gep(start, [b.mul(k, wide)]))
        ahead = b.add(k, I64(PREFETCH_COLUMNS))
        if turn:  # each part asks for half of what comes after this turn, so that memory is never idle
            ahead = b.add(first, b.lshr(b.add(b.sub(k, first), b.mul(b.add(part, I64(2)), I64(TURN_COLUMNS))), I64(1)))
        position = b.mul(ahead, wide)
        if panels > 1:  # past their end: what comes after both
            position = b.select(b.icmp_signed("<", ahead, end), position, b.add(position, deep))
        prefetch(b, b.gep(start, [position]), layout.lines)
    values = [value(m) for m in range(rows)] if chunks > 1 else []
    weights = []
    for g, here in enumerate(columns):
        for chunk in range(chunks):
            pair = layout.widen(b, b.gep(here, [I64(chunk * lanes)]), lanes)
            weights += pair
            for m, each in enumerate(values):
                add(m, each, 2 * (g * chunks + chunk), pair)
    for m in range(0 if values else rows):
        add(m, value(m), 0, weights)
    for m in range(rows):
        for i, phi in enumerate(phis[m]):
            phi.add_incoming(sums_before[m][i] if sums_before else zero, before)
            phi.add_incoming(sums[m][i], loop)
    following = b.add(k, I64(1))
    k.add_incoming(following, loop)
    back = b.cbranch(b.icmp_signed("<", following, end), loop, after)
    registers = (rows + 1) * len(offsets) * (lanes * 32 // BITS) + 2 * rows  # sums and weights, and x of two columns
    if registers > REGISTERS:
        _disable_unrolling(b, back)

    b.position_at_end(after)
    for m in range(rows):
        for i, offset in enumerate(offsets):
            store(b, sums[m][i], ys[m], offset, 4)


def _disable_unrolling(b, branch):
    """Keep a compiler from writing the loop out twice: it would read both columns' x first, and move sums out of registers for that."""
    never = b.module.add_metadata(["llvm.loop.unroll.disable"])
    loop = ir.values.MDValue(b.module, [], name=str(len(b.module.metadata)))
    loop.operands = (loop, never)  # as LLVM tells loops from one another
    branch.set_metadata("llvm.loop", loop)


def _pairs(b, start, lanes: int):
    """bf16: a word holds output i in its lower half and output 16 + i in its upper one, and bf16 is a float32 cut short."""
    floats, kind = ir.VectorType(F32, lanes), ir.VectorType(I32, lanes)
    words = load(b, start, 0, kind, 4)
    lower = b.shl(words, ir.Constant(kind, [16] * lanes))
    if lanes == 4:  # a browser would make the mask anew for every column: instead each second half of a word is taken from zeros
        halves, mask = ir.VectorType(ir.IntType(16), 8), ir.VectorType(I32, 8)
        upper = b.shuffle_vector(
            b.bitcast(words, halves), ir.Constant(halves, [0] * 8), ir.Constant(mask, [8, 1, 10, 3, 12, 5, 14, 7])
        )
    else:
        upper = b.and_(words, ir.Constant(kind, [0xFFFF0000] * lanes))
    return [b.bitcast(lower, floats), b.bitcast(upper, floats)]


def _halves(b, start, lanes: int):
    halves, floats = ir.VectorType(F16, lanes), ir.VectorType(F32, lanes)
    return [b.fpext(load(b, start, i, halves, 2), floats) for i in (0, LANES)]


def _floats(b, start, lanes: int):
    return [load(b, start, i, ir.VectorType(F32, lanes), 4) for i in (0, LANES)]


class Layout(NamedTuple):
    """How a column of a panel is widened, and the lines of memory that it takes."""

    widen: Callable
    lines: int = 1


LAYOUTS_OF_NUMBERS = {types.uint32: Layout(_pairs), types.uint16: Layout(_halves), types.float32: Layout(_floats, lines=2)}


@intrinsic
def element(typing, w, row, column):
    """W[row, column] as float32, of packed w [panels, K, ·]: what a token's embedding is read by."""

    def run(context, b, signature, args):
        packed = context.make_array(signature.args[0])(context, b, args[0])
        _, row, column = args
        if blocks := LAYOUTS.get(signature.args[0].dtype):
            return block_element(b, packed, row, column, blocks)
        _, K, wide = sizes(b, packed)
        inside = b.and_(row, I64(PANEL - 1))
        start = b.gep(packed.data, [b.mul(b.add(b.mul(b.lshr(row, I64(5)), K), column), wide)])
        pair = LAYOUTS_OF_NUMBERS[signature.args[0].dtype].widen(b, b.gep(start, [b.and_(inside, I64(LANES - 1))]), 1)
        return b.extract_element(b.select(b.icmp_unsigned("<", inside, I64(LANES)), *pair), I32(0))

    return types.float32(w, types.int64, types.int64), run
