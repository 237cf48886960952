"""Tensors that claim to be on a GPU, on a build of torch without one: what mixes devices raises, and so does a hidden look at a value.

    with pretended(monkeypatch) as device: ...

They hold no values. The one transfer of a round gives made-up ones; `device.looks` counts by name whatever made the host wait.
"""

from collections import Counter
from contextlib import contextmanager

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from specviz.engine import decode, sampling
from specviz.engine.backends.pytorch import fused, static

from . import fake_device

CUDA = torch.device("cuda", 0)  # without a number torch asks a driver for the current one
WAITS = ("__int__", "__float__")  # how a drafter that draws token by token looks at one


class Pretended:
    """`looks`: by name, what waited; `operations`: what was given to the device, by name."""

    def __init__(self):
        self.looks, self.operations = Counter(), Counter()

    def numbers(self, x: torch.Tensor) -> list:
        """What a transfer of x [n] gives: 1 everywhere, but 0 for the first number of a decision, which says how many were accepted."""
        self.looks["tolist"] += 1
        return [0.0, *[1.0] * (len(x) - 1)] if x.is_floating_point() else [1] * len(x)


class CountingMode(FakeTensorMode):
    """Counts the operations that are given to the device."""

    def __init__(self, device: Pretended):
        super().__init__(allow_non_fake_inputs=False)
        self.device = device

    def dispatch(self, func, types, args=(), kwargs=None):
        self.device.operations[func.name()] += 1
        kwargs = dict(kwargs or {})
        where = next((x for x in (*args, *kwargs.values()) if isinstance(x, torch.device)), None)
        if func.overloadpacket is torch.ops.aten.to and where is not None and where.type == "cuda":
            # in inference mode a list that was made a tensor would really be taken there: this is what it stands for elsewhere
            dtype = next((x for x in (*args, *kwargs.values()) if isinstance(x, torch.dtype)), args[0].dtype)
            func, args, kwargs = torch.ops.aten._to_copy.default, args[:1], {"device": where, "dtype": dtype}
        return super().dispatch(func, types, args, kwargs)


@contextmanager
def pretended(patch):
    device = Pretended()
    fake_device.Device(patch)
    patch.setattr(torch.cuda, "synchronize", lambda *_: None)
    patch.setattr(torch.cuda, "get_device_capability", lambda *_: (9, 0))
    patch.setattr(fused, "not_fused_reason", lambda *_: "there are no kernels for what is not there")
    patch.setattr(static, "not_fused_reason", lambda *_: "")
    real = FakeTensor.tolist  # its own, before torch.Tensor's
    patch.setattr(FakeTensor, "tolist", lambda x: device.numbers(x) if is_there(x) else real(x))
    for name in WAITS:
        patch.setattr(torch.Tensor, name, waited(device, name, getattr(torch.Tensor, name)))
    # these three ask a driver which device is the current one, which a build without CUDA has no answer to; what they stand for does not
    index, copy = torch.Tensor.__getitem__, torch.Tensor.copy_
    patch.setattr(torch.Tensor, "__getitem__", lambda x, at: indexed(x, at) if is_there(x) else index(x, at))
    set = torch.Tensor.__setitem__
    patch.setattr(torch.Tensor, "__setitem__", lambda x, at, v: indexed(x, at).fill_(v) if is_there(x) else set(x, at, v))
    patch.setattr(torch.Tensor, "copy_", lambda x, of, *more: torch.ops.aten.copy_(x, of) if is_there(x) else copy(x, of, *more))
    patch.setattr(sampling, "Uniforms", Uniforms)
    patch.setattr(decode, "Uniforms", Uniforms)
    with CountingMode(device):
        yield device


class Uniforms:
    """As sampling.Uniforms; a generator of a device that is not there cannot be made."""

    def __init__(self, seed, device):
        self.device = device

    def __call__(self, n):
        return torch.rand(n, dtype=torch.float64, device=self.device)


def indexed(x: torch.Tensor, at) -> torch.Tensor:
    """x[at], by what stands behind the brackets."""
    dim, parts = 0, list(at) if isinstance(at, tuple) else [at]
    if Ellipsis in [part for part in parts if not isinstance(part, torch.Tensor)]:
        where = next(i for i, part in enumerate(parts) if part is Ellipsis)
        axes = sum(part is not None for part in parts) - 1
        parts[where : where + 1] = [slice(None)] * (x.dim() - axes)
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
        if not isinstance(x, FakeTensor):
            return real(x)
        device.looks[name] += is_there(x)  # on the host nothing waits
        return 1 if name == "__int__" else 0.5

    return call
