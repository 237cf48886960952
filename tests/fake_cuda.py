"""Tensors that claim to be on a GPU, on a build of torch without one: what mixes devices raises, and so does a hidden look at a value.

    with pretended(monkeypatch, looks=0.0) as device: ...

They hold no values. The one transfer of a round gives made-up ones; `device.looks` counts what else made the host wait.
"""

from collections import Counter
from contextlib import contextmanager

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from specviz.engine import sampling
from specviz.engine.models import fused, static

from . import fake_device

CUDA = torch.device("cuda")
WAITS = ("__int__", "__float__")  # how a drafter that draws token by token looks at one


class Pretended:
    """`accepted`: how many of a block the made-up numbers say were kept; all of it where None. `looks`: by name, what waited."""

    def __init__(self, accepted: int | None):
        self.accepted, self.looks, self.operations = accepted, Counter(), Counter()

    def numbers(self, x: torch.Tensor) -> list:
        """What a transfer of x gives: everything is 1, but how many were accepted."""
        self.looks["tolist"] += 1
        one = 1.0 if x.is_floating_point() else 1
        return [one * self.kept, *[one] * (len(x) - 1)] if x.is_floating_point() else [one] * len(x)


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
    device.kept = accepted
    fake_device.Device(patch)
    patch.setattr(torch.cuda, "synchronize", lambda *_: None)
    patch.setattr(torch.cuda, "get_device_capability", lambda *_: (9, 0))
    patch.setattr(fused, "why_plain", lambda *_: "there are no kernels for what is not there")
    patch.setattr(static, "why_plain", lambda *_: "")
    real, generator = torch.Tensor.tolist, torch.Generator
    patch.setattr(torch.Tensor, "tolist", lambda x: device.numbers(x) if is_there(x) else real(x))
    for name in WAITS:
        patch.setattr(torch.Tensor, name, waited(device, name, getattr(torch.Tensor, name)))
    # a generator of a device that is not there cannot be made: what it draws is asked for without one
    patch.setattr(torch, "Generator", lambda where="cpu": generator("cpu"))
    rand = torch.rand
    patch.setattr(sampling.torch, "rand", lambda *n, generator=None, **how: rand(*n, **how))
    with Counted(device):
        yield device


def is_there(x: torch.Tensor) -> bool:
    return isinstance(x, FakeTensor) and x.device.type == "cuda"


def waited(device: Pretended, name: str, real):
    def call(x):
        if not is_there(x):
            return real(x)
        device.looks[name] += 1
        return 1 if name == "__int__" else 0.5

    return call
