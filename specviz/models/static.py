"""A stack whose cache stands still, for CUDA graphs: where a block goes is a number on the device, what it sees is a mask.

The formulas of layers.py in the kernels of a GPU, where a launch costs what thousands of sums do: fewer and larger ones. On a CPU,
without graphs, the same code gives the same logits (tests/test_static.py). A pass reads the whole cache, which is why a cache is
no longer than a run may need: a graph's shapes cannot change. Positions past the end are masked, and one that was rolled back is
written again before anything sees it.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from .base import check_append, check_rollback
from .graphs import Graphs
from .layers import Layer, Shape

LEAST = 128  # positions of the smallest cache
STEP = 512  # and what large ones grow by: reading positions that hold nothing costs as much as reading others
GRAPHED = 17  # positions of the longest block that gets a graph: the largest K, and one
PIECES = 2048  # positions from which values are summed in pieces
KEPT = 6  # sizes of waiting caches of a model, their graphs with them; the oldest makes room


def room(capacity: int) -> int:
    """Positions of a cache for `capacity`: few sizes, so that runs of different lengths share caches and graphs."""
    return max(LEAST, 1 << (capacity - 1).bit_length()) if capacity <= 1024 else -(-capacity // STEP) * STEP


def pieces(bound: int) -> int:
    """In how many pieces the values of a cache of `bound` positions are summed (`weighed`)."""
    return bound // STEP if bound >= PIECES and bound % STEP == 0 else 1


@dataclass(frozen=True, slots=True)
class Place:
    """Where n positions go in a cache: `rows` [n] on the device, their rotation, and what is added to their scores
    [1, group·n, bound]."""

    rows: torch.Tensor
    rotation: torch.Tensor
    mask: torch.Tensor


class Standing:
    """Layers, a cache for `bound` positions and the graphs over both. It outlives runs; one at a time has it.

    Whatever a graph reads belongs to this object: a graph knows addresses, not owners."""

    def __init__(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, bound: int, device, dtype, record):
        self.layers, self.shape, self.rotation, self.capacity = layers, shape, rotation, bound
        self.device, self.dtype = device, dtype
        # head by head: what a product reads lies in one piece. Zeros: what a mask hides is multiplied by 0, and 0 · NaN is NaN
        cache = torch.zeros((len(layers), 2 * shape.kv_heads, bound, shape.size), dtype=dtype, device=device)
        self.rows = cache.unbind(0)  # a layer's [keys and values, bound, size]
        self.keys = cache[:, : shape.kv_heads].transpose(2, 3).unbind(0)  # [key heads, size, bound]
        self.values = cache[:, shape.kv_heads :].unbind(0)  # [key heads, bound, size]
        self.pieces = pieces(bound)
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
        return Place(rows, self.rotation.index_select(0, rows), mask.repeat(group, 1)[None])

    def through(self, x: torch.Tensor, place: Place, taps, until, beside) -> torch.Tensor:
        """What layers.Stack.forward does, at a `place` of this cache."""
        s, n = self.shape, len(x)
        group, turned, scale = s.heads // s.kv_heads, s.heads + s.kv_heads, s.size**-0.5
        own = False  # whether x is a sum of ours, which the next one may overwrite
        for i, layer in enumerate(self.layers[:until]):
            if taps and i in taps:
                taps[i].append(x)
                own = False
            normed = layer.attention_norm.fused(x)
            if beside is not None and i == 0:
                normed = torch.cat([beside, normed], -1)
            heads = layer.qkv(normed).view(n, -1, s.size)
            qk = heads[:, :turned]
            pairs = (qk if layer.qk_norm is None else layer.qk_norm.fused(qk)).float().unflatten(-1, (-1, 2))
            qk.copy_(torch.view_as_real(torch.view_as_complex(pairs) * place.rotation).flatten(-2))
            self.rows[i].index_copy_(1, place.rows, heads[:, s.heads :].transpose(0, 1))
            q = heads[:, : s.heads].transpose(0, 1).reshape(s.kv_heads, group * n, s.size)  # a view where n is 1
            chances = torch.baddbmm(place.mask, q, self.keys[i], alpha=scale).softmax(-1)
            attended = weighed(chances, self.values[i], self.pieces).view(s.heads, n, s.size).transpose(0, 1)
            x = layer.out.onto(attended.reshape(n, -1), x, own)
            gate, up = layer.gate_up(layer.mlp_norm.fused(x)).chunk(2, -1)
            x, own = layer.down.onto(F.silu(gate).mul_(up), x, True), True
        return x


def weighed(chances: torch.Tensor, values: torch.Tensor, pieces: int) -> torch.Tensor:
    """chances [heads, rows, bound] · values [heads, bound, size] → [heads, rows, size], piece by piece of the cache and then summed:
    as one product, a single block of the GPU would read all values of a head, and the others wait."""
    if pieces == 1:
        return torch.bmm(chances, values)
    heads, rows, bound = chances.shape
    parts = chances.view(heads, rows, pieces, -1).transpose(1, 2).reshape(heads * pieces, rows, -1)
    found = torch.bmm(parts, values.reshape(heads * pieces, bound // pieces, -1))
    return found.view(heads, pieces, rows, -1).sum(1)


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
        if not waiting:
            self._make_room(id(layers[0]))
        standing = waiting.pop() if waiting else Standing(layers, shape, rotation, bound, device, dtype, self.record)
        stack = StaticStack(standing, capacity)
        weakref.finalize(stack, waiting.append, standing).atexit = False
        return stack

    def _make_room(self, layer: int) -> None:
        sizes = [waiting for (first, _), waiting in self.free.items() if first == layer and waiting]
        for oldest in sizes[: max(0, len(sizes) - KEPT + 1)]:
            oldest.clear()


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
