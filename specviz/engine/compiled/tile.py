"""The one loop of a matrix product that is written down operation by operation: rows of x times 32 or 64 rows of W, over all columns.

For every column k: weights of 32 outputs are read, one cache line in bf16, widened to float32 in registers, and multiplied into one sum
for each row and output. A weight is read and widened once for all rows, and a sum runs over k in order, whatever stands beside
it: a row gives the same bits alone and in a block. A compiler that chooses for itself keeps the sums in memory, at half the speed.

Weights of 4 and 8 bits lie in blocks of 32 columns (GGUF's Q4_1 and Q8_0): a sum of x times whole numbers runs over a block, and is
multiplied by the block's scale once, as it joins y.
"""

from collections.abc import Callable
from typing import NamedTuple

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

LANES, PANEL = 16, 32  # of a vector, and of the outputs that lie together; narrower processors take a vector in parts
PREFETCH_COLUMNS = 64  # columns that are asked for before they are needed
CACHE_LINE = 64  # bytes of a cache line
BLOCK_COLUMNS = 32  # columns that share a scale
_FEATURES = config.CPU_FEATURES  # NUMBA_CPU_FEATURES: code for another processor than this one
_CPU = llvm.get_host_cpu_features() if _FEATURES is None else {part[1:]: part[0] == "+" for part in _FEATURES.split(",")}
BITS = 512 if _CPU.get("avx512f") else 256 if _CPU.get("avx") else 128  # of a register
REGISTERS = 16 if _CPU.get("sse2") and BITS < 512 else 32
# rows whose sums over one panel, and over two at once, fit into the registers beside the weights: 32 of 16 numbers, or 16 of 8
ROWS, ROWS_OF_TWO = (12, 6) if BITS == 512 else (3, 0)
# by rows: the parts of a panel that are summed one after the other, and of each half of one the numbers in a vector and such vectors
SHAPES = ((1, LANES, 1),) * (ROWS + 1)
TURN_COLUMNS = None  # columns after which the next part has its turn, the sums of the first waiting in y; or all
if BITS == 256 and REGISTERS == 16:  # three rows by a whole panel would fill the registers with sums alone
    ROWS, SHAPES, TURN_COLUMNS = 6, (*((1, LANES, 1),) * 3, *((2, 8, 1),) * 4), 32
if BITS == 128 and REGISTERS == 16:  # and in a browser, which may have no more
    ROWS, SHAPES = 6, ((1, 4, 4), (1, 4, 4), (2, 8, 1), *((4, 4, 1),) * 4)
ROWS_OF_BLOCKS = min(ROWS, 8)  # what unpacks numbers needs registers too
WIDENS_HALF = any(_CPU.get(feature) for feature in ("f16c", "fp16", "fullfp16", "neon"))  # in hardware

_F, _I, _L = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_BYTE = ir.IntType(8).as_pointer()


@intrinsic
def tile(typing, x, w, y, row, rows, panel, panels, K):
    """x [·, ≥ K], w [·, ≥ K, ·], y [·, N]: `rows` rows of x, from `row` on, by `panels` panels of w, from `panel` on, over the first K
    columns, into their place in y. One panel and at most ROWS rows, or two and
    ROWS_OF_TWO: for each number of them there is a loop of its own. Of weights in blocks one panel and at most ROWS_OF_BLOCKS rows."""
    signature = types.void(x, w, y, *[types.int64] * 5)

    def run(context, b, signature, args):
        x, w, y = (context.make_array(kind)(context, b, array) for kind, array in zip(signature.args, args[:3], strict=False))
        (_, across), (_, deep, wide), (_, out) = (_sizes(b, array) for array in (x, w, y))
        row, rows, panel, panels, K = args[3:]
        starts = (
            b.gep(x.data, [b.mul(row, across)]),
            b.gep(w.data, [b.mul(b.mul(panel, deep), wide)]),
            b.gep(y.data, [b.add(b.mul(row, out), b.mul(panel, _L(PANEL)))]),
        )
        layout = _LAYOUTS[signature.args[1].dtype]
        turn, sizes = TURN_COLUMNS, [*((m, 1) for m in range(1, ROWS + 1)), *((m, 2) for m in range(1, ROWS_OF_TWO + 1))]
        if layout.scales:
            turn, sizes = BLOCK_COLUMNS, [(m, 1) for m in range(1, ROWS_OF_BLOCKS + 1)]
        done = b.append_basic_block("done")
        switch = b.switch(b.add(b.mul(rows, _L(2)), panels), done)
        for m, n in sizes:
            block = b.append_basic_block(f"rows{m}x{n}")
            switch.add_case(_L(2 * m + n), block)
            b.position_at_end(block)
            steps = across, b.mul(deep, wide), wide, out
            parts, lanes, chunks = SHAPES[m]
            if parts == 1 and not layout.scales:
                _sums(b, starts, steps, None, K, m, n, lanes, chunks, layout)
            else:
                deepest = _L(turn) if turn else K
                with cgutils.for_range_slice(b, _L(0), K, deepest) as (first, _), cgutils.for_range(b, _L(parts)) as part:
                    at = b.mul(part.index, _L(lanes * chunks))
                    here = starts[0], b.gep(starts[1], [b.mul(at, _L(layout.step))]), b.gep(starts[2], [at])
                    end = b.add(first, deepest)
                    end = b.select(b.icmp_signed("<", end, K), end, K)
                    _sums(b, here, steps, (first, part.index) if turn else None, end, m, n, lanes, chunks, layout)
            b.branch(done)
        b.position_at_end(done)
        return context.get_dummy_value()

    return signature, run


def _sizes(b, array):
    return cgutils.unpack_tuple(b, array.shape)


def _sums(b, starts, steps, turn, end, rows: int, panels: int, lanes: int, chunks: int, layout: "Layout"):
    """One of the loops: `rows` × `panels`·2·`chunks`·`lanes` sums over the columns up to `end`, all of them in registers. `turn`: from which column
    on, with what y has of those before it, and which part has its turn. `steps`: from a row of x, a panel, a column of w, a row of y to the
    next. Of weights in blocks a turn is a block."""
    (x, w, y), (across, deep, wide, out) = starts, steps
    floats = ir.VectorType(_F, lanes)
    xs = [b.gep(x, [b.mul(_L(m), across)]) for m in range(rows)]
    ws = [b.gep(w, [b.mul(_L(g), deep)]) for g in range(panels)]
    ys = [b.gep(y, [b.mul(_L(m), out)]) for m in range(rows)]
    fma = cgutils.get_or_insert_function(b.module, ir.FunctionType(floats, [floats] * 3), f"llvm.fmuladd.v{lanes}f32")
    prefetch = cgutils.get_or_insert_function(b.module, ir.FunctionType(ir.VoidType(), [_BYTE, _I, _I, _I]), "llvm.prefetch.p0")
    offsets = [g * PANEL + c * lanes + half for g in range(panels) for c in range(chunks) for half in (0, LANES)]

    zero, first, sums_before = ir.Constant(floats, [0.0] * lanes), _L(0), None
    if turn:
        first, part = turn
        new = b.icmp_signed("==", first, _L(0))
        if not layout.scales:
            sums_before = [[b.select(new, zero, _load_vector(b, y, offset, floats, 4)) for offset in offsets] for y in ys]
    blocks = [b.bitcast(b.gep(w, [b.mul(first, wide)]), _I.as_pointer()) for w in ws]
    before, loop, after = b.block, b.append_basic_block("column"), b.append_basic_block("summed")
    b.branch(loop)
    b.position_at_end(loop)
    k = b.phi(_L)
    k.add_incoming(first, before)
    phis = [[b.phi(floats) for _ in offsets] for _ in range(rows)]
    sums = [[*row] for row in phis]

    def splat(number):
        one = b.insert_element(ir.Constant(floats, ir.Undefined), number, _I(0))
        return b.shuffle_vector(one, ir.Constant(floats, ir.Undefined), ir.Constant(ir.VectorType(_I, lanes), [0] * lanes))

    def value(m: int, c: int):
        return splat(b.load(b.gep(xs[m], [b.add(k, _L(c))])))

    def add(m: int, value, first: int, weights: list):
        for i, weight in enumerate(weights, first):
            sums[m][i] = b.call(fma, [value, weight, sums[m][i]])

    def fetch(start, lines: int):
        for line in range(lines):
            b.call(prefetch, [b.gep(b.bitcast(start, _BYTE), [_L(line * CACHE_LINE)]), _I(0), _I(3), _I(1)])

    columns = []  # where those from k on lie, of each panel
    for g, start in enumerate(ws):
        if layout.scales:
            line = b.add(b.sdiv(b.sub(k, first), _L(layout.columns)), _L(layout.scales))
            columns.append(b.gep(blocks[g], [b.mul(line, _L(LANES))]))
            fetch(b.gep(columns[g], [_L(PREFETCH_COLUMNS * LANES)]), 1)
            continue
        columns.append(b.gep(start, [b.mul(k, wide)]))
        ahead = b.add(k, _L(PREFETCH_COLUMNS))
        if turn:  # each part asks for half of what comes after this turn, so that memory is never idle
            ahead = b.add(first, b.lshr(b.add(b.sub(k, first), b.mul(b.add(part, _L(2)), _L(TURN_COLUMNS))), _L(1)))
        position = b.mul(ahead, wide)
        if panels > 1:  # past their end: what comes after both
            position = b.select(b.icmp_signed("<", ahead, end), position, b.add(position, deep))
        fetch(b.gep(start, [position]), layout.lines)
    for c in range(layout.columns):
        values = [value(m, c) for m in range(rows)] if chunks > 1 else []
        weights = []
        for g, here in enumerate(columns):
            for chunk in range(chunks):
                pair = layout.widen(b, b.gep(here, [_L(chunk * lanes)]), lanes, c)
                weights += pair
                for m, each in enumerate(values):
                    add(m, each, 2 * (g * chunks + chunk), pair)
        for m in range(0 if values else rows):
            add(m, value(m, c), 0, weights)
    for m in range(rows):
        for i, phi in enumerate(phis[m]):
            phi.add_incoming(sums_before[m][i] if sums_before else zero, before)
            phi.add_incoming(sums[m][i], loop)
    following = b.add(k, _L(layout.columns))
    k.add_incoming(following, loop)
    back = b.cbranch(b.icmp_signed("<", following, end), loop, after)
    registers = (rows + 1) * len(offsets) * (lanes * 32 // BITS) + 2 * rows  # sums and weights, and x of two columns
    if registers > REGISTERS or layout.scales:
        _disable_unrolling(b, back)

    b.position_at_end(after)
    scales = []
    for block in blocks if layout.scales else ():
        fetch(b.gep(block, [_L(PREFETCH_COLUMNS * LANES)]), layout.scales)
        for chunk in range(chunks):
            lines = [_scale(b, b.gep(block, [_L(chunk * lanes + line * LANES)]), lanes) for line in range(layout.scales)]
            scales += [*zip(*lines, strict=True)]
    for m in range(rows):
        whole = splat(_sum(b, b.gep(xs[m], [first]))) if layout.scales > 1 else None
        for i, offset in enumerate(offsets):
            total = sums[m][i]
            if scales:
                so_far, (scale, *least) = b.select(new, zero, _load_vector(b, ys[m], offset, floats, 4)), scales[i]
                for each in least:
                    so_far = b.call(fma, [whole, each, so_far])
                total = b.call(fma, [total, scale, so_far])
            stored = b.store(total, _pointer(b, ys[m], offset, floats))
            stored.align = 4


def _sum(b, x):
    """Of a block's 32 numbers from x on: one half of them is added to the other, and so on."""
    total, size = _load_vector(b, x, 0, ir.VectorType(_F, BLOCK_COLUMNS), 4), BLOCK_COLUMNS
    while size > 1:
        size //= 2
        halves = (ir.Constant(ir.VectorType(_I, size), [*range(i, i + size)]) for i in (0, size))
        total = b.fadd(*(b.shuffle_vector(total, total, half) for half in halves))
    return b.extract_element(total, _I(0))


def _disable_unrolling(b, branch):
    """Keep a compiler from writing the loop out twice: it would read both columns' x first, and move sums out of registers for that."""
    never = b.module.add_metadata(["llvm.loop.unroll.disable"])
    loop = ir.values.MDValue(b.module, [], name=str(len(b.module.metadata)))
    loop.operands = (loop, never)  # as LLVM tells loops from one another
    branch.set_metadata("llvm.loop", loop)


def _pointer(b, start, offset: int, vector):
    return b.bitcast(b.gep(start, [_L(offset)]), vector.as_pointer())


def _load_vector(b, start, offset: int, vector, size: int):
    value = b.load(_pointer(b, start, offset, vector))
    value.align = size
    return value


def _pairs(b, start, lanes: int, _=0):
    """bf16: a word holds output i in its lower half and output 16 + i in its upper one, and bf16 is a float32 cut short."""
    floats, kind = ir.VectorType(_F, lanes), ir.VectorType(_I, lanes)
    words = _load_vector(b, start, 0, kind, 4)
    lower = b.shl(words, ir.Constant(kind, [16] * lanes))
    if lanes == 4:  # a browser would make the mask anew for every column: instead each second half of a word is taken from zeros
        halves, mask = ir.VectorType(ir.IntType(16), 8), ir.VectorType(_I, 8)
        upper = b.shuffle_vector(
            b.bitcast(words, halves), ir.Constant(halves, [0] * 8), ir.Constant(mask, [8, 1, 10, 3, 12, 5, 14, 7])
        )
    else:
        upper = b.and_(words, ir.Constant(kind, [0xFFFF0000] * lanes))
    return [b.bitcast(lower, floats), b.bitcast(upper, floats)]


def _halves(b, start, lanes: int, _=0):
    halves, floats = ir.VectorType(ir.HalfType(), lanes), ir.VectorType(_F, lanes)
    return [b.fpext(_load_vector(b, start, i, halves, 2), floats) for i in (0, LANES)]


def _floats(b, start, lanes: int, _=0):
    return [_load_vector(b, start, i, ir.VectorType(_F, lanes), 4) for i in (0, LANES)]


def _nibbles(b, start, lanes: int, column: int):
    """4 bits: a word holds four columns of outputs i and 16 + i, in turns."""
    kind = ir.VectorType(_I, lanes)
    words = _load_vector(b, start, 0, kind, 4)
    shifted = (b.lshr(words, ir.Constant(kind, [8 * column + 4 * half] * lanes)) for half in (0, 1))
    return [b.sitofp(b.and_(bits, ir.Constant(kind, [15] * lanes)), ir.VectorType(_F, lanes)) for bits in shifted]


def _bytes(b, start, lanes: int, column: int):
    """8 bits, with a sign: a word holds two columns of outputs i and 16 + i, in turns."""
    kind = ir.VectorType(_I, lanes)
    words = _load_vector(b, start, 0, kind, 4)
    shifted = (b.shl(words, ir.Constant(kind, [24 - 16 * column - 8 * half] * lanes)) for half in (0, 1))
    return [b.sitofp(b.ashr(bits, ir.Constant(kind, [24] * lanes)), ir.VectorType(_F, lanes)) for bits in shifted]


def _scale(b, start, lanes: int):
    """Two float16 of a word: of outputs i and 16 + i."""
    kind, halves = ir.VectorType(_I, lanes), ir.VectorType(ir.HalfType(), lanes)
    words = _load_vector(b, start, 0, kind, 4)
    shifted = (b.lshr(words, ir.Constant(kind, [shift] * lanes)) for shift in (0, 16))
    return [
        b.fpext(b.bitcast(b.trunc(bits, ir.VectorType(ir.IntType(16), lanes)), halves), ir.VectorType(_F, lanes))
        for bits in shifted
    ]


class Layout(NamedTuple):
    """How `columns` of a panel lie in `lines` of memory, of weights in blocks behind that many lines of `scales`: how they are widened, and items
    of the array from an output's word or number to the next one's."""

    widen: Callable
    lines: int = 1
    columns: int = 1
    scales: int = 0
    step: int = 1


_LAYOUTS = {
    types.uint32: Layout(_pairs),
    types.uint16: Layout(_halves),
    types.float32: Layout(_floats, lines=2),
    types.uint8: Layout(_nibbles, columns=4, scales=2, step=4),
    types.int8: Layout(_bytes, columns=2, scales=1, step=4),
}


@intrinsic
def element(typing, w, row, column):
    """W[row, column] as float32, of packed w [panels, K, ·]: what a token's embedding is read by."""

    def run(context, b, signature, args):
        packed = context.make_array(signature.args[0])(context, b, args[0])
        _, K, wide = cgutils.unpack_tuple(b, packed.shape)
        _, row, column = args
        layout, inside = _LAYOUTS[signature.args[0].dtype], b.and_(row, _L(PANEL - 1))
        within = b.and_(column, _L(BLOCK_COLUMNS - 1 if layout.scales else 0))  # its place in the block
        start = b.gep(packed.data, [b.mul(b.add(b.mul(b.lshr(row, _L(5)), K), b.sub(column, within)), wide)])
        at = here = b.gep(start, [b.mul(b.and_(inside, _L(LANES - 1)), _L(layout.step))])
        if layout.scales:
            at = b.bitcast(at, _I.as_pointer())
            here = b.gep(at, [b.mul(b.add(b.udiv(within, _L(layout.columns)), _L(layout.scales)), _L(LANES))])

        def one(pair):
            return b.extract_element(b.select(b.icmp_unsigned("<", inside, _L(LANES)), *pair), _I(0))

        value = one(layout.widen(b, here, 1, 0))
        for c in range(1, layout.columns):
            is_column = b.icmp_unsigned("==", b.urem(column, _L(layout.columns)), _L(c))
            value = b.select(is_column, one(layout.widen(b, here, 1, c)), value)
        if layout.scales:
            scale, *least = (one(_scale(b, b.gep(at, [_L(line * LANES)]), 1)) for line in range(layout.scales))
            value = b.fmul(value, scale)
            for each in least:
                value = b.fadd(value, each)
        return value

    return types.float32(w, types.int64, types.int64), run
