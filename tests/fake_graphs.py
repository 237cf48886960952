"""A GPU's graphs on a CPU, for graphs.on_device as it is: what runs while one is recorded is written down, operation by operation with the
tensors themselves, and replayed on those.

So a value that was baked in stays as it was, a look at a value is refused, and memory is as forgetful as a pool that all graphs share: a
replay leaves nothing of what any other graph made on its way.
"""

import weakref
from functools import cache

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from specviz.engine.backends.pytorch import graphs

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


class Device:
    """What graphs.on_device asks of torch.cuda. `replays` counts them; `pools` the pools that were asked for; `died` the graphs that did."""

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
