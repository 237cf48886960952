"""What the engine asks of a way to draft: propose a block with its distributions, observe the outcome, say what it cost. And what
ways to draft have in common: how blocks branch, a block while it is drafted, a cache, K steps at once.

A `Drafter` is shared between runs; the `DraftSession` that it begins belongs to one run. A drafter names its step; whether K of
them run in one CUDA graph, in one compiled call, or one by one is decided here.
"""

from collections.abc import Callable
from collections.abc import Sequence as Ids
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from ...config import DecodeConfig
from ...trace.events import Kind, ModelInfo, ShortBlockReason, value
from ..model import MAX_PASS, Capabilities, ForwardStep, Sequence
from ..sampling import CPU, Array, Device, DraftSampler, Sampler, concatenate, draw, fit_vocabulary, is_tensor, on_host


@dataclass(frozen=True, slots=True)
class TreePlan:
    """How blocks branch: `widths` by depth of a static tree; of a dynamic one `nodes`, and the `breadth` of a level that is fed."""

    widths: tuple[int, ...]
    nodes: int = 0
    breadth: int = 0

    @classmethod
    def of(cls, config: DecodeConfig) -> "TreePlan | None":
        if not config.branches:
            return None
        return cls((), config.nodes, config.breadth) if config.tree == "dynamic" else cls(config.widths)

    def positions_fed(self, depth: int) -> int:
        """Tokens that a drafter is fed at most for a tree of `depth`: all but those of the last level."""
        if self.nodes:
            return self.breadth * (depth - 1)
        return sum(accumulate(self.widths[: depth - 1], int.__mul__))

    def depth_that_fits(self, depth: int, room: int) -> int:
        """The depth up to `depth` for which a drafter needs no more than `room` places."""
        return next((d for d in range(depth, 0, -1) if self.positions_fed(d) <= room), 0)


class CachedTree:
    """The tokens of a tree that a drafter's cache holds after the text, by number."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.parents: list[int] = []

    def add(self, ids: Ids[int], parents: Ids[int]) -> None:
        self.ids += ids
        self.parents += parents

    def path(self, tokens: Ids[int]) -> list[int]:
        """The longest path whose ids are those of `tokens`, what joined the text."""
        nodes: list[int] = []
        for id in tokens:
            at = nodes[-1] if nodes else -1
            here = [i for i, parent in enumerate(self.parents) if parent == at and self.ids[i] == id]
            if not here:
                break
            nodes += here
        return nodes


MAX_K = 32  # the bound of K


@value
class Block:
    """Drafted ids and q [k, V]: row i is the distribution that id i was really drawn from, V the target's vocabulary. Of argmax
    drafting, where what it was drawn from is one-hot, row i is the softmax that it is the largest of.

    When greedy, id i has all of q and `q` is None. `ids` is a tensor [k] where they have not left the device.
    `short_block_reason`: why they are not as many as were asked for.

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
    """Inherit from it. `info`: what a screen says of it. `kind`: what a trace calls it, None for one that is not from here.
    `capabilities`: with `torch_threads` where it drafts through PyTorch, which else has one thread beside a compiled target."""

    info: ModelInfo
    kind: ClassVar[Kind | None] = None
    capabilities: Capabilities = Capabilities()

    @property
    def branches(self) -> bool:
        """Whether it drafts trees: then its sessions are `TreeSession`s."""
        return False

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


class CachedSession:
    """What a session with a KV cache of its own has in common. `cache`: a model's sequence, or the stack of a head."""

    forwards = 0

    def __init__(self, context: DraftContext, cache: Any):
        self.context, self.cache = context, cache

    @property
    def length(self) -> int:
        return self.cache.length

    @property
    def slow_reason(self) -> str:
        return slow_reason(self.context, self.cache)


def draft_model(
    context: DraftContext, sequence: Sequence, feed: list[int], k: int, u: Array | None, until: int | None = None
) -> Block:
    """k tokens of a model after `feed`, whose passes leave it after `until` layers."""
    if (stack := sequence.stack) is not None:
        step = replace(sequence.step, until=until) if until else sequence.step  # type: ignore[attr-defined]
        if drafted := stack.draft(step, context.sampler, feed, k, u):
            return Block(*drafted)
    left_early: dict[str, Any] = {"until": until} if until else {}
    return _draft_chain(context, feed, k, u, lambda ids: sequence.append(ids, keep=1, **left_early))


def draft_head(
    context: DraftContext, stack: Any, step: ForwardStep, feed: list[int], k: int, u: Array | None, features: Array
) -> Block:
    """k tokens of a head after `feed`, over its own KV cache `stack`. `features` [n, width]: one for each token of `feed`; later ones are
    what the head itself made."""
    if drafted := stack.draft(step, context.sampler, feed, k, u, features):
        return Block(*drafted)

    def logits(ids: list[int]) -> Array:
        nonlocal features
        features = forward(stack, *step.inputs(ids, features))[-1:]
        return step.logits(features)

    return _draft_chain(context, feed, k, u, logits)


def draft_parallel(
    context: DraftContext, stack: Any, step: ForwardStep, feed: list[int], k: int, u: Array | None, features: Array
) -> Block:
    """k tokens of a head, after each of the last k of `feed`, in one pass over its own KV cache `stack`. All but the first of
    these are open places, which take the same token and feature. Tokens are drawn without waiting for one another, unless each
    adds to the next, or the block may end early."""
    if drafted := stack.draft(step, context.sampler, feed, k, u, features, rows=k):
        return Block(*drafted)
    logits = step.logits(forward(stack, *step.inputs(feed, features))[-k:])
    sampler = context.sampler
    if sampler.ends_early or step.link:
        rows = iter(logits)

        def row(before: list[int]) -> Array:
            row = next(rows)[None]
            return row + step.link_logits(before) if before and step.link else row

        return _draft_chain(context, [], k, u, row)
    logits = fit_vocabulary(logits, sampler.vocabulary)
    q = None if u is None else sampler.sampler(logits)
    ids = draw(q, u[:k]) if q is not None and u is not None and not sampler.argmax else logits.argmax(-1)
    return Block(ids if is_tensor(ids) and ids.device.type != "cpu" else ids.tolist(), q)


def last_features_and_logits(
    stack: Any, step: ForwardStep, ids: list[int], features: Array, keep: int, parents: list[int] | None = None
) -> tuple[Array, Array]:
    """What a head makes of the last `keep` of `ids` [n] and the features before them: features [keep, width], and the logits
    [keep, V] of what follows. `parents` [n]: where a block branches. One compiled call where there is a compiler."""
    if stack.fuses_head and len(ids) <= MAX_PASS:
        logits = stack.logits(step, ids, keep, {}, parents, features)
        return stack.last_hidden, logits
    x, side_input = step.inputs(ids, features)
    out = forward(stack, x, side_input) if parents is None else stack.forward(x, side_input=side_input, parents=parents)
    return out[-keep:], step.logits(out[-keep:])


def draft_modules(
    context: DraftContext,
    modules: Ids,
    text: list[int],
    start: int,
    u: Array | None,
    pass_features_on: Callable[[int, Array], None],
) -> Block:
    """A token by each of the `modules` (mtp.ModuleRun), one after the other: module j takes all of the text but the last position, and the
    tokens that the modules before it drafted. `text`: from position `start` on. `pass_features_on(j, out)` gets what came out of
    module j."""
    stacks, u = [module.stack for module in modules], None if u is None else u[: len(modules)]
    runs = [module.step for module in modules], [module.waiting for module in modules]
    if drafts := stacks[0].draft_modules(stacks, *runs, text, start, context.sampler, u):
        ids, q, outs = drafts
        for j, out in enumerate(outs):
            pass_features_on(j, out)
        return Block(ids, q)
    end, builder = start + len(text), BlockBuilder(context.sampler, len(modules), u)
    for j, module in enumerate(modules):
        feed = [*text, *builder.ids][module.stack.length + j + 1 - start :]
        if alone := module.stack.draft(
            module.step, context.sampler, feed, 1, None if u is None else u[j : j + 1], module.waiting
        ):
            builder.add(*alone)
            pass_features_on(j, module.stack.last_hidden)
        else:
            out = module.feed(end - 1, feed)
            pass_features_on(j, out)
            builder.draw(module.step.logits(out[-1:]))
        if not builder.is_open:
            break
    return builder.block()


def _draft_chain(context: DraftContext, feed: list[int], k: int, u: Array | None, logits: Callable) -> Block:
    builder = BlockBuilder(context.sampler, k, u)
    while builder.is_open:
        feed = [builder.draw(logits(feed))]
    return builder.block()


def forward(stack: Any, x: Array, side_input: Array | None = None) -> Array:
    """`stack.forward` of any number of positions [n, width] → [n, width]."""
    if len(x) <= MAX_PASS:
        return stack.forward(x, side_input=side_input)
    parts = [slice(i, i + MAX_PASS) for i in range(0, len(x), MAX_PASS)]
    return concatenate([stack.forward(x[part], side_input=None if side_input is None else side_input[part]) for part in parts])


def slow_reason(context: DraftContext, sequence: Any) -> str:
    """Why the passes of a session over `sequence` (a model's, or the stack of a head) are slower than they should be on this device."""
    drafted = sequence.stack is not None and sequence.stack.fuses_draft(context.sampler)
    return sequence.slow_reason or ("" if drafted else context.slow_reason())
