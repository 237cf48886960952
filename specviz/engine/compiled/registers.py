"""What a processor's registers hold, and the few lines of LLVM's code that both loops of a matrix product are written with
(tile.py, blocks.py).

NUMBA_CPU_FEATURES makes code for another processor than this one."""

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, config

LANES, PANEL = 16, 32  # of a vector, and of the outputs that lie together; narrower processors take a vector in parts
CACHE_LINE = 64  # bytes of a cache line
BLOCK_COLUMNS = 32  # columns that share a scale
_FEATURES = config.CPU_FEATURES
CPU = llvm.get_host_cpu_features() if _FEATURES is None else {part[1:]: part[0] == "+" for part in _FEATURES.split(",")}
BITS = 512 if CPU.get("avx512f") else 256 if CPU.get("avx") else 128  # of a register
REGISTERS = 16 if CPU.get("sse2") and BITS < 512 else 32
WIDENS_HALF = any(CPU.get(feature) for feature in ("f16c", "fp16", "fullfp16", "neon"))  # in hardware

FUSES = any(CPU.get(feature) for feature in ("fma", "avx512f", "neon"))  # rounds a product and its sum once

F32, F16, I32, I64 = ir.FloatType(), ir.HalfType(), ir.IntType(32), ir.IntType(64)
I8, I16 = ir.IntType(8), ir.IntType(16)


def sizes(b, array):
    return cgutils.unpack_tuple(b, array.shape)


def constant(kind, number):
    """A vector of one number."""
    return ir.Constant(kind, [number] * kind.count)


def function(b, name: str, result, arguments: list):
    """One of LLVM's own."""
    return cgutils.get_or_insert_function(b.module, ir.FunctionType(result, arguments), name)


def splat(b, number, lanes: int):
    """A vector of one number that is worked out."""
    kind = ir.VectorType(number.type, lanes)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), number, I32(0))
    return b.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(ir.VectorType(I32, lanes), [0] * lanes))


def halve(b, numbers, join):
    """What `join` makes of a vector's numbers: of one half and the other, and so on."""
    size = numbers.type.count
    while size > 1:
        size //= 2
        halves = (ir.Constant(ir.VectorType(I32, size), [*range(i, i + size)]) for i in (0, size))
        numbers = join(*(b.shuffle_vector(numbers, numbers, half) for half in halves))
    return b.extract_element(numbers, I32(0))


def pointer(b, start, offset: int, kind):
    """To a `kind` that begins `offset` items from `start` on."""
    return b.bitcast(b.gep(start, [I64(offset)]), kind.as_pointer())


def load(b, start, offset: int, kind, size: int):
    """A vector of items of `size` bytes."""
    value = b.load(pointer(b, start, offset, kind))
    value.align = size
    return value


def store(b, value, start, offset: int, size: int):
    b.store(value, pointer(b, start, offset, value.type)).align = size


def prefetch(b, start, lines: int = 1):
    """Ask for `lines` of memory from `start` on."""
    ask = function(b, "llvm.prefetch.p0", ir.VoidType(), [I8.as_pointer(), I32, I32, I32])
    for line in range(lines):
        b.call(ask, [b.gep(b.bitcast(start, I8.as_pointer()), [I64(line * CACHE_LINE)]), I32(0), I32(3), I32(1)])
