"""x ↦ x·Wᵀ + b with the weight laid out once, at load, for the few rows that decoding feeds.

On a CPU one token through a small model is bound by reading the weights, so their layout decides. Measured for the
bundled target's products in their order, 2 threads, 1 and 5 rows: F.linear's kernel 1.8 and 3.4 ms, oneDNN's packed weight
1.0 and 1.1 ms, FBGEMM's half-precision weight with fp32 inputs, sums and outputs .7 and 1.0 ms (docs/log.md).
"""

from functools import cache

import torch
import torch.nn.functional as F

SMALL = 1 << 15  # elements up to which F.linear's kernel is faster: a call of the others costs 12 µs before it computes
ROWS = 4  # rows that oneDNN's packing is tuned for
LOST = 2.0**-25  # what storing a bf16 weight as fp16 may change: the rounding of values below fp16's smallest normal number


class Linear:
    """A fixed linear map. weight [out, in], bias [out] or None; call with x [n, in] → [n, out].

    The weight is kept as fp16 only where that loses nothing, which is so for checkpoints written in bf16 or fp16; the
    arithmetic is fp32 either way."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None):
        self.turned = None if weight.device.type == "cpu" or bias is not None else weight.t()
        if weight.device.type != "cpu" or weight.dtype != torch.float32 or weight.numel() <= SMALL:
            self.apply = lambda x: F.linear(x, weight, bias)
        elif _half_works() and _fits_half(weight):
            half = torch.ops.quantized.linear_prepack_fp16(weight, bias)
            self.apply = lambda x: torch.ops.quantized.linear_dynamic_fp16(x, half)
        elif _packing_works():
            packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
            self.apply = lambda x: torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")
        else:
            self.apply = lambda x: F.linear(x, weight, bias)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.apply(x)

    def onto(self, x: torch.Tensor, sum: torch.Tensor, own: bool) -> torch.Tensor:
        """sum + the map of x, in one kernel where there is one that adds. `own`: the sum may be overwritten."""
        if self.turned is None:
            return self.apply(x).add_(sum)
        return sum.addmm_(x, self.turned) if own else torch.addmm(sum, x, self.turned)


def _fits_half(weight: torch.Tensor) -> bool:
    return bool((weight.half().float() - weight).abs().max() <= LOST)


@cache
def _half_works() -> bool:
    """Whether this build has FBGEMM's kernel and it computes what we ask. Asked once a process."""

    def product(x, weight, bias):
        return torch.ops.quantized.linear_dynamic_fp16(x, torch.ops.quantized.linear_prepack_fp16(weight, bias))

    return _agrees(product)


@cache
def _packing_works() -> bool:
    """Likewise for oneDNN's packed weight."""

    def product(x, weight, bias):
        packed = torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
        return torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")

    return torch.backends.mkldnn.is_available() and _agrees(product)


def _agrees(product) -> bool:
    generator = torch.Generator().manual_seed(0)
    weight, bias = (torch.randn(shape, generator=generator).bfloat16().float() for shape in ((48, 32), (48,)))
    try:
        return all(
            torch.allclose(product(x, weight, b), F.linear(x, weight, b), atol=1e-4)
            for x in (torch.randn(n, 32, generator=generator) for n in (1, 5))
            for b in (None, bias)
        )
    except (AttributeError, RuntimeError, NotImplementedError):  # no such operator in this build or on this processor
        return False
