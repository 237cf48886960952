"""x ↦ x·Wᵀ + b with the weight laid out once, at load, for the few rows that decoding feeds.

On a CPU with oneDNN a packed weight makes 2 to 16 rows cost about what one row costs, which is what makes verification
cheap there; F.linear (MKL) costs 2 to 3 times one row at 5 rows. One row through a small weight is faster by plain `mm`:
oneDNN's call alone is some 10 µs. Elsewhere this is F.linear. Measurements: docs/log.md.
"""

import torch
import torch.nn.functional as F

SMALL = 1 << 18  # elements up to which one row is faster by `mm` than by a oneDNN call (AMD EPYC, 2 threads)
ROWS = 4  # rows that the packing is tuned for


class Linear:
    """A fixed linear map. weight [out, in], bias [out] or None; call with x [n, in] → [n, out]."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None):
        self.bias = bias
        self.packed = _pack(weight)
        self.weight = weight if self.packed is None else None
        self.columns = weight.t().contiguous() if self.packed is not None and weight.numel() <= SMALL else None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if self.packed is None:
            return F.linear(x, self.weight, self.bias)
        if self.columns is not None and x.shape[0] == 1:
            return torch.mm(x, self.columns) if self.bias is None else torch.addmm(self.bias, x, self.columns)
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")

    def add(self, residual: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """residual + x·Wᵀ, without a pass of its own for the sum. Only for maps without bias."""
        if self.packed is None:
            return torch.addmm(residual, x, self.weight.t())
        if self.columns is not None and x.shape[0] == 1:
            return torch.addmm(residual, x, self.columns)
        return torch.ops.mkldnn._linear_pointwise.binary(x, residual, self.packed, None, "add")


def _pack(weight: torch.Tensor):
    """The weight in oneDNN's own layout, or None where that is not to be had (another device, dtype or build)."""
    if weight.device.type != "cpu" or weight.dtype != torch.float32 or not torch.backends.mkldnn.is_available():
        return None
    try:
        return torch.ops.mkldnn._reorder_linear_weight(weight, ROWS)
    except (AttributeError, RuntimeError):  # a build whose oneDNN has no such operator
        return None
