"""What every rule has, a record of what it is and one decision in two forms; and the rule of the papers: keep x with chance
min(1, p/q), else replace it from the residual. Beside it what differs from it by a number or in a saved run: a threshold below 1,
which servers offer to keep more tokens, and rules that no run is decided by any more.

A rule is a frozen dataclass. Its fields are its own settings, by their names in config.py. Nothing here imports torch, so the page reads
names and sentences of rules without it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, ClassVar, NamedTuple

from ..acceptance import accepts, overlap, residual

SLACK = 1e-6  # rounding of probabilities that were summed in single precision


class BlockInputs(NamedTuple):
    """What one pass of the target gives a rule to decide: K drafted tokens, a vocabulary of V.

    `x` [K]: the drafted ids. `p_x`, `q_x` [K]: p and q of them. `p` [K + 1, V]: the target's distribution after the text and after each
    drafted token. `q` [K, V]: what each was drawn from; None with nothing drafted. `u` [K]: a uniform for each; for a rule that
    `draws_each`, [K + 1] ids that were drawn from p. Lists of numbers (x, p_x, q_x, u) for `verify`, tensors for `decide`."""

    x: Any
    p_x: Any
    q_x: Any
    p: Any
    q: Any
    u: Any


class Decision(NamedTuple):
    """A decision. `accepted`: how many drafted tokens stay, 0 to K. `next_distribution` [V]: the distribution of the token after them;
    None where that was drawn already (`Rule.draws_each`).

    Of block verification only: `joint` [K], the ratios p_1 … p_K; `chance` [K], h_1 … h_K; `mass`: that of the residual before it is
    normalised, None if there is none. Of `decide` all are tensors: [1], [1, V], [K], [K], [1]."""

    accepted: Any
    next_distribution: Any
    joint: Any = None
    chance: Any = None
    mass: Any = None


class TreeInputs(NamedTuple):
    """What a rule is given of a drafted tree. Nodes are drafted tokens, numbered as they were drafted; −1 is the text. A node's
    children are alternatives for one position, in the order in which they are tested: their rank.

    `x` [n]: the drafted ids. `children` [n + 1]: of the text, then of each node, the nodes that follow it. `p` [n + 1, V]: the
    target's distribution after the text and after each node. `q(i)` [V]: what node i was drawn from, which is without the siblings before
    it. `u` [n]: a uniform for each. `y(i)`: the id that the target draws after node i."""

    x: list[int]
    children: list[list[int]]
    p: Any
    q: Callable[[int], Any]
    u: list[float]
    y: Callable[[int], int]


class TreeDecision(NamedTuple):
    """`path`: the nodes that stay, each a child of the one before. `tested`: those that were asked, in that order, by `p` and `q` [V]
    each. `next_distribution` [V]: the distribution of the token after the path, or None where that is the drawn `last`."""

    path: list[int]
    tested: list[int]
    p: list
    q: list
    next_distribution: Any = None
    last: int | None = None


@dataclass(frozen=True)
class Rule:
    """A way to decide a drafted block."""

    name: ClassVar[str]
    exact: ClassVar[bool]  # the text is distributed as the target alone writes it
    title: ClassVar[str]  # its name on a picture of a run
    label: ClassVar[str]  # in a list to choose from: when a token stays
    sentence: ClassVar[str]
    condition: ClassVar[str]  # when a drafted token x is accepted, as a trace is redone
    source: ClassVar[str]
    inexact: ClassVar[str] = ""  # of one that is not exact: where, if not everywhere
    # what the inspector says of a token that it decided (`kept`, `rejected` …), and the line under a run (`set`); `{name}` is filled in
    words: ClassVar[Mapping[str, str]]
    # the glossary's entries for it and for its settings: a name, a sentence, and how it stands in sentences where that is not its name
    terms: ClassVar[tuple[tuple[str, ...], ...]] = ()
    settings: ClassVar[tuple[str, ...]] = ()  # the fields of `DecodeConfig` that only this rule reads; they are its own fields
    draws_each: ClassVar[bool] = False  # p draws a token at every position; these draws decide
    tests_u: ClassVar[bool] = True  # a uniform decides each drafted token
    from_residual: ClassVar[bool] = True  # what replaces a rejected token is drawn from a residual; else from p
    whole_block: ClassVar[bool] = False  # the block is tested as one, so every token has a joint ratio and a chance
    on_trees: ClassVar[str] = ""  # what it does with the children of a token; nothing where it decides chains alone
    tests_softmax: ClassVar[bool] = False  # of saved runs: q is the draft's own softmax, also where its largest were drafted

    @property
    def exact_as_set(self) -> bool:
        """Whether it is exact with its settings as they are."""
        return self.exact

    def verify(self, block: BlockInputs) -> Decision:
        """The readable form, for numbers on the host. It follows `source`."""
        raise NotImplementedError

    def decide(self, block: BlockInputs) -> Decision:
        """The form in one piece, for a device: no value is looked at on the way, so nothing waits for a transfer."""
        raise NotImplementedError

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        """Of a block that branches: which path stays."""
        raise NotImplementedError

    def chance(self, p, q):
        """The chance to keep one token that is drawn from q; None where one position alone does not decide it. Shape: leading."""
        return None

    def contradictions(self, round) -> Iterator[tuple[str, str]]:
        """Where a `trace.events.Round` contradicts this rule: a field and what must hold there."""
        return iter(())


def count_leading(accepted):
    """[K] booleans → how many are true before the first that is not, [1]."""
    return accepted.long().cumprod(0).sum(0, keepdim=True)


@dataclass(frozen=True)
class Rejection(Rule):
    """Accept, reject, resample. `theta`: u is compared with p/q/θ; 1 is this rule, Threshold has less."""

    name = "rejection"
    exact = True
    title = "sampled, rejection"
    label = "rejection: accept x if u < p(x) / q(x)"
    sentence = "Draw u from 0 to 1 and accept x if u < p(x)/q(x). The chance is Σ min(p, q)."
    condition = "u·q(x) < p(x)"
    source = "Leviathan et al. 2022 (arXiv 2211.17192), algorithm 1; Chen et al. 2023 (arXiv 2302.01318), algorithm 2"
    terms = (
        (
            "rejection rule",
            "Accept x if u < p(x)/q(x). Else draw from the residual. It is exact.",
            "rejection rule",
            "rejection sampling",
        ),
    )
    words: ClassVar = {"limit_is": "p/q"}
    on_trees = (
        "Test the first child by u < p/q. After a rejection p becomes norm(max(p − q, 0)), "
        "and q loses the child. Then test the next."
    )
    theta: ClassVar[float] = 1.0

    def verify(self, block: BlockInputs) -> Decision:
        for i, (u_i, p_i, q_i) in enumerate(zip(block.u, block.p_x, block.q_x, strict=True)):
            # case 1, u < p/q: accepted
            if not accepts(
                u_i, p_i, self.theta * q_i
            ):  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
                return Decision(i, residual(block.p[i], block.q[i]))
        # case 3, all accepted → p at position K + 1 gives a bonus; with nothing drafted it is vanilla decoding
        return Decision(len(block.x), block.p[len(block.x)])

    def decide(self, block: BlockInputs) -> Decision:
        accepted = count_leading(accepts(block.u, block.p_x, self.theta * block.q_x))
        return Decision(accepted, distribution_after(block, accepted))

    def verify_tree(self, tree: TreeInputs) -> TreeDecision:
        return recursive_rejection(tree, self.theta)

    def chance(self, p, q):
        """β = Σ min(p, q); of an inexact θ Σ min(p/θ, q)."""
        return overlap(p / self.theta, q)

    def contradictions(self, round) -> Iterator[tuple[str, str]]:
        """The verdict of u and p/q; where they are closer than single precision tells apart, either is right."""
        for i, d in enumerate(round.drafted):
            known = d.u is not None and d.p is not None and d.q is not None and d.verdict != "unexamined"
            if not known or isclose(self.theta * d.u * d.q, d.p, rel_tol=1e-4, abs_tol=SLACK):
                continue
            right = "accepted" if accepts(d.u, d.p, self.theta * d.q) else "rejected"
            if d.verdict != right:
                yield f"drafted[{i}].verdict", f"must be {right}: u is {d.u:.6f} and p/q {d.p:.6f}/{d.q:.6f}"


def recursive_rejection(tree: TreeInputs, theta: float = 1.0) -> TreeDecision:
    """Siblings that were sampled without replacement are tested one after the other, each against what is left of p. A child x is kept with
    chance min(1, p(x)/q(x)). If it is rejected, p becomes the residual norm(max(p − q, 0)), and q, from which the next sibling
    was drawn, is q without x, normalised. So each sibling is a round of rejection whose target is the residual of the round
    before, and by the theorem (acceptance.py) the outcome of the last one is distributed as p. Children that were chosen without
    chance have one-hot q's: then x is kept with chance p(x), and else p loses x and is normalised.

    SpecInfer's multi-step sampling (Miao et al. 2023, arXiv 2305.09781, algorithm 2), with siblings without replacement as in recursive
    rejection sampling (Jeon et al. 2024, arXiv 2402.14160). `theta` below 1 keeps more."""
    decision = TreeDecision([], [], [], [])
    at, p = -1, tree.p[0]
    while here := tree.children[at + 1]:
        for node in here:
            q, x = tree.q(node), tree.x[node]
            decision.tested.append(node), decision.p.append(p), decision.q.append(q)
            if accepts(tree.u[node], float(p[x]), theta * float(q[x])):
                decision.path.append(node)
                at, p = node, tree.p[node + 1]
                break
            p = residual(p, q)
        else:  # all children were rejected: what is left of p gives the token in their place
            return decision._replace(next_distribution=p)
    return decision._replace(next_distribution=p)  # after a leaf p itself gives a bonus token


def distribution_after(block: BlockInputs, accepted, scale=None):
    """What the token after `accepted` [1] is drawn from, [1, V]: the residual norm(max(scale·p − q, 0)) there, or p after a whole block."""
    p = block.p.index_select(0, accepted)
    if block.q is None:
        return p
    k = len(block.q)
    rest = residual(p if scale is None else scale.to(p.dtype) * p, block.q.index_select(0, accepted.clamp(max=k - 1)))
    return rest.where(accepted[:, None] < k, p)


@dataclass(frozen=True)
class Threshold(Rejection):
    name = "threshold"
    exact = False
    title = "accept threshold"
    label = "threshold, not exact: accept x if u < p(x) / q(x) / θ"
    sentence = "Accept x if u < p(x)/q(x)/θ. The chance is Σ min(p/θ, q). At θ = 1 this is rejection."
    condition = "u·θ·q(x) < p(x)"
    source = "SGLang, speculative_accept_threshold_acc"
    inexact = "for θ < 1"
    terms = (
        (
            "accept threshold",
            "Accept x if u < p(x)/q(x)/θ. For θ below 1 it is not exact.",
            "accept threshold",
            "accept thresholds",
        ),
        ("θ", "The accept threshold. A smaller θ accepts more tokens and is further from the target."),
    )
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q ÷ θ = {limit}: p/q is {ratio}, θ is {theta}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q ÷ θ = {limit}: p/q is {ratio}, θ is {theta}.",
        "limit_is": "p/q ÷ θ",
        "set": "accept threshold θ {theta} (not exact)",
    }
    on_trees = "As `rejection`, with u < p/q/θ."
    settings = ("theta",)
    theta: float = 0.5  # type: ignore[misc]  # its own setting here

    @property
    def exact_as_set(self) -> bool:
        return self.theta == 1


@dataclass(frozen=True)
class Siblings(Rejection):
    """Each child of a token was tested with the same p and the draft's whole softmax."""

    name = "siblings"
    exact = False
    title = "siblings by one softmax"
    words: ClassVar = {
        "kept": "{x} is accepted. u = {u} is below p/q = {limit}.",
        "rejected": "{x} is rejected. u = {u} is not below p/q = {limit}.",
        "next_sibling": "The next token at this place is tested against the same p.",
        "limit_is": "p/q",
        "set": "siblings by one softmax (not exact)",
    }
    tests_softmax = True


@dataclass(frozen=True)
class Places(Rejection):
    """The residual was taken by place in the two lists of possible tokens."""

    name = "places"
    exact = False
    title = "residual by place"
    words: ClassVar = {
        "kept": Siblings.words["kept"],
        "rejected": Siblings.words["rejected"],
        "limit_is": "p/q",
        "set": "residual by place (not exact)",
    }
