"""Who was kept, and what was drawn: each uniform from the seed, each draw by inverse transform, each verdict by its rule.

A verdict is asked twice: of the trace's own numbers, where it must follow to the last bit, and of the redone ones, where it may
differ only if u is as close to the border as two passes are to each other.
"""

import math

import torch

from ...config import DecodeConfig
from ...trace.events import Drafted
from .cases import Case
from .filters import ROUND, drawn, entropy, excess
from .ledger import Ledger
from .numbers import WITHOUT_Q
from .uniforms import Uniforms


class Decisions:
    """Of one lane. `part`: by which share of itself a probability may part; `draw`: gives the next uniforms, None when greedy."""

    def __init__(self, ledger: Ledger, config: DecodeConfig, part: float, draw: Uniforms | None):
        self.ledger, self.config, self.part, self.draw = ledger, config, part, draw

    def uniforms(self, case: Case, asked: int | None) -> list[float] | None:
        """Of a round: 2·asked + 1 at once. The first `asked` draw the block, the last len(drafted) + 1 decide it and draw what
        follows; those between belong to drafts that were not made. None when greedy, or where they cannot be had again."""
        if self.draw is None:
            return None
        if asked is None:
            self.draw = None  # one round that is not known makes all after it unknown
            self.ledger.skip("uniforms from the seed: the trace does not say how many were drawn in a round")
            return None
        return self.draw(2 * asked + 1)

    def told(self, case: Case, u: list[float] | None) -> None:
        """Whether the uniforms of the trace are those of the seed, and null where none was asked."""
        r, k, rule = case.round, len(case.block), self.config.verifier
        match = rule == "match"
        old = r.asked is None  # did not tell those of accepted tokens under match
        mine = u[-k - 1 :] if u else None
        for i, d in enumerate(r.drafted):
            none = self.config.greedy or rule in WITHOUT_Q or (d.verdict == "unexamined" and rule != "block")
            self._told(f"{case.where}, draft token {i + 1}", d.u, none, mine[i] if mine else None)
        for i, e in enumerate(r.emitted):
            none = self.config.greedy or (e.role == "accepted" and (not match or old))
            self._told(f"{case.where}, token {i + 1}", e.u, none, mine[i if match else k] if mine else None)

    def _told(self, where: str, said: float | None, none: bool, mine: float | None) -> None:
        if none or mine is not None:
            self.ledger.same("u", where, said, None if none else mine)
        else:
            self.ledger.holds("u", where, said, said is not None and 0 <= said < 1, "a number from 0 to 1")

    def block(self, case: Case, qs: list[torch.Tensor | None], u: list[float] | None) -> None:
        """Each drafted token: drawn from q by its uniform, or, when greedy, the largest. Of argmax drafting numbers.py says it."""
        for i, (x, q) in enumerate(zip(case.block, qs, strict=True)):
            where = f"{case.where}, draft token {i + 1}"
            if q is None:
                continue
            if self.config.greedy:
                self.ledger.holds("draft drawn", where, x, float(q[x]) == 1, f"the draft's pick {int(q.argmax())}")
            elif u is not None:
                self._drawn("draft drawn", where, q, u[i], x)

    def verdicts(self, case: Case, ps: list[torch.Tensor | None], qs: list[torch.Tensor | None]) -> float:
        """The first `tested` of the block, then the token that follows, unless the run ended inside the block. Returns what p is
        scaled by in the residual."""
        joint = 1.0
        if self.config.verifier == "block" and not self.config.greedy and case.block:
            joint = self._block(case, ps, qs)
        else:
            for i, d in enumerate(case.round.drafted):
                where, kept = f"{case.where}, draft token {i + 1}", d.verdict == "accepted"
                self.ledger.same("joint", where, (d.joint, d.chance), (None, None))
                if i < case.tested:
                    own, redone = self._kept(case, d, i, ps[i], qs[i])
                    self.ledger.holds(
                        "verdict", where, d.verdict, own == kept and redone, "by its own numbers, or redone, not so"
                    )
        last = case.round.emitted[-1] if case.round.emitted else None
        if last is None or last.role == "accepted":
            return joint
        where, at = f"{case.where}, last token", len(case.out) - 1
        p, mass = ps[at], 1.0
        if p is not None and last.role == "corrected" and self.config.verifier not in WITHOUT_Q and not self.config.greedy:
            q = qs[at]
            p, mass = (None, 1.0) if q is None else excess(joint * p, q)
        if p is not None and self.config.greedy:
            self.ledger.holds("last token", where, last.token.id, float(p[last.token.id]) == 1, f"the pick {int(p.argmax())}")
        elif p is not None:
            self._drawn("last token", where, p, last.u, last.token.id, mass)
        return joint

    def _kept(self, case: Case, d: Drafted, i: int, p: torch.Tensor | None, q: torch.Tensor | None) -> tuple[bool, bool]:
        """Whether it is kept by the trace's numbers, and whether the redone ones say the same or too little to tell."""
        x, said, config = d.token.id, d.verdict == "accepted", self.config
        if config.greedy:
            return d.p == 1, p is None or (float(p[x]) == 1) == said
        if config.verifier == "match":
            y, u = case.out[i], case.round.emitted[i].u
            return y == x, u is None or p is None or drawn(p, u, y) <= self.part + ROUND
        if config.verifier in WITHOUT_Q:  # kept if p > min(ε, δ·e^−H): the trace gives H, where it was observed, to some digits
            if p is None:
                return said, True
            bound = min(config.epsilon, config.delta * math.exp(-entropy(p)))
            near = self.part * bound * (2 + entropy(p)) + ROUND
            own = d.p > bound if abs(d.p - bound) > near else said
            return own, (float(p[x]) > bound) == said or abs(float(p[x]) - bound) <= near
        if d.u is None:
            return not said, False
        theta = config.theta if config.verifier == "threshold" else 1.0
        own = d.u * (d.q * theta) < d.p
        if p is None or q is None:
            return own, True
        over = d.u * theta * float(q[x]) - float(p[x])
        return own, (over < 0) == said or abs(over) <= 2 * self.part * float(p[x]) + ROUND

    def _block(self, case: Case, ps: list[torch.Tensor | None], qs: list[torch.Tensor | None]) -> float:
        """The longest beginning that its u allows: Sun et al. 2024 (arXiv 2403.10444), algorithm 2. Returns the joint ratio of what
        was kept."""
        r, n, ratio, kept = case.round, len(case.block), 1.0, 1.0
        longest = max(
            (i for i, d in enumerate(r.drafted, 1) if d.u is not None and d.chance is not None and d.u < d.chance), default=0
        )
        accepted = sum(d.verdict == "accepted" for d in r.drafted)
        cut = len(case.out) == accepted  # the run ended on an accepted token
        true = accepted <= longest if cut else accepted == longest
        self.ledger.holds("verdict", case.where, f"{accepted} kept", true, f"{longest} by its own numbers")
        for i, (d, p, q) in enumerate(zip(r.drafted, ps, qs, strict=False)):
            where = f"{case.where}, draft token {i + 1}"
            if p is None or q is None or d.joint is None or d.chance is None:
                self.ledger.holds("joint", where, (d.joint, d.chance), d.joint is not None, "a number")
                ratio = kept = d.joint or 0.0
                continue
            assert d.p is not None and d.q  # which were redone
            ratio = min(1.0, ratio * d.p / d.q)
            self.ledger.near("joint", where, d.joint, ratio, ROUND)
            chance, steepness, after, drafts = ratio, 0.0, ps[i + 1], qs[i + 1] if i + 1 < n else None
            if after is not None and drafts is not None:
                left = float((ratio * after - drafts).clamp(min=0).sum())
                whole = left + 1 - ratio
                chance = left / whole if whole > 0 else 1.0
                steepness = (1 - ratio) / max(whole, ROUND) ** 2  # near 0/0 a last bit of p or q changes it a lot
            self.ledger.near("chance", where, d.chance, chance, min(1.0, (self.part + ROUND) * steepness + ROUND))
            ratio = d.joint
            kept = ratio if i < accepted else kept
        return kept

    def _drawn(self, what: str, where: str, p: torch.Tensor, u: float | None, id: int, mass: float = 1.0) -> None:
        """By inverse transform. `mass`: what a residual was scaled up from, and its rounding with it."""
        if u is None:
            self.ledger.holds(what, where, id, False, "drawn by no uniform")
            return
        self.ledger.near(what, where, drawn(p, u, id), 0.0, min(0.5, (self.part + ROUND) / max(mass, ROUND)))
