"""The rounds of a lane, a second time: p and q of each test, the walk, each draw, and what stands beside it (docs/trace.md).

A chain is a tree in which each token has one child, so there is one way for both. A verdict is asked twice: of the trace's own numbers,
where it must follow to the last bit, and of the redone ones, where it may differ only if u is as close to the border as two passes are
to each other.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch

from ...config import DecodeConfig
from ...trace import tree
from ...trace.events import SOFTMAX_TOP, TOP, Drafted, Position, Residual
from .checkpoint import Checkpoint
from .drafts import BLOCK_ENDS, UNKNOWN_NODES, Draft, DynamicTree, Lengths, dynamic_tree, tree_mismatch
from .facts import Masks, check_masks, mask_logits
from .filters import (
    ROUND,
    TIE,
    Distribution,
    Filters,
    RejectionRest,
    Uniforms,
    distance_to_draw,
    entropy,
    one_hot,
    rejection_rest,
)
from .ledger import Case, Ledger, breadth

BATCH_ROUNDS = 16  # rounds whose passes are batched
REST_ERROR = 2e-5  # of what is left of 1: a sum in float32 drops small terms, 7e-6 of it at most was seen
WITHOUT_Q = ("match", "typical")  # rules that test by p alone, and draw what replaces a token from it
REDONE = ("rejection", "threshold", "block", *WITHOUT_Q)  # rules whose verdicts are checked
Test = tuple[Distribution | None, Distribution | None]  # p and q of a drafted token
TIED_BORDER = "distributions in which equal tokens lie on both sides of a filter's border"


@dataclass
class Rounds:
    """Of one lane. `slacks`: how many times as far the target's and the draft's logits may be off, for passes in half
    precision; `draw`: gives the next uniforms, None when greedy; `observed`: distributions were recorded; `newest_format`: so was
    what older traces lack; `masks`: of a run with a grammar."""

    ledger: Ledger
    config: DecodeConfig
    target: Checkpoint
    draft: Draft | None
    slacks: tuple[float, float]
    draw: Uniforms | None
    observed: bool
    newest_format: bool
    masks: Masks | None

    def __post_init__(self):
        self.rule, self.greedy = self.config.verifier, self.config.greedy
        # whether positions say the entropy of the logits, and their softmax, once one was met
        self.has_entropy: bool | None = None
        self.has_softmax: bool | None = None
        self.filters = Filters(self.config, self.slacks[0])
        self.draft_filters = Filters(self.config, self.slacks[1], bool(self.draft and self.draft.kind in ("bigram", "random")))
        self.rel_error = max(self.filters.rel_error, self.draft_filters.rel_error)
        self.own = self.config.drafting == "argmax" and not self.greedy  # the draft's softmax stands beside q
        self.drafts_largest = self.greedy or self.config.drafting == "argmax"  # its largest are drafted

    def redo(self, cases: list[Case], lengths: Lengths) -> None:
        for at in range(0, len(cases), BATCH_ROUNDS):
            batch = cases[at : at + BATCH_ROUNDS]
            sizes = [lengths.requested_sizes(case) for case in batch]
            trees = [self._expected(case, size, lengths) for case, size in zip(batch, sizes, strict=True)]
            for case, size, expected, rows in zip(batch, sizes, trees, self._rows(batch, trees), strict=True):
                if self.draft:
                    self.ledger.progress(case.where)
                lengths.check_round(case, size, expected)
                p_after, q_after = rows
                if self.masks:
                    masks = self.masks.by_node(case)
                    check_masks(self.ledger, case, masks)
                    p_after = mask_logits(p_after, masks)
                self._check_round(case, self._uniforms(size and size[1]), p_after, q_after)

    def _expected(self, case: Case, size: tuple[int, int] | None, lengths: Lengths) -> DynamicTree | None:
        """Whether these are the nodes of a dynamic tree, which is drafted without chance."""
        if not (
            self.draft and self.draft.logits and self.config.branches and self.config.tree == "dynamic" and case.block and size
        ):
            return None
        expected = dynamic_tree(case, self.config, self.draft, self.draft_filters, lengths.draftable_depth(case, size[0]))
        if expected is None:
            self.ledger.skip(UNKNOWN_NODES)
        else:
            wrong = tree_mismatch(case, expected, self.config)
            self.ledger.check("draft drawn", f"{case.where}, tree", f"{len(case.block)} nodes", not wrong, wrong)
        return expected

    def _rows(self, cases: list[Case], trees: list[DynamicTree | None]) -> Iterable[tuple[dict, dict]]:
        """Of each case two by node, −1 for the text: the target's logits after it, and those that its children were drafted by."""
        chains = [(i, chain) for i, case in enumerate(cases) for chain in _chains(case)]
        blocks = [(cases[i].text, [cases[i].block[node] for node in chain]) for i, chain in chains]
        rows_of: list[tuple[dict, dict]] = [({}, {}) for _ in cases]
        after = self.target.logits_after([[*text, *block] for text, block in blocks], [len(block) + 1 for _, block in blocks])
        for (i, chain), rows in zip(chains, after, strict=True):
            rows_of[i][0].update(zip([-1, *chain], rows, strict=True))
        if self.draft is None or self.draft.logits is None:
            return rows_of
        if self.draft.kind == "mtp" and self.config.branches:
            # all nodes of a level have the logits of its head, which read the first node of each level before
            for case, expected, (_, q_after) in zip(cases, trees, rows_of, strict=True):
                main = expected.main if expected else [case.block[i] for i in _first_by_level(case)]
                [rows] = self.draft.logits([(case.text, [*main, 0])]) if case.block else [[]]
                depths = enumerate([0, *tree.depths(case.round.drafted)], -1)
                q_after |= {i: rows[depth] for i, depth in depths if depth < len(rows)}
            return rows_of
        drafted = [at for at, (_, chain) in enumerate(chains) if chain]
        for at, rows in zip(drafted, self.draft.logits([blocks[at] for at in drafted]), strict=True):
            i, chain = chains[at]
            rows_of[i][1].update(zip([-1, *chain[:-1]], rows, strict=True))
        return rows_of

    def _uniforms(self, n: int | None) -> list[float] | None:
        """Of a round: 2·asked + 1 at once. The first `n` draw the block, the last len(drafted) + 1 decide it and draw what
        follows; those between belong to drafts that were not made. None when greedy, or where they cannot be had again."""
        if self.draw is None:
            return None
        if n is None:
            self.draw = None  # one round that is not known makes all after it unknown
            self.ledger.skip("uniforms from the seed: the trace does not say how many were drawn in a round")
            return None
        return self.draw(2 * n + 1)

    def _check_round(self, case: Case, u: list[float] | None, p_after: dict, q_after: dict) -> None:
        drafted, k = case.round.drafted, len(case.block)
        u = u if u and len(u) > k else None  # where more was drafted than could be asked for, which is wrong already
        deciding = u[-k - 1 :] if u else None
        path, below = tree.path(drafted), tree.children(drafted)
        end, block = path[-1] if path else -1, self.rule == "block" and not self.greedy and k > 0
        tests, left = list[Test](), None
        for parent in range(-1, k):
            if here := below[parent + 1]:
                tests_here, rest = self._check_siblings(case, here, p_after[parent], q_after.get(parent), u, deciding)
                tests += tests_here
                left = rest if parent == end and all(drafted[i].verdict == "rejected" for i in here) else left
        if self.config.ends_early and q_after:
            self._check_confidence(case, [q_after[i] for i in range(-1, k - 1)])
        if block:
            scale = self._check_block(case, tests, p_after[k - 1])
            at = len(path)
            if at < k and drafted[at].verdict == "rejected":
                p, q = tests[at]
                left = rejection_rest(Distribution(p.p * scale, p.error * scale), q) if p and q else None
        self._check_emitted(case, end, p_after[end], left, deciding)

    # ------------------------------------------------------------ tests

    def _check_siblings(
        self, case: Case, here: list[int], p_logits, q_logits, u: list[float] | None, deciding: list[float] | None
    ) -> tuple[list[Test], RejectionRest | None]:
        """The children of one node. Returns p and q of each test, and what the last rejection left of p."""
        drafted, config, ledger = case.round.drafted, self.config, self.ledger
        first = drafted[here[0]]
        certain = q_logits is None or self.drafts_largest or config.tree == "dynamic"
        p = raw = self.filters.closest_distribution(p_logits, _stated_probabilities(first, "p"))
        s = None
        if q_logits is not None and not self.greedy:
            at, own = first.position, first.position.own if first.position and self.own else None
            stated = dict(zip((e.token.id for e in at.entries), own.entries, strict=False)) if at and own else {}
            stated = stated or ({} if certain else _stated_probabilities(first, "q"))
            s = self.draft_filters.closest_distribution(q_logits, stated, _overlap_distance(own or at, raw))
        ledger.totals[TIED_BORDER] += 1
        if p is None or (s is None and q_logits is not None and not self.greedy):
            ledger.skip(TIED_BORDER)
        tests, left, rest = list[Test](), s, None
        for rank, i in enumerate(here):
            d, x, where = drafted[i], case.block[i], case.token(i)
            q = Distribution.of(one_hot(p_logits, x), 0.0)
            if not certain:
                q = Distribution(left.p, left.error * (1 + rank)) if left else None
            at_test = p if d.verdict != "unexamined" else raw
            self._check_child_draw(where, i, x, rank, q_logits, left, u)
            self._check_distributions(where, d, at_test, q, q if q_logits is None or self.greedy else s, rank)
            self._check_logits_entropy(where, d.position, p_logits)
            self._check_softmax(where, d.position, p_logits, q_logits)
            self._check_verdict(case, d, i, at_test, q, deciding)
            tests.append((at_test, q))
            if d.verdict == "rejected" and not self.greedy and self.rule not in WITHOUT_Q:
                rest = rejection_rest(at_test, q) if at_test and q else None
                p = rest.distribution if rest else None
            if left is not None and not certain:
                less = left.p.index_fill(0, torch.tensor([x]), 0.0)
                less = less / less.sum() if float(less.sum()) > 0 else less
                left = Distribution.of(less, self.draft_filters.rel_error)
        return tests, rest

    def _check_child_draw(
        self, where: str, i: int, x: int, rank: int, logits, left: Distribution | None, u: list[float] | None
    ) -> None:
        """By its uniform from what the siblings before it left of q; or one of the likeliest."""
        if logits is None:
            return
        if self.drafts_largest or self.config.tree == "dynamic":
            order = logits.sort(descending=True).values
            place = rank if self.config.tree != "dynamic" else breadth(self.config) - 1
            behind, tie = float(order[min(place, len(order) - 1)] - logits[x]), self.draft_filters.tie
            self.ledger.check("draft drawn", where, x, behind <= tie, f"one of the {place + 1} likeliest")
        elif u is not None and left is not None:
            self._check_draw("draft drawn", where, left.p, u[i], x, 1.0 / (1 + rank))

    def _check_verdict(
        self, case: Case, d: Drafted, i: int, p: Distribution | None, q: Distribution | None, deciding: list[float] | None
    ) -> None:
        """Its u, joint and chance are there where its rule asks for them, and what they decide."""
        where, block, unexamined = case.token(i), self.rule == "block" and not self.greedy, d.verdict == "unexamined"
        absent = self.greedy or self.rule in WITHOUT_Q or (unexamined and not block)
        self._check_uniform(where, d.u, absent, deciding and deciding[i])
        if block:
            return
        self.ledger.equal("joint", where, (d.joint, d.chance), (None, None))
        if not unexamined:
            own, redone = self._redo_verdict(case, d, i, p, q)
            right = own == (d.verdict == "accepted") and redone
            self.ledger.check("verdict", where, d.verdict, right, "by its own numbers, or redone, not so")

    def _redo_verdict(self, case: Case, d: Drafted, i: int, p: Distribution | None, q: Distribution | None) -> tuple[bool, bool]:
        """Whether it is kept by the trace's numbers, and whether the redone ones say the same or too little to tell."""
        x, stated, config = d.token.id, d.verdict == "accepted", self.config
        assert d.p is not None and d.q is not None  # ours tells both (trace/grammar.py)
        if self.greedy:
            return d.p == 1, p is None or (float(p.p[x]) == 1) == stated
        if self.rule == "match":
            depth = sum(j < i for j in tree.path(case.round.drafted))
            e = case.round.emitted[min(depth, len(case.out) - 1)]
            return e.token.id == x, e.u is None or p is None or distance_to_draw(p.p, e.u, e.token.id) <= self.rel_error + ROUND
        if self.rule == "typical":  # kept if p > min(ε, δ·e^−H): the trace gives H, where it was observed, to some digits
            if p is None:
                return stated, True
            bound = min(config.epsilon, config.delta * math.exp(-entropy(p.p)))
            near = self.rel_error * bound * (2 + entropy(p.p)) + ROUND
            own = d.p > bound if abs(d.p - bound) > near else stated
            return own, (float(p.p[x]) > bound) == stated or abs(float(p.p[x]) - bound) <= near
        if d.u is None:
            return not stated, False
        theta = config.theta if self.rule == "threshold" else 1.0
        own = d.u * (d.q * theta) < d.p
        if p is None or q is None:
            return own, True
        over = d.u * theta * float(q.p[x]) - float(p.p[x])
        return own, (over < 0) == stated or abs(over) <= 2 * float(p.error[x] + d.u * theta * q.error[x]) + ROUND

    def _check_block(self, case: Case, tests: list[Test], after: torch.Tensor) -> float:
        """The longest beginning that its u allows: Sun et al. 2024 (arXiv 2403.10444), algorithm 2. Returns the joint ratio of what
        was kept."""
        r, ratio, kept_ratio = case.round, 1.0, 1.0
        last = r.emitted[-1].position if r.emitted and r.emitted[-1].role == "bonus" else None
        ps = [p for p, _ in tests] + [self.filters.closest_distribution(after, _entry_probabilities(last))]
        kept = (i for i, d in enumerate(r.drafted, 1) if d.u is not None and d.chance is not None and d.u < d.chance)
        longest = max(kept, default=0)
        accepted = sum(d.verdict == "accepted" for d in r.drafted)
        cut = len(case.out) == accepted  # the run ended on an accepted token
        true = accepted <= longest if cut else accepted == longest
        self.ledger.check("verdict", case.where, f"{accepted} kept", true, f"{longest} by its own numbers")
        for i, (d, (p, q)) in enumerate(zip(r.drafted, tests, strict=True)):
            where, next_q = case.token(i), tests[i + 1][1] if i + 1 < len(tests) else None
            if p is None or q is None or d.joint is None or d.chance is None:
                self.ledger.check("joint", where, (d.joint, d.chance), d.joint is not None, "a number")
                ratio = kept_ratio = d.joint or 0.0
                continue
            assert d.p is not None and d.q  # which were redone
            ratio = min(1.0, ratio * d.p / d.q)
            self.ledger.near("joint", where, d.joint, ratio, ROUND)
            chance, steepness, next_p = ratio, 0.0, ps[i + 1]
            if next_p is not None and next_q is not None:
                left = float((ratio * next_p.p - next_q.p).clamp(min=0).sum())
                whole = left + 1 - ratio
                chance = left / whole if whole > 0 else 1.0
                steepness = (1 - ratio) / max(whole, ROUND) ** 2  # near 0/0 a last bit of p or q changes it a lot
            self.ledger.near("chance", where, d.chance, chance, min(1.0, (self.rel_error + ROUND) * steepness + ROUND))
            ratio = d.joint
            kept_ratio = ratio if i < accepted else kept_ratio
        return kept_ratio

    def _check_confidence(self, case: Case, rows: list[torch.Tensor]) -> None:
        """A block goes on while the draft, before filters, gave its tokens `confidence` or more each and `survival` or more together."""
        config, end, together = self.config, len(case.block) - 1, 1.0
        for i, (x, row) in enumerate(zip(case.block, rows, strict=True)):
            chance = float(row.softmax(-1)[x])
            together *= chance
            why = case.round.fewer if i == end and case.round.fewer in BLOCK_ENDS else "went on"
            redone = "confidence" if chance < config.confidence else "survival" if together < config.survival else "went on"
            off = min(abs(chance - config.confidence), abs(together - config.survival))
            close = off < self.draft_filters.tie * chance + ROUND
            if i < end or why != "went on":
                numbers = f"{redone}: {chance:.4g}, {together:.4g} together"
                self.ledger.check("confidence", case.token(i), why, why == redone or close, numbers)

    # ------------------------------------------------------------ what follows

    def _check_emitted(self, case: Case, end: int, logits, left: RejectionRest | None, deciding: list[float] | None) -> None:
        """Whose u each emitted token has, the last of them, and what stands beside it."""
        r, match, ledger = case.round, self.rule == "match", self.ledger
        parents, path = tree.parents(r.drafted), tree.path(r.drafted)
        last = r.emitted[-1] if r.emitted else None
        for i, e in enumerate(r.emitted):
            replaces_draft = e.role != "accepted"
            absent = self.greedy or (not replaces_draft and (not match or r.asked is None))  # an older trace did not tell it
            node = end if replaces_draft or i >= len(path) else parents[path[i]]
            self._check_uniform(f"{case.where}, token {i + 1}", e.u, absent, deciding and deciding[node + 1 if match else -1])
        where, corrected = f"{case.where}, last token", last is not None and last.role == "corrected"
        at = last.position if last else None
        self._check_presence(f"{where}, position", at, last is not None and last.role in ("bonus", "plain"))
        if last is None or last.role == "accepted":
            self._check_presence(f"{case.where}, residual", r.residual, False)
            return
        ledger.totals[TIED_BORDER] += 1
        p = self.filters.closest_distribution(logits, {last.token.id: 1.0} if self.greedy else _entry_probabilities(at))
        if corrected and not self.greedy and self.rule not in WITHOUT_Q:
            p = left.distribution if left else None
        elif corrected and p is not None:
            left = rejection_rest(p, Distribution.of(torch.zeros_like(p.p), 0.0))
        if p is None:
            ledger.skip(TIED_BORDER)
            return
        if self.greedy:
            right = float(p.p[last.token.id]) == 1
            ledger.check("last token", where, last.token.id, right, f"the pick {int(p.p.argmax())}")
        else:
            self._check_draw("last token", where, p.p, last.u, last.token.id, left.mass if corrected and left else 1.0)
        if at:
            self._check_position(where, at, p, None)
            self._check_logits_entropy(where, at, logits)
            self._check_softmax(where, at, logits, None)
        where, has_residual = f"{case.where}, residual", corrected and self.rule not in WITHOUT_Q
        if r.residual is None or not has_residual:
            self._check_presence(where, r.residual, has_residual)
        elif left:
            self._check_residual(where, r.residual, left)

    def _check_residual(self, where: str, stated: Residual, left: RejectionRest) -> None:
        for e in stated.entries:
            self._check_probability("residual", where, e.probability, left.distribution, e.token.id)
        self.ledger.near("residual", where, stated.rest, max(0.0, 1.0 - sum(e.probability for e in stated.entries)), ROUND)
        self.ledger.near("residual", where, stated.mass, left.mass, left.error)
        self._check_largest(where, [e.token.id for e in stated.entries], left.distribution)

    def _check_draw(self, what: str, where: str, p: torch.Tensor, u: float | None, id: int, mass: float) -> None:
        """By inverse transform. `mass`: what p was scaled up from, and its rounding with it."""
        if u is None:
            self.ledger.check(what, where, id, False, "drawn by no uniform")
            return
        self.ledger.near(what, where, distance_to_draw(p, u, id), 0.0, min(0.5, (self.rel_error + ROUND) / max(mass, ROUND)))

    def _check_uniform(self, where: str, stated: float | None, absent: bool, redone: float | None) -> None:
        """A uniform of the trace is that of the seed, and null where none was asked."""
        if absent or redone is not None:
            self.ledger.equal("u", where, stated, None if absent else redone)
        else:
            self.ledger.check("u", where, stated, stated is not None and 0 <= stated < 1, "a number from 0 to 1")

    # ------------------------------------------------------------ what stands beside

    def _check_probability(self, what: str, where: str, stated: float, redone: Distribution, id: int) -> None:
        self.ledger.near(what, where, stated, float(redone.p[id]), float(redone.error[id]) + ROUND)

    def _check_presence(self, where: str, stated: object, expected: bool) -> None:
        """Distributions are there for every position that was examined, or were recorded nowhere."""
        if not self.observed and expected:
            self.ledger.skip("distributions of a position: none was recorded")
        else:
            right = (stated is not None) == expected
            self.ledger.check("position", where, stated and "there", right, "there" if expected else "null")

    def _check_distributions(
        self, where: str, d: Drafted, p: Distribution | None, q: Distribution | None, s: Distribution | None, rank: int
    ) -> None:
        """p, q and p/q of a drafted token, and its position. `s`: the draft's own softmax."""
        ledger, at, x = self.ledger, d.position, d.token.id
        assert d.p is not None and d.q is not None  # ours tells both (trace/grammar.py)
        ledger.check("ratio", where, d.ratio, d.q > 0 and d.ratio == d.p / d.q, f"p/q = {d.p}/{d.q}")
        self._check_presence(f"{where}, position", at, d.verdict != "unexamined")
        for name, stated, redone in (("p", d.p, p), ("q", d.q, q)):
            if redone:
                self._check_probability(name, where, stated, redone, x)
        if not at:
            return
        ledger.equal("entry", where, {e.token.id: (e.p, e.q) for e in at.entries}.get(x), (d.p, d.q))
        if p is None or q is None or s is None:
            return
        self._check_position(where, at, p, q)
        entry_ids = [e.token.id for e in at.entries]
        self._check_largest(where, entry_ids, s if self.own else q)
        ledger.equal("s", where, at.own is not None, self.own)
        if at.own and self.own:
            for id, value in zip(entry_ids, at.own.entries, strict=True):
                self._check_probability("s", where, value, s, id)
            self._check_rest(where, at.own.rest, at.own.entropy, s, entry_ids)
            self._check_overlap(where, at.own.beta, p, s)
        if rank:  # what is left of p after a sibling says nothing of other rules
            ledger.equal("Σ p·s", where, (at.product, at.best), (None, None))
            return
        if self.newest_format and None in (at.product, at.best):
            ledger.check("Σ p·s", where, (at.product, at.best), False, "numbers")
        if at.product is not None:
            product = float((p.p * s.p).sum())
            ledger.near("Σ p·s", where, at.product, product, 2 * self.rel_error * product + ROUND)
        if at.best is not None:  # of equals any
            equals = p.p[s.p >= float(s.p.max()) * (1 - self.rel_error) - ROUND].tolist()
            nearest_best = min(equals, key=lambda each: abs(each - (at.best or 0.0)))
            ledger.near("p(argmax s)", where, at.best, nearest_best, self.rel_error * nearest_best + ROUND)

    def _check_position(self, where: str, stated: Position, p: Distribution, q: Distribution | None) -> None:
        entry_ids = [e.token.id for e in stated.entries]
        for e in stated.entries:
            self._check_probability("p", where, e.p, p, e.token.id)
        self._check_rest(where, stated.p_rest, stated.p_entropy, p, entry_ids)
        self._check_largest(where, entry_ids, p)
        values = stated.q_rest, stated.beta, stated.q_entropy, *(e.q for e in stated.entries)
        if q is None or stated.q_rest is None or stated.beta is None or stated.q_entropy is None or None in values:
            nothing = {*values, stated.product, stated.best, stated.own} == {None}
            self.ledger.check("β", where, values, q is None and nothing, "null, all or none of it")
            return
        for e in stated.entries:
            self._check_probability("q", where, e.q or 0.0, q, e.token.id)
        self._check_rest(where, stated.q_rest, stated.q_entropy, q, entry_ids)
        self._check_overlap(where, stated.beta, p, q)

    def _check_logits_entropy(self, where: str, stated: Position | None, logits: torch.Tensor) -> None:
        """The entropy before temperature, beside all positions of a lane or none. A logit that is off by a tie moves a probability by twice
        that share of itself."""
        if stated is None:
            return
        value, there = stated.logits_entropy, stated.logits_entropy is not None
        self.has_entropy = there if self.has_entropy is None else self.has_entropy
        wanted = "there, as beside the others" if self.has_entropy else "null"
        self.ledger.check("entropy", where, value, there == self.has_entropy, wanted)
        if value is not None:
            redone = entropy(logits.double().softmax(-1))
            self.ledger.near("entropy", where, value, redone, (2 * self.filters.tie + ROUND) * (1 + redone))

    def _check_softmax(self, where: str, stated: Position | None, p_logits: torch.Tensor, q_logits: torch.Tensor | None) -> None:
        """p and q before temperature 0, beside all positions of a lane or none; of a position all of q or none."""
        if stated is None:
            return
        softmax, there = stated.softmax, stated.softmax is not None
        self.has_softmax = there if self.has_softmax is None else self.has_softmax
        expected = self.has_softmax and self.greedy
        if there != expected:
            self.ledger.check("softmax", where, softmax and "there", False, "there" if expected else "null")
        if softmax is None:
            return
        ids, q = [e.token.id for e in softmax.entries], [softmax.q_rest, *(e.q for e in softmax.entries)]
        sides = [(p_logits, self.filters.tie, [softmax.p_rest, *(e.p for e in softmax.entries)])]
        if None in q or q_logits is None:
            self.ledger.check("softmax", where, q, {*q} == {None}, "null, all of q or none")
        else:
            sides.append((q_logits, max(TIE, self.draft_filters.tie), q))  # of a table sums are rounded alone
        for logits, tie, (rest, *values) in sides:
            redone = Distribution.of(logits.double().softmax(-1), 2 * tie)
            for id, value in zip(ids, values, strict=True):
                self._check_probability("softmax", where, value, redone, id)
            self.ledger.near("softmax", where, rest, max(0.0, 1.0 - sum(values)), ROUND)
            self._check_largest(where, ids, redone, SOFTMAX_TOP)

    def _check_overlap(self, where: str, stated: float, p: Distribution, q: Distribution) -> None:
        """Σ min(p, q)."""
        off = float(torch.where(p.p < q.p, p.error, q.error).sum())
        self.ledger.near("β", where, stated, float(p.p.minimum(q.p).sum()), off + ROUND)

    def _check_rest(self, where: str, rest: float, stated: float, p: Distribution, entry_ids: list[int]) -> None:
        """The mass of all others is known to what these are. A probability that is off by δ moves the entropy by δ·(1 + |ln p|) at most, ln
        of δ where that is larger."""
        others = torch.ones_like(p.p).index_fill_(0, torch.tensor(entry_ids, dtype=torch.long), 0.0)
        self.ledger.near("rest", where, rest, float((p.p * others).sum()), float((p.error * others).sum()) + REST_ERROR)
        redone, least = entropy(p.p), p.p.maximum(p.error).clamp(min=ROUND)
        self.ledger.near("entropy", where, stated, redone, float((p.error * (1 - least.log())).sum()) + ROUND * (1 + redone))

    def _check_largest(self, where: str, entry_ids: list[int], p: Distribution, top: int = TOP) -> None:
        """The `top` largest are there but for those that the next is as good as, and nothing stands there twice."""
        after = float((p.p + p.error / 2).topk(top + 1).values[-1]) if len(p.p) > top else 0.0
        large = set(torch.nonzero(p.p - p.error / 2 > after + ROUND)[:, 0].tolist())
        least = min(top, int((p.p - p.error / 2 > ROUND).sum()))
        whole = large <= set(entry_ids) and least <= len(entry_ids) == len(set(entry_ids))
        omitted = f"{sorted(large - set(entry_ids))} left out, {least} at least"
        self.ledger.check("largest", where, f"{len(entry_ids)} entries", whole, omitted)


def _chains(case: Case) -> list[list[int]]:
    """From the text to each leaf of what was drafted; of no draft one that is empty."""
    below, parents = tree.children(case.round.drafted), tree.parents(case.round.drafted)
    chains = []
    for node in range(len(parents)) if parents else [-1]:
        if not below[node + 1]:
            chain = list[int]()
            while node >= 0:
                chain, node = [node, *chain], parents[node]
            chains.append(chain)
    return chains


def _first_by_level(case: Case) -> list[int]:
    """The first node of each level, each the first child of the one before."""
    below, nodes = tree.children(case.round.drafted), list[int]()
    while here := below[nodes[-1] + 1 if nodes else 0]:
        nodes.append(here[0])
    return nodes


def _stated_probabilities(d: Drafted, key: str) -> dict[int, float]:
    chances = {e.token.id: getattr(e, key) or 0.0 for e in d.position.entries} if d.position else {}
    return chances | {d.token.id: getattr(d, key) or 0.0}


def _entry_probabilities(position: Position | None) -> dict[int, float]:
    return {e.token.id: e.p for e in position.entries} if position else {}


def _overlap_distance(stated, p: Distribution | None):
    """What settles which of two q is meant: the overlap with p that the trace has."""
    beta = stated.beta if stated else None
    return lambda q: 0.0 if beta is None or p is None else abs(float(p.p.minimum(q).sum()) - beta)
