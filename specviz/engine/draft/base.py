"""What the engine asks of a way to draft: propose a block with its distributions, observe the outcome, say what it cost.

A `Drafter` is shared between runs; the `DraftSession` that it begins belongs to one run.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ...config import DecodeConfig
from ...trace.events import ModelInfo, ShortBlockReason, value
from ..arrays import CPU, Array, Device, concatenate, on_host
from ..backends.base import Sequence
from ..sampling import DraftSampler, Sampler, draw, fit_vocabulary
from .tree_plan import TreePlan

MAX_K = 32  # the bound of K


@value
class Block:
    """Drafted ids and q [k, V]: row i is the distribution that id i was really drawn from, V the target's vocabulary. Of argmax
    drafting, where what it was drawn from is one-hot, row i is the softmax that it is the largest of.

    When greedy, id i has all of q and `q` is None. `ids` is a tensor [k] where they have not left the device. `short_block_reason`: why they are
    not as many as were asked for.

    `parents` [k]: of a tree (branch.py), the one that id i follows, −1 the text; siblings stand in the order of their ranks, each drawn
    from q without those before it."""

    ids: list[int] | Array
    q: Array | None
    short_block_reason: ShortBlockReason | None = None
    parents: list[int] | None = None


NO_DRAFT = Block([], None, "start")  # what heads say to a text of one token: there is no feature yet


@dataclass(frozen=True, slots=True)
class DraftContext:
    """What a run gives its drafter: tokens are drawn by `sampler`, and the text stays below `capacity` positions. `target` is the run's
    sequence, for whoever drafts from the target's own features; `max_block` is the longest block of the run; `device` is the
    target's; `tree_plan` is how blocks branch, None for chains."""

    sampler: DraftSampler
    capacity: int
    target: Sequence | None = None
    max_block: int = MAX_K
    device: Device = CPU
    tree_plan: TreePlan | None = None

    @classmethod
    def of(
        cls, config: DecodeConfig, vocabulary: int, capacity: int, target: Sequence | None = None, device: Device = CPU
    ) -> "DraftContext":
        return cls(DraftSampler.of(config, vocabulary), capacity, target, config.K, device, TreePlan.of(config))

    def slow_reason(self) -> str:
        """Why drafting token by token is slow on this device: there each is waited for. Empty on a host, where that costs nothing."""
        if self.device.type == "cpu":
            return ""
        ends = "since a block may end early, " if self.sampler.ends_early else ""
        return f"{ends}every drafted token is waited for"


class DraftSession(Protocol):
    """One run of a drafter."""

    @property
    def slow_reason(self) -> str:
        """Why its own passes are slower than they should be on this device; empty if they are not."""
        ...

    @property
    def length(self) -> int | None:
        """Positions held by its KV cache; None if it keeps none of its own."""
        ...

    @property
    def forwards(self) -> int:
        """Forward passes since the prefill: its cost in passes. Tables and lookups make none."""
        ...

    def prefill(self, tokens: list[int]) -> None:
        """Take in the prompt without its last token; the target has done so just before."""
        ...

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        """Draft up to k tokens to follow `tokens` (all of the text so far), token i drawn with uniform u[i]; u is None when greedy.
        Argmax drafting leaves u unused, so that the same seed decides the same way about either way to draft."""
        ...

    def observe(self, tokens: list[int]) -> None:
        """The round is over and the text is now `tokens`: forget what was not kept."""
        ...


@runtime_checkable
class TreeSession(Protocol):
    """What a session can do beside, whose drafter drafts trees."""

    def branch(self, tokens: list[int], depth: int, u: Array | None) -> Block:
        """Draft a tree of up to `depth` levels after `tokens`, by the run's `tree_plan`; node i is drawn with u[i], if any is drawn."""
        ...


class Drafter(Protocol):
    """`info`: what a screen says of it. A class of our own has its `kind` too, as a trace calls it. One that drafts trees says so:
    `branches` is True there, and its sessions are `TreeSession`s. One that makes a block in one pass says so: `one_pass` is True there."""

    info: ModelInfo

    def begin(self, context: DraftContext) -> DraftSession:
        """Start a run."""
        ...


class BlockBuilder:
    """A block while it is drafted one token at a time, up to k.

    Whether it ends early is decided by tokens that are already in the block, the improbable one too: it stays. To
    drop it would be to draw from another q than the one that is tested, and bias the output."""

    def __init__(self, sampler: DraftSampler, k: int, u: Array | None):
        self.sampler, self.k, self.u = sampler, k, u
        self.ids: list[int] = []
        self.rows: list[Array] = []
        self.product = 1.0  # the chance that all of it is kept, as the drafter sees it
        self.short_block_reason: ShortBlockReason | None = None

    @property
    def is_open(self) -> bool:
        return len(self.ids) < self.k and not self.short_block_reason

    def draw(self, logits: Array) -> int:
        """Add a token by logits [1, V]; return its id."""
        i, sampler = len(self.ids), self.sampler
        logits = fit_vocabulary(on_host(logits), sampler.vocabulary)
        if self.u is None:
            ids = logits.argmax(-1)
        else:
            self.rows.append(q := sampler.sampler(logits))
            ids = logits.argmax(-1) if sampler.argmax else draw(q, self.u[i : i + 1])
        id = int(ids[0])
        self.ids.append(id)
        if sampler.ends_early:
            chance = float(Sampler()(logits)[0, id])
            self.product *= chance
            if chance < sampler.confidence:
                self.short_block_reason = "confidence"
            elif self.product < sampler.cumulative_confidence:
                self.short_block_reason = "survival"
        return id

    def add(self, ids: list[int], q: Array | None) -> None:
        """Add what was drafted elsewhere, where no block ends early."""
        self.ids += ids
        self.rows += [] if q is None else [on_host(q)]

    def block(self) -> Block:
        return Block(
            self.ids, concatenate(self.rows) if self.rows else None, self.short_block_reason if len(self.ids) < self.k else None
        )


class Stateless:
    """What a session without a cache or passes of its own has in common."""

    length = None
    forwards = 0
    slow_reason = ""

    def __init__(self, context: DraftContext):
        self.context = context

    def prefill(self, tokens: list[int]) -> None:
        pass

    def propose(self, tokens: list[int], k: int, u: Array | None) -> Block:
        return NO_DRAFT

    def observe(self, tokens: list[int]) -> None:
        pass


def to_device(rows: np.ndarray, device: Device) -> Array:
    """What a drafter made on the host, where the target's distributions are."""
    if device.type == "cpu":
        return rows
    import torch

    return torch.from_numpy(np.ascontiguousarray(rows)).to(device, non_blocking=True)


def table_info(name: str, family: str, vocabulary: int, parameters: int = 0) -> ModelInfo:
    """What a screen says of a drafter that is no neural model."""
    return ModelInfo(name, family, 0, 0, vocabulary, parameters, "none", "none")
