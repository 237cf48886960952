"""p, q and what is worked out from them, of one round, a second time: from logits that transformers gave."""

import torch

from ...config import DecodeConfig
from ...trace.events import Position
from .cases import Case
from .law import Law, distance, entropy, excess
from .ledger import Ledger

TOP = 8  # of the largest of p, and of q, that a position keeps
P, Q, SUM, ENTROPY = 5e-4, 5e-4, 5e-4, 5e-3  # how far two passes in float32 may part: probabilities, sums of them, nats
CLOSE = 1e-5  # how far a bound may be from what the draft gave for either verdict to be right
EXACT = 1e-6  # how far numbers of one trace may part that are worked out from each other
WITHOUT_Q = ("match", "typical")  # rules that test by p alone, and draw what replaces a token from it
UNSURE = ("confidence", "survival")  # settings that end a block


class Numbers:
    """`slack`: how many times as far, for runs in half precision; `table`: whether q comes from one, where no tie is a rounding."""

    def __init__(self, ledger: Ledger, config: DecodeConfig, slack: float, table: bool = False):
        self.ledger, self.slack, self.config = ledger, slack, config
        self.law, self.draft_law = Law(config, slack), Law(config, 0.0 if table else slack)
        self.argmax = config.drafting == "argmax" and not config.greedy

    def near(self, what: str, where: str, said: float, found: float, within: float) -> None:
        self.ledger.near(what, where, said, found, within * self.slack)

    def of(self, case: Case, p_logits: torch.Tensor, q_logits: torch.Tensor | None) -> tuple[list, list]:
        """The p and q of each position of the block, compared with what stands there. q_logits None: certain of what it drafted."""
        r, ps, qs = case.round, [], []
        for i, d in enumerate(r.drafted):
            where, at, x = f"{case.where}, draft token {i + 1}", d.position, d.token.id
            entries = at.entries if at else ()
            p, p_error = self.law.closest(p_logits[i], {x: d.p} | {e.token.id: e.p for e in entries})
            said = {x: d.q} | {e.token.id: e.q or 0.0 for e in entries}
            if q_logits is None or self.argmax:
                sure = _one_hot(p_logits[i], x)
                q, q_error = sure, distance(sure, said)
            else:
                q, q_error = self.draft_law.closest(q_logits[i], said, _towards(at.beta if at else None, p))
            s = q if q_logits is None or not self.argmax else self._argmax(where, at, q_logits[i], x, p)
            self.near("p", where, max(p_error, _off(p, x, d.p)), 0.0, P)
            self.near("q", where, max(q_error, _off(q, x, d.q)), 0.0, Q)
            self.ledger.holds("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
            if p is None or s is None:
                self.ledger.skip("distributions where tokens that tie exactly lie on both sides of a filter's border")
            elif at:
                self._position(where, at, p, q)
                self._others(where, at, p, s)
            if at:
                self.ledger.same("entry", where, {e.token.id: (e.p, e.q) for e in entries}.get(x), (d.p, d.q))
            ps.append(p)
            qs.append(q)
        last = r.emitted[-1].position if r.emitted else None
        p, error = self.law.closest(p_logits[-1], {e.token.id: e.p for e in last.entries} if last else {})
        if last and p is not None:
            self.near("p", f"{case.where}, last token", error, 0.0, P)
            self._position(f"{case.where}, last token", last, p, None)
        return [*ps, p], qs

    def _argmax(self, where: str, at: Position | None, logits: torch.Tensor, x: int, p) -> torch.Tensor | None:
        """The draft's own softmax, of which x must be the largest, or as good as."""
        behind, tie = float(logits.max() - logits[x]), self.draft_law.tie
        self.ledger.holds("draft drawn", where, x, behind <= tie, f"the draft's largest {int(logits.argmax())}")
        own = at.own if at else None
        said = dict(zip([e.token.id for e in at.entries], own.entries, strict=False)) if at and own else {}
        s, error = self.draft_law.closest(logits, said, _towards(own.beta if own else None, p))
        self.near("s", where, error, 0.0, Q)
        return s

    def _position(self, where: str, said: Position, p: torch.Tensor, q: torch.Tensor | None) -> None:
        shown = [e.token.id for e in said.entries]
        self.near("rest", where, said.p_rest, 1.0 - float(p[shown].sum()), SUM)
        self.near("entropy", where, said.p_entropy, entropy(p), ENTROPY)
        self._largest(where, shown, p)
        if q is None or said.q_rest is None or said.beta is None or said.q_entropy is None:
            found = (said.q_rest, said.beta, said.q_entropy, said.product, said.best, said.own)
            self.ledger.holds("β", where, found, q is None and set(found) == {None}, "null, all or none of it")
            return
        self.near("rest", where, said.q_rest, 1.0 - float(q[shown].sum()), SUM)
        self.near("entropy", where, said.q_entropy, entropy(q), ENTROPY)
        self.near("β", where, said.beta, float(p.minimum(q).sum()), SUM)

    def _others(self, where: str, said: Position, p: torch.Tensor, s: torch.Tensor) -> None:
        """What other rules would have given, by the draft's own softmax s."""
        shown = [e.token.id for e in said.entries]
        self._largest(where, shown, s)
        self.ledger.same("s", where, said.own is not None, self.argmax)
        if said.product is not None:
            self.near("Σ p·s", where, said.product, float((p * s).sum()), SUM)
        if said.best is not None:  # of equals any
            found = min(p[s >= s.max() - Q * self.slack].tolist(), key=lambda each: abs(each - said.best))
            self.near("p(argmax s)", where, said.best, found, P)
        if said.own:
            self.near("rest", where, said.own.rest, 1.0 - float(s[shown].sum()), SUM)
            self.near("entropy", where, said.own.entropy, entropy(s), ENTROPY)
            self.near("β", where, said.own.beta, float(p.minimum(s).sum()), SUM)

    def _largest(self, where: str, shown: list[int], p: torch.Tensor) -> None:
        """Nothing clearly larger than the eighth is left out, and nothing stands there twice."""
        eighth = float(p.topk(min(TOP, len(p))).values[-1])
        large = set(torch.nonzero(p > eighth + P * self.slack)[:, 0].tolist())
        whole = large <= set(shown) and len(set(shown)) == len(shown)
        self.ledger.holds("largest", where, f"{len(shown)} entries", whole, f"{sorted(large - set(shown))} left out")

    def confidence(self, case: Case, logits: torch.Tensor) -> None:
        """A block goes on while the draft, before filters, gave its tokens `confidence` or more each and `survival` or more together."""
        config, end, together = self.config, len(case.block) - 1, 1.0
        for i, x in enumerate(case.block if config.confidence or config.survival else ()):
            given = float(logits[i].softmax(-1)[x])
            together *= given
            why = case.round.fewer if i == end and case.round.fewer in UNSURE else "went on"
            found = "confidence" if given < config.confidence else "survival" if together < config.survival else "went on"
            close = min(abs(given - config.confidence), abs(together - config.survival)) < CLOSE * self.slack
            if i < end or why != "went on":
                where = f"{case.where}, draft token {i + 1}"
                self.ledger.holds(
                    "confidence", where, why, why == found or close, f"{found}: {given:.4g}, {together:.4g} together"
                )

    def residual(self, case: Case, p: torch.Tensor | None, q: torch.Tensor | None, joint: float) -> None:
        """What the rejected token was replaced from: norm(max(joint·p − q, 0)), the joint ratio being 1 but for verified blocks."""
        said, last = case.round.residual, case.round.drafted[case.tested - 1]
        where, fromp = f"{case.where}, residual", self.config.verifier in WITHOUT_Q
        if said is None or fromp:
            there = bool(last.position) and last.verdict == "rejected" and not fromp
            self.ledger.holds("residual", where, said, (said is not None) == there, "null" if said else "one")
            return
        if p is None or q is None:
            return
        left, mass = excess(joint * p, q)
        self.near("residual", where, said.mass, mass, SUM)
        for e in said.entries:
            self.near("residual", where, e.probability, float(left[e.token.id]), P / max(mass, P))
        self.near("residual", where, said.rest, 1.0 - sum(e.probability for e in said.entries), EXACT)
        self._largest(where, [e.token.id for e in said.entries], left * min(1.0, mass))


def _one_hot(like: torch.Tensor, id: int) -> torch.Tensor:
    return torch.zeros_like(like.double()).index_fill_(0, torch.tensor([id]), 1.0)


def _towards(beta: float | None, p: torch.Tensor | None):
    """What settles which of two q is meant: the overlap with p that the trace has."""
    return lambda q: 0.0 if beta is None or p is None else abs(float(p.minimum(q).sum()) - beta)


def _off(p: torch.Tensor | None, id: int, said: float) -> float:
    return 0.0 if p is None else abs(float(p[id]) - said)
