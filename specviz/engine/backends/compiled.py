"""Our own forward pass compiled by numba for a CPU (engine/compiled): packed weights, a KV cache, each pass one compiled call."""

import time
from collections.abc import Callable, Iterable, Sequence
from math import prod

import numpy as np
import torch

from ..compiled import forward
from ..compiled.compiler import same_types
from ..compiled.forward import DrawArrays, KVCache, OutputArrays, PackedLayers, TreeArrays, Workspace
from ..compiled.packed import padded
from ..compiled.threads import ThreadTeam, thread_team
from ..compiled.tile import LANES, LINE, PANEL, WIDENS_HALF
from ..sampling import NO_FILTERS, Array, DraftSampler
from . import layers
from .base import ForwardStep, check_append
from .layers import BLOCK, Layer, Norm, Shape
from .tree import Branching

FEW = 17  # rows that a stack has room for from the start
TOGETHER = 48  # rows of a key head that attend at once: their scores of some thousand positions stay in the nearest caches
SMALL = 1 << 20  # bytes of weights below which other threads cost more than they do
# to measure how many threads help: bytes of a pass, passes of each number, and the share of time that more of them may take
TRIED, TURNS, GAIN = 64 << 20, 9, 0.95
# what stands for an array that a pass has not: made once, since a pass looks at each of them
NOTHING, NOBODY, NONE = np.zeros((1, 0), np.float32), np.zeros(0, np.int64), np.zeros(0)
NO_NUMBERS, NO_ROWS, NO_TAPS = NOTHING[0], NOTHING[:0], np.zeros((0, 0, 0), np.float32)
CHAIN = TreeArrays(0, np.zeros((0, 0), np.int64), NOBODY)


def lines(*shape: int, dtype: type | np.dtype = np.float32) -> np.ndarray:
    """Zeros that begin at a cache line, so that a vector is never in two."""
    size = prod(shape) * np.dtype(dtype).itemsize
    found = np.zeros(size + LINE, np.uint8)
    start = -found.ctypes.data % LINE
    return found[start : start + size].view(dtype).reshape(shape)


def pack(weight: torch.Tensor) -> np.ndarray:
    """weight [N, K] → panels of its outputs, as packed.py has them. In numpy's memory: it asks the system for large pages, and a matrix that
    is read from memory is read a fifth faster in those."""
    rows, columns = weight.shape
    kind = weight.dtype if weight.dtype in (torch.bfloat16, torch.float16) else torch.float32
    found = torch.zeros((padded(rows), columns), dtype=kind)
    found[:rows] = weight
    if kind == torch.bfloat16:
        panels = (
            found.view(-1, 2, LANES, columns).permute(0, 3, 2, 1).contiguous().view(torch.uint16).numpy().view(np.uint32)[..., 0]
        )
    else:
        turned = found.view(-1, PANEL, columns).transpose(1, 2).contiguous()
        panels = turned.view(torch.uint16).numpy() if kind == torch.float16 else turned.numpy()
    packed = lines(*panels.shape, dtype=panels.dtype)
    packed[:] = panels
    return packed


def _ids(ids: list[int] | torch.Tensor) -> np.ndarray:
    return ids.numpy() if isinstance(ids, torch.Tensor) else np.array(ids, np.int64)


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.float().contiguous().numpy()


class PackedLinear:
    """A fixed linear map without bias, packed. Call with x [n, K] → [n, N]."""

    def __init__(self, weight: torch.Tensor):
        self.packed, self.rows, self.kind = pack(weight), len(weight), weight.dtype
        self.multiply = same_types(forward.multiply)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = self.room(len(x))
        self.multiply(x.contiguous().numpy(), self.packed, y)
        return self.of(y)

    def room(self, n: int) -> np.ndarray:
        """For the products of n rows, as wide as whole panels are."""
        return np.empty((n, padded(self.rows)), np.float32)

    def of(self, y: np.ndarray) -> torch.Tensor:
        """`room`, filled, without what pads it."""
        return torch.from_numpy(self.whole(y))

    def whole(self, y: np.ndarray) -> np.ndarray:
        """The same as an array."""
        return y if y.shape[1] == self.rows else y[:, : self.rows]

    def holds(self, weight: torch.Tensor) -> bool:
        return np.array_equal(pack(weight.to(self.kind)), self.packed)


class PackedTable:
    """A packed matrix [V, width] as embedding: n ids → [n, width]."""

    def __init__(self, matrix: PackedLinear):
        self.packed = matrix.packed

    def __call__(self, ids: list[int]) -> torch.Tensor:
        x = np.empty((len(ids), self.packed.shape[1]), np.float32)
        forward.look_up(_ids(ids), self.packed, x)
        return torch.from_numpy(x)


class PackedNorm(Norm):
    """As passes compute it, to the bit."""

    def __init__(self, norm: Norm):
        super().__init__(norm.weight, norm.size, norm.eps)
        self.numbers = numbers(norm.weight)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = np.empty(x.shape, np.float32)
        forward.normalise(x.contiguous().numpy(), self.numbers, np.float32(self.eps), y)
        return torch.from_numpy(y)


class PackedHead:
    """The last norm and the matrix that makes logits: hidden states [n, width] → [n, V]."""

    def __init__(self, norm: Norm, matrix: PackedLinear):
        self.norm, self.matrix = PackedNorm(norm), matrix
        self.exit = OutputArrays(self.norm.numbers, matrix.packed)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.matrix(self.norm(x))


class PackedEntry(layers.Entry):
    """How a head that drafts takes features and the tokens that follow them. `wide`: what stands beside the features meanwhile."""

    def __init__(self, token_norm: Norm, feature_norm: Norm | None = None, join: PackedLinear | None = None):
        first, second = PackedNorm(token_norm), None if feature_norm is None else PackedNorm(feature_norm)
        super().__init__(first, second, join)
        self.norms, self.packed = (first.numbers, second.numbers if second else NO_NUMBERS), None if join is None else join.packed
        self.wide = sum(map(len, self.norms))


class CompiledStack(Branching):
    """The layers of one text, or of `texts` of one length side by side (lab/costs.py): their keys and values, filled up to `length`."""

    joins_head = True  # a head's inputs, layers and logits are one call
    slow_reason = ""  # as of pytorch/static.py: there is nothing here that could be slower than it should

    def __init__(
        self, weights: PackedLayers, shape: Shape, rope: np.ndarray, capacity: int, head: OutputArrays | None = None, texts: int = 1,
        threads: int | None = None,
    ):  # fmt: skip
        super().__init__()
        self.weights, self.shape, self.rope, self.capacity = weights, shape, rope, capacity
        self.layers, self.eps = len(weights.qkv), np.float32(shape.eps)
        self.texts, self.dims = texts, (shape.heads, shape.kv_heads, texts)
        cache, whole = (self.layers, texts, shape.kv_heads), padded(capacity)
        # zeros: what a score is worked out from without being seen must be numbers, if any
        keys = lines(*cache, whole // PANEL, shape.size, PANEL)
        self.kv_cache = KVCache(keys, lines(*cache, padded(shape.size) // PANEL, capacity, PANEL))
        self.threads = threads or threads_that_help(weights, shape, rope, head)
        self.team: ThreadTeam = thread_team(max(self.threads, torch.get_num_threads()) if self.threads > 1 else 1)
        self.scratch = self._room(FEW * texts)
        self.nothing = weights.qkv[:0, 0]  # a packed matrix of no outputs
        self.no_draws = DrawArrays(0, NOBODY, np.float32(1), True, NONE, NO_ROWS, NOBODY, NO_ROWS, self.nothing, NOTHING)
        self.drawing: dict[tuple[int, int], tuple[ForwardStep, DraftSampler, DrawArrays, np.ndarray]] = {}
        self.out = self.scratch.x[:0]

    def _room(self, n: int) -> Workspace:
        s, w = self.shape, self.weights
        threads, rows = self.threads, n // self.texts * (s.heads // s.kv_heads)
        sizes = {
            "x": (n, s.width),
            "normed": (threads, n, max(2 * s.width, w.qkv.shape[2], w.out.shape[2], s.inner)),
            "qkv": (threads * n, w.qkv.shape[1] * PANEL),
            "queries": (threads, rows, s.size),
            "scores": (threads, min(rows, TOGETHER), padded(self.capacity)),
            "found": (threads, rows, padded(s.size)),
            "attended": (n, s.heads * s.size),
            "summed": (threads * n, w.out.shape[1] * PANEL),
            "gate_up": (threads * n, w.gate_up.shape[1] * PANEL),
            "gated": (n, s.inner),
        }
        return Workspace(**{part: lines(*size) for part, size in sizes.items()})

    def _for(self, n: int) -> Workspace:
        """Room for a pass over n rows: what is kept, where they are few."""
        return self.scratch if n <= len(self.scratch.x) else self._room(n)

    def _gather(self, settled: int, path: Sequence[int]) -> None:
        keys, values = self.kv_cache
        for to, row in enumerate(path, settled):
            if (at := settled + row) != to:
                keys[:, :, :, to // PANEL, :, to % PANEL] = keys[:, :, :, at // PANEL, :, at % PANEL]
                values[:, :, :, :, to] = values[:, :, :, :, at]

    def logits(
        self,
        step: ForwardStep,
        ids: list[int],
        keep: int,
        taps: dict[int, list],
        parents=None,
        features: torch.Tensor | None = None,
        array: bool = False,
    ) -> Array:
        """A whole pass over ids [n]: the logits [keep, V] of the last `keep`; n keys and values join the cache. `parents` [n]: where the
        block branches. Heads take `features` [n, width] by their `entry`. `array`: as the array that they are.

        `taps`: layer → list that gets what goes into that layer, the number of layers standing for what leaves the last one."""
        y = step.head.matrix.room(keep)
        entry, out = step.entry, step.head.exit
        self._run(step.embed.packed, _ids(ids), features, entry, head=out, y=y, taps=taps, until=step.until, parents=parents)
        return step.head.matrix.whole(y) if array else step.spread(step.head.matrix.of(y))

    def draft(
        self,
        step: ForwardStep,
        sampler: DraftSampler,
        feed: list[int],
        k: int,
        u: Array | None,
        features: torch.Tensor | None = None,
        rows: int = 1,
    ) -> tuple[list[int], np.ndarray | None] | None:
        """k tokens after `feed` in one call: token i drawn with u[i], float64, from the softmax at the sampler's temperature, or the largest; with
        no u all are the largest. Each pass gives a token after each of its last `rows`, and the next is fed that: 1, or k, where all but the first are
        open places, which take the same token and feature. The cache grows by all that is fed, which is not the last of them. Heads take `features`
        [n, width] by their `entry`.

        Returns ids [k] and q [k, V] or None. None where that cannot be done: where a block may end early or tokens are filtered."""
        if sampler.ends_early or sampler.sampler.filters != NO_FILTERS or len(feed) > BLOCK:
            return None
        draws, y = self._draws(step, sampler, k, rows)
        if u is not None:
            draws = draws._replace(u=np.asarray(u), q=np.empty((k, sampler.vocabulary), np.float32))
        self._run(
            step.embed.packed, _ids(feed), features, step.entry, head=step.head.exit, y=y, draws=draws, until=step.until,
            alike=rows - 1,
        )  # fmt: skip
        return draws.ids.tolist(), None if u is None else draws.q

    def _draws(self, step: ForwardStep, sampler: DraftSampler, k: int, rows: int) -> tuple[DrawArrays, np.ndarray]:
        """How k tokens are drawn, all by their largest, and room for logits: the same in every round of a run, so made in its first."""
        held = self.drawing.get((k, rows))
        if held is None or held[0] is not step or held[1] is not sampler:
            temperature, known = np.float32(sampler.sampler.temperature), min(sampler.vocabulary, step.head.matrix.rows)
            draws = self.no_draws._replace(known=known, temperature=temperature, argmax=sampler.argmax, ids=np.empty(k, np.int64))
            if step.columns is not None:
                columns = step.columns.numpy()
                draws = draws._replace(columns=columns, known=int(np.searchsorted(columns, sampler.vocabulary)))
            if step.link is not None:
                before, after = step.link.before.numpy(), step.link.after
                draws = draws._replace(before=before, after=after.packed, added=after.room(1))
            held = self.drawing[k, rows] = step, sampler, draws, step.head.matrix.room(rows)
        return held[2:]

    def forward(
        self, x: torch.Tensor, taps=None, until: int | None = None, beside: torch.Tensor | None = None, parents=None
    ) -> torch.Tensor:
        """Hidden states [n, width] after the layers, or after the first `until` of them. `beside` [n, m]: put before the first layer's
        normed input (a token's embedding, of a head that drafts). x [n, width] is not changed."""
        self._run(self.nothing, features=x, beside=beside, taps=taps, until=until, parents=parents)
        return self.left

    @property
    def left(self) -> torch.Tensor:
        """What left the last layer in the latest pass [n, width]: of the rows that logits were asked of, or of all where none were, or a head hands
        it on."""
        return torch.from_numpy(self.out.copy())

    def _run(
        self, table: np.ndarray, feed=NOBODY, features=None, entry: PackedEntry | None = None, beside=None,
        head: OutputArrays | None = None, y=NO_ROWS, taps: dict[int, list] | None = None, until=None,
        draws: DrawArrays | None = None, parents: list[int] | None = None, alike: int = 0,
    ) -> None:  # fmt: skip
        n, draws = len(feed) if features is None else len(features), draws or self.no_draws
        again = max(0, len(draws.ids) - len(y))  # passes after the first, of a token each
        grown = n // self.texts + again
        check_append(grown, self.length, self.capacity)
        self.tree.check(n, parents)
        tree = CHAIN if parents is None else self._branch(parents)
        s, taps, norms, join, others = self._for(n), taps or {}, (NO_NUMBERS, NO_NUMBERS), None, NOTHING
        if entry:
            norms, join, others = entry.norms, entry.packed, np.empty((n, entry.wide), np.float32)
        elif beside is not None:
            others = beside.contiguous().numpy()
        spare = 0 if head is None or join is not None or self.layers in taps or self.texts > 1 else n - len(y)
        layers, tapped = NOBODY, NO_TAPS
        if taps:
            layers, tapped = np.array([*taps], np.int64), np.empty((len(taps), n, self.shape.width), np.float32)
        head = head or OutputArrays(NO_NUMBERS, self.nothing)
        run = _run_of(self.weights.qkv, table, self.nothing if join is None else join, head.matrix, draws.after)
        run(
            feed, NO_ROWS if features is None else features.contiguous().numpy(),
            forward.InputArrays(table, *norms, self.nothing if join is None else join), others,
            self.weights, self.kv_cache, s, self.rope, self.dims, self.eps, self.length, self.layers if until is None else until,
            layers, tapped, head, y, draws, tree,
            alike, spare, 0, self.threads, self.team.ready(),
        )  # fmt: skip
        self.grow(grown)
        self.out = s.x[:1] if again else s.x[spare:n]
        for i, layer in enumerate(taps):
            taps[layer].append(self.left if layer == self.layers else torch.from_numpy(tapped[i]))

    def _branch(self, parents: list[int]) -> TreeArrays:
        """What rows with these parents see, which join the tree."""
        settled, first = self.settled, len(self.tree)
        self.tree.add(parents)
        depths = np.array(self.tree.depths[first:], np.int64)
        paths = np.zeros((len(parents), depths.max() + 1), np.int64)
        for m, depth in enumerate(depths):
            paths[m, : depth + 1] = self.tree.path(first + m)
        return TreeArrays(settled, paths, depths)


_runs: dict[str, Callable] = {}


def _run_of(*packed: np.ndarray) -> Callable:
    """A pass, by how its matrices are stored: all other arguments always have the same types."""
    key = "".join([matrix.dtype.char for matrix in packed])
    if key not in _runs:
        _runs[key] = same_types(forward.run)
    return _runs[key]


_helping: dict[tuple, int] = {}


def threads_that_help(weights: PackedLayers, shape: Shape, rope: np.ndarray, head: OutputArrays | None = None) -> int:
    """With how many threads, of those that PyTorch may have, a pass over such weights is fastest: measured once in a process. With the `head`:
    layers may fit into the nearest cache of one processor, and with it into those of two."""
    matrix = weights.qkv[:0, 0] if head is None else head.matrix
    most, size = torch.get_num_threads(), sum(part.nbytes for part in (*weights, matrix))
    if most == 1 or size < SMALL:
        return 1
    key = most, shape, weights.qkv.shape, weights.qkv.dtype, matrix.shape
    if key not in _helping:
        counts = sorted({2**i for i in range(most.bit_length())} | {most})
        stacks = [CompiledStack(weights, shape, rope, BLOCK, threads=n) for n in counts]
        layers, x = max(1, len(weights.qkv) * TRIED // max(size, TRIED)), torch.zeros(1, shape.width)
        times = [[_seconds(stack, x, layers, head) for stack in stacks] for _ in range(1 + TURNS)][1:]
        best, least = 1, float("inf")
        for n, taken in zip(counts, zip(*times, strict=True), strict=True):
            if (shortest := min(taken)) < GAIN * least:
                best, least = n, shortest
        _helping[key] = best
    return _helping[key]


def _seconds(stack: CompiledStack, x: torch.Tensor, layers: int, head: OutputArrays | None) -> float:
    """The shortest of three passes, one after the other: the first wakes the threads, as in a run."""
    taken, y = [], NO_ROWS if head is None else np.empty((len(x), len(head.matrix) * PANEL), np.float32)
    for _ in range(3):
        start = time.perf_counter()
        stack._run(stack.nothing, features=x, until=layers, head=head, y=y)
        taken.append(time.perf_counter() - start)
        stack.rollback(0)
    return min(taken)


class Compiled:
    """How weights of one model are held and passed through by compiled calls."""

    Linear, Table, Head, Entry = PackedLinear, PackedTable, PackedHead, PackedEntry
    own_threads = True  # passes need none of PyTorch's

    def stored(self, dtypes: set[torch.dtype]) -> torch.dtype:
        """The type that weights of these types are held in: theirs, where the processor widens it by itself."""
        stored = next(iter(dtypes)) if len(dtypes) == 1 else torch.float32
        half = stored == torch.float16 and WIDENS_HALF
        return stored if half or stored == torch.bfloat16 else torch.float32

    def lay(self, layers: Iterable[Layer], count: int) -> PackedLayers:
        """`count` layers, packed one by one: no more than one of them is there twice meanwhile."""
        found: dict[str, np.ndarray] = {}
        for i, layer in enumerate(layers):
            bias, norm = layer.qkv.bias, layer.qk_norm
            parts = {
                "attention_norm": numbers(layer.attention_norm.weight),
                "qkv": pack(layer.qkv.weight),
                "bias": numbers(bias) if bias is not None else np.zeros(0, np.float32),
                "qk_norm": numbers(norm.weight) if norm is not None else np.zeros((0, 0), np.float32),
                "out": pack(layer.out.weight),
                "mlp_norm": numbers(layer.mlp_norm.weight),
                "gate_up": pack(layer.gate_up.weight),
                "down": pack(layer.down.weight),
            }
            for name, part in parts.items():
                if name not in found:
                    found[name] = lines(count, *part.shape, dtype=part.dtype)
                # the first layer of a head takes tokens beside features: what a later one has no columns for counts nothing there
                found[name][i][tuple(map(slice, part.shape))] = part
        return PackedLayers(**found)

    def rope_cache(self, rotation: torch.Tensor) -> np.ndarray:
        """A rotation [context, 1, size/2] complex → cosines and sines [context, 2, size/2]."""
        return torch.cat([rotation.real, rotation.imag], 1).contiguous().numpy()

    def stack(
        self, layers: PackedLayers, shape: Shape, rope: np.ndarray, capacity: int, head: PackedHead | None = None, texts: int = 1
    ) -> CompiledStack:
        """An empty KV cache with `layers` over it. `head`: what mostly follows them in a pass."""
        return CompiledStack(layers, shape, rope, capacity, None if head is None else head.exit, texts)

    def lanes(
        self, each: list[PackedLayers], shape: Shape, rope: np.ndarray, capacity: int, head: PackedHead | None = None
    ) -> list[CompiledStack]:
        """A stack over each of some layers, which may hold one twice: of lengths of their own."""
        return [self.stack(one, shape, rope, capacity, head) for one in each]
