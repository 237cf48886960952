"""Tensors that claim to be on a GPU, on a build of torch without one: what mixes devices raises, and so does a hidden look at a value.

    with pretended(monkeypatch, accepted=1) as device: ...

They hold no values. The one transfer of a round gives made-up ones; `device.looks` counts by name whatever made the host wait.
"""

from collections import Counter
from contextlib import contextmanager

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from specviz.engine import decode, sampling
from specviz.engine.models import fused, static

from . import fake_device

CUDA = torch.device("cuda", 0)  # without a number torch asks a driver for the current one
WAITS = ("__int__", "__float__")  # how a drafter that draws token by token looks at one


class Pretended:
    """`accepted`: how many of a block the made-up numbers say were kept. `looks`: by name, what waited; `operations`: what was given to
    the device, by name."""

    def __init__(self, accepted: int):
        self.accepted, self.looks, self.operations = accepted, Counter(), Counter()

    def numbers(self, x: torch.Tensor) -> list:
        """What a transfer of x [n] gives: 1 everywhere, but of a decision's numbers the first, which says how many were accepted."""
        self.looks["tolist"] += 1
        return [float(self.accepted), *[1.0] * (len(x) - 1)] if x.is_floating_point() else [1] * len(x)


class Counted(FakeTensorMode):
    """Counts the operations that are given to the device."""

    def __init__(self, device: Pretended):
        super().__init__(allow_non_fake_inputs=False)
        self.device = device

    def dispatch(self, func, types, args=(), kwargs=None):
        self.device.operations[func.name()] += 1
        return super().dispatch(func, types, args, kwargs or {})


@contextmanager
def pretended(patch, accepted: int = 0):
    device = Pretended(accepted)
    fake_device.Device(patch)
    patch.setattr(torch.cuda, "synchronize", lambda *_: None)
    patch.setattr(torch.cuda, "get_device_capability", lambda *_: (9, 0))
    patch.setattr(fused, "why_plain", lambda *_: "there are no kernels for what is not there")
    patch.setattr(static, "why_plain", lambda *_: "")
    real = torch.Tensor.tolist
    patch.setattr(torch.Tensor, "tolist", lambda x: device.numbers(x) if is_there(x) else real(x))
    for name in WAITS:
        patch.setattr(torch.Tensor, name, waited(device, name, getattr(torch.Tensor, name)))
    index = torch.Tensor.__getitem__
    patch.setattr(torch.Tensor, "__getitem__", lambda x, at: indexed(x, at) if is_there(x) else index(x, at))
    patch.setattr(sampling, "Uniforms", Uniforms)
    patch.setattr(decode, "Uniforms", Uniforms)
    with Counted(device):
        yield device


class Uniforms:
    """As sampling.Uniforms; a generator of a device that is not there cannot be made."""

    def __init__(self, seed, device):
        self.device = device

    def __call__(self, n):
        return torch.rand(n, dtype=torch.float64, device=self.device)


def indexed(x: torch.Tensor, at) -> torch.Tensor:
    """x[at]: what stands behind the brackets asks a driver which device is the current one, where the build has one."""
    dim, parts = 0, list(at) if isinstance(at, tuple) else [at]
    if Ellipsis in [part for part in parts if not isinstance(part, torch.Tensor)]:
        where = next(i for i, part in enumerate(parts) if part is Ellipsis)
        given = sum(part is not None for part in parts) - 1
        parts[where : where + 1] = [slice(None)] * (x.dim() - given)
    for part in parts:
        match part:
            case None:
                x, dim = x.unsqueeze(dim), dim + 1
            case slice():
                first, last, step = part.indices(x.shape[dim])
                x, dim = torch.ops.aten.slice(x, dim, first, last, step), dim + 1
            case torch.Tensor():
                x, dim = x.index_select(dim, part.to(x.device)), dim + 1
            case _:
                x = x.select(dim, int(part))
    return x


def is_there(x: torch.Tensor) -> bool:
    return isinstance(x, FakeTensor) and x.device.type == "cuda"


def waited(device: Pretended, name: str, real):
    def call(x):
        if not is_there(x):
            return real(x)
        device.looks[name] += 1
        return 1 if name == "__int__" else 0.5

    return call
