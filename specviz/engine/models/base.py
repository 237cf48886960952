"""What the engine asks of a model: append tokens and return their logits, say how long you are, roll back.

Weights belong to a `Model` and are shared between visitors, never changed by a run. The cache belongs to a `Sequence`,
which belongs to one run.
"""

from collections.abc import Sequence as Ids
from typing import Protocol

import torch

from ...trace.header import ModelInfo


class Sequence(Protocol):
    """The cached positions of one text under one model."""

    @property
    def length(self) -> int:
        """Positions held by the cache."""
        ...

    def append(self, ids: Ids[int], keep: int | None = None) -> torch.Tensor:
        """Feed n ids after what is cached; the cache grows by n. Return the logits [min(keep, n), V] of the last `keep`
        of them (all by default): row i is the next-token distribution after that id. Ask for one row of a long prefill: a
        model may refuse to keep more than a block's."""
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
    device: torch.device

    def sequence(self, capacity: int) -> Sequence:
        """An empty sequence with room for `capacity` positions, at most `context`."""
        ...


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


def check_rollback(length: int, held: int) -> None:
    if not 0 <= length <= held:
        raise ValueError(f"cannot roll back to {length} positions: the cache holds {held}")
