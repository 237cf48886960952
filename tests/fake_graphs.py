"""A GPU's graphs on a CPU, for graphs.on_device as it is: what runs while one is recorded is written down, operation by operation with the
tensors themselves, and replayed on those.

So a value that was baked in stays as it was, a look at a value is refused, and memory is as forgetful as a pool that all graphs share: a
replay leaves nothing of what any other graph made on its way.
"""

from contextlib import contextmanager
from functools import cache

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from specviz.engine.models import graphs

LOOKS = ("_local_scalar_dense", "nonzero", "masked_select", "_unique", "equal")  # the host would have to wait for a value
NONSENSE = {torch.bool: True, torch.long: 2**40, torch.int: 2**30}


class FakeGraph:
    def __init__(self):
        self.steps, self.made = [], []

    def add(self, function, given, named, out):
        fresh = [x for x in tree_leaves(out) if isinstance(x, torch.Tensor)]
        known = {x.untyped_storage().data_ptr() for x in tree_leaves((given, named)) if isinstance(x, torch.Tensor)}
        if function._schema.is_mutable:
            self.steps.append((function, given, named, None))
        elif not all(x.untyped_storage().data_ptr() in known for x in fresh):  # else a view, which stays one
            self.steps.append((function, given, named, fresh))
            self.made += fresh


class Recorder(TorchDispatchMode):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if any(name in function.name() for name in LOOKS):
            raise RuntimeError("operation not permitted when stream is capturing")
        out = function(*args, **(kwargs or {}))
        self.graph.add(function, args, kwargs or {}, out)
        return out


class Device:
    """What graphs.on_device asks of torch.cuda. `replays` counts them; `pools` the pools that were asked for."""

    def __init__(self, patch: pytest.MonkeyPatch):
        self.graphs, self.replays, self.pools, self.stream, self.open, device = [], 0, 0, "main", set(), self

        class Graph(FakeGraph):
            def __init__(self):
                super().__init__()
                device.graphs.append(self)

            def replay(self):
                device.replay(self)

        @contextmanager
        def graph(one, pool, stream, capture_error_mode):
            assert capture_error_mode == "thread_local" and pool not in self.open, "already recording to this pool"
            self.open.add(pool)
            self.stream = stream
            try:
                with Recorder(one):
                    yield
            except RuntimeError as error:  # as torch does: its own clean-up fails too, and stream and pool stay as they are
                raise RuntimeError("capture was invalidated") from error
            self.open.discard(pool)
            self.stream = "main"

        def pool():
            self.pools += 1
            return self.pools

        for name, fake in {
            "CUDAGraph": Graph,
            "graph": graph,
            "Stream": lambda _: f"aside {self.pools}",
            "graph_pool_handle": pool,
            "synchronize": lambda *_: None,
            "current_stream": lambda: self.stream,
            "set_stream": lambda stream: setattr(self, "stream", stream),
        }.items():
            patch.setattr(torch.cuda, name, fake)
        patch.setattr(graphs, "_alive", [])
        patch.setattr(graphs, "_apart", cache(graphs._apart.__wrapped__))

    def replay(self, graph: FakeGraph) -> None:
        assert self.stream == "main"
        self.replays += 1
        for other in self.graphs:
            for x in other.made:
                x.fill_(NONSENSE.get(x.dtype, float("nan")))
        for function, given, named, outs in graph.steps:
            new = function(*given, **named)
            for x, value in zip(outs or [], [x for x in tree_leaves(new) if isinstance(x, torch.Tensor)], strict=bool(outs)):
                x.copy_(value)
