"""What is redone, a round with the text that it continued; and what an audit found: how often each thing was redone, how far it was off,
what is wrong, and what could not be redone.

A chain is a tree in which each token has one child, so one way of counting holds for both (docs/trace.md, A block).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil, prod, sqrt

from ...config import DecodeConfig
from ...trace import tree
from ...trace.events import Event, Prefill, Round

DECISIONS = ("draft drawn", "verdict", "last token")
DETAILS_LIMIT = 20  # wrong things that are told one by one


@dataclass(frozen=True, slots=True)
class Wrong:
    """`where` is a place in the trace, `stated` what stands there, `redone` what comes out when it is redone."""

    where: str
    what: str
    stated: object
    redone: object

    def __str__(self) -> str:
        stated, redone = (f"{x:.6g}" if isinstance(x, float) else str(x) for x in (self.stated, self.redone))
        return f"{self.where}: {self.what} is {stated}, but redone it is {redone}"


@dataclass(slots=True)
class Ledger:
    rounds: int = 0
    checked: Counter = field(default_factory=Counter)
    errors: dict[str, float] = field(default_factory=dict)
    wrong: list[Wrong] = field(default_factory=list)
    skipped: Counter = field(default_factory=Counter)  # in the order found
    totals: Counter = field(default_factory=Counter)  # of what was skipped in part: how many there are, redone or not
    progress: Callable[[str], object] = lambda where: None  # is told what is redone next

    def equal(self, what: str, where: str, stated: object, redone: object) -> bool:
        """Two values that leave no room for rounding."""
        return self.check(what, where, stated, stated == redone, redone)

    def near(self, what: str, where: str, stated: float, redone: float, within: float) -> bool:
        """Two numbers that different kernels may round differently."""
        error = abs(stated - redone)
        self.errors[what] = max(error, self.errors.get(what, 0.0))
        return self.check(what, where, stated, error <= within, redone)  # NaN is wrong too

    def check(self, what: str, where: str, stated: object, true: bool, instead: object) -> bool:
        """A claim of the trace, `stated`, that is true or not."""
        self.checked[what] += 1
        if not true:
            self.wrong.append(Wrong(where, what, stated, instead))
        return true

    def skip(self, what: str) -> None:
        """Something that a trace says, or should say, was not redone. Times are none of it: nothing gives them a second time."""
        self.skipped[what] += 1

    def not_redone(self) -> list[str]:
        """What was skipped, a line for each, with how often, and of how many where that is counted."""
        return [
            f"{what} ({n:,} of {self.totals[what]:,})" if self.totals[what] else what + (f" ({n} times)" if n > 1 else "")
            for what, n in self.skipped.items()
        ]

    def rows(self) -> list[tuple[str, int, int, float | None]]:
        """What was redone, how often, how many of it are wrong, and the largest error where it is a number."""
        bad = Counter(w.what for w in self.wrong)
        return [(what, n, bad[what], self.errors.get(what)) for what, n in self.checked.items()]

    def details(self) -> list[str]:
        """What is wrong, one by one, as far as anybody reads."""
        more = len(self.wrong) - DETAILS_LIMIT
        return [*map(str, self.wrong[:DETAILS_LIMIT]), *([f"and {more} more"] if more > 0 else [])]

    def summary(self) -> dict:
        """For machines, in one line."""
        return {
            "rounds": self.rounds,
            "decisions": sum(self.checked[what] for what in DECISIONS),
            "wrong": len(self.wrong),
            "max_p_error": self.errors.get("p", 0.0),
            "max_q_error": self.errors.get("q", 0.0),
            "not_redone": dict(self.skipped),
            "not_redone_of": {what: self.totals[what] for what in self.skipped if self.totals[what]},
        }


Ids = tuple[int, ...]  # the ids from the text to a drafted token


@dataclass(frozen=True, slots=True)
class Case:
    """`text`: all ids before the round; `block`: the ids drafted in it; `out`: those that it emitted."""

    where: str
    round: Round
    text: list[int]
    block: list[int]
    out: list[int]

    def token(self, i: int) -> str:
        """Where drafted token i stands."""
        return f"{self.where}, draft token {i + 1}"

    def paths(self) -> list[Ids]:
        paths: list[Ids] = []
        for id, parent in zip(self.block, tree.parents(self.round.drafted), strict=True):
            paths.append((*(paths[parent] if parent >= 0 else ()), id))
        return paths


def cases(lane: str, events: Sequence[Event]) -> Iterator[Case]:
    text = [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]
    for r in events:
        if isinstance(r, Round):
            out = [e.token.id for e in r.emitted]
            yield Case(f"{lane}, round {r.index + 1}", r, text, [d.token.id for d in r.drafted], out)
            text = [*text, *out]


def breadth(config: DecodeConfig) -> int:
    """Of a dynamic tree: tokens of a level that are fed, and children of each."""
    return ceil(sqrt(config.nodes))


def widths(config: DecodeConfig) -> list[int]:
    """Of a static tree: children of each token, by depth."""
    widths = [int(n) for n in config.children.split("-")]
    return [widths[min(depth, len(widths) - 1)] for depth in range(config.K)]


def max_nodes(config: DecodeConfig, depth: int) -> int:
    """Tokens of a block at most, `depth` of which follow each other."""
    if not config.branches:
        return depth
    if config.tree == "static":
        return sum(prod(widths(config)[: d + 1]) for d in range(depth))
    b = breadth(config)
    return min(config.nodes, b + b * b * (depth - 1)) if depth else 0


def max_fed_nodes(config: DecodeConfig, depth: int) -> int:
    """Tokens of it that a drafter is fed at most: all levels but the last."""
    return breadth(config) * (depth - 1) if config.tree == "dynamic" and config.K else max_nodes(config, depth - 1)
