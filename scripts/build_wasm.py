"""The engine's compiled pass for a browser: what numba compiles for a CPU (specviz/engine/compiled), lowered to WebAssembly.

    python -m scripts.build_wasm [--out FOLDER]      needs `pip install ziglang`, which carries the linker LLD

numba hands its LLVM code over before it optimises it; llvmlite has the target wasm32. Two modules are written for the bundled family and
two for the assistant, whose weights are in blocks and whose memory threads share: with relaxed SIMD, whose products and sums are one
instruction, and without. Beside them lies specviz.json: how arguments are laid out, and the digest of the sources, by which a test sees
that a module is older than they are.
"""

import argparse
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "assets" / "engine"
SOURCES = (Path(__file__), ROOT / "specviz" / "acceptance.py", *sorted((ROOT / "specviz" / "engine" / "compiled").glob("*.py")))
FAMILY, BLOCKS = "specviz", "specviz-blocks"
PLAIN = "+simd128,+bulk-memory"
RELAXED, THREADS = ",+relaxed-simd", ",+atomics,+mutable-globals"
ENDS = (("", RELAXED), ("-plain", ""))
MODULES = {f"{name}{end}.wasm": PLAIN + more + own for name, own in ((FAMILY, ""), (BLOCKS, THREADS)) for end, more in ENDS}
# what engine/compiled/blocks.py asks for: products of bytes with weights from 0 to 127, added two by two; and the sums of two of these
PAIR_SUMS, PAIR_PRODUCTS = "llvm.wasm.extadd.pairwise.signed.v4i32", "llvm.wasm.relaxed.dot.i8x16.i7x16.signed"
PLAIN_PAIR_PRODUCTS = """define internal <8 x i16> @wasm_pair_products(<16 x i8> %x, <16 x i8> %w) alwaysinline {
 %u = zext <16 x i8> %w to <16 x i16> %s = sext <16 x i8> %x to <16 x i16> %m = mul <16 x i16> %u, %s
 %a = shufflevector <16 x i16> %m, <16 x i16> %m, <8 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14>
 %b = shufflevector <16 x i16> %m, <16 x i16> %m, <8 x i32> <i32 1, i32 3, i32 5, i32 7, i32 9, i32 11, i32 13, i32 15>
 %r = add <8 x i16> %a, %b ret <8 x i16> %r }"""
# what engine/compiled/threads.py asks of the system: to sleep, and to wake who does
SYSTEM = """
declare i32 @llvm.wasm.memory.atomic.wait32(ptr, i32, i64) declare i32 @llvm.wasm.memory.atomic.notify(ptr, i32)
define internal i64 @syscall(i64 %n, i64 %at, i64 %how, i64 %value, i64 %a, i64 %b, i64 %c) {
 %p = inttoptr i64 %at to ptr %v = trunc i64 %value to i32 %sleeps = icmp eq i64 %how, 128
 br i1 %sleeps, label %sleep, label %wake
sleep: %s = call i32 @llvm.wasm.memory.atomic.wait32(ptr %p, i32 %v, i64 -1) ret i64 0
wake: %w = call i32 @llvm.wasm.memory.atomic.notify(ptr %p, i32 %v) ret i64 0 }
"""
STACK = 1 << 20  # bytes
MAX_MEMORY = 1 << 32  # bytes of a memory that threads share
ONE_THREAD = {"rank": 0, "team": 1}  # of the family's modules
# numba for a processor with registers of 128 bits that does not fuse, its code as it is before it is optimised
NUMBA = {
    "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+sse2,-avx", "NUMBA_OPT": "0", "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0", "SPECVIZ_CACHE": os.devnull, "SPECVIZ_WASM": "1",
    "PYTHONHASHSEED": "0",  # numba goes through sets of names: by their order the same code comes in other bytes
}  # fmt: skip


def digest() -> str:
    """Of all that a module follows from, but for the versions of its tools."""
    sha256 = hashlib.sha256()
    for source in SOURCES:
        sha256.update(source.read_bytes())
    return sha256.hexdigest()


def functions() -> dict:
    """Module → name → a function that a page calls and the types that it is compiled for (engine/compiled/precompile.py). NUMBA must be in
    the environment."""
    import llvmlite.binding as llvm
    import numpy as np

    from specviz.engine.compiled import forward, precompile, threads, verdict

    for name in ("wasm_pair_products", "wasm_pair_sums"):
        llvm.add_symbol(name, 1)  # never called here: rows are empty

    def latest(*functions, **named) -> dict:
        """Each with the types of its latest compilation."""
        named |= {function.py_func.__name__: function for function in functions}
        return {name: (function, function.nopython_signatures[-1].args) for name, function in named.items()}

    verdicts = verdict.softmax_rows, verdict.decide
    precompile.compile_passes()
    precompile.compile_verdicts()
    precompile.compile_products()
    family = latest(forward.forward_pass, forward.multiply, *verdicts)
    precompile.compile_passes(np.uint8, np.int8)
    blocks = latest(forward.forward_pass)
    precompile.compile_passes(np.int8, np.int8)  # of a head, whose own weights are of 8 bits
    precompile.compile_products(np.int8)
    blocks |= latest(forward.multiply, *verdicts, threads.serve_passes, forward_pass_q8=forward.forward_pass)
    return {FAMILY: family, BLOCKS: blocks}


def shape_of(kind):
    """A numba type as JSON: an array as [type of an item, dimensions], a tuple as its fields by name or place, a number by its name."""
    from numba import types

    if isinstance(kind, types.Array):
        return [str(kind.dtype), kind.ndim]
    if isinstance(kind, types.BaseTuple):
        return dict(zip(getattr(kind, "fields", map(str, range(len(kind.types)))), map(shape_of, kind.types), strict=True))
    return None if isinstance(kind, types.Omitted | types.NoneType) else str(kind)


def slots(shape) -> int:
    """How many numbers numba hands over for it: of an array two owners, items, bytes of one, where it lies, shape, strides."""
    if isinstance(shape, list):
        return 5 + 2 * shape[1]
    return sum(map(slots, shape.values())) if isinstance(shape, dict) else int(shape is not None)


def arguments(function, types) -> dict:
    return dict(zip(inspect.signature(function.py_func).parameters, map(shape_of, types), strict=True))


def retargeted(code: str, name: str, own: str, shapes: dict, machine, features: str) -> str:
    """For wasm32, with an entry `name`(base) of the function `own` that reads every argument from memory, 8 bytes each: arrays come as
    hundreds of numbers."""
    code = re.sub(r'target datalayout = ".*"', f'target datalayout = "{machine.target_data}"', code)
    code = re.sub(r'target triple = ".*"', 'target triple = "wasm32-unknown-unknown"', code)
    code = re.sub(r'"target-(cpu|features)"="[^"]*"', "", code)
    code = code.replace("@sqrtf(", "@llvm.sqrt.f32(").replace("@sqrt(", "@llvm.sqrt.f64(")
    owner = r"^declare void @NRT_MemInfo_call_dtor\(.*$"
    code = re.sub(owner, "define internal void @NRT_MemInfo_call_dtor(ptr %owner) {\n ret void\n}", code, flags=re.M)
    # without this flag a product and a sum stay two instructions where one is to be had
    code = re.sub(r"call (<\d+ x float> @llvm.fmuladd)", r"call contract \1", code)
    code = code.replace("@wasm_pair_sums(", f"@{PAIR_SUMS}(")
    code = re.sub(r"^declare .*@syscall\(.*$", "", code, flags=re.M) + SYSTEM
    if THREADS not in features:  # nobody else enters a pass
        code = re.sub(r"^(define internal void @entry\(.*?\{\n).*?^\}", r"\1 ret void\n}", code, flags=re.M | re.S)
    if RELAXED not in features:
        code = re.sub(r"^declare .*@wasm_pair_products\(.*$", PLAIN_PAIR_PRODUCTS, code, flags=re.M)
    else:
        code = code.replace("@wasm_pair_products(", f"@{PAIR_PRODUCTS}(")
    module = rf"_ZN7specviz6engine8compiled\d+\w+?{len(own)}{own}B"
    [(inner, parameters)] = re.findall(rf"^define i32 @({module}\S+?)\((.*)\) .*{{$", code, re.M)
    types = [part.split()[0] for part in _parts(parameters)]
    if len(types) != 2 + sum(map(slots, shapes.values())):
        raise SystemExit(f"{name}: numba hands over {len(types)} numbers, {2 + sum(map(slots, shapes.values()))} were expected")
    known, at = {}, 2
    for parameter, shape in shapes.items():
        if own == "forward_pass" and THREADS not in features and parameter in ONE_THREAD:
            known[at] = ONE_THREAD[parameter]
        at += slots(shape)
    lines, passed = [], []
    for i, kind in enumerate(types):
        if i not in known:
            lines.append(f"  %p{i} = getelementptr i8, ptr %base, i32 {8 * i}\n  %v{i} = load {kind}, ptr %p{i}")
        passed.append(f"{kind} {known.get(i, f'%v{i}')}")
    body = "\n".join([*lines, f"  %r = call i32 @{inner}({', '.join(passed)})", "  ret i32 %r"])
    return f"{code}\ndefine i32 @{name}(ptr %base) {{\n{body}\n}}\n"


def _parts(text: str) -> list[str]:
    """Arguments of a function, at the commas that are outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


def compiled(functions: dict, features: str) -> bytes:
    """One object file of all functions."""
    import llvmlite.binding as llvm

    target = llvm.Target.from_triple("wasm32-unknown-unknown")
    machine = target.create_target_machine(cpu="generic", features=features, opt=3, reloc="static")
    module = None
    for name, (function, types) in functions.items():
        code, own, shapes = function.inspect_llvm(types), function.py_func.__name__, arguments(function, types)
        parsed = llvm.parse_assembly(retargeted(code, name, own, shapes, machine, features))
        for thing in (*parsed.functions, *parsed.global_variables):
            if not thing.is_declaration and thing.name != name:
                thing.linkage = "internal"  # what nobody calls goes: Python's own entry with all it asks of Python
        if module is None:
            module = parsed
        else:
            module.link_in(parsed)
    assert module
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def linked(code: bytes, names: list[str], features: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        object_file, module = Path(folder, "code.o"), Path(folder, "code.wasm")
        object_file.write_bytes(code)
        exports = [f"--export={name}" for name in (*names, "__heap_base")]
        options = f"-m ziglang wasm-ld --no-entry --stack-first -z stack-size={STACK} --strip-all -O3"
        if THREADS in features:
            options += f" --shared-memory --import-memory --max-memory={MAX_MEMORY} --export=__stack_pointer"
        link = [sys.executable, *options.split()]
        subprocess.run([*link, *exports, str(object_file), "-o", str(module)], check=True)
        return module.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    if not NUMBA.items() <= os.environ.items():  # they count from the start of a process
        os.execve(sys.executable, [sys.executable, "-m", "scripts.build_wasm", *sys.argv[1:]], os.environ | NUMBA)
    import llvmlite
    import llvmlite.binding as llvm
    import numba

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    by_module = functions()
    digests = {}
    for file, features in MODULES.items():
        by_name = by_module[file.removesuffix(".wasm").removesuffix("-plain")]
        module = linked(compiled(by_name, features), [*by_name], features)
        (out / file).write_bytes(module)
        digests[file] = hashlib.sha256(module).hexdigest()
        print(f"{file}: {len(module):,} bytes")
    linker = subprocess.run([sys.executable, "-m", "ziglang", "wasm-ld", "--version"], check=True, capture_output=True, text=True)
    tools = {"llvmlite": llvmlite.__version__, "numba": numba.__version__, "linker": linker.stdout.strip()}
    shapes = {module: {name: arguments(*one) for name, one in by_name.items()} for module, by_name in by_module.items()}
    about = {"sources": digest(), "tools": tools, "modules": digests, "arguments": shapes[FAMILY], "blocks": shapes[BLOCKS]}
    (out / "specviz.json").write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    main()
