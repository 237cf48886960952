"""Our own forward pass compiled by numba for a CPU (engine/compiled): packed weights, a KV cache, each pass one compiled call."""

import time
from collections.abc import Callable, Iterable, Sequence
from math import prod

import numpy as np

from .. import machine
from ..compiled import forward
from ..compiled.blocks import LANES
from ..compiled.forward import DrawArrays, KVCache, OutputArrays, PackedLayers, TreeArrays, Workspace, padded_length
from ..compiled.registers import CACHE_LINE, PANEL, WIDENS_HALF
from ..compiled.rows import same_types
from ..compiled.threads import ThreadTeam, thread_team
from ..model import MAX_PASS, ForwardStep, Layer, Linear, ModelError, Norm, Shape, Stack, check_append
from ..sampling import (
    BLOCK_SIZE,
    BLOCKS,
    NO_FILTERS,
    Array,
    DraftSampler,
    on_host,
    stored_array,
    to_float32,
    to_type,
    type_name,
)

START_ROWS = 17  # rows that a stack has room for from the start
SCORE_ROWS = 48  # rows of a key head that attend at once: their scores of some thousand positions stay in the nearest caches
ONE_THREAD_BYTES = 1 << 20  # bytes of weights below which other threads cost more than they do
# to measure how many threads help: bytes of a pass, passes of each number, and the share of time that more of them may take
TRIAL_BYTES, TRIALS, GAIN = 64 << 20, 9, 0.95
# what stands for an array that a pass has not: made once, since a pass looks at each of them
EMPTY_ROW, NO_IDS, NO_UNIFORMS = np.zeros((1, 0), np.float32), np.zeros(0, np.int64), np.zeros(0)
NO_NUMBERS, NO_ROWS, NO_TAPS = EMPTY_ROW[0], EMPTY_ROW[:0], np.zeros((0, 0, 0), np.float32)
CHAIN = TreeArrays(0, np.zeros((0, 0), np.int64), NO_IDS)


def aligned_zeros(*shape: int, dtype: type | np.dtype = np.float32) -> np.ndarray:
    """Zeros that begin at a cache line, so that a vector is never in two."""
    size = prod(shape) * np.dtype(dtype).itemsize
    zeros = np.zeros(size + CACHE_LINE, np.uint8)
    start = -zeros.ctypes.data % CACHE_LINE
    return zeros[start : start + size].view(dtype).reshape(shape)


def pack(weight: np.ndarray) -> np.ndarray:
    """weight [N, K] → panels of its outputs, as compiled/forward.py has them. In numpy's memory: it asks the system for large
    pages, and a matrix that is read from memory is read a fifth faster in those."""
    if type_name(weight) in BLOCKS:
        return pack_blocks(weight)
    rows, columns = weight.shape
    panels, whole = padded_length(rows) // PANEL, rows // PANEL * PANEL
    kind = weight.dtype if weight.dtype.itemsize == 2 else np.dtype(np.float32)
    # of bf16 the weights of a word are two outputs whose numbers differ by the lanes
    halves = 2 if type_name(weight) == "bfloat16" else 1
    packed = aligned_zeros(panels, columns, PANEL // halves, halves, dtype=np.uint16 if kind.itemsize == 2 else kind)
    filled = packed.view(kind)

    def by_column(part: np.ndarray) -> np.ndarray:
        return part.reshape(-1, halves, PANEL // halves, columns).transpose(0, 3, 2, 1)

    filled[: whole // PANEL] = by_column(weight[:whole])
    if whole < rows:
        last = np.zeros((PANEL, columns), kind)
        last[: rows - whole] = weight[whole:]
        filled[whole // PANEL :] = by_column(last)
    return packed.view(np.uint32)[..., 0] if halves == 2 else packed[..., 0]


def pack_blocks(weight: np.ndarray) -> np.ndarray:
    """A matrix in blocks [N, K/32] as compiled/blocks.py has it: of each panel, and in it of as many outputs as a register has lanes, block
    after block scales, least numbers, and words of four columns."""
    panels, count, lanes = padded_length(len(weight)) // PANEL, weight.shape[1], LANES
    whole = np.zeros((panels * PANEL, count), weight.dtype)
    whole[: len(weight)] = weight

    def by_lane(part: np.ndarray) -> np.ndarray:
        """[N, blocks, ·] → [panels, parts, blocks, ·, lanes], an item of which may be four bytes."""
        return part.reshape(panels, PANEL // lanes, lanes, count, -1).transpose(0, 1, 3, 4, 2)

    parts = [by_lane(whole[part]) for part in whole.dtype.names if part != "bits"]
    parts.append(by_lane(np.ascontiguousarray(whole["bits"]).view(np.uint32)))
    bytes_ = [np.ascontiguousarray(part).view(np.uint8).reshape(panels, PANEL // lanes, count, -1) for part in parts]
    size = sum(part.shape[-1] for part in bytes_) * (PANEL // lanes)  # of a block of all outputs of a panel
    signed = whole["bits"].dtype.kind == "i"
    packed = aligned_zeros(panels, count * BLOCK_SIZE, size // BLOCK_SIZE, dtype=np.int8 if signed else np.uint8)
    np.concatenate(bytes_, -1, out=packed.view(np.uint8).reshape(panels, PANEL // lanes, count, -1))
    return packed


def with_lanes(packed: np.ndarray, lanes: int) -> np.ndarray:
    """Packed blocks [..., K, ·] as a processor has them whose registers hold the sums of `lanes` outputs (`pack_blocks`). Raises ModelError
    for a weight of −128, which has no place among the 7 bits that a browser's product takes."""
    own, count = LANES, packed.shape[-2] // BLOCK_SIZE
    blocks = packed.view(np.uint8).reshape(-1, PANEL // own, count, packed.shape[-1] * own)
    edge, parts = 2 * own * (2 if packed.dtype == np.uint8 else 1), []
    if packed.dtype == np.int8 and (blocks[..., edge:] == 128).any():
        raise ModelError("a weight of 8 bits is −128, which a browser does not multiply")
    for part, size in (blocks[..., :edge], 2), (blocks[..., edge:], 4):
        by_output = part.reshape(*part.shape[:3], -1, own, size).transpose(0, 1, 4, 2, 3, 5)
        by_lane = by_output.reshape(len(part), PANEL // lanes, lanes, count, -1, size).transpose(0, 1, 3, 4, 2, 5)
        parts.append(by_lane.reshape(len(part), PANEL // lanes, count, -1))
    return np.concatenate(parts, -1).reshape(packed.shape).view(packed.dtype)


def _ids(ids: list[int] | Array) -> np.ndarray:
    return np.asarray(on_host(ids), np.int64)


def _feature_array(features: Array) -> np.ndarray:
    """Features as passes take them."""
    return np.ascontiguousarray(on_host(features), np.float32)


class PackedLinear:
    """A fixed linear map without bias, packed. Call with x [n, K] → [n, N]."""

    def __init__(self, weight: Array):
        self.packed, self.rows, self.kind = pack(stored_array(weight)), len(weight), type_name(weight)
        self.multiply = same_types(forward.multiply)

    def __call__(self, x: Array) -> np.ndarray:
        y = self.output_buffer(len(x))
        # weights in blocks make blocks of x, in its place
        self.multiply(np.array(on_host(x), np.float32, order="C"), self.packed, y)
        return self.without_padding(y)

    def output_buffer(self, n: int) -> np.ndarray:
        """For the products of n rows, as wide as whole panels are."""
        return np.empty((n, padded_length(self.rows)), np.float32)

    def without_padding(self, y: np.ndarray) -> np.ndarray:
        """`output_buffer`, filled, without what pads it."""
        return y if y.shape[1] == self.rows else y[:, : self.rows]

    def equals(self, weight: Array) -> bool:
        weight = stored_array(weight)
        if self.kind in BLOCKS and type_name(weight) != self.kind:
            return False
        return np.array_equal(pack(to_type(weight, self.kind)), self.packed)


class PackedTable:
    """A packed matrix [V, width] as embedding: n ids → [n, width]."""

    def __init__(self, matrix: PackedLinear):
        self.packed = matrix.packed

    def __call__(self, ids: list[int]) -> np.ndarray:
        x = np.empty((len(ids), self.packed.shape[1]), np.float32)
        forward.embed_ids(_ids(ids), self.packed, x)
        return x


class PackedNorm:
    """As passes compute it, to the bit."""

    def __init__(self, norm: Norm):
        self.weight, self.eps = to_float32(norm.weight), np.float32(norm.eps)

    def __call__(self, x: Array) -> np.ndarray:
        y = np.empty(x.shape, np.float32)
        forward.normalise(_feature_array(x), self.weight, self.eps, y)
        return y


class PackedHead:
    """The last norm and the matrix that makes logits: hidden states [n, width] → [n, V]."""

    def __init__(self, norm: Norm, matrix: PackedLinear):
        self.norm, self.matrix = PackedNorm(norm), matrix
        self.exit = OutputArrays(self.norm.weight, matrix.packed)

    def __call__(self, x: Array) -> np.ndarray:
        return self.matrix(self.norm(x))


class PackedEntry:
    """How a head that drafts takes features and the tokens that follow them (pytorch/modules.Entry). `side_width`: what stands
    beside the features meanwhile."""

    def __init__(self, token_norm: Norm, feature_norm: Norm | None = None, join: PackedLinear | None = None):
        self.token_norm, self.join = PackedNorm(token_norm), join
        self.feature_norm = None if feature_norm is None else PackedNorm(feature_norm)
        self.norms = self.token_norm.weight, self.feature_norm.weight if self.feature_norm else NO_NUMBERS
        self.packed = None if join is None else join.packed
        self.side_width = sum(map(len, self.norms))

    def __call__(self, features: Array, embedded: np.ndarray) -> tuple[Array, np.ndarray | None]:
        tokens = self.token_norm(embedded)
        if self.feature_norm is None or self.join is None:
            return features, tokens
        return self.join(np.concatenate([tokens, self.feature_norm(features)], -1)), None


class PackedLink:
    """What a token adds to the logits of the place after it (pytorch/modules.TokenLink). The id of a token [1] → [1, V]."""

    def __init__(self, before: np.ndarray, after: PackedLinear):
        self.before, self.after = before, after

    def __call__(self, id: list[int]) -> np.ndarray:
        return self.after(self.before[id])


class CompiledStack(Stack):
    """The layers of one text, or of `texts` of one length side by side (lab/costs.py): their keys and values, filled up to `length`."""

    fuses_head = True  # a head's inputs, layers and logits are one call

    def __init__(
        self,
        weights: PackedLayers,
        shape: Shape,
        rope: np.ndarray,
        capacity: int,
        head: OutputArrays | None = None,
        texts: int = 1,
        threads: int | None = None,
    ):
        super().__init__()
        self.weights, self.shape, self.rope, self.capacity = weights, shape, rope, capacity
        self.layers, self.eps = len(weights.qkv), np.float32(shape.eps)
        self.texts, self.dims = texts, (shape.heads, shape.kv_heads, texts)
        cache, whole = (self.layers, texts, shape.kv_heads), padded_length(capacity)
        # zeros: what a score is worked out from without being seen must be numbers, if any
        keys = aligned_zeros(*cache, whole // PANEL, shape.size, PANEL)
        self.kv_cache = KVCache(keys, aligned_zeros(*cache, padded_length(shape.size) // PANEL, capacity, PANEL))
        self.threads = threads or best_thread_count(weights, shape, rope, head)
        self.team: ThreadTeam = thread_team(max(self.threads, machine.threads()) if self.threads > 1 else 1)
        self.scratch = self._make_workspace(START_ROWS * texts)
        # a packed matrix of no outputs, of the type of a pass's others: for each set of types a pass is compiled
        self.no_matrix = weights.qkv[:0, 0] if head is None else head.matrix[:0]
        self.no_draws = DrawArrays(
            0, NO_IDS, np.float32(1), True, NO_UNIFORMS, NO_ROWS, NO_IDS, NO_ROWS, self.no_matrix, EMPTY_ROW
        )
        self.draw_arrays: dict[tuple[int, int], tuple[ForwardStep, DraftSampler, DrawArrays, np.ndarray]] = {}
        self.out = self.scratch.x[:0]

    def _make_workspace(self, n: int) -> Workspace:
        shape, w = self.shape, self.weights
        threads, rows = self.threads, n // self.texts * (shape.heads // shape.kv_heads)
        sizes = {
            "x": (n, shape.width),
            "inputs": (threads, n, max(2 * shape.width, w.qkv.shape[2], w.out.shape[2], shape.inner)),
            "qkv": (threads * n, w.qkv.shape[1] * PANEL),
            "queries": (threads, rows, shape.size),
            "scores": (threads, min(rows, SCORE_ROWS), padded_length(self.capacity)),
            "head_outputs": (threads, rows, padded_length(shape.size)),
            "attention": (n, shape.heads * shape.size),
            "products": (threads * n, w.out.shape[1] * PANEL),
            "gate_up": (threads * n, w.gate_up.shape[1] * PANEL),
            "mlp": (n, shape.inner),
        }
        return Workspace(**{part: aligned_zeros(*size) for part, size in sizes.items()})

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
        features: Array | None = None,
    ) -> np.ndarray:
        """A whole pass over ids [n]: the logits [keep, V] of the last `keep`; n keys and values join the cache. `parents` [n]: where the
        block branches. Heads take `features` [n, width] by their `entry`.

        `taps`: layer → list that gets what goes into that layer, the number of layers standing for what leaves the last one."""
        y = step.head.matrix.output_buffer(keep)
        entry, out = step.entry, step.head.exit
        self._run_pass(step.embed.packed, _ids(ids), features, entry, head=out, y=y, taps=taps, until=step.until, parents=parents)
        return step.to_target_vocabulary(step.head.matrix.without_padding(y))

    def draft(
        self,
        step: ForwardStep,
        sampler: DraftSampler,
        feed: list[int],
        k: int,
        u: Array | None,
        features: Array | None = None,
        rows: int = 1,
    ) -> tuple[list[int], np.ndarray | None] | None:
        """k tokens after `feed` in one call: token i drawn with u[i], float64, from the softmax at the sampler's temperature, or
        the largest; with no u all are the largest. Each pass gives a token after each of its last `rows`, and the next is fed
        that: 1, or k, where all but the first are open places, which take the same token and feature. The cache grows by all that
        is fed, which is not the last of them. Heads take `features` [n, width] by their `entry`.

        Returns ids [k] and q [k, V] or None. None where that cannot be done: where a block may end early or tokens are filtered."""
        if sampler.ends_early or sampler.sampler.filters != NO_FILTERS or len(feed) > MAX_PASS:
            return None
        draws, y = self._draws(step, sampler, k, rows)
        if u is not None:
            draws = draws._replace(u=np.asarray(u), q=np.empty((k, sampler.vocabulary), np.float32))
        self._run_pass(
            step.embed.packed,
            _ids(feed),
            features,
            step.entry,
            head=step.head.exit,
            y=y,
            draws=draws,
            until=step.until,
            equal_rows=rows - 1,
        )
        return draws.ids.tolist(), None if u is None else draws.q

    def _draws(self, step: ForwardStep, sampler: DraftSampler, k: int, rows: int) -> tuple[DrawArrays, np.ndarray]:
        """How k tokens are drawn, all by their largest, and room for logits: the same in every round of a run, so made in its first."""
        entry = self.draw_arrays.get((k, rows))
        if entry is None or entry[0] is not step or entry[1] is not sampler:
            temperature, vocabulary = np.float32(sampler.sampler.temperature), min(sampler.vocabulary, step.head.matrix.rows)
            draws = self.no_draws._replace(
                vocabulary=vocabulary, temperature=temperature, argmax=sampler.argmax, ids=np.empty(k, np.int64)
            )
            if step.columns is not None:
                columns = np.asarray(step.columns)
                draws = draws._replace(columns=columns, vocabulary=int(np.searchsorted(columns, sampler.vocabulary)))
            if step.link is not None:
                before, after = step.link.before, step.link.after
                draws = draws._replace(before=before, after=after.packed, link_logits=after.output_buffer(1))
            entry = self.draw_arrays[k, rows] = step, sampler, draws, step.head.matrix.output_buffer(rows)
        return entry[2:]

    def forward(self, x: Array, taps=None, until: int | None = None, side_input: Array | None = None, parents=None) -> np.ndarray:
        """Hidden states [n, width] after the layers, or after the first `until` of them. `side_input` [n, m]: put before the first layer's
        normed input (a token's embedding, of a head that drafts). x [n, width] is not changed."""
        self._run_pass(self.no_matrix, features=x, side_input=side_input, taps=taps, until=until, parents=parents)
        return self.last_hidden

    @property
    def last_hidden(self) -> np.ndarray:
        """What left the last layer in the latest pass [n, width]: of the rows that logits were asked of, or of all where none
        were, or a head hands it on."""
        return self.out.copy()

    def _run_pass(
        self,
        table: np.ndarray,
        feed=NO_IDS,
        features=None,
        entry: PackedEntry | None = None,
        side_input=None,
        head: OutputArrays | None = None,
        y=NO_ROWS,
        taps: dict[int, list] | None = None,
        until=None,
        draws: DrawArrays | None = None,
        parents: list[int] | None = None,
        equal_rows: int = 0,
    ) -> None:
        n, draws = len(feed) if features is None else len(features), draws or self.no_draws
        later_passes = max(0, len(draws.ids) - len(y))  # passes after the first, of a token each
        new_positions = n // self.texts + later_passes
        check_append(new_positions, self.length, self.capacity)
        self.tree.check(n, parents)
        tree = CHAIN if parents is None else self._branch(parents)
        s = self.scratch if n <= len(self.scratch.x) else self._make_workspace(n)
        taps, norms, join, side_array = taps or {}, (NO_NUMBERS, NO_NUMBERS), None, EMPTY_ROW
        if entry:
            norms, join, side_array = entry.norms, entry.packed, np.empty((n, entry.side_width), np.float32)
        elif side_input is not None:
            side_array = _feature_array(side_input)
        cache_only = 0 if head is None or join is not None or self.layers in taps or self.texts > 1 else n - len(y)
        layers, tap_rows = NO_IDS, NO_TAPS
        if taps:
            layers, tap_rows = np.array([*taps], np.int64), np.empty((len(taps), n, self.shape.width), np.float32)
        head = head or OutputArrays(NO_NUMBERS, self.no_matrix)
        run = _pass_function(self.weights.qkv, table, self.no_matrix if join is None else join, head.matrix, draws.after)
        feature_rows = NO_ROWS if features is None else _feature_array(features)
        inputs = forward.InputArrays(table, *norms, self.no_matrix if join is None else join)
        stack = (
            self.weights,
            self.kv_cache,
            s,
            self.rope,
            self.dims,
            self.eps,
            self.length,
            self.layers if until is None else until,
        )
        outputs = layers, tap_rows, head, y, draws, tree, equal_rows, cache_only
        run(feed, feature_rows, inputs, side_array, *stack, *outputs, 0, self.threads, self.team.running_state())
        self.grow(new_positions)
        self.out = s.x[:1] if later_passes else s.x[cache_only:n]
        for i, layer in enumerate(taps):
            taps[layer].append(self.last_hidden if layer == self.layers else tap_rows[i])

    def _branch(self, parents: list[int]) -> TreeArrays:
        """What rows with these parents see, which join the tree."""
        text_length, first = self.text_length, len(self.tree)
        self.tree.add(parents)
        depths = np.array(self.tree.depths[first:], np.int64)
        paths = np.zeros((len(parents), depths.max() + 1), np.int64)
        for m, depth in enumerate(depths):
            paths[m, : depth + 1] = self.tree.path(first + m)
        return TreeArrays(text_length, paths, depths)


_pass_functions: dict[str, Callable] = {}


def _pass_function(*packed: np.ndarray) -> Callable:
    """A pass, by how its matrices are stored: all other arguments always have the same types."""
    key = "".join([matrix.dtype.char for matrix in packed])
    if key not in _pass_functions:
        _pass_functions[key] = same_types(forward.forward_pass)
    return _pass_functions[key]


_thread_counts: dict[tuple, int] = {}


def best_thread_count(weights: PackedLayers, shape: Shape, rope: np.ndarray, head: OutputArrays | None = None) -> int:
    """With how many threads, of those that it may have, a pass over such weights is fastest: measured once in a process. With the `head`:
    layers may fit into the nearest cache of one processor, and with it into those of two."""
    matrix = weights.qkv[:0, 0] if head is None else head.matrix
    limit, size = machine.threads(), sum(part.nbytes for part in (*weights, matrix))
    if limit == 1 or size < ONE_THREAD_BYTES:
        return 1
    key = limit, shape, weights.qkv.shape, weights.qkv.dtype, matrix.shape
    if key not in _thread_counts:
        counts = sorted({2**i for i in range(limit.bit_length())} | {limit})
        stacks = [CompiledStack(weights, shape, rope, MAX_PASS, head, threads=n) for n in counts]
        layers, x = max(1, len(weights.qkv) * TRIAL_BYTES // max(size, TRIAL_BYTES)), np.zeros((1, shape.width), np.float32)
        times = [[_seconds(stack, x, layers, head) for stack in stacks] for _ in range(1 + TRIALS)][1:]
        best, shortest_time = 1, float("inf")
        for n, seconds in zip(counts, zip(*times, strict=True), strict=True):
            if (shortest := min(seconds)) < GAIN * shortest_time:
                best, shortest_time = n, shortest
        _thread_counts[key] = best
    return _thread_counts[key]


def _seconds(stack: CompiledStack, x: np.ndarray, layers: int, head: OutputArrays | None) -> float:
    """The shortest of three passes, one after the other: the first wakes the threads, as in a run."""
    seconds, y = [], NO_ROWS if head is None else np.empty((len(x), len(head.matrix) * PANEL), np.float32)
    for _ in range(3):
        start = time.perf_counter()
        stack._run_pass(stack.no_matrix, features=x, until=layers, head=head, y=y)
        seconds.append(time.perf_counter() - start)
        stack.rollback(0)
    return min(seconds)


class Compiled:
    """How weights of one model are held and passed through by compiled calls. `keeps_blocks`: whether those of 4 and 8 bits are,
    as files have them; else they are decoded to bfloat16."""

    Norm, LayerLinear = Norm, Linear  # of layers: as they are until they are packed
    Linear, Table, Head, Entry, Link = PackedLinear, PackedTable, PackedHead, PackedEntry, PackedLink
    dtype = "float32"  # of features and sums
    torch_threads = False

    def __init__(self, keeps_blocks: bool = True):
        self.keeps_blocks = keeps_blocks

    def weight_type(self, names: set[str]) -> str:
        """The type that weights of these types are held in: theirs, where the processor widens it by itself."""
        if names and names <= BLOCKS.keys():
            return min(names) if self.keeps_blocks else "bfloat16"
        stored = next(iter(names)) if len(names) == 1 else "float32"
        half = stored == "float16" and WIDENS_HALF
        return stored if half or stored == "bfloat16" else "float32"

    def convert(self, weight: Array, dtype: str) -> np.ndarray:
        """A stored weight in the type of that name. Where that is one of blocks, vectors stay as they are, and a matrix without
        blocks is held in those of 8 bits."""
        weight = stored_array(weight)
        if dtype not in BLOCKS:
            return to_type(weight, dtype)
        return weight if weight.ndim == 1 or type_name(weight) in BLOCKS else to_type(weight, "Q8_0")

    def index_array(self, ids: list[int]) -> list[int]:
        """Numbers of rows or tokens, as arrays take them."""
        return ids

    def no_features(self, width: int) -> np.ndarray:
        """No rows of features [0, width]."""
        return np.empty((0, width), np.float32)

    def as_features(self, weight: Array) -> np.ndarray:
        """A stored weight as features are held."""
        return to_float32(stored_array(weight))

    def pack_layers(self, layers: Iterable[Layer], count: int) -> PackedLayers:
        """`count` layers, packed one by one: no more than one of them is there twice meanwhile."""
        arrays: dict[str, np.ndarray] = {}
        columns = 0
        for i, layer in enumerate(layers):
            bias, norm, qkv = layer.qkv.bias, layer.qk_norm, layer.qkv.weight
            # the first layer of a head takes tokens beside features: what a later one has no columns for counts nothing there
            columns = columns or qkv.shape[1]
            if qkv.shape[1] < columns:
                qkv = np.concatenate([qkv, np.zeros((len(qkv), columns - qkv.shape[1]), qkv.dtype)], 1)
            parts = {
                "attention_norm": to_float32(layer.attention_norm.weight),
                "qkv": pack(qkv),
                "bias": to_float32(bias) if bias is not None else np.zeros(0, np.float32),
                "qk_norm": to_float32(norm.weight) if norm is not None else np.zeros((0, 0), np.float32),
                "out": pack(layer.out.weight),
                "mlp_norm": to_float32(layer.mlp_norm.weight),
                "gate_up": pack(layer.gate_up.weight),
                "down": pack(layer.down.weight),
            }
            for name, part in parts.items():
                if name not in arrays:
                    arrays[name] = aligned_zeros(count, *part.shape, dtype=part.dtype)
                arrays[name][i] = part
        return PackedLayers(**arrays)

    def rope_cache(self, rotation: np.ndarray) -> np.ndarray:
        """A rotation [context, 1, size/2] complex → cosines and sines [context, 2, size/2]."""
        return np.concatenate([rotation.real, rotation.imag], 1)

    def stack(
        self, layers: PackedLayers, shape: Shape, rope: np.ndarray, capacity: int, head: PackedHead | None = None, texts: int = 1
    ) -> CompiledStack:
        """An empty KV cache with `layers` over it. `head`: what mostly follows them in a pass."""
        return CompiledStack(layers, shape, rope, capacity, None if head is None else head.exit, texts)

    def module_stacks(
        self, each: list[PackedLayers], shape: Shape, rope: np.ndarray, capacity: int, head: PackedHead | None = None
    ) -> list[CompiledStack]:
        """A stack over each of some layers, which may hold one twice: of lengths of their own."""
        return [self.stack(one, shape, rope, capacity, head) for one in each]
