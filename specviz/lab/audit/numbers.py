"""p, q and what is worked out from them, of one round, a second time: from logits that transformers gave."""

import torch

from ...config import DecodeConfig
from ...trace.events import Position
from .cases import Case
from .law import Law, distance, entropy, excess
from .ledger import Ledger

TOP = 8  # of the largest of p, and of q, that a position keeps
P, Q, SUM, ENTROPY = 5e-4, 5e-4, 5e-4, 5e-3  # how far two passes in float32 may part: probabilities, sums of them, nats
EXACT = 1e-6  # how far numbers of one trace may part that are worked out from each other


class Numbers:
    """`slack`: how many times as far, for runs in half precision."""

    def __init__(self, ledger: Ledger, config: DecodeConfig, slack: float):
        self.ledger, self.law, self.slack = ledger, Law(config, slack), slack

    def near(self, what: str, where: str, said: float, found: float, within: float) -> None:
        self.ledger.near(what, where, said, found, within * self.slack)

    def of(self, case: Case, p_logits: torch.Tensor, q_logits: torch.Tensor | None) -> tuple[list, list]:
        """The p and q of each position of the block, compared with what stands there. q_logits None: certain of what it drafted."""
        r, ps, qs = case.round, [], []
        for i, d in enumerate(r.drafted):
            where, entries = f"{case.where}, draft token {i + 1}", d.position.entries if d.position else ()
            p, p_error = self.law.closest(p_logits[i], {d.token.id: d.p} | {e.token.id: e.p for e in entries})
            q, q_error = self._q(p_logits[i], q_logits, i, {d.token.id: d.q} | {e.token.id: e.q or 0.0 for e in entries})
            self.near("p", where, max(p_error, _off(p, d.token.id, d.p)), 0.0, P)
            self.near("q", where, max(q_error, _off(q, d.token.id, d.q)), 0.0, Q)
            self.ledger.holds("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
            if p is None or q is None:
                self.ledger.skip("distributions where tokens that tie exactly lie on both sides of a filter's border")
            elif d.position:
                self._position(where, d.position, p, q)
            if d.position:
                mine = {e.token.id: (e.p, e.q) for e in d.position.entries}.get(d.token.id)
                self.ledger.same("entry", where, mine, (d.p, d.q))
            ps.append(p)
            qs.append(q)
        last = r.emitted[-1].position if r.emitted else None
        p, error = self.law.closest(p_logits[-1], {e.token.id: e.p for e in last.entries} if last else {})
        if last and p is not None:
            self.near("p", f"{case.where}, last token", error, 0.0, P)
            self._position(f"{case.where}, last token", last, p, None)
        return [*ps, p], qs

    def _q(self, like: torch.Tensor, logits: torch.Tensor | None, i: int, said: dict[int, float]):
        """Without logits all of it is on what was drafted, which is said first."""
        if logits is not None:
            return self.law.closest(logits[i], said)
        q = torch.zeros_like(like.double()).index_fill_(0, torch.tensor([next(iter(said))]), 1.0)
        return q, distance(q, said)

    def _position(self, where: str, said: Position, p: torch.Tensor, q: torch.Tensor | None) -> None:
        shown = [e.token.id for e in said.entries]
        self.near("rest", where, said.p_rest, 1.0 - float(p[shown].sum()), SUM)
        self.near("entropy", where, said.p_entropy, entropy(p), ENTROPY)
        self._largest(where, shown, p)
        if q is None:
            self.ledger.same("β", where, (said.q_rest, said.beta, said.q_entropy), (None, None, None))
            return
        assert said.q_rest is not None and said.beta is not None and said.q_entropy is not None
        self.near("rest", where, said.q_rest, 1.0 - float(q[shown].sum()), SUM)
        self.near("entropy", where, said.q_entropy, entropy(q), ENTROPY)
        self.near("β", where, said.beta, float(p.minimum(q).sum()), SUM)
        self._largest(where, shown, q)

    def _largest(self, where: str, shown: list[int], p: torch.Tensor) -> None:
        """Nothing clearly larger than the eighth is left out, and nothing stands there twice."""
        eighth = float(p.topk(min(TOP, len(p))).values[-1])
        large = set(torch.nonzero(p > eighth + P * self.slack)[:, 0].tolist())
        whole = large <= set(shown) and len(set(shown)) == len(shown)
        self.ledger.holds("largest", where, f"{len(shown)} entries", whole, f"{sorted(large - set(shown))} left out")

    def confidence(self, case: Case, logits: torch.Tensor) -> None:
        """A block goes on after a token that the draft gave `confidence` or more, before filters, and ends after another."""
        bound, end = self.law.config.confidence, len(case.block) - 1
        for i, x in enumerate(case.block if bound else ()):
            given, ends = float(logits[i].softmax(-1)[x]), i == end and case.round.fewer == "confidence"
            if i < end or ends:
                true = (given < bound) == ends or abs(given - bound) < Q * self.slack
                self.ledger.holds(
                    "confidence", f"{case.where}, draft token {i + 1}", "ended" if ends else "went on", true, f"{given:.4g}"
                )

    def residual(self, case: Case, p: torch.Tensor | None, q: torch.Tensor | None) -> None:
        """What the rejected token was replaced from: norm(max(p − q, 0))."""
        said = case.round.residual
        if said is None or p is None or q is None:
            return
        left, mass = excess(p, q)
        where = f"{case.where}, residual"
        self.near("residual", where, said.mass, mass, SUM)
        for e in said.entries:
            self.near("residual", where, e.probability, float(left[e.token.id]), P / max(mass, P))
        self.near("residual", where, said.rest, 1.0 - sum(e.probability for e in said.entries), EXACT)
        self._largest(where, [e.token.id for e in said.entries], left * min(1.0, mass))


def _off(p: torch.Tensor | None, id: int, said: float) -> float:
    return 0.0 if p is None else abs(float(p[id]) - said)
