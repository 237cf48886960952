"""Where two greedy lanes part, and by how little: the logits of both tokens, by the one-token pass and by the block's.

In exact arithmetic greedy lanes agree. A block of K + 1 tokens runs other kernels than one token does, sums in another order,
and where two logits nearly tie the larger of them may be another one (mostly in bf16 and fp16). The passes are made again
here, after the timed runs.
"""

from collections.abc import Sequence

from ..trace import tree
from ..trace.events import Divergence, Event, Logits, Round, rounds_of
from .backends.base import Model
from .machine import torch_threads


def divergence(target: Model, prompt: list[int], vanilla: Sequence[Event], speculative: Sequence[Event]) -> Divergence | None:
    """The first token in which the lanes differ; None if neither has one that the other has not."""
    alone, ours = ([e.token for r in rounds_of(lane) for e in r.emitted] for lane in (vanilla, speculative))
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x != y), None)
    if at is None:
        return None
    pair = alone[at], ours[at]
    before = [*prompt, *(token.id for token in ours[:at])]
    first, round_ = _round_of(rounds_of(speculative), at)
    text = [*prompt, *(token.id for token in ours[:first])]
    drafted = round_.drafted
    parents = [-1, *(parent + 1 for parent in tree.parents(drafted))] if tree.branches(round_) else None
    row = [0, *(node + 1 for node in tree.path(drafted))][at - first]
    with torch_threads(None):
        single = _logits(target, before[:-1], before[-1:], None, 0, pair)
        block = _logits(target, text[:-1], [text[-1], *(d.token.id for d in drafted)], parents, row, pair)
    return Divergence(at, *pair, single, block)


def _round_of(rounds: list[Round], at: int) -> tuple[int, Round]:
    """The round that wrote token `at`, and how many tokens there were before it."""
    before = 0
    for round_ in rounds:
        if at < before + len(round_.emitted):
            return before, round_
        before += len(round_.emitted)
    raise IndexError(at)


def _logits(target: Model, cached: list[int], fed: list[int], parents: list[int] | None, row: int, pair) -> Logits:
    """The logits of both tokens after fed[row], by a pass over `fed` behind what is cached. `parents`: where it branches."""
    sequence = target.sequence(len(cached) + len(fed))
    if cached:
        sequence.append(cached, keep=1)
    logits = (sequence.append(fed) if parents is None else sequence.append(fed, parents=parents))[row]
    return Logits(*(float(logits[token.id]) for token in pair))
