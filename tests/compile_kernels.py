"""Compile the kernels of decoding (backends/pytorch/kernels.py) for GPUs that need not be here, as their first launch would:

    python -m tests.compile_kernels 90          # a line of JSON for each kernel: what it takes of the GPU

By Triton's own compiler and NVIDIA's assembler, which comes with it. Nothing is launched. Not under the interpreter, so in a process of
its own (test_kernels.py).
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from specviz.engine.backends.pytorch.kernels import FusedParts
from specviz.engine.backends.pytorch.modules import Branches, Norm
from specviz.engine.model import Shape

SHAPES = {
    "the bundled target": Shape("llama", 256, 4, 4, 64, 768, 1e-5),
    "Llama-3-8B": Shape("llama", 4096, 32, 8, 128, 14336, 1e-5),
    "Qwen3-8B": Shape("qwen3", 4096, 32, 8, 128, 12288, 1e-6),
}
DTYPES = torch.float32, torch.bfloat16
BOUND = 1024


class Absent:
    """What Triton asks a GPU, answered for one that is not here."""

    def __init__(self, capability: int):
        self.capability = capability

    def get_current_target(self):
        return GPUTarget("cuda", self.capability, 32)

    def get_current_device(self):
        return self.capability

    def get_current_stream(self, device=None):
        return 0


def compiled(capability: int):
    """Yield (shape, dtype, kernel, what was made of it), all that decoding a token and verifying a block or a tree launch."""
    binaries = []
    launch = JITFunction.run

    def run(self, *args, grid, warmup, **kwargs):
        binaries.append((self.__name__, launch(self, *args, grid=grid, warmup=True, **kwargs)))

    JITFunction.run = run
    driver.set_active(Absent(capability))
    for name, s in SHAPES.items():
        way = FusedParts(s, torch.ones(BOUND, 1, s.size // 2, dtype=torch.complex64))
        for dtype in DTYPES:
            norm, heads = Norm(torch.ones(s.width, dtype=dtype), s.width, s.eps), s.heads + s.kv_heads
            over_heads = Norm(torch.ones(heads, s.size, dtype=dtype), s.size, s.eps) if s.family == "qwen3" else None
            cache = torch.zeros(2, s.kv_heads, BOUND, s.size, dtype=dtype)
            tree = Branches(torch.zeros(9, dtype=torch.long), torch.zeros(9, 9, dtype=torch.bool))
            for n, branches in ((1, None), (9, None), (9, tree)):
                place = way.positions(torch.zeros(1, dtype=torch.long), 0, n, BOUND, dtype, branches)
                way.norm(norm, torch.zeros(n, s.width, dtype=dtype))
                way.attention(torch.zeros(n, (heads + s.kv_heads) * s.size, dtype=dtype), over_heads, cache, place)
                way.swiglu(torch.zeros(n, 2 * s.inner, dtype=dtype))
            yield from ((name, str(dtype), kernel, binary) for kernel, binary in binaries)
            binaries.clear()


def uses(binary) -> dict:
    """Registers and bytes of stack a thread (where registers do not suffice), bytes of shared memory a block."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(binary.asm["cubin"])
        file.flush()
        tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
        usage = subprocess.run([tool, "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", usage).groups()
    return {"registers": int(registers), "stack": int(stack), "shared": binary.metadata.shared}


if __name__ == "__main__":
    for shape, dtype, kernel, binary in compiled(int(sys.argv[1])):
        print(json.dumps({"shape": shape, "dtype": dtype, "kernel": kernel, **uses(binary)}))
