"""Rounds that drafted trees, worked out a second time: what each node was drawn from and tested by, the walk, the caches.

Which nodes it has is grown.py's, what stands beside one siblings.py's, how many there are levels.py's.
"""

from dataclasses import replace

import torch

from ...config import DecodeConfig
from ...trace import tree
from ...trace.events import Drafted
from ...trace.header import Header
from . import grown, siblings
from .cases import Case
from .decisions import Decisions
from .drafts import Draft
from .filters import ROUND, drawn, excess
from .levels import Levels, asked
from .numbers import Numbers


class Trees:
    """Of one lane: `numbers` and `decisions` as for chains."""

    def __init__(self, config: DecodeConfig, numbers: Numbers, decisions: Decisions, target, draft: Draft):
        self.config, self.numbers, self.decisions, self.target, self.draft = config, numbers, decisions, target, draft
        self.ledger = numbers.ledger
        self.draws, self.softmax = config.verifier == "match", config.verifier == "siblings"

    def lane(self, some: list[Case], header: Header, limit: int | None, context: int | None) -> None:
        levels = Levels(self.ledger, header, self.config, self.draft, len(some[0].text)) if some else None
        for case in some:
            self.ledger.now(case.where)
            want = asked(case, self.config, limit, context)
            found = self._grown(case, want[0] if want else 0)
            if levels:
                levels.round(case, want, found)
            u = self.decisions.uniforms(case, want and want[1])
            if case.block:
                self.round(case, u, found)
            else:
                self._plain(case, u)

    def _grown(self, case: Case, depth: int) -> grown.Grown | None:
        """Whether these are the nodes of the tree, where chance has no part in it."""
        if not case.block or not depth:
            return None
        if self.draft.kind == "lookup":
            said, copied = sorted(grown.paths(case)), sorted(grown.joined(case.text, self.config, depth))
            self.ledger.same("draft drawn", f"{case.where}, tree", said, copied)
        if self.draft.kind == "lookup" or self.config.tree == "static":
            return None
        found = grown.grown(case, self.config, self.draft, self.numbers.draft_filters, depth)
        if found is None:
            self.ledger.skip(grown.UNKNOWN)
        else:
            odd = grown.odd(case, found, self.config)
            self.ledger.holds("draft drawn", f"{case.where}, tree", f"{len(case.block)} nodes", not odd, odd)
        return found

    def _plain(self, case: Case, u: list[float] | None) -> None:
        """A round that drafted nothing."""
        [rows] = self.target.after([case.text], [1])
        ps, qs = self.numbers.of(case, rows, None)
        self.decisions.told(case, u)
        self.decisions.verdicts(case, ps, qs)

    def round(self, case: Case, u: list[float] | None, found: grown.Grown | None) -> None:
        drafted, k = case.round.drafted, len(case.block)
        parents, below = tree.parents(drafted), tree.children(drafted)
        p_after, q_after = self._rows(case, parents, below, found)
        mine = u[-k - 1 :] if u else None
        end, left, mass = -1, None, 1.0
        for parent in [-1, *range(k)]:
            if below[parent + 1]:
                residual, of = self._siblings(case, parent, below[parent + 1], p_after[parent], q_after.get(parent), u, mine)
                verdicts = {drafted[i].verdict for i in below[parent + 1]}
                if "rejected" in verdicts and "accepted" not in verdicts:
                    left, mass = residual, of
        for i in tree.path(drafted):
            end = i
        self._last(case, end, p_after[end], left, mass, mine)

    def _rows(self, case: Case, parents: list[int], below: list[list[int]], found: grown.Grown | None):
        """By node, −1 for the text: the target's logits after it, and those that its children were drafted by."""
        paths = {-1: list[int]()}
        for i, parent in enumerate(parents):
            paths[i] = [*paths[parent], i]
        leaves = [i for i in range(len(parents)) if not below[i + 1]]
        chains = [replace(case, block=[case.block[i] for i in paths[leaf]]) for leaf in leaves]
        texts = [[*case.text, *chain.block] for chain in chains]
        p_after, q_after = {}, {}
        for leaf, rows in zip(leaves, self.target.after(texts, [len(chain.block) + 1 for chain in chains]), strict=True):
            p_after |= dict(zip([-1, *paths[leaf]], rows, strict=True))
        if self.draft.logits is None:
            return p_after, q_after
        if (
            self.draft.kind == "mtp"
        ):  # all nodes of a level have the logits of its head, which read the first of each level before
            [rows] = self.draft.logits([replace(case, block=[*(found.main if found else self._first(case, below)), 0])])
            return p_after, {i: rows[len(path)] for i, path in paths.items() if len(path) < len(rows)}
        for leaf, rows in zip(leaves, self.draft.logits(chains), strict=True):
            q_after |= dict(zip([-1, *paths[leaf][:-1]], rows, strict=True))
        return p_after, q_after

    def _first(self, case: Case, below: list[list[int]]) -> list[int]:
        """The first node of each level of a static tree."""
        main, at = list[int](), -1
        while below[at + 1]:
            at = below[at + 1][0]
            main.append(case.block[at])
        return main

    def _siblings(self, case: Case, parent: int, here: list[int], p_logits, q_logits, u, mine):
        """The children of one node. Returns what is left of p after all that were rejected, and the mass before it was scaled up."""
        drafted, numbers, ledger, config = case.round.drafted, self.numbers, self.ledger, self.config
        first, chosen = (
            drafted[here[0]],
            self.draft.kind == "lookup" or config.tree == "dynamic" or numbers.argmax or config.greedy,
        )
        p = raw = numbers.filters.closest(p_logits, _said(first, "p"))
        s = None
        if q_logits is not None and not config.greedy:
            own = first.position.own if first.position and numbers.argmax and not self.softmax else None
            said = _said(first, "q") if not numbers.argmax or self.softmax else {}
            if own and first.position:
                said = {e.token.id: x for e, x in zip(first.position.entries, own.entries, strict=True)}
            s = numbers.draft_filters.closest(q_logits, said)
        if p is None or raw is None or (s is None and q_logits is not None and not config.greedy):
            ledger.skip("distributions in which equal tokens lie on both sides of a filter's border")
            return None, 1.0
        blur, mass, left, behind = numbers.filters.part * p, 1.0, s, torch.zeros_like(p)
        for rank, i in enumerate(here):
            d, where, x = drafted[i], f"{case.where}, draft token {i + 1}", case.block[i]
            if s is None or (chosen and not self.softmax):
                q = torch.zeros_like(p).index_fill_(0, torch.tensor([x]), 1.0)
            else:
                assert left is not None
                q = s if self.softmax else left
                behind = numbers.draft_filters.part * q * (1 + rank)
            self._drawn(where, i, x, rank, q_logits, left, chosen, u)
            at = p if d.verdict != "unexamined" else raw
            off = blur if d.verdict != "unexamined" else numbers.filters.part * raw
            own = numbers.argmax and not self.softmax
            siblings.node(numbers, where, d, siblings.Test(at, q, q if s is None else s, off, behind, rank), own)
            self._verdict(case, where, i, parent, at, q, off, behind, mine)
            if d.verdict == "rejected" and not config.greedy and not self.draws:
                now, mass = self._left(at, q)
                spread = now * float((off + behind).sum())
                blur = ((off + behind + ROUND + spread) / max(mass, ROUND)).clamp(max=1) * (at > 0)  # of nothing nothing is left
                p = p if self.softmax and rank + 1 < len(here) else now
            if left is not None and not chosen:
                left = left.index_fill(0, torch.tensor([x]), 0.0)
                left = left / left.sum() if float(left.sum()) > 0 else left
        return p, mass

    def _left(self, p: torch.Tensor, q: torch.Tensor) -> tuple[torch.Tensor, float]:
        """What a rejection leaves of p."""
        if self.config.verifier != "places":
            return excess(p, q)
        some, others = p.nonzero()[:, 0], q.nonzero()[:, 0]
        n = min(len(some), len(others))
        taken = torch.zeros_like(p).index_copy_(0, some[:n], q[others[:n]])
        return excess(p, taken)

    def _drawn(self, where: str, i: int, x: int, rank: int, logits, left, chosen: bool, u) -> None:
        """By its uniform from what the siblings before it left of q; or one of the likeliest."""
        if logits is None:
            return
        if chosen:
            order = logits.sort(descending=True).values
            place = rank if self.config.tree == "static" else self.config.breadth - 1
            behind, tie = float(order[min(place, len(order) - 1)] - logits[x]), self.numbers.draft_filters.tie
            self.ledger.holds("draft drawn", where, x, behind <= tie + ROUND, f"one of the {place + 1} likeliest")
        elif u is not None and left is not None:
            self.decisions._drawn("draft drawn", where, left, u[i], x, 1.0 / (1 + rank))

    def _verdict(self, case: Case, where: str, i: int, parent: int, p, q, blur, behind, mine) -> None:
        """By the trace's own numbers, to the last bit; and by the redone ones."""
        d, x, ledger = case.round.drafted[i], case.block[i], self.ledger
        silent = self.config.greedy or self.draws or d.verdict == "unexamined"
        self.decisions._told(where, d.u, silent, mine[i] if mine else None)
        ledger.same("joint", where, (d.joint, d.chance), (None, None))
        if d.verdict == "unexamined":
            return
        kept = d.verdict == "accepted"
        if self.config.greedy:
            own, redone = d.p == 1, (float(p[x]) == 1) == kept
        elif self.draws:
            depth = len([j for j in tree.path(case.round.drafted) if j < i])
            e = case.round.emitted[min(depth, len(case.out) - 1)]
            own, redone = e.token.id == x, e.u is None or drawn(p, e.u, e.token.id) <= self.numbers.part + ROUND
        elif d.u is None or d.p is None or d.q is None:
            own, redone = not kept, False
        else:
            theta = self.config.theta if self.config.verifier == "threshold" else 1.0
            own = d.u * (d.q * theta) < d.p
            over = d.u * theta * float(q[x]) - float(p[x])
            redone = (over < 0) == kept or abs(over) <= 2 * float(blur[x] + behind[x]) + ROUND
        ledger.holds("verdict", where, d.verdict, own == kept and redone, "by its own numbers, or redone, not so")

    def _last(self, case: Case, end: int, logits, left, mass: float, mine) -> None:
        """The token after the path, and what stands beside it."""
        r, drafted, ledger = case.round, case.round.drafted, self.ledger
        draws, greedy = self.draws, self.config.greedy
        parents = tree.parents(drafted)
        for i, (node, e) in enumerate(zip(tree.path(drafted), r.emitted, strict=False)):
            said = mine[parents[node] + 1] if mine and draws else None
            self.decisions._told(f"{case.where}, token {i + 1}", e.u, greedy or not draws, said)
        last = r.emitted[-1] if r.emitted else None
        if last is None or last.role == "accepted":
            return
        where = f"{case.where}, last token"
        self.decisions._told(where, last.u, greedy, (mine[end + 1] if draws else mine[-1]) if mine else None)
        p = self.numbers.filters.closest(logits, _of(last.position) if last.position else {})
        if last.role == "corrected" and not draws and not greedy:
            p = left
        if p is None:
            return
        if greedy:
            ledger.holds("last token", where, last.token.id, float(p[last.token.id]) == 1, f"the pick {int(p.argmax())}")
        else:
            self.decisions._drawn("last token", where, p, last.u, last.token.id, mass if last.role == "corrected" else 1.0)
        self.numbers._there(where, last.position, last.role == "bonus")
        if last.position:
            self.numbers._row("p", where, p, _of(last.position), self.numbers.filters)
            self.numbers._position(where, last.position, p, None)
        if r.residual is None:
            self.numbers._there(f"{where}, residual", None, last.role == "corrected" and not draws)
            return
        siblings.residual(self.numbers, where, r.residual, p, mass if not greedy else 1.0)


def _said(d: Drafted, key: str) -> dict[int, float]:
    """p or q as the trace has it at a token."""
    value = getattr(d, key)
    found = {d.token.id: value or 0.0}
    return found | {e.token.id: getattr(e, key) or 0.0 for e in d.position.entries} if d.position else found


def _of(position) -> dict[int, float]:
    return {e.token.id: e.p for e in position.entries}
