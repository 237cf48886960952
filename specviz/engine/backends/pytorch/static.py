"""The static KV cache, for CUDA graphs: where a block goes is a number on the device, and so is what it sees.

The formulas of layers.py in the kernels of a GPU, where a launch costs what thousands of sums do: fewer and larger ones (parts.py).
On a CPU, without graphs, the same code gives the same logits (tests/engine/backends/pytorch/test_static.py). A graph's shapes cannot change,
so what PyTorch attends with reads the whole cache, which is why a cache is no longer than a run may need. Positions past the end are
masked, and one that was rolled back is written again before anything sees it.
"""

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import torch

from ...arrays import Array
from ...sampling import DraftSampler
from ...tensors import pick as pick_of
from ..base import ForwardStep, check_append
from ..layers import Layer, Shape
from ..tree import TreeCache
from .fused import fused, why_plain
from .graphs import Graphs
from .parts import Branches, Plain

LEAST = 128  # positions of the smallest cache
GROWTH = 512  # and what large ones grow by: reading positions that hold nothing costs as much as reading others
GRAPHED = 17  # positions of the longest block that gets a graph: the largest K, and one
FEW = 128  # rows of all texts together up to which the kernels of decoding are the faster ones (parts.py)
KEPT = 6  # sizes of waiting caches of a model, their graphs with them; the oldest makes room


def size_for(capacity: int) -> int:
    """Positions of a cache for `capacity`: few sizes, so that runs of different lengths share caches and graphs."""
    return max(LEAST, 1 << (capacity - 1).bit_length()) if capacity <= 1024 else -(-capacity // GROWTH) * GROWTH


def _pick(sampler: DraftSampler) -> Callable:
    return pick_of(sampler.vocabulary, sampler.argmax, sampler.sampler.filters)


def _random_inputs(sampler: DraftSampler, u: Array | None) -> tuple[torch.Tensor, ...]:
    """What goes into a graph that draws: u [k] and the temperature [1]; nothing where nothing is drawn."""
    if u is None:
        return ()
    u = torch.as_tensor(u)
    return u, sampler.sampler.temperature_tensor(u.device)


def _kernels_unused(shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """That PyTorch's kernels are used on a GPU where our own should be, and why; empty where there are no others, or where they are."""
    why = why_plain(shape, device, dtype) if device.type == "cuda" else ""
    return f"the kernels for this device are not used: {why}" if why else ""


class StaticCache:
    """Layers, a KV cache of `bound` positions and the CUDA graphs over both. It outlives runs; one at a time has it.

    Whatever a graph reads belongs to this object: a graph knows addresses, not owners. `texts` of one length may stand side by side,
    for timing (lab/costs.py); the engine decodes one."""

    def __init__(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, bound: int, device, dtype, record, texts: int = 1):
        self.layers, self.capacity, self.dtype, self.texts = layers, bound, dtype, texts
        self.plain, self.parts = Plain(shape, rope), fused(shape, rope, dtype)
        self.kernels_unused = _kernels_unused(shape, rope.device, dtype)
        # head by head: what a product reads lies in one piece. Zeros: what a mask hides is multiplied by 0, and 0 · NaN is NaN
        self.kv = torch.zeros((len(layers), 2, texts * shape.kv_heads, bound, shape.size), dtype=dtype, device=device)
        self.start = torch.zeros(1, dtype=torch.long, device=device)
        self.graphs = Graphs(record) if record or torch.device(device).type == "cuda" else None

    def run(
        self, x: torch.Tensor, length: int, tapped: tuple[int, ...], until: int | None, beside, lane: int | None, tree=()
    ) -> tuple[torch.Tensor, ...]:
        """x [n, width] into positions length … length + n: what comes out, and what went into the `tapped` layers. `tree`: of Branches."""
        self.start.fill_(length)

        def whole(x, *inputs):
            kept: dict[int, list[torch.Tensor]] = {i: [] for i in tapped}
            of_tree, others = inputs[: len(tree)], inputs[len(tree) :]
            out = self.through(x, 0, kept, until, others[0] if others else None, lane, branches(of_tree))
            return (out, *(kept[i][0] for i in tapped))

        inputs = (x, *tree) if beside is None else (x, *tree, beside)
        if len(x) > (FEW if tree else GRAPHED):
            return whole(*inputs)
        return self.replay((len(x), until, tapped, beside is None, lane, opened(tree)), whole, *inputs)

    def replay(self, key: Hashable, function, *inputs):
        """function(*inputs), replayed from a CUDA graph where there are graphs."""
        return function(*inputs) if self.graphs is None else self.graphs(key, function, *inputs)

    def through(
        self, x: torch.Tensor, on: int = 0, taps=None, until: int | None = None, beside=None, lane: int | None = None,
        tree: Branches | None = None,
    ) -> torch.Tensor:  # fmt: skip
        """All layers, or the first `until`, or that of `lane` alone: x [texts·n, width], into n positions of every text from `start` + `on`.
        `beside` [·, m]: put before the first layer's normed input. `taps`: layer → list that gets what goes into that layer."""
        n = len(x) // self.texts
        parts = self.parts if (tree or n <= GRAPHED) and len(x) <= FEW else self.plain
        place = parts.place(self.start, on, n, self.capacity, self.dtype, tree)
        own = False  # whether x is a sum of ours, which the next one may overwrite
        for i, layer in enumerate(self.layers[:until]) if lane is None else [(lane, self.layers[lane])]:
            if taps and i in taps:
                taps[i].append(x)
                own = False
            normed = parts.norm(layer.attention_norm, x)
            if beside is not None and i == 0:
                normed = torch.cat([beside, normed], -1)
            attended = parts.attended(layer.qkv(normed), layer.qk_norm, self.kv[i], place)
            x = layer.out.onto(attended, x, own)
            x = layer.down.onto(parts.gated(layer.gate_up(parts.norm(layer.mlp_norm, x))), x, True)
            own = True
        return x


def branches(tree) -> Branches | None:
    """What a graph is given of a tree, as its parts take it."""
    return Branches(*tree) if tree else None


def opened(tree) -> int:
    """How many rows after the settled text a recording is for; 0 of a chain."""
    return tree[1].shape[1] if tree else 0


@dataclass
class CachePool:
    """The static caches of a model and of what drafts from it, by shape, while no run has them.

    `record`: how graphs are recorded where not as on CUDA (graphs.py)."""

    record: Callable | None = None
    free: dict[tuple, list[StaticCache]] = field(default_factory=dict)

    def lease(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, capacity: int, device, dtype) -> "StaticStack":
        """An empty stack for one run. Its cache is back in the pool when the run has let go of it, however it ended."""
        bound = min(size_for(capacity), len(rope))
        ids = tuple(map(id, layers))  # they stay alive in what waits, so their ids are their own
        waiting = self.free.setdefault((ids, bound), [])
        if not waiting:
            self._make_room(ids[0])
        cache = waiting.pop() if waiting else StaticCache(layers, shape, rope, bound, device, dtype, self.record)
        stack = StaticStack(cache, capacity)
        weakref.finalize(stack, waiting.append, cache).atexit = False
        return stack

    def _make_room(self, first: int) -> None:
        sizes = [waiting for (ids, _), waiting in self.free.items() if ids[0] == first and waiting]
        for oldest in sizes[: max(0, len(sizes) - KEPT + 1)]:
            oldest.clear()


class StaticStack(TreeCache):
    """Layers over a run's lease of a static cache. Or one layer of them, which has a length of its own, as long as `whole` has the lease."""

    def __init__(self, cache: StaticCache, capacity: int, lane: int | None = None, whole: "StaticStack | None" = None):
        super().__init__()
        self.cache, self.capacity, self.lane, self.whole = cache, capacity, lane, whole

    def lanes(self) -> list["StaticStack"]:
        return [StaticStack(self.cache, self.capacity, lane, self) for lane in range(len(self.cache.layers))]

    def joins(self, sampler: DraftSampler) -> bool:
        """Whether a block can be drafted without leaving the device: nothing on the host depends on what was drawn."""
        return not sampler.ends_early

    @property
    def slow_reason(self) -> str:
        """Why passes are not replayed from graphs, or not made by the kernels for this device; empty if they are."""
        return (self.cache.graphs and self.cache.graphs.failed) or self.cache.kernels_unused

    @property
    def replay(self) -> Callable:
        """replay(key, function, *inputs): what else of a round is recorded beside the passes."""
        return self.cache.replay

    def _gather(self, settled: int, path) -> None:
        """On the device."""
        kv = self.cache.kv if self.lane is None else self.cache.kv[self.lane : self.lane + 1]
        rows = self._there(torch.tensor([settled + row for row in path], dtype=torch.long))
        kv[:, :, :, settled : settled + len(path)] = kv.index_select(3, rows)

    def _branch(self, n: int, parents) -> tuple[torch.Tensor, ...]:
        """What rows with these parents see, which join the tree: depths [n] and sees [n, open] on the device."""
        self.tree.check(n, parents)
        if parents is None:
            return ()
        first = len(self.tree)
        self.tree.add(parents)
        sees = torch.zeros((n, len(self.tree)), dtype=torch.bool)
        for m in range(n):
            sees[m, self.tree.path(first + m)] = True
        return self._there(torch.tensor(self.tree.depths[first:])), self._there(sees)

    def _there(self, numbers: torch.Tensor) -> torch.Tensor:
        return numbers.to(self.cache.kv.device, non_blocking=True)

    def forward(self, x, taps=None, until=None, beside=None, parents=None):
        """Hidden states [n, width] after the layers; n positions join the cache."""
        check_append(len(x), self.length, self.capacity)
        tree = self._branch(len(x), parents)
        tapped = tuple(i for i in sorted(taps or ()) if i < len(self.cache.layers[:until]))
        out, *kept = self.cache.run(x, self.length, tapped, until, beside, self.lane, tree)
        for i, rows in zip(tapped, kept, strict=True):
            taps[i].append(rows)
        self.grow(len(x))
        return out

    def logits(self, step: ForwardStep, ids, keep: int, taps: dict[int, list], parents=None) -> torch.Tensor:
        """A whole pass over ids [n]: the logits [keep, V] of the last `keep`. `parents` [n]: where the block branches. `taps`: as of `StaticCache.through`; the number of layers stands for
        what leaves the last one."""
        cache, n, tapped = self.cache, len(ids), tuple(sorted(taps))
        check_append(n, self.length, self.capacity)
        tree = self._branch(n, parents)

        def whole(ids, *tree):
            kept: dict[int, list[torch.Tensor]] = {i: [] for i in tapped}
            out = cache.through(step.embed(ids), 0, kept, step.until, tree=branches(tree))
            if len(cache.layers) in kept:
                kept[len(cache.layers)].append(out)
            return (step.head(out[n - keep :]), *(kept[i][0] for i in tapped))

        cache.start.fill_(self.length)
        inputs, replayed = (step.embed.ids(ids), *tree), cache.graphs is not None and n <= (FEW if tree else GRAPHED)
        key = "logits", n, keep, step.until, tapped, opened(tree)
        logits, *rows = cache.replay(key, whole, *inputs) if replayed else whole(*inputs)
        for i, tapped_rows in zip(tapped, rows, strict=True):
            taps[i].append(tapped_rows)
        self.grow(n)
        return logits.clone() if replayed else logits  # the next replay writes to the same place

    def draft(
        self,
        step: ForwardStep,
        sampler: DraftSampler,
        feed: list[int],
        k: int,
        u: Array | None,
        features: torch.Tensor | None = None,
        rows: int = 1,
    ) -> tuple[torch.Tensor, torch.Tensor | None] | None:
        """k tokens after `feed` without leaving the device: one launch, no transfer. Each pass gives a token after each of its last `rows`
        (1, or k). The cache grows by all that is fed, which is not the last of them. `features` [n, width]: of a head that drafts, one for
        each token of `feed`; later ones are its own.

        Returns ids [k] and q [k, V], which is None where u is. None where that cannot be done."""
        if not self.joins(sampler) or len(feed) > GRAPHED:
            return None
        cache, first, pick, random = self.cache, len(feed), _pick(sampler), _random_inputs(sampler, u)
        grown = first + k - rows
        check_append(grown, self.length, self.capacity)
        self.tree.check(grown, None)

        def whole(*inputs):  # holds nothing of the run: a graph outlives it
            inputs, u, temperature = (inputs[:-2], *inputs[-2:]) if random else (inputs, None, None)
            fed, *features = inputs
            ids, qs, on = list[torch.Tensor](), list[Any](), 0
            for i in range(0, k, rows):
                x, beside = step.inputs(fed, *features)
                hidden = cache.through(x, on, None, step.until, beside)[-rows:]
                logits, n = step.logits(hidden), 1 if step.link else rows
                for j in range(0, rows, n):  # all at once, or each with what the token before it adds
                    row = logits[j : j + n] + step.follow(ids[-1]) if j else logits[:n]
                    id, q = pick(row, None if u is None else u[i + j : i + j + n], temperature)
                    ids.append(id)
                    qs.append(q)
                on, fed, features = on + len(fed), id, [hidden] if features else []
            return (torch.cat(ids), torch.cat(qs)) if random else (torch.cat(ids),)

        cache.start.fill_(self.length)
        inputs = step.embed.ids(feed), *([] if features is None else [features])
        ids, *q = cache.replay(("draft", first, k, rows, bool(random), step.until, sampler.key), whole, *inputs, *random)
        self.grow(grown)
        return ids, q[0] if random else None

    @staticmethod
    def draft_lanes(
        stacks: list["StaticStack"], steps: list[ForwardStep], waiting: list[torch.Tensor], text: list[int], taken: int,
        sampler: DraftSampler, u: Array | None,
    ) -> tuple[torch.Tensor, torch.Tensor | None, list[torch.Tensor]] | None:  # fmt: skip
        """A token by each lane, all in one launch: lane j takes its `waiting` features [·, width], then what comes out of lane j − 1, with the tokens
        of `text` that follow them; up to the last position of the text but one. `text` is given from position `taken` on.

        Returns ids [k], q [k, V] or None, and what came out of each lane. None where that cannot be done."""
        cache, end = stacks[0].cache, taken + len(text) - 1
        if not stacks[0].joins(sampler) or end - stacks[-1].length > GRAPHED:
            return None
        feeds = []
        for j, stack in enumerate(stacks):
            check_append(end - stack.length, stack.length, stack.capacity)
            # where in the text and where in the cache, and how many
            feeds.append((j + 1 + stack.length - taken, stack.length - stacks[0].length, end - stack.length))
        pick, random = _pick(sampler), _random_inputs(sampler, u)

        def whole(written, *inputs):  # holds nothing of the run: a graph outlives it
            inputs, u, temperature = (inputs[:-2], *inputs[-2:]) if random else (inputs, None, None)
            ids: list[torch.Tensor] = []
            rows: list[torch.Tensor] = []
            outs: list[torch.Tensor] = []
            for j, (step, (at, on, n)) in enumerate(zip(steps, feeds, strict=True)):
                hidden = torch.cat([inputs[j], outs[-1]]) if outs else inputs[j]
                x, beside = step.inputs(written[at : at + n], hidden)
                outs.append(cache.through(x, on, beside=beside, lane=j))
                id, q = pick(step.logits(outs[-1][-1:]), None if u is None else u[j : j + 1], temperature)
                ids.append(id)
                rows.append(q)
                written = torch.cat([written, id])
            return (torch.cat(ids), *outs, torch.cat(rows)) if random else (torch.cat(ids), *outs)

        cache.start.fill_(stacks[0].length)
        key = "lanes", sampler.key, tuple(feeds), len(text), bool(random)
        ids, *outs = cache.replay(key, whole, steps[0].embed.ids(text), *waiting, *random)
        for stack in stacks:
            stack.length = end
        return ids, outs.pop() if random else None, outs
