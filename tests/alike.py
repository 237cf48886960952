"""Arrays and tensors compared by their values, whichever they are."""

import numpy as np
import torch


def array(x) -> np.ndarray:
    """Of half precision as float32."""
    return (
        (x.detach().float() if x.dtype == torch.bfloat16 else x.detach()).numpy()
        if isinstance(x, torch.Tensor)
        else np.asarray(x)
    )


def equal(a, b) -> bool:
    """Shape and every value."""
    return np.array_equal(array(a), array(b))


def close(a, b, atol: float = 1e-8, rtol: float = 1e-5) -> bool:
    """Every value, as torch.allclose has it."""
    a, b = array(a), array(b)
    return a.shape == b.shape and np.allclose(a, b, atol=atol, rtol=rtol)
