"""p, q and what is worked out from them, of one round, a second time: from logits that transformers gave."""

import torch

from ...config import DecodeConfig
from ...trace.events import Position
from .cases import Case
from .filters import ROUND, Filters, entropy, excess
from .ledger import Ledger

TOP = 8  # of the largest of p, and of q, that a position keeps
REST = 2e-5  # of what is left of 1: a sum in float32 drops small terms, 7e-6 of it at most was seen
WITHOUT_Q = ("match", "typical")  # rules that test by p alone, and draw what replaces a token from it
UNSURE = ("confidence", "survival")  # settings that end a block


class Numbers:
    """`slack`, `draft_slack`: how many times as far the target's and the draft's logits may be off, for passes in half precision; `table`: whether
    q comes from one; `observed`: distributions were recorded; `whole`: so was what older traces lack."""

    def __init__(
        self, ledger: Ledger, config: DecodeConfig, slack: float, draft_slack: float, table: bool, observed: bool, whole: bool
    ):
        self.ledger, self.config, self.observed, self.whole = ledger, config, observed, whole
        self.filters, self.draft_filters = Filters(config, slack), Filters(config, draft_slack, table)
        self.part = max(self.filters.part, self.draft_filters.part)
        self.argmax = config.drafting == "argmax" and not config.greedy

    def near(self, what: str, where: str, said: float, found: float, scale: float) -> None:
        """`scale`: of what a probability's share may part: of the number itself, or of what it is a sum over."""
        self.ledger.near(what, where, said, found, self.part * scale + ROUND)

    def of(self, case: Case, p_logits: torch.Tensor, q_logits: torch.Tensor | None) -> tuple[list, list]:
        """The p and q of each position of the block, compared with what stands there. q_logits None: certain of what it drafted."""
        r, ps, qs = case.round, [], []
        for i, d in enumerate(r.drafted):
            where, at, x = f"{case.where}, draft token {i + 1}", d.position, d.token.id
            assert d.p is not None and d.q is not None  # ours tells both (trace/grammar.py)
            entries = at.entries if at else ()
            p_said = {x: d.p} | {e.token.id: e.p for e in entries}
            q_said = {x: d.q} | {e.token.id: e.q or 0.0 for e in entries}
            p = self.filters.closest(p_logits[i], p_said)
            if q_logits is None or self.argmax:
                q = _one_hot(p_logits[i], x)
            else:
                q = self.draft_filters.closest(q_logits[i], q_said, _towards(at.beta if at else None, p))
            s = q if q_logits is None or not self.argmax else self._argmax(where, at, q_logits[i], x, p)
            self._row("p", where, p, p_said | {x: d.p}, self.filters)
            self._row("q", where, q, q_said | {x: d.q}, self.draft_filters)
            self.ledger.holds("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
            self._there(f"{where}, position", at, i < case.tested)
            if p is None or s is None or q is None:
                self.ledger.skip("distributions in which equal tokens lie on both sides of a filter's border")
            elif at:
                self._position(where, at, p, q)
                self._others(where, at, p, s)
            if at:
                self.ledger.same("entry", where, {e.token.id: (e.p, e.q) for e in entries}.get(x), (d.p, d.q))
            ps.append(p)
            qs.append(q)
        where, end = f"{case.where}, last token", r.emitted[-1] if r.emitted else None
        last = end.position if end else None
        p = self.filters.closest(p_logits[-1], said := {e.token.id: e.p for e in last.entries} if last else {})
        self._there(f"{where}, position", last, end is not None and end.role in ("bonus", "plain"))
        if last and p is not None:
            self._row("p", where, p, said, self.filters)
            self._position(where, last, p, None)
        return [*ps, p], qs

    def _row(self, what: str, where: str, p: torch.Tensor | None, said: dict[int, float], filters: Filters) -> None:
        """Each probability by itself: by a share of it that two passes may part."""
        if p is None:
            return
        worst = max(
            said, key=lambda id: abs(said[id] - float(p[id])) / (filters.part * max(said[id], float(p[id])) + ROUND), default=None
        )
        if worst is not None:
            found = float(p[worst])
            self.ledger.near(what, where, said[worst], found, filters.part * max(said[worst], found) + ROUND)

    def _there(self, where: str, said: object, shown: bool) -> None:
        """Distributions are there for every position that was examined, or were recorded nowhere."""
        if not self.observed and shown:
            self.ledger.skip("distributions of a position: none was recorded")
        else:
            self.ledger.holds("position", where, said and "there", (said is not None) == shown, "there" if shown else "null")

    def _argmax(self, where: str, at: Position | None, logits: torch.Tensor, x: int, p) -> torch.Tensor | None:
        """The draft's own softmax, of which x must be the largest, or as good as."""
        behind, tie = float(logits.max() - logits[x]), self.draft_filters.tie
        self.ledger.holds("draft drawn", where, x, behind <= tie, f"the draft's largest {int(logits.argmax())}")
        own = at.own if at else None
        said = dict(zip([e.token.id for e in at.entries], own.entries, strict=False)) if at and own else {}
        s = self.draft_filters.closest(logits, said, _towards(own.beta if own else None, p))
        self._row("s", where, s, said, self.draft_filters)
        return s

    def _position(self, where: str, said: Position, p: torch.Tensor, q: torch.Tensor | None) -> None:
        shown = [e.token.id for e in said.entries]
        self._rest(where, said.p_rest, 1.0 - float(p[shown].sum()))
        self.near("entropy", where, said.p_entropy, entropy(p), 1 + entropy(p))
        self._largest(where, shown, p)
        told = said.q_rest, said.beta, said.q_entropy, *(e.q for e in said.entries)
        if q is None or said.q_rest is None or said.beta is None or said.q_entropy is None or None in told:
            nothing = {*told, said.product, said.best, said.own} == {None}
            self.ledger.holds("β", where, told, q is None and nothing, "null, all or none of it")
            return
        self._rest(where, said.q_rest, 1.0 - float(q[shown].sum()))
        self.near("entropy", where, said.q_entropy, entropy(q), 1 + entropy(q))
        self.near("β", where, said.beta, (both := float(p.minimum(q).sum())), both)

    def _rest(self, where: str, said: float, found: float) -> None:
        self.ledger.near("rest", where, said, found, self.part * found + REST)

    def _others(self, where: str, said: Position, p: torch.Tensor, s: torch.Tensor) -> None:
        """What other rules would have given, by the draft's own softmax s."""
        shown = [e.token.id for e in said.entries]
        self._largest(where, shown, s)
        self.ledger.same("s", where, said.own is not None, self.argmax)
        self.others(where, said, p, s)
        if said.own:
            self._rest(where, said.own.rest, 1.0 - float(s[shown].sum()))
            self.near("entropy", where, said.own.entropy, entropy(s), 1 + entropy(s))
            self.near("β", where, said.own.beta, (both := float(p.minimum(s).sum())), both)

    def others(self, where: str, said: Position, p: torch.Tensor, s: torch.Tensor) -> None:
        """What drawing and matching, and drafting by argmax, would have given."""
        if self.whole and None in (said.product, said.best):
            self.ledger.holds("Σ p·s", where, (said.product, said.best), False, "numbers")
        if said.product is not None:
            self.near("Σ p·s", where, said.product, (product := float((p * s).sum())), 2 * product)
        if said.best is not None:  # of equals any
            found = min(p[s >= float(s.max()) * (1 - self.part) - ROUND].tolist(), key=lambda each: abs(each - said.best))
            self.near("p(argmax s)", where, said.best, found, found)

    def _largest(self, where: str, shown: list[int], p: torch.Tensor, off: torch.Tensor | None = None) -> None:
        """The eight largest are there but for those that the ninth is as good as, and nothing stands there twice. `off`: by how much each
        may part."""
        off = p * self.part / 2 if off is None else off
        ninth = float((p + off).topk(TOP + 1).values[-1]) if len(p) > TOP else 0.0
        large = set(torch.nonzero(p - off > ninth + ROUND)[:, 0].tolist())
        least = min(TOP, int((p - off > ROUND).sum()))
        whole = large <= set(shown) and least <= len(shown) == len(set(shown))
        self.ledger.holds(
            "largest", where, f"{len(shown)} entries", whole, f"{sorted(large - set(shown))} left out, {least} at least"
        )

    def confidence(self, case: Case, logits: torch.Tensor) -> None:
        """A block goes on while the draft, before filters, gave its tokens `confidence` or more each and `survival` or more together."""
        config, end, together = self.config, len(case.block) - 1, 1.0
        for i, x in enumerate(case.block if config.ends_early else ()):
            given = float(logits[i].softmax(-1)[x])
            together *= given
            why = case.round.fewer if i == end and case.round.fewer in UNSURE else "went on"
            found = "confidence" if given < config.confidence else "survival" if together < config.survival else "went on"
            close = min(abs(given - config.confidence), abs(together - config.survival)) < self.draft_filters.tie * given + ROUND
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
            self._there(where, said, last.verdict == "rejected" and not fromp)
            return
        if p is None or q is None:
            return
        left, mass = excess(joint * p, q)
        self.near("residual", where, said.mass, mass, 1.0)
        for e in said.entries:
            self.near(
                "residual",
                where,
                e.probability,
                float(left[e.token.id]),
                float(joint * p[e.token.id] + q[e.token.id] + left[e.token.id]) / max(mass, ROUND),
            )
        self.near("residual", where, said.rest, max(0.0, 1.0 - sum(e.probability for e in said.entries)), 0.0)
        self._largest(where, [e.token.id for e in said.entries], left * min(1.0, mass))


def _one_hot(like: torch.Tensor, id: int) -> torch.Tensor:
    return torch.zeros_like(like.double()).index_fill_(0, torch.tensor([id]), 1.0)


def _towards(beta: float | None, p: torch.Tensor | None):
    """What settles which of two q is meant: the overlap with p that the trace has."""
    return lambda q: 0.0 if beta is None or p is None else abs(float(p.minimum(q).sum()) - beta)
