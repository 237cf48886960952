"""The loop of a product with weights in blocks of 32 columns (GGUF's Q4_0, Q4_1, Q8_0): whole numbers of 4 or 8 bits times whole
numbers of 8.

A row of x becomes blocks of 32 whole numbers too, each with a scale: d = max|x|/127, and of each x the whole number nearest to
x/d. Products of whole numbers are exact, several an instruction, and their sum I over a block does not depend on its order: what
a processor has for them changes no bit. Over the blocks of a row, in their order, each operation rounded to float32 by itself,

    y ← (y + least·(d·S)) + (scale·d)·I        S: the sum of the block's whole numbers; without a least y + (scale·d)·I

so a row has the same bits alone and among others, and on every processor.
"""

from collections.abc import Callable
from typing import NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .compiler import IN_BROWSER
from .registers import (
    BITS,
    BLOCK_COLUMNS,
    CPU,
    F16,
    F32,
    I8,
    I16,
    I32,
    I64,
    PANEL,
    REGISTERS,
    WIDENS_HALF,
    constant,
    function,
    halve,
    load,
    prefetch,
    sizes,
    splat,
    store,
)

LANES = BITS // 32  # outputs whose sums a register holds
ROWS_OF_BLOCKS = 12 if REGISTERS == 32 else 6  # rows whose sums, of a block and of all, fit into the registers beside the weights
# words of a block of x: its whole numbers four by four, then d, d·S and S; and one that is not used
X_WORDS, SCALE, SCALED_SUM, SUM = 12, 8, 9, 10
LARGEST, SMALLEST = 127.0, 1e-30  # a block of nothing but smaller numbers is zeros
PREFETCH_BYTES = 2048  # from what is read to what is asked for
INTS, FLOATS, BYTES = ir.VectorType(I32, LANES), ir.VectorType(F32, LANES), ir.VectorType(I8, 4 * LANES)
SHORTS, SCALES = ir.VectorType(I16, 2 * LANES), ir.VectorType(I16, LANES)


class BlockLayout(NamedTuple):
    """How a block of LANES outputs lies: `scales` rows of float16, then of each four columns a word for each output. Of 4 bits a word holds
    columns k in the lower halves of its bytes and 16 + k in the upper ones."""

    bits: int
    scales: int

    @property
    def size(self) -> int:
        """Bytes."""
        return LANES * (2 * self.scales + BLOCK_COLUMNS * self.bits // 8)

    @property
    def words(self) -> int:
        return BLOCK_COLUMNS * self.bits // 32


LAYOUTS = {types.uint8: BlockLayout(4, 2), types.int8: BlockLayout(8, 1)}


def quantise_block(b, x, block):
    """Block number `block` of x, float32, in its place: what becomes of it needs less room and begins no later."""
    floats, words = ir.VectorType(F32, BLOCK_COLUMNS), ir.VectorType(I32, BLOCK_COLUMNS)
    numbers = load(b, b.gep(x, [b.mul(block, I64(BLOCK_COLUMNS))]), 0, floats, 4)
    # without their signs numbers are ordered as their bits are, and what is no number comes last
    sizes = b.and_(b.bitcast(numbers, words), constant(words, 0x7FFFFFFF))
    largest = b.bitcast(halve(b, sizes, lambda one, other: b.select(b.icmp_signed(">", one, other), one, other)), F32)
    is_zero = b.fcmp_ordered("<", largest, F32(SMALLEST))
    scale = b.select(is_zero, F32(0.0), b.fdiv(largest, F32(LARGEST)))
    parts = splat(b, b.select(is_zero, F32(0.0), b.fdiv(F32(LARGEST), largest)), BLOCK_COLUMNS)
    # a sum with 3·2²² has no bits for a fraction: it is rounded, of two to the even one, and a whole number is left in its lowest bits
    rounded = b.bitcast(b.fadd(b.fmul(numbers, parts), constant(floats, 3.0 * 2**22)), words)
    total = halve(b, b.sub(rounded, constant(words, 0x4B400000)), b.add)
    start = b.gep(x, [b.mul(block, I64(X_WORDS))])
    store(b, b.trunc(rounded, ir.VectorType(I8, BLOCK_COLUMNS)), start, 0, 4)
    store(b, scale, start, SCALE, 4)
    store(b, b.fmul(scale, b.sitofp(total, F32)), start, SCALED_SUM, 4)
    store(b, total, start, SUM, 4)


@intrinsic
def quantise(typing, x, row, w):
    """Row `row` of x [·, ≥ K], float32, as products with packed w [·, K, ·] take it: where that is in blocks as blocks, else as it is."""

    def run(context, b, signature, args):
        if signature.args[2].dtype in LAYOUTS:
            x, w = (context.make_array(signature.args[i])(context, b, args[i]) for i in (0, 2))
            start = b.gep(x.data, [b.mul(args[1], sizes(b, x)[1])])
            with cgutils.for_range(b, b.sdiv(sizes(b, w)[1], I64(BLOCK_COLUMNS))) as block:
                quantise_block(b, start, block.index)
        return context.get_dummy_value()

    return types.void(x, types.int64, w), run


class Dot(NamedTuple):
    """How a processor adds products of bytes. `add(b, sums, weights, xs)`, words of LANES·4 bytes each, those of x with a sign;
    `total(b, sums)`: LANES words. `unsigned`: whether of the weights 128 too much are added."""

    kind: ir.VectorType
    add: Callable
    total: Callable = lambda b, sums: sums
    unsigned: bool = False


def _as_bytes(b, words):
    return b.bitcast(words, BYTES)


def _fused(name: str, unsigned: bool, as_bytes: bool) -> Dot:
    """One instruction that adds four products to a word."""

    def add(b, sums, weights, xs):
        pair = [_as_bytes(b, each) if as_bytes else each for each in (weights, xs)]
        return b.call(function(b, name, INTS, [INTS, *(each.type for each in pair)]), [sums, *pair])

    return Dot(INTS, add, unsigned=unsigned)


def _pair_products(b, weights, xs):
    """Of unsigned weights: two products of bytes, added in 16 bits."""
    name = "llvm.x86.avx2.pmadd.ub.sw" if BITS == 256 else "llvm.x86.ssse3.pmadd.ub.sw.128"
    pair = [_as_bytes(b, weights), _as_bytes(b, xs)]
    if IN_BROWSER:  # scripts/build_wasm.py says what these are
        name, pair = "wasm_pair_products", pair[::-1]
    return b.call(function(b, name, SHORTS, [BYTES, BYTES]), pair)


def _pair_sums(b, pairs):
    if IN_BROWSER:
        return b.call(function(b, "wasm_pair_sums", INTS, [SHORTS]), [pairs])
    name = "llvm.x86.avx2.pmadd.wd" if BITS == 256 else "llvm.x86.sse2.pmadd.wd"
    return b.call(function(b, name, INTS, [SHORTS, SHORTS]), [pairs, constant(SHORTS, 1)])


def _move_signs(b, weights, xs):
    """Weights without their signs, and x that takes them over: no two products leave 16 bits."""
    weights, xs = _as_bytes(b, weights), _as_bytes(b, xs)
    size = b.call(function(b, f"llvm.abs.v{4 * LANES}i8", BYTES, [BYTES, ir.IntType(1)]), [weights, ir.IntType(1)(0)])
    if not IN_BROWSER:
        name = "llvm.x86.avx2.psign.b" if BITS == 256 else "llvm.x86.ssse3.psign.b.128"
        return size, b.call(function(b, name, BYTES, [BYTES, BYTES]), [xs, weights])
    zero = constant(BYTES, 0)
    return size, b.select(b.icmp_signed("<", weights, zero), b.sub(zero, xs), xs)


def _signed_pairs(b, sums, weights, xs):
    return b.add(sums, _pair_sums(b, _pair_products(b, *_move_signs(b, weights, xs))))


def _one_by_one(b, sums, weights, xs):
    for j in range(4):
        left, right = constant(INTS, 24 - 8 * j), constant(INTS, 24)
        sums = b.add(sums, b.mul(*(b.ashr(b.shl(each, left), right) for each in (weights, xs))))
    return sums


def _dot(bits: int) -> Dot:
    """The fastest that there is here."""
    if CPU.get("avx512vnni") if BITS == 512 else CPU.get("avxvnni") or (CPU.get("avx512vnni") and CPU.get("avx512vl")):
        return _fused(f"llvm.x86.avx512.vpdpbusd.{BITS}", unsigned=True, as_bytes=False)
    if CPU.get("dotprod"):
        return _fused("llvm.aarch64.neon.sdot.v4i32.v16i8", unsigned=False, as_bytes=True)
    if IN_BROWSER or (BITS == 256 and CPU.get("avx2")) or (BITS == 128 and CPU.get("ssse3")):
        if bits == 4:  # below 16 even all of a block stay within 16 bits
            return Dot(SHORTS, lambda b, sums, weights, xs: b.add(sums, _pair_products(b, weights, xs)), _pair_sums)
        return Dot(INTS, _signed_pairs)
    return Dot(INTS, _one_by_one)


def _half(b, bits):
    """float16, by its bits, as float32; where no instruction does that the exponent is moved and its bias made up for by a product."""
    kind = bits.type
    floats, words, halves = (ir.VectorType(each, kind.count) for each in (F32, I32, F16))
    if WIDENS_HALF:
        return b.fpext(b.bitcast(bits, halves), floats)
    whole = b.zext(bits, words)
    size = b.shl(b.and_(whole, constant(words, 0x7FFF)), constant(words, 13))
    sign = b.shl(b.and_(whole, constant(words, 0x8000)), constant(words, 16))
    value = b.fmul(b.bitcast(size, floats), constant(floats, 2.0**112))
    return b.bitcast(b.or_(b.bitcast(value, words), sign), floats)


def block_tile(b, x, w, y, row, rows, panel, K, layout: BlockLayout) -> None:
    """`rows` rows of x in blocks, from `row` on, times one panel of w, into their place in y: for each number of rows a loop of its own."""
    (_, across), (_, _, wide), (_, out) = (sizes(b, array) for array in (x, w, y))
    blocks = b.sdiv(K, I64(BLOCK_COLUMNS))
    start = b.gep(w.data, [b.mul(b.mul(panel, sizes(b, w)[1]), wide)])
    first = b.gep(x.data, [b.mul(row, across)])
    to = b.gep(y.data, [b.add(b.mul(row, out), b.mul(panel, I64(PANEL)))])
    done = b.append_basic_block("done")
    switch = b.switch(rows, done)
    for m in range(1, ROWS_OF_BLOCKS + 1):
        block = b.append_basic_block(f"blocks{m}")
        switch.add_case(I64(m), block)
        b.position_at_end(block)
        with cgutils.for_range(b, I64(PANEL // LANES)) as part:
            here = b.gep(start, [b.mul(b.mul(part.index, blocks), I64(layout.size))])
            _part(b, first, here, b.gep(to, [b.mul(part.index, I64(LANES))]), blocks, across, out, m, layout)
        b.branch(done)
    b.position_at_end(done)


def _part(b, x, w, y, blocks, across, out, rows: int, layout: BlockLayout):
    """LANES outputs of `rows` rows, whose sums stay in registers over all blocks."""
    dot = _dot(layout.bits)
    xs = [b.bitcast(b.gep(x, [b.mul(I64(m), across)]), I32.as_pointer()) for m in range(rows)]
    before, loop, after = b.block, b.append_basic_block("block"), b.append_basic_block("summed")
    b.branch(loop)
    b.position_at_end(loop)
    k, sums = b.phi(I64), [b.phi(FLOATS) for _ in range(rows)]
    here = b.gep(w, [b.mul(k, I64(layout.size))])
    prefetch(b, b.gep(here, [I64(PREFETCH_BYTES)]), -(-layout.size // 64))
    at = b.mul(k, I64(X_WORDS))
    starts = [b.gep(each, [at]) for each in xs]

    def word(m: int, place: int, kind=I32):
        return splat(b, b.load(b.bitcast(b.gep(starts[m], [I64(place)]), kind.as_pointer())), LANES)

    totals = [constant(dot.kind, 0)] * rows
    if layout.bits == 8 and dot.unsigned:
        totals = [b.mul(word(m, SUM), constant(INTS, -128)) for m in range(rows)]
    for group in range(layout.words):
        words = load(b, here, 2 * LANES * layout.scales + 4 * LANES * group, INTS, 1)
        if layout.bits == 4:
            halves = [b.and_(each, constant(INTS, 0x0F0F0F0F)) for each in (words, b.lshr(words, constant(INTS, 4)))]
        else:
            halves = [b.xor(words, constant(INTS, 0x80808080)) if dot.unsigned else words]
        for m in range(rows):
            for half, weights in enumerate(halves):
                totals[m] = dot.add(b, totals[m], weights, word(m, group + half * layout.words))
    scale, *least = (_half(b, load(b, here, 2 * LANES * line, SCALES, 2)) for line in range(layout.scales))
    for m, so_far in enumerate(sums):
        so_far.add_incoming(constant(FLOATS, 0.0), before)
        value = so_far
        for each in least:
            value = b.fadd(value, b.fmul(each, word(m, SCALED_SUM, F32)))
        whole = b.sitofp(dot.total(b, totals[m]), FLOATS)
        value = b.fadd(value, b.fmul(b.fmul(scale, word(m, SCALE, F32)), whole))
        so_far.add_incoming(value, loop)
        sums[m] = value
    following = b.add(k, I64(1))
    k.add_incoming(I64(0), before)
    k.add_incoming(following, loop)
    b.cbranch(b.icmp_signed("<", following, blocks), loop, after)
    b.position_at_end(after)
    for m, value in enumerate(sums):
        store(b, value, b.gep(y, [b.mul(I64(m), out)]), 0, 4)


def block_element(b, w, row, column, layout: BlockLayout):
    """W[row, column] as float32, of packed w."""
    _, K, wide = sizes(b, w)
    inside, within = b.and_(row, I64(PANEL - 1)), b.and_(column, I64(BLOCK_COLUMNS - 1))
    part, lane = b.udiv(inside, I64(LANES)), b.urem(inside, I64(LANES))
    blocks = b.udiv(K, I64(BLOCK_COLUMNS))
    block = b.add(b.mul(part, blocks), b.udiv(column, I64(BLOCK_COLUMNS)))
    start = b.add(b.mul(b.mul(b.udiv(row, I64(PANEL)), K), wide), b.mul(block, I64(layout.size)))

    def half(line: int):
        at = b.gep(w.data, [b.add(start, b.add(I64(2 * LANES * line), b.mul(lane, I64(2))))])
        return b.extract_element(_half(b, load(b, at, 0, ir.VectorType(I16, 1), 2)), I32(0))

    columns = I64(4 * layout.words)
    place = b.urem(within, columns)
    word = b.add(b.mul(b.udiv(place, I64(4)), I64(4 * LANES)), b.add(b.mul(lane, I64(4)), b.urem(place, I64(4))))
    number = b.sext(b.load(b.gep(w.data, [b.add(b.add(start, I64(2 * LANES * layout.scales)), word)])), I32)
    if layout.bits == 4:
        number = b.and_(b.lshr(number, b.trunc(b.mul(b.udiv(within, columns), I64(4)), I32)), I32(15))
    value = b.fmul(b.sitofp(number, F32), half(0))
    return b.fadd(value, half(1)) if layout.scales > 1 else value
