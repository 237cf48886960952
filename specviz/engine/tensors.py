"""What sampling, deciding and looking are for PyTorch's tensors: on a device a round is one piece, in which no value is looked
at, and all of its numbers leave in one transfer.

The same for arrays of a host: sampling.py, verify.py, events.py. Nothing of those is imported here, and nothing but they import
this.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import torch
from transformers.generation.logits_process import LogitsProcessor, TopKLogitsWarper, TopPLogitsWarper

from ..acceptance import overlap
from ..rules import BlockInputs, Decision, Rule
from ..trace.events import TOP


def probabilities(logits: torch.Tensor, temperature: float, filters: tuple) -> torch.Tensor:
    """Logits [n, V] → the distribution that is drawn from [n, V], float32."""
    if temperature == 0:
        return torch.zeros_like(logits, dtype=torch.float32).scatter_(-1, logits.argmax(-1, keepdim=True), 1.0)
    scores = logits.float()
    return filtered_softmax(scores if temperature == 1.0 else scores / temperature, filters)


def filtered_softmax(scores: torch.Tensor, filters: tuple) -> torch.Tensor:
    """Scores [n, V], divided by the temperature → probabilities [n, V]. `filters`: sampling.Filters."""
    top_k, top_p = filters
    if top_k:
        scores = _top_k(top_k)(None, scores)
    if top_p < 1.0:
        # a GPU sorts the rows of a block together, and by two sorts of all of it: one row after the other is less work
        keep = _top_p(top_p)
        apart = scores.device.type == "cuda" and len(scores) > 1
        scores = torch.cat([keep(None, row) for row in scores.split(1)]) if apart else keep(None, scores)
    return scores.softmax(-1)


# made once for a setting: each checks its own
_top_k: Callable[[int], LogitsProcessor] = lru_cache(64)(TopKLogitsWarper)
_top_p: Callable[[float], LogitsProcessor] = lru_cache(64)(TopPLogitsWarper)


def fit_vocabulary(logits: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """As sampling.fit_vocabulary."""
    missing = vocabulary - logits.shape[-1]
    if missing > 0:
        return torch.nn.functional.pad(logits, (0, missing), value=float("-inf"))
    return logits[:, :vocabulary] if missing else logits


def draw(p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """As sampling.draw: p [n, V], u [n] → ids [n]."""
    cumulative = p.cumsum(-1, dtype=torch.float64)
    ids = torch.searchsorted(cumulative, torch.as_tensor(u).double()[..., None] * cumulative[..., -1:], right=True)[..., 0]
    return replace_impossible(p, ids) if p.is_cuda else ids


def replace_impossible(p: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """ids [n], the most probable token of its row of p [n, V] in place of one that has p = 0.

    A CPU sums from left to right, so the sum stands still where p is 0. A GPU sums in parallel and joins the parts: there the
    last bit of two neighbouring sums may differ, in either direction, where p is 0. Of 2⁵³ uniforms a few fall between."""
    return ids.where(p.gather(-1, ids[..., None])[..., 0] > 0, p.argmax(-1))


def pick_function(vocabulary: int, argmax: bool, filters: tuple) -> Callable:
    """pick(logits [1, V], u [1] or None, temperature [1]) → id [1] and q [1, V], which is None with no u. It holds nothing of the run: a
    CUDA graph that is recorded of it outlives runs."""

    def pick(logits, u, temperature):
        logits = fit_vocabulary(logits, vocabulary)
        if u is None:
            return logits.argmax(-1), None
        q = filtered_softmax(logits.float() / temperature, filters)
        return (logits.argmax(-1) if argmax else draw(q, u)), q

    return pick


def argmax_ids(logits, ids) -> torch.Tensor:
    """Drafted ids [k] where they are on the device too, and after them the ids of the largest of logits [n, V]."""
    best = torch.as_tensor(logits).argmax(-1)
    return best if isinstance(ids, list) else torch.cat([ids, best])


def decision_inputs(logits, u, ids, q) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """What a decision takes, all of it where the logits lie. Nothing waits for the copy of a list: it is staged before the call returns."""
    logits = torch.as_tensor(logits)
    if isinstance(ids, list):
        ids = torch.tensor(ids, dtype=torch.long).to(logits.device, non_blocking=True)
    return logits, torch.as_tensor(u), ids, None if q is None else torch.as_tensor(q)


def decide_function(filters: tuple, rule: Rule, argmax: bool, observe: bool) -> Callable:
    """What is recorded of a decision. A graph outlives the run, so it holds on to nothing of that."""

    def decide_block(logits, u, temperature, ids, q=None) -> tuple[torch.Tensor, ...]:
        p = filtered_softmax(logits.float() / temperature, filters)
        numbers, last, next_distribution = decide(ids, one_hot(ids, q) if argmax else q, p, u, rule)
        if not observe:
            return (numbers,)
        # where what follows a rejection is p itself, the position's row of p says it all
        return (numbers, p, last) if q is None or rule.draws_each else (numbers, p, last, next_distribution)

    return decide_block


def decide(x: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: torch.Tensor, rule: Rule) -> tuple[torch.Tensor, ...]:
    """A rule's form in one piece, and the draw of the round's last token; no value is looked at on the way.

    x [K]; q [K, V], or None with nothing drafted; p [K + 1, V]; u [K + 1]. Returns all numbers of the decision side by side, float64, as
    verify.unpack_result reads them; the id [1] of the last token; and what that was drawn from [1, V]."""
    k = len(x)
    p_x = _probabilities_of(x, p)
    q_x = p_x if q is None else _probabilities_of(x, q)
    uniforms_or_draws = draw(p, u) if rule.draws_each else u[:k]
    decision: Decision = rule.decide(BlockInputs(x, p_x, q_x, p, q, uniforms_or_draws))
    last = uniforms_or_draws.index_select(0, decision.accepted) if rule.draws_each else draw(decision.next_distribution, u[-1:])
    more = [] if decision.joint is None else [decision.joint, decision.chance, decision.mass]
    numbers = torch.cat([part.double() for part in (decision.accepted, last, x, p_x, q_x, u, *more)])
    return numbers, last, decision.next_distribution


def one_hot(x: torch.Tensor, softmax: torch.Tensor | None) -> torch.Tensor | None:
    """q [K, V] of ids that were drafted by argmax: all of it on the id, whatever the draft's softmax. None with nothing drafted."""
    return None if softmax is None else torch.zeros_like(softmax).scatter_(1, x[:, None], 1.0)


def one_hot_rows(ids: list[int], vocabulary: int, device: str) -> torch.Tensor:
    """q [n, V] of ids that are certain of themselves."""
    return torch.nn.functional.one_hot(torch.tensor(ids, device=device), vocabulary).float()


def _probabilities_of(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The probability of each id x [K] in its row, float64."""
    return rows[: len(x)].gather(1, x[:, None])[:, 0].double()


def top_entries(p, q, inspected, next_distribution=None, last=None) -> list[torch.Tensor]:
    """The numbers to show of each row of p [n, V] and of its row of q [m, V], n = m or m + 1 (a bonus or plain row has no q; q
    is None if m is 0), and of the residual `next_distribution` [1, V], if there is one, which the id `last` [1] comes from.

    `inspected` [n]: the drafted token of each row, or the one drawn there; it is among the entries even if it is unlikely.

    In this order, t being TOP, without what is not there: entropies [n + m] of all rows of p, then of q. Of rows with a q: ids
    [m, 2t + 1], the largest of p, `inspected`, the largest of q; p of them; q of them; β [m]; Σ p·q [m]. Of the row without: ids
    [1, t + 1]; p of them. Of the residual: ids [1, t] of the largest; their values; that of `last` [1, 1]."""
    n, m, top = len(p), 0 if q is None else len(q), min(TOP, p.shape[-1])
    both = torch.cat([p, q]) if m else p
    largest = both.topk(top).indices
    ids = torch.cat([largest[:n], inspected[:, None]], 1)
    parts = [both.clamp(min=1e-38).log_().mul_(both).sum(-1).neg()]  # 0·log 0 = 0; half the time of special.entr
    if m:
        union = torch.cat([ids[:m], largest[n:]], 1)
        parts += [union, p[:m].gather(1, union), q.gather(1, union), overlap(p[:m], q), torch.linalg.vecdot(p[:m], q)]
    if m < n:
        parts += [ids[m:], p[m:].gather(1, ids[m:])]
    if next_distribution is not None:
        values, ids = next_distribution.topk(top)
        parts += [ids, values, next_distribution.gather(1, last[:, None])]
    return parts


def top_entries_now(p, q, inspected: list[int], next_distribution, last: int) -> np.ndarray:
    """The numbers of `top_entries`, side by side, on the host. All but lists and numbers may be arrays; `next_distribution`: [V]."""
    p = torch.as_tensor(p)
    residual_inputs = (
        ()
        if next_distribution is None
        else (torch.as_tensor(next_distribution, device=p.device)[None], torch.tensor([last], device=p.device))
    )
    q = None if q is None else torch.as_tensor(q, device=p.device)
    return flatten(top_entries(p, q, torch.tensor(inspected, device=p.device), *residual_inputs)).numpy(force=True)


def pack(numbers, p, last, ids, q=None, next_distribution=None) -> tuple[torch.Tensor]:
    """`numbers` of a decision, float64, and after them those of a look at all of its K + 1 rows: one flat tensor, exact for ids.

    ids [K], `last` [1]: what was drafted, and drawn after it. No value is looked at on the way: it can be recorded."""
    return (torch.cat([numbers, flatten(top_entries(p, q, torch.cat([ids, last]), next_distribution, last))]),)


def flatten(parts: list[torch.Tensor]) -> torch.Tensor:
    """All numbers side by side, float64."""
    return torch.cat([x.double().flatten() for x in parts])
