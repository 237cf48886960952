"""What every rule has: a record of what it is, and one decision in two forms.

A rule is a frozen dataclass. Its fields are its own settings, by their names in config.py. Nothing here imports torch, so the page reads
names and sentences of rules without it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

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
    """What a rule is given of a drafted tree. Nodes are drafted tokens, numbered as they were drafted; −1 is the text. A node's children are
    alternatives for one position, in the order in which they are tested: their rank.

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
