"""A GPU on a CPU: its clock, its graphs, and tensors that claim to be there.

Time is what a test says: work takes its time after it was given, events are reached when the device is.

What runs while a graph is recorded is written down, operation by operation with the tensors themselves, and replayed on those. So a value
that was baked in stays as it was, a look at a value is refused, and memory is as forgetful as a pool that all graphs share: a replay leaves
nothing of what any other graph made on its way.

    with pretended(monkeypatch) as device: ...

Tensors that claim to be on a GPU hold no values. What mixes devices raises, and so does a hidden look at a value. The one transfer of a
round gives made-up ones; `device.looks` counts by name whatever made the host wait.
"""

import weakref
from collections import Counter
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from specviz.engine import decode, sampling
from specviz.engine.backends.pytorch import backend as static
from specviz.engine.backends.pytorch import fused, graphs


class Device:
    """A device on which work takes time after it was given. `now` is the host's clock in seconds; `free`: when the device is."""

    def __init__(self, monkeypatch):
        self.now = self.free = 0.0
        device = self

        class Event:
            def __init__(self, enable_timing=False):
                self.timing = enable_timing

            def record(self, stream=None):
                self.at = max(device.now, device.free)

            def synchronize(self):
                device.now = max(device.now, self.at)

            def elapsed_time(self, other):
                assert self.timing and other.timing and device.now >= other.at, "asked before it was reached"
                return (other.at - self.at) * 1e3

        monkeypatch.setattr(torch.cuda, "Event", Event)
        monkeypatch.setattr(torch.cuda, "current_stream", lambda: None)
        monkeypatch.setattr(torch.cuda, "synchronize", lambda _=None: pytest.fail("waits for what other threads gave, too"))
        monkeypatch.setattr(torch.cuda, "_sleep", lambda cycles: self.work(cycles / 2e9))

    def work(self, seconds, launch=0.0):
        """Give it work of so many seconds; the host is busy for `launch` with that."""
        self.now += launch
        self.free = max(self.now, self.free) + seconds

    def wait(self):
        self.now = max(self.now, self.free)


def round_on(device, clock, look=0.0):
    """What `decode` does in a round: a block is drafted, verified, decided; looked at, if `look` is what that takes the device."""
    clock.start()
    device.work(0.002, launch=0.0001)
    clock.lap()
    device.work(0.004, launch=0.0001)
    clock.lap()
    device.work(0.0003, launch=0.0001)
    clock.lap()
    if look:
        device.work(look, launch=0.0001)
        clock.lap()
    device.wait()  # for the transfer
    clock.end()
    device.now += 0.0005
    clock.end()
    return clock.phases()


LOOKS = ("_local_scalar_dense", "nonzero", "masked_select", "_unique", "equal")  # the host would have to wait for a value
NONSENSE = {torch.bool: True, torch.long: 2**40, torch.int: 2**30}


class FakeGraph:
    def __init__(self):
        self.steps, self.tensors = [], []

    def add(self, function, args, kwargs, out):
        fresh = [x for x in tree_leaves(out) if isinstance(x, torch.Tensor)]
        known = {x.untyped_storage().data_ptr() for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)}
        if function._schema.is_mutable:
            self.steps.append((function, args, kwargs, None))
        elif not all(x.untyped_storage().data_ptr() in known for x in fresh):  # else a view, which stays one
            self.steps.append((function, args, kwargs, fresh))
            self.tensors += fresh


class Recorder(TorchDispatchMode):
    def __init__(self, graph):
        super().__init__()
        self.graph, self.looked = graph, False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if any(name in function.name() for name in LOOKS):
            self.looked = True
            raise RuntimeError("operation not permitted when stream is capturing")
        out = function(*args, **(kwargs or {}))
        self.graph.add(function, args, kwargs or {}, out)
        return out


class GraphDevice:
    """What graphs.on_device asks of torch.cuda. Counted: `replays`, `pools` that were asked for, graphs that `died`."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.graphs, self.replays, self.pools, self.stream, self.open, device = weakref.WeakSet(), 0, 0, "main", set(), self
        self.waited, self.died = False, []

        class Graph(FakeGraph):
            def __init__(self):
                super().__init__()
                device.graphs.add(self)
                self.pool, self.recorder = None, Recorder(self)
                weakref.finalize(self, device.died.append, id(self))

            def capture_begin(self, pool, capture_error_mode):
                assert capture_error_mode == "thread_local" and pool not in device.open, "already recording to this pool"
                assert device.stream != "main" and device.waited, "what was given before is under way yet"
                device.open.add(pool)
                self.pool = pool
                self.recorder.__enter__()

            def capture_end(self):
                self.recorder.__exit__(None, None, None)
                if self.recorder.looked:  # the pool stays as it is
                    raise RuntimeError("capture was invalidated")
                device.open.discard(self.pool)

            def replay(self):
                device.replay(self)

        def synchronize(*_):
            self.waited = True

        def set_stream(stream):
            self.stream, self.waited = stream, self.waited and stream != "main"

        def pool():
            self.pools += 1
            return self.pools

        for name, fake in {
            "CUDAGraph": Graph,
            "Stream": lambda _: f"aside {self.pools}",
            "graph_pool_handle": pool,
            "synchronize": synchronize,
            "current_stream": lambda: self.stream,
            "set_stream": set_stream,
            "graph": lambda *_, **__: pytest.fail("empties the cache of memory in the middle of a run"),
        }.items():
            patch.setattr(torch.cuda, name, fake)
        patch.setattr(graphs, "_kept_graphs", [])
        patch.setattr(graphs, "_stream_and_pool", cache(graphs._stream_and_pool.__wrapped__))

    def replay(self, graph: FakeGraph) -> None:
        assert self.stream == "main"
        self.replays += 1
        for other in self.graphs:
            for x in other.tensors:
                x.fill_(NONSENSE.get(x.dtype, float("nan")))
        for function, args, kwargs, outs in graph.steps:
            new = function(*args, **kwargs)
            for x, value in zip(outs or [], [x for x in tree_leaves(new) if isinstance(x, torch.Tensor)], strict=bool(outs)):
                x.copy_(value)


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
    Device(patch)
    patch.setattr(torch.cuda, "synchronize", lambda *_: None)
    patch.setattr(torch.cuda, "get_device_capability", lambda *_: (9, 0))
    patch.setattr(fused, "not_fused_reason", lambda *_: "there are no kernels for what is not there")
    patch.setattr(static, "not_fused_reason", lambda *_: "")
    real = FakeTensor.tolist  # its own, before torch.Tensor's
    patch.setattr(FakeTensor, "tolist", lambda x: device.numbers(x) if is_there(x) else real(x))
    patch.setattr(FakeTensor, "numpy", lambda x, force: np.array(device.numbers(x)))
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
