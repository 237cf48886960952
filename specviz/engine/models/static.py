"""A stack whose cache stands still, for CUDA graphs: where a block goes is a number on the device, and so is what it sees.

The formulas of layers.py in the kernels of a GPU, where a launch costs what thousands of sums do: fewer and larger ones (parts.py).
On a CPU, without graphs, the same code gives the same logits (tests/engine/models/test_static.py). A graph's shapes cannot change, so what PyTorch
attends with reads the whole cache, which is why a cache is no longer than a run may need. Positions past the end are masked, and one
that was rolled back is written again before anything sees it.
"""

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import torch

from .base import check_append, check_rollback
from .fused import fused, why_plain
from .graphs import Graphs
from .layers import Layer, Shape
from .parts import Plain

LEAST = 128  # positions of the smallest cache
STEP = 512  # and what large ones grow by: reading positions that hold nothing costs as much as reading others
GRAPHED = 17  # positions of the longest block that gets a graph: the largest K, and one
FEW = 128  # rows of all texts together up to which the kernels of decoding are the faster ones (parts.py)
KEPT = 6  # sizes of waiting caches of a model, their graphs with them; the oldest makes room


def room(capacity: int) -> int:
    """Positions of a cache for `capacity`: few sizes, so that runs of different lengths share caches and graphs."""
    return max(LEAST, 1 << (capacity - 1).bit_length()) if capacity <= 1024 else -(-capacity // STEP) * STEP


def plainly(shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """That PyTorch's kernels are used on a GPU where our own should be, and why; empty where there are no others, or where they are."""
    why = why_plain(shape, device, dtype) if device.type == "cuda" else ""
    return f"the kernels for this device are not used: {why}" if why else ""


class Standing:
    """Layers, a cache for `bound` positions and the graphs over both. It outlives runs; one at a time has it.

    Whatever a graph reads belongs to this object: a graph knows addresses, not owners. `texts` of one length may stand side by side,
    for timing (lab/costs.py); the engine decodes one."""

    def __init__(
        self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, bound: int, device, dtype, record, texts: int = 1
    ):
        self.layers, self.capacity, self.dtype, self.texts = layers, bound, dtype, texts
        self.plain, self.parts = Plain(shape, rotation), fused(shape, rotation, dtype)
        self.plainly = plainly(shape, rotation.device, dtype)
        # head by head: what a product reads lies in one piece. Zeros: what a mask hides is multiplied by 0, and 0 · NaN is NaN
        self.cache = torch.zeros((len(layers), 2, texts * shape.kv_heads, bound, shape.size), dtype=dtype, device=device)
        self.start = torch.zeros(1, dtype=torch.long, device=device)
        self.graphs = Graphs(record) if record or torch.device(device).type == "cuda" else None

    def run(
        self, x: torch.Tensor, length: int, tapped: tuple[int, ...], until: int | None, beside, lane: int | None
    ) -> tuple[torch.Tensor, ...]:
        """x [n, width] into positions length … length + n: what comes out, and what went into the `tapped` layers."""
        self.start.fill_(length)

        def whole(x, beside=None):
            kept: dict[int, list[torch.Tensor]] = {i: [] for i in tapped}
            out = self.through(x, 0, kept, until, beside, lane)
            return (out, *(kept[i][0] for i in tapped))

        inputs = (x,) if beside is None else (x, beside)
        if len(x) > GRAPHED:
            return whole(*inputs)
        return self.replayed((len(x), until, tapped, len(inputs), lane), whole, *inputs)

    def replayed(self, key: Hashable, function, *inputs):
        return function(*inputs) if self.graphs is None else self.graphs(key, function, *inputs)

    def through(
        self, x: torch.Tensor, on: int = 0, taps=None, until: int | None = None, beside=None, lane: int | None = None
    ) -> torch.Tensor:
        """What layers.Stack.forward does: x [texts·n, width], into n positions of every text from `start` + `on`. `lane`: through that
        layer alone."""
        n = len(x) // self.texts
        parts = self.parts if n <= GRAPHED and len(x) <= FEW else self.plain
        place = parts.place(self.start, on, n, self.capacity, self.dtype)
        own = False  # whether x is a sum of ours, which the next one may overwrite
        for i, layer in enumerate(self.layers[:until]) if lane is None else [(lane, self.layers[lane])]:
            if taps and i in taps:
                taps[i].append(x)
                own = False
            normed = parts.norm(layer.attention_norm, x)
            if beside is not None and i == 0:
                normed = torch.cat([beside, normed], -1)
            attended = parts.attended(layer.qkv(normed), layer.qk_norm, self.cache[i], place)
            x = layer.out.onto(attended, x, own)
            x = layer.down.onto(parts.gated(layer.gate_up(parts.norm(layer.mlp_norm, x))), x, True)
            own = True
        return x


@dataclass
class Shelf:
    """The standing caches of a model and of what drafts from it, by shape, while no run has them.

    `record`: how graphs are recorded where not as on CUDA (graphs.py)."""

    record: Callable | None = None
    free: dict[tuple, list[Standing]] = field(default_factory=dict)

    def lease(self, layers: list[Layer], shape: Shape, rotation: torch.Tensor, capacity: int, device, dtype) -> "StaticStack":
        """An empty stack for one run. Its cache is back on the shelf when the run has let go of it, however it ended."""
        bound = min(room(capacity), len(rotation))
        ids = tuple(map(id, layers))  # they stay alive in what waits, so their ids are their own
        waiting = self.free.setdefault((ids, bound), [])
        if not waiting:
            self._make_room(ids[0])
        standing = waiting.pop() if waiting else Standing(layers, shape, rotation, bound, device, dtype, self.record)
        stack = StaticStack(standing, capacity)
        weakref.finalize(stack, waiting.append, standing).atexit = False
        return stack

    def _make_room(self, first: int) -> None:
        sizes = [waiting for (ids, _), waiting in self.free.items() if ids[0] == first and waiting]
        for oldest in sizes[: max(0, len(sizes) - KEPT + 1)]:
            oldest.clear()


class StaticStack:
    """A run's hold of a standing cache: what layers.Stack is where no graphs are. Or of one layer of it, which has a length of its own,
    as long as `whole` has all of them."""

    def __init__(self, standing: Standing, capacity: int, lane: int | None = None, whole: "StaticStack | None" = None):
        self.standing, self.capacity, self.length = standing, capacity, 0
        self.lane, self.whole = lane, whole

    def lanes(self) -> list["StaticStack"]:
        return [StaticStack(self.standing, self.capacity, lane, self) for lane in range(len(self.standing.layers))]

    @property
    def eager(self) -> str:
        """Why passes are not replayed from graphs, or not made by the kernels that are for this device; empty if they are."""
        standing = self.standing
        return (standing.graphs and standing.graphs.eager) or standing.plainly

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    def forward(self, x, taps=None, until=None, beside=None):
        check_append(len(x), self.length, self.capacity)
        tapped = tuple(i for i in sorted(taps or ()) if i < len(self.standing.layers[:until]))
        out, *kept = self.standing.run(x, self.length, tapped, until, beside, self.lane)
        for i, rows in zip(tapped, kept, strict=True):
            taps[i].append(rows)
        self.length += len(x)
        return out

    def logits(self, table, head, ids, keep: int, taps: dict[int, list], until: int | None) -> torch.Tensor:
        """A whole pass over ids [n]: what the head makes [keep, V] of the last `keep`. `taps`: as `forward`, the number of layers
        standing for what leaves the last one."""
        standing, n, tapped = self.standing, len(ids), tuple(sorted(taps))
        check_append(n, self.length, self.capacity)

        def whole(ids):
            kept: dict[int, list[torch.Tensor]] = {i: [] for i in tapped}
            out = standing.through(table(ids), 0, kept, until)
            if len(standing.layers) in kept:
                kept[len(standing.layers)].append(out)
            return (head(out[n - keep :]), *(kept[i][0] for i in tapped))

        standing.start.fill_(self.length)
        given, replayed = table.ids(ids), standing.graphs is not None and n <= GRAPHED
        logits, *rows = standing.replayed(("logits", n, keep, until, tapped), whole, given) if replayed else whole(given)
        for i, some in zip(tapped, rows, strict=True):
            taps[i].append(some)
        self.length += n
        return logits.clone() if replayed else logits  # the next replay writes to the same place

    def chain(self, key: Hashable, k: int, step: Callable, pick: Callable, chance: tuple[torch.Tensor, ...], *inputs) -> tuple:
        """k tokens, each drawn from what the one before led to, without leaving the device: one launch, no transfer. The cache grows
        by all that is fed, which is not the last of them. `chance`: u [k] and the temperature [1], or nothing. Returns ids [k] and
        q [k, V], or None where there is no chance.

        `step(layers, *inputs)` gives logits [1, V], and in a tuple what the next step takes after the drawn id; inputs[0] are the ids
        that are fed first. `layers(x, beside=None, until=None)` is a pass. `pick(logits, u, degrees)`: an id [1] and its q [1, V].
        `key`: what both depend on. None of them may hold on to a run."""
        standing, first, drawn = self.standing, len(inputs[0]), len(chance) > 0
        grown = first + k - 1
        check_append(grown, self.length, self.capacity)

        def whole(*given):
            given, u, degrees = (given[:-2], *given[-2:]) if drawn else (given, None, None)
            ids, rows, on = [], [], 0
            for i in range(k):
                at, on = on, on + len(given[0])
                logits, rest = step(
                    lambda x, beside=None, until=None, at=at: standing.through(x, at, None, until, beside), *given
                )
                id, q = pick(logits, None if u is None else u[i : i + 1], degrees)
                ids.append(id)
                rows.append(q)
                given = (id, *rest)
            return (torch.cat(ids), torch.cat(rows)) if drawn else (torch.cat(ids),)

        standing.start.fill_(self.length)
        ids, *q = standing.replayed(("chain", first, k, drawn, key), whole, *inputs, *chance)
        self.length += grown
        return ids, q[0] if drawn else None
