"""Our own forward pass by PyTorch's operations: the reference, on any device, and where a GPU replays it from CUDA graphs.

The KV cache is static: where a block goes is a number on the device, and so is what it sees. The formulas of modules.py are made
by the kernels of a GPU, where a launch costs what thousands of sums do: fewer and larger ones. On a CPU, without graphs, the same
code gives the same logits (tests/engine/backends/pytorch/test_static.py). A graph's shapes cannot change, so what PyTorch attends
with reads the whole cache, which is why a cache is no longer than a run may need. Positions past the end are masked, and one that
was rolled back is written again before anything sees it.
"""

import weakref
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from ...model import ForwardStep, Layer, Shape, Stack, check_append
from ...sampling import Array, DraftSampler
from ...tensors import pick_function
from . import modules
from .fused import choose_parts, not_fused_reason
from .graphs import Graphs
from .modules import Branches, TorchParts

MIN_CACHE_POSITIONS = 128  # positions of the smallest cache
SIZE_STEP = 512  # and what large ones grow by: reading positions that hold nothing costs as much as reading others
MAX_GRAPHED_ROWS = 17  # positions of the longest block that gets a graph: the largest K, and one
FUSED_ROWS = 128  # rows of all texts together up to which the kernels of decoding are the faster ones
MAX_WAITING_SIZES = 6  # sizes of waiting caches of a model, their graphs with them; the oldest makes room


def padded_size(capacity: int) -> int:
    """Positions of a cache for `capacity`: few sizes, so that runs of different lengths share caches and graphs."""
    return (
        max(MIN_CACHE_POSITIONS, 1 << (capacity - 1).bit_length()) if capacity <= 1024 else -(-capacity // SIZE_STEP) * SIZE_STEP
    )


def _pick_function(sampler: DraftSampler) -> Callable:
    return pick_function(sampler.vocabulary, sampler.argmax, sampler.sampler.filters)


def _random_inputs(sampler: DraftSampler, u: Array | None) -> tuple[torch.Tensor, ...]:
    """What goes into a graph that draws: u [k] and the temperature [1]; nothing where nothing is drawn."""
    if u is None:
        return ()
    u = torch.as_tensor(u)
    return u, sampler.sampler.temperature_tensor(u.device)


def _kernels_unused(shape: Shape, device: torch.device, dtype: torch.dtype) -> str:
    """That PyTorch's kernels are used on a GPU where our own should be, and why; empty where there are no others, or where they are."""
    why = not_fused_reason(shape, device, dtype) if device.type == "cuda" else ""
    return f"the kernels for this device are not used: {why}" if why else ""


class StaticCache:
    """Layers, a KV cache of `bound` positions and the CUDA graphs over both. It outlives runs; one at a time has it.

    Whatever a graph reads belongs to this object: a graph knows addresses, not owners. `texts` of one length may stand side by side,
    for timing (lab/costs.py); the engine decodes one."""

    def __init__(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, bound: int, device, dtype, record, texts: int = 1):
        self.layers, self.capacity, self.dtype, self.texts = layers, bound, dtype, texts
        self.plain, self.parts = TorchParts(shape, rope), choose_parts(shape, rope, dtype)
        self.kernels_unused = _kernels_unused(shape, rope.device, dtype)
        # head by head: what a product reads lies in one piece. Zeros: what a mask hides is multiplied by 0, and 0 · NaN is NaN
        self.kv = torch.zeros((len(layers), 2, texts * shape.kv_heads, bound, shape.size), dtype=dtype, device=device)
        self.start = torch.zeros(1, dtype=torch.long, device=device)
        self.graphs = Graphs(record) if record or torch.device(device).type == "cuda" else None

    def run(
        self,
        x: torch.Tensor,
        length: int,
        tap_layers: tuple[int, ...],
        until: int | None,
        side_input,
        module: int | None,
        tree=(),
    ) -> tuple[torch.Tensor, ...]:
        """x [n, width] into positions length … length + n: what comes out, and what went into `tap_layers`. `tree`: of Branches."""
        self.start.fill_(length)

        def graph_body(x, *inputs):
            tap_rows: dict[int, list[torch.Tensor]] = {i: [] for i in tap_layers}
            of_tree, others = inputs[: len(tree)], inputs[len(tree) :]
            out = self.run_layers(x, 0, tap_rows, until, others[0] if others else None, module, branches(of_tree))
            return (out, *(tap_rows[i][0] for i in tap_layers))

        inputs = (x, *tree) if side_input is None else (x, *tree, side_input)
        if len(x) > (FUSED_ROWS if tree else MAX_GRAPHED_ROWS):
            return graph_body(*inputs)
        return self.replay((len(x), until, tap_layers, side_input is None, module, open_row_count(tree)), graph_body, *inputs)

    def replay(self, key: Hashable, function, *inputs):
        """function(*inputs), replayed from a CUDA graph where there are graphs."""
        return function(*inputs) if self.graphs is None else self.graphs(key, function, *inputs)

    def run_layers(
        self,
        x: torch.Tensor,
        on: int = 0,
        taps=None,
        until: int | None = None,
        side_input=None,
        module: int | None = None,
        tree: Branches | None = None,
    ) -> torch.Tensor:
        """All layers, or the first `until`, or that of `module` alone: x [texts·n, width], into n positions of every text from `start` +
        `on`. `side_input` [·, m]: put before the first layer's normed input. `taps`: layer → list that gets what goes into that layer."""
        n = len(x) // self.texts
        parts = self.parts if (tree or n <= MAX_GRAPHED_ROWS) and len(x) <= FUSED_ROWS else self.plain
        positions = parts.positions(self.start, on, n, self.capacity, self.dtype, tree)
        own = False  # whether x is a sum of ours, which the next one may overwrite
        for i, layer in enumerate(self.layers[:until]) if module is None else [(module, self.layers[module])]:
            if taps and i in taps:
                taps[i].append(x)
                own = False
            inputs = parts.norm(layer.attention_norm, x)
            if side_input is not None and i == 0:
                inputs = torch.cat([side_input, inputs], -1)
            attention = parts.attention(layer.qkv(inputs), layer.qk_norm, self.kv[i], positions)
            x = layer.out.add_to(attention, x, own)
            x = layer.down.add_to(parts.swiglu(layer.gate_up(parts.norm(layer.mlp_norm, x))), x, True)
            own = True
        return x


def branches(tree) -> Branches | None:
    """What a graph is given of a tree, as its parts take it."""
    return Branches(*tree) if tree else None


def open_row_count(tree) -> int:
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
        bound = min(padded_size(capacity), len(rope))
        ids = tuple(map(id, layers))  # they stay alive in what waits, so their ids are their own
        free_caches = self.free.setdefault((ids, bound), [])
        if not free_caches:
            self._drop_oldest(ids[0])
        cache = free_caches.pop() if free_caches else StaticCache(layers, shape, rope, bound, device, dtype, self.record)
        stack = StaticStack(cache, capacity)
        weakref.finalize(stack, free_caches.append, cache).atexit = False
        return stack

    def _drop_oldest(self, first: int) -> None:
        sizes = [free_caches for (ids, _), free_caches in self.free.items() if ids[0] == first and free_caches]
        for oldest in sizes[: max(0, len(sizes) - MAX_WAITING_SIZES + 1)]:
            oldest.clear()


class StaticStack(Stack):
    """Layers over a run's lease of a static cache; or one layer of them, with a length of its own, under another's `lease`."""

    def __init__(self, cache: StaticCache, capacity: int, module: int | None = None, lease: "StaticStack | None" = None):
        super().__init__()
        self.cache, self.capacity, self.module, self.lease = cache, capacity, module, lease

    def module_stacks(self) -> list["StaticStack"]:
        return [StaticStack(self.cache, self.capacity, module, self) for module in range(len(self.cache.layers))]

    def fuses_draft(self, sampler: DraftSampler) -> bool:
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

    def _gather(self, text_length: int, path) -> None:
        kv = self.cache.kv if self.module is None else self.cache.kv[self.module : self.module + 1]
        rows = self._to_device(torch.tensor([text_length + row for row in path], dtype=torch.long))
        kv[:, :, :, text_length : text_length + len(path)] = kv.index_select(3, rows)

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
        return self._to_device(torch.tensor(self.tree.depths[first:])), self._to_device(sees)

    def _to_device(self, numbers: torch.Tensor) -> torch.Tensor:
        return numbers.to(self.cache.kv.device, non_blocking=True)

    def forward(self, x, taps=None, until=None, side_input=None, parents=None):
        """Hidden states [n, width] after the layers; n positions join the cache."""
        check_append(len(x), self.length, self.capacity)
        tree = self._branch(len(x), parents)
        tap_layers = tuple(i for i in sorted(taps or ()) if i < len(self.cache.layers[:until]))
        out, *tap_rows = self.cache.run(x, self.length, tap_layers, until, side_input, self.module, tree)
        for i, rows in zip(tap_layers, tap_rows, strict=True):
            taps[i].append(rows)
        self.grow(len(x))
        return out

    def logits(self, step: ForwardStep, ids, keep: int, taps: dict[int, list], parents=None) -> torch.Tensor:
        """A whole pass over ids [n]: the logits [keep, V] of the last `keep`. `parents` [n]: where the block branches. `taps`: as
        of `StaticCache.run_layers`; the number of layers stands for what leaves the last one."""
        cache, n, tap_layers = self.cache, len(ids), tuple(sorted(taps))
        check_append(n, self.length, self.capacity)
        tree = self._branch(n, parents)

        def graph_body(ids, *tree):
            tap_rows: dict[int, list[torch.Tensor]] = {i: [] for i in tap_layers}
            out = cache.run_layers(step.embed(ids), 0, tap_rows, step.until, tree=branches(tree))
            if len(cache.layers) in tap_rows:
                tap_rows[len(cache.layers)].append(out)
            return (step.head(out[n - keep :]), *(tap_rows[i][0] for i in tap_layers))

        cache.start.fill_(self.length)
        inputs, is_graphed = (
            (step.embed.ids(ids), *tree),
            cache.graphs is not None and n <= (FUSED_ROWS if tree else MAX_GRAPHED_ROWS),
        )
        key = "logits", n, keep, step.until, tap_layers, open_row_count(tree)
        logits, *rows = cache.replay(key, graph_body, *inputs) if is_graphed else graph_body(*inputs)
        for i, tapped_rows in zip(tap_layers, rows, strict=True):
            taps[i].append(tapped_rows)
        self.grow(n)
        return logits.clone() if is_graphed else logits  # the next replay writes to the same place

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
        if not self.fuses_draft(sampler) or len(feed) > MAX_GRAPHED_ROWS:
            return None
        cache, first, pick, random = self.cache, len(feed), _pick_function(sampler), _random_inputs(sampler, u)
        rows_needed = first + k - rows
        check_append(rows_needed, self.length, self.capacity)
        self.tree.check(rows_needed, None)

        def graph_body(*inputs):  # holds nothing of the run: a graph outlives it
            inputs, u, temperature = (inputs[:-2], *inputs[-2:]) if random else (inputs, None, None)
            feed_ids, *features = inputs
            ids, qs, on = list[torch.Tensor](), list[Any](), 0
            for i in range(0, k, rows):
                x, side_input = step.inputs(feed_ids, *features)
                hidden = cache.run_layers(x, on, None, step.until, side_input)[-rows:]
                logits, n = step.logits(hidden), 1 if step.link else rows
                for j in range(0, rows, n):  # all at once, or each with what the token before it adds
                    row = logits[j : j + n] + step.link_logits(ids[-1]) if j else logits[:n]
                    id, q = pick(row, None if u is None else u[i + j : i + j + n], temperature)
                    ids.append(id)
                    qs.append(q)
                on, feed_ids, features = on + len(feed_ids), id, [hidden] if features else []
            return (torch.cat(ids), torch.cat(qs)) if random else (torch.cat(ids),)

        cache.start.fill_(self.length)
        inputs = step.embed.ids(feed), *([] if features is None else [features])
        ids, *q = cache.replay(("draft", first, k, rows, bool(random), step.until, sampler.key), graph_body, *inputs, *random)
        self.grow(rows_needed)
        return ids, q[0] if random else None

    @staticmethod
    def draft_modules(
        stacks: list["StaticStack"],
        steps: list[ForwardStep],
        pending: list[torch.Tensor],
        text: list[int],
        start: int,
        sampler: DraftSampler,
        u: Array | None,
    ) -> tuple[torch.Tensor, torch.Tensor | None, list[torch.Tensor]] | None:
        """A token by each module, all in one launch: module j takes its `pending` features [·, width], then what comes out of module j − 1,
        with the tokens of `text` that follow them; up to the last position of the text but one. `text` is given from position `start` on.

        Returns ids [k], q [k, V] or None, and what came out of each module. None where that cannot be done."""
        cache, end = stacks[0].cache, start + len(text) - 1
        if not stacks[0].fuses_draft(sampler) or end - stacks[-1].length > MAX_GRAPHED_ROWS:
            return None
        feeds = []
        for j, stack in enumerate(stacks):
            check_append(end - stack.length, stack.length, stack.capacity)
            # where in the text and where in the cache, and how many
            feeds.append((j + 1 + stack.length - start, stack.length - stacks[0].length, end - stack.length))
        pick, random = _pick_function(sampler), _random_inputs(sampler, u)

        def graph_body(text_ids, *inputs):  # holds nothing of the run: a graph outlives it
            inputs, u, temperature = (inputs[:-2], *inputs[-2:]) if random else (inputs, None, None)
            ids: list[torch.Tensor] = []
            rows: list[torch.Tensor] = []
            outs: list[torch.Tensor] = []
            for j, (step, (at, on, n)) in enumerate(zip(steps, feeds, strict=True)):
                hidden = torch.cat([inputs[j], outs[-1]]) if outs else inputs[j]
                x, side_input = step.inputs(text_ids[at : at + n], hidden)
                outs.append(cache.run_layers(x, on, side_input=side_input, module=j))
                id, q = pick(step.logits(outs[-1][-1:]), None if u is None else u[j : j + 1], temperature)
                ids.append(id)
                rows.append(q)
                text_ids = torch.cat([text_ids, id])
            return (torch.cat(ids), *outs, torch.cat(rows)) if random else (torch.cat(ids), *outs)

        cache.start.fill_(stacks[0].length)
        key = "lanes", sampler.key, tuple(feeds), len(text), bool(random)
        ids, *outs = cache.replay(key, graph_body, steps[0].embed.ids(text), *pending, *random)
        for stack in stacks:
            stack.length = end
        return ids, outs.pop() if random else None, outs


class PyTorch:
    """How weights of one model are held and passed through. `pool`: its static caches."""

    Linear, Table, Head, Entry, Link = modules.Linear, modules.Table, modules.Head, modules.Entry, modules.TokenLink
    Norm, LayerLinear = modules.Norm, modules.Linear
    torch_threads = True

    def __init__(self, device: str | torch.device, dtype: str | torch.dtype):
        self.device, self.pool = torch.device(device), CachePool()
        self.dtype: torch.dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype

    def weight_type(self, names: set[str]) -> str:
        """The type that weights are held in, whatever types the checkpoint has."""
        return str(self.dtype).removeprefix("torch.")

    def convert(self, weight: Array, dtype: str) -> torch.Tensor:
        """A stored weight in the type of that name, on the device."""
        return modules.tensor(weight).to(self.device, getattr(torch, dtype))

    def index_array(self, ids: list[int]) -> torch.Tensor:
        """Numbers of rows or tokens, on the device."""
        return torch.tensor(ids, dtype=torch.long).to(self.device, non_blocking=True)

    def no_features(self, width: int) -> torch.Tensor:
        """No rows of features [0, width]."""
        return torch.empty(0, width, dtype=self.dtype, device=self.device)

    def as_features(self, weight: Array) -> torch.Tensor:
        """A stored weight as features are held."""
        return modules.tensor(weight).to(self.device, self.dtype)

    def pack_layers(self, layers: Iterable[Layer], count: int) -> list[Layer]:
        """`count` layers as passes take them."""
        return list(layers)

    def rope_cache(self, rotation: np.ndarray) -> torch.Tensor:
        """A rotation [context, 1, size/2] complex as passes take it."""
        return torch.from_numpy(rotation).to(self.device)

    def stack(self, layers: list[Layer], shape: Shape, rope: torch.Tensor, capacity: int, head=None) -> StaticStack:
        """An empty KV cache with `layers` over it."""
        return self.pool.lease(layers, shape, rope, capacity, self.device, self.dtype)

    def module_stacks(
        self, each: list[list[Layer]], shape: Shape, rope: torch.Tensor, capacity: int, head=None
    ) -> list[StaticStack]:
        """A stack over each of some layers, which may hold one twice: of lengths of their own, in one lease."""
        return self.stack([layer for one in each for layer in one], shape, rope, capacity).module_stacks()
