"""The contract of a backend: append tokens, as a chain or as a tree, and return their logits; keep one path of them; roll back.

Weights belong to a `Model` and are shared between visitors, never changed by a run. The KV cache belongs to a `Sequence`,
which belongs to one run.
"""

from collections.abc import Sequence as Ids
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...trace.events import ModelInfo
from ..arrays import Array, is_tensor


class Sequence(Protocol):
    """The KV cache of one text under one model."""

    @property
    def slow_reason(self) -> str:
        """Why passes are slower than they should be on this device; empty if they are not."""
        ...

    @property
    def length(self) -> int:
        """Positions held by the cache."""
        ...

    def append(self, ids: Ids[int] | Array, keep: int | None = None, parents: Ids[int] | None = None) -> Array:
        """Feed n ids after what is cached; the cache grows by n. Return the logits [min(keep, n), V] of the last `keep`
        of them (all by default): row i is the next-token distribution after that id. Ask for one row of a long prefill: a
        model may refuse to keep more than a block's.

        `parents` [n]: of a block that branches (tree.py). Rows count from the first one after the settled text, so a tree may grow by
        several calls, level by level; −1 stands for the text. Raises ValueError for what is no tree, and where a chain would follow one."""
        ...

    def keep(self, path: Ids[int]) -> None:
        """Of the block that branches, or else of the latest append, keep the rows of `path` and forget the others: they stand one after
        the other behind the text, as if they had been fed alone. Raises ValueError for rows that do not follow each other."""
        ...

    def rollback(self, length: int) -> None:
        """Forget every position from `length` on. 0 ≤ length ≤ self.length, else ValueError."""
        ...


class Model(Protocol):
    """Weights that can start sequences. `vocabulary` counts logits, padding included; `context` is in positions; `source` is what it
    was asked for by: a bundled name, a folder or a hub id."""

    info: ModelInfo
    source: str
    vocabulary: int
    context: int
    device: Any  # a Device, or PyTorch's own

    def sequence(self, capacity: int) -> Sequence:
        """An empty sequence with room for `capacity` positions, at most `context`."""
        ...


@dataclass(frozen=True, slots=True)
class ForwardStep:
    """What a pass does around the layers of our own forward pass: ids in, logits of the next token out.

    `embed`: ids [n] → [n, width]. `head`: hidden states [n, width] → logits. `entry`: of a head that drafts, how features and the tokens
    after them become the first layer's input (layers.Entry). `until`: the number of layers after which the pass leaves; None is all.
    `columns`: where the ids of a head with a vocabulary of its own lie among the `vocabulary` of the target, ascending. `link`: of a head that makes a
    block at once, what a token of it adds to the logits of the next (layers.TokenLink)."""

    embed: Any
    head: Any
    entry: Any = None
    until: int | None = None
    columns: Array | None = None
    vocabulary: int = 0
    link: Any = None

    def inputs(self, ids, features: Array | None = None) -> tuple[Array, Array | None]:
        """What the first layer takes [n, width], and what stands beside its normed input [n, m] or None."""
        return (self.embed(ids), None) if self.entry is None else self.entry(features, self.embed(ids))

    def logits(self, hidden: Array) -> Array:
        """[n, width] → [n, V]. An id that a head's own vocabulary lacks is impossible."""
        return self.to_target_vocabulary(self.head(hidden))

    def link_logits(self, ids: Ids[int] | Array) -> Array:
        """ids [n] → [n, V]: what they add to the logits of the next tokens."""
        return self.to_target_vocabulary(self.link(ids), fill=0.0)

    def to_target_vocabulary(self, logits: Array, fill=float("-inf")) -> Array:
        """Numbers of a head's own vocabulary [n, ·], over the target's [n, V]."""
        if self.columns is None:
            return logits
        if is_tensor(logits):
            return logits.new_full((len(logits), self.vocabulary), fill).index_copy_(1, self.columns, logits)
        whole = np.full((len(logits), self.vocabulary), fill, np.float32)
        whole[:, self.columns] = logits
        return whole


class ModelError(ValueError):
    """A model or a pair cannot be used; the message says which and why, in one line."""


def one_line(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def check_append(n: int, length: int, capacity: int) -> None:
    """Refuse an append that has nothing to feed or does not fit: the two ways to misuse a cache."""
    if n < 1:
        raise ValueError("append needs at least one id")
    if length + n > capacity:
        raise ValueError(f"{length} cached positions and {n} more do not fit in {capacity}")


def check_rollback(length: int, cached: int) -> None:
    if not 0 <= length <= cached:
        raise ValueError(f"cannot roll back to {length} positions: the cache holds {cached}")
