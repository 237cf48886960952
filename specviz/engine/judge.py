"""The verdict on a drafted block, worked out where its numbers are: on the host, or on a device that must not wait for it.

The rules themselves are in verify.py; this chooses between their two forms, and brings all numbers of a round to the host in one
transfer where they have to travel.
"""

from collections.abc import Callable
from typing import cast

import torch

from ..config import DecodeConfig
from . import observe as see
from .draft.base import Block
from .models.stopwatch import Watch
from .sampling import PLAIN, Distribution, Law, draw, filtered, on_host
from .verify import Rule, Told, Verdict, decide, verify_block, verify_greedy, verify_match, verify_rejection, verify_typical


class Judge:
    """Decides the blocks of one run. `replayed` is the sequence's: where passes are replayed from graphs, so is what decides."""

    def __init__(self, config: DecodeConfig, law: Distribution, replayed: Callable | None, watch: Watch, observe: bool):
        self.rule = Rule.of(config)
        self.law, self.replayed, self.watch, self.observe = law, replayed, watch, observe
        # a softmax and rejection are one compiled call
        plain = self.rule.verifier in ("rejection", "threshold") and isinstance(law, Law) and law.filters == PLAIN
        self.temperature = config.temperature if plain else None

    def decide(self, block: Block, logits: torch.Tensor, u: torch.Tensor | None) -> Told:
        """logits [k + 1, V], the target's after the text and after each of the k drafted; u [k + 1], None when greedy."""
        if u is None:
            return self._greedy(block.ids, logits)
        if self.replayed or isinstance(block.ids, torch.Tensor):
            return self._there(block, logits, u)
        if self.temperature is not None and (compiled := on_host(logits)):
            return self._compiled(compiled.decide, block.ids, block.q, logits, u)
        return self._here(block.ids, block.q, logits, u)

    def _greedy(self, ids: list[int] | torch.Tensor, logits: torch.Tensor) -> Told:
        """The rule needs the ids of the largest logits, and of the block if that was drafted on a device: one transfer."""
        if isinstance(ids, list) and (compiled := on_host(logits)):
            known = compiled.argmax(logits)
            self.watch.lap()
        else:
            y = logits.argmax(-1)
            numbers = torch.cat([ids, y]) if isinstance(ids, torch.Tensor) else y
            self.watch.lap()
            known = numbers.tolist()
        drafted, best = (ids, known) if isinstance(ids, list) else (known[: len(ids)], known[len(ids) :])
        verdict = verify_greedy(drafted, best)
        return Told(drafted, verdict, best[verdict.accepted], None, best)

    def _compiled(self, decide, drafted: list[int], q: torch.Tensor | None, logits: torch.Tensor, u: torch.Tensor) -> Told:
        """As `_here`, by one call."""
        rule, k = self.rule, len(drafted)
        accepted, last, chances, p, then = decide(logits, drafted, q, u, self.temperature, rule.theta, rule.argmax)
        verdict = Verdict(accepted, accepted < k, then, None, chances[:k], chances[k:])
        return Told(drafted, verdict, last, u.tolist(), p=p, q=q)

    def _here(self, drafted: list[int], q: torch.Tensor | None, logits: torch.Tensor, u: torch.Tensor) -> Told:
        """Where a look at a value costs nothing."""
        p, chances, rule = self.law(logits), u.tolist(), self.rule
        ids = torch.tensor(drafted, dtype=torch.long, device=p.device)
        tested = one_hot(ids, q) if rule.argmax else q
        match rule.verifier:
            case "match":
                y = draw(p, u).tolist()
                verdict = verify_match(ids, tested, p, y)
                return Told(drafted, verdict, y[verdict.accepted], chances, p=p, q=q)
            case "block":
                verdict = verify_block(ids, tested, p, chances[:-1])
            case "typical":
                verdict = verify_typical(ids, tested, p, rule.epsilon, rule.delta)
            case "rejection" | "threshold":
                verdict = verify_rejection(ids, tested, p, chances[:-1], rule.theta)
        assert verdict.then is not None  # the last token is still to be drawn
        return Told(drafted, verdict, int(draw(verdict.then[None], u[-1:])), chances, p=p, q=q)

    def _there(self, block: Block, logits: torch.Tensor, u: torch.Tensor) -> Told:
        """Decide, and look at what will be shown, where the tensors are: all of it leaves a device in one transfer."""
        k, ids, rule = len(block.ids), block.ids, self.rule
        if isinstance(ids, list):
            ids = torch.tensor(ids, dtype=torch.long).to(logits.device, non_blocking=True)
        drafted = (ids, block.q) if k else (ids,)
        law = cast(Law, self.law)  # u is there, so it is not the greedy one
        replayed = self.replayed or (lambda key, function, *inputs: function(*inputs))
        key = "decide", k, rule, law.filters, self.observe
        deciding = _deciding(law.filters, rule, self.observe)
        numbers, *found = replayed(key, deciding, logits, u, law.degrees(logits.device), *drafted)
        self.watch.lap()
        if self.observe:
            p, last, *then = found
            [numbers] = replayed(("look", k, len(numbers), len(then)), see.pack, numbers, p, last, *drafted, *then)
            self.watch.lap()
        return Told.of(numbers.tolist(), k, rule.verifier == "block")


def _deciding(filters: tuple[int, float], rule: Rule, observe: bool):
    """What is recorded of a decision. A recording outlives the run, so it holds on to nothing of that."""

    def deciding(logits, u, degrees, ids, q=None) -> tuple[torch.Tensor, ...]:
        p = filtered(logits.float() / degrees, *filters)
        numbers, last, then = decide(ids, one_hot(ids, q) if rule.argmax else q, p, u, rule)
        if not observe:
            return (numbers,)
        return (numbers, p, last) if q is None or then is None else (numbers, p, last, then)

    return deciding


def one_hot(ids: torch.Tensor, softmax: torch.Tensor | None) -> torch.Tensor | None:
    """q [k, V] of what was drafted by argmax: all of it on the id, whatever the draft's own softmax says. None with nothing drafted."""
    return None if softmax is None else torch.zeros_like(softmax).scatter_(1, ids[:, None], 1.0)
