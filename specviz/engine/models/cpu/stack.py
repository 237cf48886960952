"""What the engine calls: layers over a text's cache, a head, a product, each one compiled call on weights that are packed (packed.py)."""

from collections.abc import Iterable

import numpy as np
import torch

from ..base import check_append, check_rollback
from ..layers import Layer, Norm, Shape
from . import forward
from .chain import chain
from .forward import Held, Layers, Scratch
from .packed import pack, padded
from .team import Team, team
from .tile import PANEL, WIDENS_HALF

FEW = 17  # rows that a stack has room for from the start
SMALL = 16 << 20  # bytes of weights below which other threads cost more than they do
NOTHING, NOBODY, NONE = np.zeros((1, 0), np.float32), np.zeros(0, np.int64), np.zeros(0)


def lay(layers: Iterable[Layer], count: int) -> Layers:
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
                found[name] = np.empty((count, *part.shape), part.dtype)
            found[name][i] = part
    return Layers(**found)


def _ids(ids: list[int] | torch.Tensor) -> np.ndarray:
    return ids.numpy() if isinstance(ids, torch.Tensor) else np.array(ids, np.int64)


def numbers(tensor: torch.Tensor) -> np.ndarray:
    return tensor.float().contiguous().numpy()


def kept_as(stored: torch.dtype) -> torch.dtype:
    """What weights stored so are kept as: the same, where the processor widens them by itself."""
    half = stored == torch.float16 and WIDENS_HALF
    return stored if half or stored == torch.bfloat16 else torch.float32


def turns(rotation: torch.Tensor) -> np.ndarray:
    """[context, 1, size/2] complex → cosines and sines [context, 2, size/2]."""
    return torch.cat([rotation.real, rotation.imag], 1).contiguous().numpy()


class Linear:
    """A fixed linear map without bias, packed. Call with x [n, K] → [n, N]."""

    def __init__(self, weight: torch.Tensor):
        self.packed, self.rows, self.kind = pack(weight), len(weight), weight.dtype

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        y = self.room(len(x))
        forward.multiply(x.contiguous().numpy(), self.packed, y)
        return self.of(y)

    def room(self, n: int) -> np.ndarray:
        """For the products of n rows, as wide as whole panels are."""
        return np.empty((n, padded(self.rows)), np.float32)

    def of(self, y: np.ndarray) -> torch.Tensor:
        """`room`, filled, without what pads it."""
        found = torch.from_numpy(y)
        return found if y.shape[1] == self.rows else found[:, : self.rows]

    def holds(self, weight: torch.Tensor) -> bool:
        return np.array_equal(pack(weight.to(self.kind)), self.packed)


class Table:
    """A packed matrix [V, width] as embedding: n ids → [n, width]."""

    def __init__(self, matrix: Linear):
        self.packed = matrix.packed

    def __call__(self, ids: list[int]) -> torch.Tensor:
        x = np.empty((len(ids), self.packed.shape[1]), np.float32)
        forward.look_up(_ids(ids), self.packed, x)
        return torch.from_numpy(x)


class Head:
    """The last norm and the matrix that makes logits: hidden states [n, width] → [n, V]."""

    def __init__(self, norm: Norm, matrix: Linear):
        self.weight, self.matrix, self.norm = numbers(norm.weight), matrix, norm

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.matrix(self.norm(x))


class CompiledStack:
    """The layers of one text, or of `texts` of one length side by side (lab/costs.py): their keys and values, filled up to `length`."""

    eager = ""  # as of static.StaticStack: there is nothing here that could be slower than it should

    def __init__(self, weights: Layers, shape: Shape, rotation: np.ndarray, capacity: int, texts: int = 1):
        self.weights, self.shape, self.rotation, self.capacity, self.length = weights, shape, rotation, capacity, 0
        self.layers, self.eps = len(weights.qkv), np.float32(shape.eps)
        self.texts, self.dims = texts, (shape.heads, shape.kv_heads, texts)
        cache, whole = (self.layers, texts, shape.kv_heads), padded(capacity)
        # zeros: what a score is worked out from without being seen must be numbers, if any
        keys = np.zeros((*cache, whole // PANEL, shape.size, PANEL), np.float32)
        self.held = Held(keys, np.zeros((*cache, padded(shape.size) // PANEL, capacity, PANEL), np.float32))
        large = sum(part.nbytes for part in weights) >= SMALL
        self.team: Team = team(torch.get_num_threads() if large else 1)
        self.scratch = self._room(FEW * texts)
        self.one, self.untapped = self._for(1), np.empty((0, 0, 0), np.float32)

    def _room(self, n: int) -> Scratch:
        s, w = self.shape, self.weights
        threads, rows = self.team.size, n // self.texts * (s.heads // s.kv_heads)
        sizes = {
            "x": (n, s.width),
            "normed": (threads, n, max(s.width, w.qkv.shape[2])),
            "qkv": (n, w.qkv.shape[1] * PANEL),
            "queries": (threads, rows, s.size),
            "scores": (threads, rows, padded(self.capacity)),
            "found": (threads, rows, padded(s.size)),
            "attended": (n, s.heads * s.size),
            "summed": (n, w.out.shape[1] * PANEL),
            "gate_up": (n, w.gate_up.shape[1] * PANEL),
            "gated": (n, s.inner),
        }
        return Scratch(**{part: np.empty(size, np.float32) for part, size in sizes.items()})

    def _for(self, n: int) -> Scratch:
        """Room for a pass over n rows: the first of what is kept for few."""
        s = self.scratch if n <= len(self.scratch.x) else self._room(n)
        return s._replace(**{part: getattr(s, part)[:n] for part in ("x", "qkv", "attended", "summed", "gate_up", "gated")})

    def rollback(self, length: int) -> None:
        check_rollback(length, self.length)
        self.length = length

    def logits(
        self, table: Table, head: Head, ids: list[int], keep: int, taps: dict[int, list], until: int | None
    ) -> torch.Tensor:
        """A whole pass over ids [n]: what the head makes [keep, V] of the last `keep`; n keys and values join the cache.

        `taps`: layer → list that gets what goes into that layer, the number of layers standing for what leaves the last one."""
        y = head.matrix.room(keep)
        self._run(_ids(ids), table.packed, None, until, taps, len(ids), head.weight, head.matrix.packed, y)
        return head.matrix.of(y)

    def draft(
        self, table: Table, head: Head, feed: list[int], k: int, until: int | None, vocabulary: int, argmax: bool,
        temperature: float, u: torch.Tensor | None, hidden: torch.Tensor | None = None, beside: Norm | None = None,
    ) -> tuple[list[int], torch.Tensor | None]:  # fmt: skip
        """k tokens after `feed` in one call: token i drawn with u[i], float64, from the softmax at `temperature`, or the largest; where u is
        None all are the largest. Returns their ids, and q [k, V] over `vocabulary`. The cache grows by all that is fed, which is not
        the last of them. `hidden` [n, width] and `beside`: an EAGLE head's features, and the norm of the embeddings beside them."""
        n, last = len(feed), self.layers if until is None else until
        check_append(n + k - 1, self.length, self.capacity)
        ids, y = np.empty(k, np.int64), head.matrix.room(1)
        q = np.empty((0 if u is None else k, vocabulary), np.float32)
        features = NOTHING[:0] if hidden is None else hidden.contiguous().numpy()
        others, norm = (NOTHING, NOTHING[0]) if beside is None else (np.empty_like(features), numbers(beside.weight))
        self.team(
            chain, _ids(feed), table.packed, features, others, norm, self.weights, self.held, self._for(n), self.one, self.rotation, self.dims, self.eps,
            self.length, last, NOBODY, self.untapped, head.weight, head.matrix.packed, y, min(vocabulary, head.matrix.rows),
            np.float32(temperature), argmax, NONE if u is None else u.numpy(), q, ids,
        )  # fmt: skip
        self.length += n + k - 1
        return ids.tolist(), None if u is None else torch.from_numpy(q)

    def forward(self, x: torch.Tensor, taps=None, until: int | None = None, beside: torch.Tensor | None = None) -> torch.Tensor:
        """Hidden states [n, width] after the layers, or after the first `until` of them. `beside` [n, m]: put before the first layer's
        normed input (EAGLE's token embedding). x [n, width] is not changed."""
        nothing = self.weights.qkv[:0, 0]
        out = self._run(NOBODY, nothing, beside, until, taps or {}, len(x), NOTHING[0], nothing, NOTHING[:0], x)
        return torch.from_numpy(out.copy())

    def _run(self, ids, table, beside, until, taps: dict[int, list], n: int, weight, head, y, x=None) -> np.ndarray:
        check_append(n // self.texts, self.length, self.capacity)
        s, last = self._for(n), self.layers if until is None else until
        if x is not None:
            s.x[:] = x.numpy()
        tapped = np.empty((len(taps), n, self.shape.width), np.float32)
        self.team(
            forward.run, ids, table, NOTHING if beside is None else beside.contiguous().numpy(), self.weights, self.held, s,
            self.rotation, self.dims, self.eps, self.length, last, np.array([*taps], np.int64), tapped, weight, head, y,
        )  # fmt: skip
        self.length += n // self.texts
        for i, layer in enumerate(taps):
            taps[layer].append(torch.from_numpy(s.x.copy() if layer == self.layers else tapped[i]))
        return s.x
