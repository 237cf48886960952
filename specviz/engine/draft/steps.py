"""K steps of a drafter: in one CUDA graph, in one compiled call, or one by one. A drafter names its step; how the steps run is decided here."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..arrays import Array, concatenate, is_tensor
from ..backends import base
from ..backends.base import ForwardStep
from ..backends.layers import MAX_PASS
from ..sampling import draw, fit_vocabulary
from .base import Block, BlockBuilder, DraftContext


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
    context: DraftContext, sequence: base.Sequence, feed: list[int], k: int, u: Array | None, until: int | None = None
) -> Block:
    """k tokens of a model after `feed`, whose passes leave it after `until` layers."""
    stack = getattr(sequence, "stack", None)  # of our own forward pass
    if stack is not None:
        step = replace(sequence.step, until=until) if until else sequence.step  # type: ignore[attr-defined]
        if drafted := stack.draft(step, context.sampler, feed, k, u):
            return Block(*drafted)
    left_early: dict[str, Any] = {"until": until} if until else {}
    return _one_by_one(context, feed, k, u, lambda ids: sequence.append(ids, keep=1, **left_early))


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

    return _one_by_one(context, feed, k, u, logits)


def draft_parallel(
    context: DraftContext, stack: Any, step: ForwardStep, feed: list[int], k: int, u: Array | None, features: Array
) -> Block:
    """k tokens of a head, after each of the last k of `feed`, in one pass over its own KV cache `stack`. All but the first of these are open places,
    which take the same token and feature. Tokens are drawn without waiting for one another, unless each adds to the next, or the block may end
    early."""
    if drafted := stack.draft(step, context.sampler, feed, k, u, features, rows=k):
        return Block(*drafted)
    logits = step.logits(forward(stack, *step.inputs(feed, features))[-k:])
    sampler = context.sampler
    if sampler.ends_early or step.link:
        rows = iter(logits)

        def row(before: list[int]) -> Array:
            row = next(rows)[None]
            return row + step.link_logits(before) if before and step.link else row

        return _one_by_one(context, [], k, u, row)
    logits = fit_vocabulary(logits, sampler.vocabulary)
    q = None if u is None else sampler.sampler(logits)
    ids = draw(q, u[:k]) if q is not None and u is not None and not sampler.argmax else logits.argmax(-1)
    return Block(ids if is_tensor(ids) and ids.device.type != "cpu" else ids.tolist(), q)


def last_features_and_logits(
    stack: Any, step: ForwardStep, ids: list[int], features: Array, keep: int, parents: list[int] | None = None
) -> tuple[Array, Array]:
    """What a head makes of the last `keep` of `ids` [n] and the features before them: features [keep, width], and the logits [keep, V] of what
    follows. `parents` [n]: where a block branches. One compiled call where there is a compiler."""
    if getattr(stack, "fuses_head", False) and len(ids) <= MAX_PASS:
        logits = stack.logits(step, ids, keep, {}, parents, features)
        return stack.last_hidden, logits
    x, side_input = step.inputs(ids, features)
    out = forward(stack, x, side_input) if parents is None else stack.forward(x, side_input=side_input, parents=parents)
    return out[-keep:], step.logits(out[-keep:])


def draft_modules(
    context: DraftContext,
    modules: Sequence,
    text: list[int],
    start: int,
    u: Array | None,
    pass_features_on: Callable[[int, Array], None],
) -> Block:
    """A token by each of the `modules` (mtp.ModuleRun), one after the other: module j takes all positions of the text but the last, and those of the
    tokens that the modules before it drafted. `text`: from position `start` on. `pass_features_on(j, out)` gets what came out of module j."""
    stacks, u = [module.stack for module in modules], None if u is None else u[: len(modules)]
    drafted = getattr(stacks[0], "draft_modules", None)
    if drafted and (
        drafts := drafted(
            stacks, [module.step for module in modules], [module.waiting for module in modules], text, start, context.sampler, u
        )
    ):
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


def _one_by_one(context: DraftContext, feed: list[int], k: int, u: Array | None, logits: Callable) -> Block:
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
    stack = getattr(sequence, "stack", sequence)
    drafted = hasattr(stack, "fuses_draft") and stack.fuses_draft(context.sampler)
    return getattr(sequence, "slow_reason", "") or ("" if drafted else context.slow_reason())
