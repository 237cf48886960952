"""A stack whose cache stands still, for CUDA graphs: where a block goes is a number on the device, what it sees is a mask.

The same layers and the same formulas as layers.py, so on a CPU, without graphs, it gives the same logits (tests/test_static.py).
A pass reads the whole cache, which is why a cache is no longer than a run may need: a graph's shapes cannot change. Positions
past the end are masked, and one that was rolled back is written again before anything sees it.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from .base import check_append, check_rollback
from .graphs import Graphs
from .layers import Layer, Place, Shape, Stack

LEAST = 128  # positions of the smallest cache
GRAPHED = 17  # positions of the longest block that gets a graph: the largest K, and one


def room(capacity: int) -> int:
    """Positions of a cache for `capacity`: a power of two, so that runs of different lengths share caches and graphs."""
    return max(LEAST, 1 << (capacity - 1).bit_length())


class Standing(Stack):
    """Layers, a cache for `bound` positions and the graphs over both. It outlives runs; one at a time has it.

    Whatever a graph reads belongs to this object: a graph knows addresses, not owners."""

    def __init__(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, bound: int, device, dtype, record):
        super().__init__(layers, shape, rotation, bound, device, dtype)
        for rows in self.rows:
            rows.zero_()  # what a mask hides is multiplied by 0 all the same, and 0 · NaN would be NaN
        self.start = torch.zeros(1, dtype=torch.long, device=device)
        self.ahead, self.every = torch.arange(bound, device=device), torch.arange(bound, device=device)
        self.graphs = Graphs(record) if record or torch.device(device).type == "cuda" else None

    def run(self, x: torch.Tensor, length: int, tapped: tuple[int, ...], until: int | None, beside) -> tuple[torch.Tensor, ...]:
        """x [n, width] into positions length … length + n: what comes out, and what went into the `tapped` layers."""
        self.start.fill_(length)

        def whole(x, beside=None):
            kept = {i: [] for i in tapped}
            out = self.through(x, self.place(len(x)), kept, until, beside)
            return (out, *(kept[i][0] for i in tapped))

        inputs = (x,) if beside is None else (x, beside)
        if len(x) > GRAPHED:
            return whole(*inputs)
        return self.replayed((len(x), until, tapped, len(inputs)), whole, *inputs)

    def replayed(self, key, function, *inputs):
        return function(*inputs) if self.graphs is None else self.graphs(key, function, *inputs)

    def place(self, n: int, on: int = 0) -> Place:
        """Of n positions, `on` positions after `start`."""
        rows = self.start + self.ahead[on : on + n]
        mask = torch.zeros((n, self.capacity), dtype=self.dtype, device=self.device)
        mask.masked_fill_(self.every > rows[:, None], float("-inf"))
        group = self.shape.heads // self.shape.kv_heads
        return Place(rows, self.capacity, self.rotation.index_select(0, rows), mask.repeat(group, 1)[None], True)

    def write(self, i, place, kv):
        self.rows[i].index_copy_(0, place.rows, kv)


@dataclass
class Shelf:
    """The standing caches of a model and of what drafts from it, by shape, while no run has them.

    `record`: how graphs are recorded where not as on CUDA (graphs.py)."""

    record: Callable | None = None
    free: dict[tuple, list[Standing]] = field(default_factory=dict)

    def lease(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, capacity: int, device, dtype) -> "StaticStack":
        """An empty stack for one run. Its cache is back on the shelf when the run has let go of it, however it ended."""
        bound = min(room(capacity), len(rotation))
        waiting = self.free.setdefault((id(layers[0]), bound), [])  # the layer stays alive in what waits, so its id is its own
        standing = waiting.pop() if waiting else Standing(layers, shape, rotation, bound, device, dtype, self.record)
        stack = StaticStack(standing, capacity)
        weakref.finalize(stack, waiting.append, standing).atexit = False
        return stack


class StaticStack:
    """A run's hold of a standing cache: what layers.Stack is where no graphs are."""

    def __init__(self, standing: Standing, capacity: int):
        self.standing, self.capacity, self.length = standing, capacity, 0

    @property
    def eager(self) -> str:
        graphs = self.standing.graphs
        return graphs.eager if graphs else ""

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    def forward(self, x, taps=None, until=None, beside=None):
        check_append(len(x), self.length, self.capacity)
        tapped = tuple(i for i in sorted(taps or ()) if i < len(self.standing.layers[:until]))
        out, *kept = self.standing.run(x, self.length, tapped, until, beside)
        for i, rows in zip(tapped, kept, strict=True):
            taps[i].append(rows)
        self.length += len(x)
        return out
