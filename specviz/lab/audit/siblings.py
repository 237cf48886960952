"""What stands beside a node of a tree, a second time: p and q of its test, their position, and what is left after the last rejection.

What the siblings before a node left of p is known to less than p itself: `Test` carries by how much.
"""

from dataclasses import dataclass

import torch

from ...trace.events import Drafted, Position, Residual
from .filters import ROUND, entropy
from .numbers import REST, Numbers


@dataclass(frozen=True, slots=True)
class Test:
    """Of one node: p and q of its test, the draft's own softmax s, all [V]; by how much each probability may part; its place among its
    siblings."""

    p: torch.Tensor
    q: torch.Tensor
    s: torch.Tensor
    p_off: torch.Tensor
    q_off: torch.Tensor
    rank: int


def node(numbers: Numbers, where: str, d: Drafted, test: Test, own: bool) -> None:
    """`own`: q is certain of the token, and s stands beside it."""
    ledger, x = numbers.ledger, d.token.id
    assert d.p is not None and d.q is not None  # ours tells both (trace/grammar.py)
    ledger.near("p", where, d.p, float(test.p[x]), float(test.p_off[x]) + ROUND)
    ledger.near("q", where, d.q, float(test.q[x]), float(test.q_off[x]) + ROUND)
    ledger.holds("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
    numbers._there(f"{where}, position", d.position, d.verdict != "unexamined")
    if d.position:
        ledger.same("entry", where, {e.token.id: (e.p, e.q) for e in d.position.entries}.get(x), (d.p, d.q))
        _position(numbers, where, d.position, test, own)


def _position(numbers: Numbers, where: str, said: Position, test: Test, own: bool) -> None:
    ledger, shown = numbers.ledger, [e.token.id for e in said.entries]
    told = (said.q_rest, said.beta, said.q_entropy, *(e.q for e in said.entries))
    if None in told:
        ledger.holds("β", where, told, False, "numbers: something was drafted here")
        return
    for e in said.entries:
        ledger.near("p", where, e.p, float(test.p[e.token.id]), float(test.p_off[e.token.id]) + ROUND)
        ledger.near("q", where, e.q or 0.0, float(test.q[e.token.id]), float(test.q_off[e.token.id]) + ROUND)
    off = float(test.p_off.sum() + test.q_off.sum()) + REST
    _rest(numbers, where, said.p_rest, test.p, test.p_off, shown)
    _rest(numbers, where, said.q_rest or 0.0, test.q, test.q_off, shown)
    ledger.near("β", where, said.beta or 0.0, float(test.p.minimum(test.q).sum()), off)
    _entropy(numbers, where, said.p_entropy, test.p, test.p_off)
    _entropy(numbers, where, said.q_entropy or 0.0, test.q, test.q_off)
    numbers._largest(where, shown, test.p, test.p_off)
    numbers._largest(where, shown, test.s if own else test.q, None if own else test.q_off)
    if own:
        _own(numbers, where, said, test, shown)
    else:
        ledger.same("s", where, said.own, None)
    if test.rank:  # what is left of p after a sibling says nothing of other rules
        ledger.same("Σ p·s", where, (said.product, said.best), (None, None))
    else:
        numbers.others(where, said, test.p, test.s)


def _own(numbers: Numbers, where: str, said: Position, test: Test, shown: list[int]) -> None:
    ledger, s = numbers.ledger, test.s
    if said.own is None:
        ledger.holds("s", where, None, False, "the draft's softmax: its largest were drafted")
        return
    part = numbers.draft_filters.part
    for id, told in zip(shown, said.own.entries, strict=True):
        ledger.near("s", where, told, float(s[id]), part * float(s[id]) + ROUND)
    off = float(test.p_off.sum()) + part + REST
    _rest(numbers, where, said.own.rest, s, part * s, shown)
    ledger.near("β", where, said.own.beta, float(test.p.minimum(s).sum()), off)
    _entropy(numbers, where, said.own.entropy, s, part * s)


def _rest(numbers: Numbers, where: str, said: float, p: torch.Tensor, off: torch.Tensor, shown: list[int]) -> None:
    """The mass of all others is known to what these are."""
    others = torch.ones_like(p).index_fill_(0, torch.tensor(shown, dtype=torch.long), 0.0)
    numbers.ledger.near("rest", where, said, float((p * others).sum()), float((off * others).sum()) + REST)


def _entropy(numbers: Numbers, where: str, said: float, p: torch.Tensor, off: torch.Tensor) -> None:
    """A probability that is off by δ moves the sum by δ·(1 + |ln p|) at most, ln of δ where that is larger."""
    least = p.maximum(off).clamp(min=ROUND)
    within = float((off * (1 - least.log())).sum()) + 10 * ROUND * (1 + entropy(p))
    numbers.ledger.near("entropy", where, said, entropy(p), within)


def residual(numbers: Numbers, where: str, said: Residual, left: torch.Tensor, mass: float) -> None:
    """`left`: what the last rejection left of p, scaled up from `mass`."""
    ledger, off = numbers.ledger, numbers.part * 4 / max(mass, ROUND) + REST
    for e in said.entries:
        ledger.near("residual", where, e.probability, float(left[e.token.id]), off)
    ledger.near("residual", where, said.rest, max(0.0, 1.0 - sum(e.probability for e in said.entries)), ROUND)
    ledger.near("residual", where, said.mass, mass, off)
    numbers._largest(where, [e.token.id for e in said.entries], left, torch.full_like(left, off))
