"""A drafted block is decided where its numbers are: on the host, or on a device that must not wait for it.

The rules are in specviz/rules; this chooses between their forms, and brings all numbers of a round to the host in one transfer where they
have to travel.
"""

from collections.abc import Callable

import torch

from ..config import DecodeConfig
from ..rules import Decision, Examined, Rule, greedy, rule_of
from ..rules.rejection import Rejection
from . import observe
from .draft.base import Block
from .result import VerifyResult, unpacked
from .sampling import NO_FILTERS, Array, Sampler, compiled_rows, draw, filtered
from .stopwatch import Stopwatch
from .walk import walked


class Verifier:
    """Decides the blocks of one run. `replay` is the target sequence's: where passes are replayed from CUDA graphs, decisions are too."""

    def __init__(self, config: DecodeConfig, replay: Callable | None, watch: Stopwatch, look: bool):
        self.rule, self.sampler, self.argmax = rule_of(config), Sampler.of(config), config.drafting == "argmax"
        self.replay, self.watch, self.look = replay, watch, look
        # softmax and rejection are one compiled call
        self.compiles = isinstance(self.rule, Rejection) and self.sampler.filters == NO_FILTERS

    def __call__(self, block: Block, logits: Array, u: Array | None) -> VerifyResult:
        """logits [K + 1, V], the target's after the text and after each of the K drafted, an array where they are on the host; u [K + 1], None when
        greedy."""
        if block.parents is not None:
            return walked(self.rule, self.sampler, self.argmax, block, logits, u)
        if u is None:
            return self._greedy(block.ids, logits)
        if self.replay or isinstance(block.ids, torch.Tensor):
            return self._on_device(block, torch.as_tensor(logits), torch.as_tensor(u))
        if self.compiles and (rows := compiled_rows(logits)):
            return self._compiled(rows, block.ids, block.q, logits, u)
        return self._on_host(block.ids, block.q, torch.as_tensor(logits), u)

    def _greedy(self, ids: list[int] | torch.Tensor, logits) -> VerifyResult:
        """The rule needs the ids of the largest logits, and of the block if that was drafted on a device: one transfer."""
        if isinstance(ids, list) and (rows := compiled_rows(logits)):
            known = rows.argmax(logits)
            self.watch.lap()
        else:
            largest = torch.as_tensor(logits).argmax(-1)
            numbers = torch.cat([ids, largest]) if isinstance(ids, torch.Tensor) else largest
            self.watch.lap()
            known = numbers.tolist()
        drafted, best = (ids, known) if isinstance(ids, list) else (known[: len(ids)], known[len(ids) :])
        accepted, p_x = greedy.verify(drafted, best)
        return VerifyResult(drafted, accepted, best[accepted], p_x, [1.0] * len(drafted), None, best=best)

    def _compiled(self, rows, ids: list[int], q: Array | None, logits: Array, u: Array) -> VerifyResult:
        """As `_on_host`, by one call."""
        theta = self.rule.theta  # type: ignore[attr-defined]
        accepted, last, p_x, q_x, p, then = rows.decide(logits, ids, q, u, self.sampler.temperature, theta, self.argmax)
        return VerifyResult(ids, accepted, last, p_x, q_x, u.tolist(), p=p, q=q, then=then)

    def _on_host(self, ids: list[int], q: Array | None, logits: torch.Tensor, u: Array) -> VerifyResult:
        """By the readable form: to look at a value costs nothing here."""
        p, uniforms, rule = self.sampler(logits), u.tolist(), self.rule
        x, q = torch.tensor(ids, dtype=torch.long, device=p.device), None if q is None else torch.as_tensor(q)
        tested = one_hot(x, q) if self.argmax else q
        p_x, q_x = (_of(x, row).tolist() for row in (p, tested)) if tested is not None else ([], [])
        drawn = draw(p, u).tolist() if rule.draws_each else uniforms[:-1]
        kept = rule.verify(Examined(ids, p_x, q_x, p, tested, drawn))
        last = drawn[kept.accepted] if rule.draws_each else int(draw(kept.then[None], u[-1:]))
        return VerifyResult(
            ids, kept.accepted, last, p_x, q_x, uniforms, kept.joint, kept.chance, kept.mass, p=p, q=q, then=kept.then
        )

    def _on_device(self, block: Block, logits: torch.Tensor, u: torch.Tensor) -> VerifyResult:
        """Decide, and look at what will be shown, where the tensors are: all of it leaves a device in one transfer."""
        k, ids, rule = len(block.ids), block.ids, self.rule
        if isinstance(ids, list):
            ids = torch.tensor(ids, dtype=torch.long).to(logits.device, non_blocking=True)
        drafted = (ids, torch.as_tensor(block.q)) if k else (ids,)
        replay = self.replay or (lambda key, function, *inputs: function(*inputs))
        key = "decide", k, rule, self.argmax, self.sampler.filters, self.look
        deciding = _deciding(self.sampler.filters, rule, self.argmax, self.look)
        numbers, *found = replay(key, deciding, logits, u, self.sampler.temperature_tensor(logits.device), *drafted)
        self.watch.lap()
        if self.look:
            p, last, *then = found
            [numbers] = replay(("look", k, len(numbers), len(then)), observe.pack, numbers, p, last, *drafted, *then)
            self.watch.lap()
        return unpacked(numbers.tolist(), k, rule)


def _deciding(filters: tuple[int, float], rule: Rule, argmax: bool, look: bool):
    """What is recorded of a decision. A graph outlives the run, so it holds on to nothing of that."""

    def deciding(logits, u, temperature, ids, q=None) -> tuple[torch.Tensor, ...]:
        p = filtered(logits.float() / temperature, *filters)
        numbers, last, then = decide(ids, one_hot(ids, q) if argmax else q, p, u, rule)
        if not look:
            return (numbers,)
        # where what follows a rejection is p itself, the position's row of p says it all
        return (numbers, p, last) if q is None or rule.draws_each else (numbers, p, last, then)

    return deciding


def decide(x: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: torch.Tensor, rule: Rule) -> tuple[torch.Tensor, ...]:
    """A rule's form in one piece, and the draw of the round's last token; no value is looked at on the way.

    x [K]; q [K, V], or None with nothing drafted; p [K + 1, V]; u [K + 1]. Returns all numbers of the decision side by side, float64, as
    `unpacked` reads them; the id [1] of the last token; and what that was drawn from [1, V]."""
    k = len(x)
    p_x = _of(x, p)
    q_x = p_x if q is None else _of(x, q)
    drawn = draw(p, u) if rule.draws_each else u[:k]
    kept: Decision = rule.decide(Examined(x, p_x, q_x, p, q, drawn))
    last = drawn.index_select(0, kept.accepted) if rule.draws_each else draw(kept.then, u[-1:])
    more = [] if kept.joint is None else [kept.joint, kept.chance, kept.mass]
    return torch.cat([part.double() for part in (kept.accepted, last, x, p_x, q_x, u, *more)]), last, kept.then


def one_hot(x: torch.Tensor, softmax: torch.Tensor | None) -> torch.Tensor | None:
    """q [K, V] of ids that were drafted by argmax: all of it on the id, whatever the draft's own softmax says. None with nothing drafted."""
    return None if softmax is None else torch.zeros_like(softmax).scatter_(1, x[:, None], 1.0)


def _of(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The probability of each id x [K] in its row, float64."""
    return rows[: len(x)].gather(1, x[:, None])[:, 0].double()
