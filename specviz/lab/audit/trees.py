"""Rounds that drafted trees, worked out a second time: what each node was drawn from and tested by, the walk, the caches.

Which nodes a dynamic tree keeps is not redone: only that each is among the likeliest children of its parent.
"""

from dataclasses import replace

import torch

from ...config import DecodeConfig
from ...trace import tree
from ...trace.events import Cache, Drafted
from .cases import Case
from .decisions import Decisions
from .drafts import Draft
from .filters import ROUND, excess
from .ledger import Ledger
from .numbers import REST, Numbers

WITHOUT = "which nodes a dynamic tree keeps"


def asked(case: Case, config: DecodeConfig, limit: int | None, context: int | None) -> tuple[int, int] | None:
    """How deep the tree was to be, and its most nodes: as the length and the cache leave room for. None where that is not known."""
    if limit is None or context is None:
        return None
    depth = min(config.K, limit - len(case.text) - 1)
    places = min(limit + config.most, context) - len(case.text)
    depth = next((d for d in range(depth, 0, -1) if config.nodes_to(d) <= places), 0)
    return depth, config.nodes_to(depth)


def rounds(ledger: Ledger, some: list[Case], config: DecodeConfig, draft: Draft, limit: int | None, context: int | None) -> None:
    """Caches, passes, how much was drafted and why not more."""
    passes, held = 0, draft.prefill(len(some[0].text)) if some else None
    for case in some:
        r, n, k = case.round, len(case.text), len(case.block)
        ledger.rounds += 1
        ledger.same("target cache", case.where, r.target_cache, Cache(n - 1, n + k, n + len(case.out) - 1))
        want = asked(case, config, limit, context)
        depth = max(tree.depths(r.drafted), default=0)
        if config.tree == "dynamic" and want and k:  # all its levels were looked at, whatever stays of them
            depth = want[0]
        if held is None:
            ledger.same("draft cache", case.where, r.draft_cache, None)
        else:
            before, heads = held, draft.features
            base, m = n - 1 if heads else n, n + len(case.out) - 1
            peak = (base + (0 if draft.kind == "mtp" else _fed(case, config, depth))) if k else before
            least, most = (0, 0) if heads else _kept(case, config, depth)
            after = [min(base + kept, m) if k else min(before, n - 1 if heads else m) for kept in (least, most)]
            said = r.draft_cache.after if r.draft_cache else None
            held = said if said in after else after[0]
            ledger.same("draft cache", case.where, r.draft_cache, Cache(before, peak, held))
        passes += draft.passes(depth)
        ledger.same("passes", case.where, (r.target_forwards, r.draft_forwards), (r.index + 1, passes))
        if want is None:
            ledger.skip("how many tokens were asked for: the trace does not say")
            continue
        ledger.same("asked", case.where, r.asked, want[1])
        if k == want[1]:
            ledger.same("fewer", case.where, r.fewer, "length" if k < config.most else None)
        elif r.fewer not in ("lookup", "context", "start", "filter"):
            ledger.holds("fewer", case.where, r.fewer, False, f"a reason for {k} of {want[1]}")


def _fed(case: Case, config: DecodeConfig, depth: int) -> int:
    """Nodes that the drafter's cache took: those of all levels but the last."""
    if config.tree == "static":
        return sum((d.depth or 0) < depth for d in case.round.drafted)
    return config.breadth * max(0, depth - 1)


def _kept(case: Case, config: DecodeConfig, depth: int) -> tuple[int, int]:
    """How many nodes of the path were fed to the drafter: at least, and at most. Of a level of a dynamic tree only some were."""
    drafted = case.round.drafted
    path = [i for i in tree.path(drafted) if (drafted[i].depth or 0) < depth]
    if not path or config.tree == "static":
        return len(path), len(path)
    last = path[-1]
    level = sum(d.depth == drafted[last].depth for d in drafted)
    sure = level <= config.breadth or bool(tree.children(drafted)[last + 1])
    return len(path) - (not sure), len(path)


class Trees:
    """Of one lane: `numbers` and `decisions` as for chains."""

    def __init__(self, config: DecodeConfig, numbers: Numbers, decisions: Decisions, target, draft: Draft):
        self.config, self.numbers, self.decisions, self.target, self.draft = config, numbers, decisions, target, draft
        self.ledger = numbers.ledger
        self.draws, self.softmax = config.verifier == "match", config.verifier == "siblings"
        if config.tree == "dynamic":
            self.ledger.skip(WITHOUT)

    def round(self, case: Case, u: list[float] | None) -> None:
        drafted, k = case.round.drafted, len(case.block)
        parents, below = tree.parents(drafted), tree.children(drafted)
        p_after, q_after = self._rows(case, parents, below)
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

    def _rows(self, case: Case, parents: list[int], below: list[list[int]]):
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
            main, at = list[int](), -1
            while below[at + 1]:
                at = below[at + 1][0]
                main.append(at)
            [rows] = self.draft.logits([replace(case, block=[case.block[i] for i in main])])
            return p_after, {i: rows[len(path)] for i, path in paths.items() if len(path) < len(main)}
        for leaf, rows in zip(leaves, self.draft.logits(chains), strict=True):
            q_after |= dict(zip([-1, *paths[leaf][:-1]], rows, strict=True))
        return p_after, q_after

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
            self._numbers(where, d, x, at, q, off, behind)
            self._verdict(case, where, i, parent, at, q, off, behind, mine)
            if d.verdict == "rejected" and not config.greedy and not self.draws:
                now, mass = self._left(at, q)
                blur = ((off + behind + ROUND) / max(mass, ROUND) + now * float((off + behind).sum()) / max(mass, ROUND)).clamp(
                    max=1
                )
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

    def _numbers(self, where: str, d: Drafted, x: int, p, q, blur, behind) -> None:
        """p and q of a token, and its position."""
        ledger = self.ledger
        assert d.p is not None and d.q is not None
        ledger.near("p", where, d.p, float(p[x]), float(blur[x]) + ROUND)
        ledger.near("q", where, d.q, float(q[x]), float(behind[x]) + ROUND)
        ledger.holds("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
        self.numbers._there(f"{where}, position", d.position, d.verdict != "unexamined")
        if not d.position or d.position.beta is None or d.position.q_rest is None:
            return
        for e in d.position.entries:
            ledger.near("p", where, e.p, float(p[e.token.id]), float(blur[e.token.id]) + ROUND)
            ledger.near("q", where, e.q or 0.0, float(q[e.token.id]), float(behind[e.token.id]) + ROUND)
        shown, off = [e.token.id for e in d.position.entries], float(blur.sum() + behind.sum()) + REST
        ledger.near("rest", where, d.position.p_rest, max(0.0, 1.0 - float(p[shown].sum())), off)
        ledger.near("rest", where, d.position.q_rest, max(0.0, 1.0 - float(q[shown].sum())), off)
        ledger.near("β", where, d.position.beta, float(p.minimum(q).sum()), off)

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
            out = case.out[min(depth, len(case.out) - 1)]
            own, redone = out == x, True
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
            self.numbers._position(where, last.position, p, None)
        if r.residual is None:
            self.numbers._there(f"{where}, residual", None, last.role == "corrected" and not draws)
            return
        off = self.numbers.part * 4 / max(mass, ROUND) + REST
        for e in r.residual.entries:
            ledger.near("residual", where, e.probability, float(p[e.token.id]), off)
        ledger.near("residual", where, r.residual.mass, mass if not greedy else 1.0, off)


def _said(d: Drafted, key: str) -> dict[int, float]:
    """p or q as the trace has it at a token."""
    value = getattr(d, key)
    found = {d.token.id: value or 0.0}
    return found | {e.token.id: getattr(e, key) or 0.0 for e in d.position.entries} if d.position else found


def _of(position) -> dict[int, float]:
    return {e.token.id: e.p for e in position.entries}
