"""What an audit found: how often each thing was redone, how far it was off, what is wrong, and what could not be redone."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

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
        self.checked[what] += 1
        if stated != redone:
            self.wrong.append(Wrong(where, what, stated, redone))
        return stated == redone

    def near(self, what: str, where: str, stated: float, redone: float, within: float) -> bool:
        """Two numbers that different kernels may round differently."""
        self.checked[what] += 1
        error = abs(stated - redone)
        self.errors[what] = max(error, self.errors.get(what, 0.0))
        if not error <= within:  # NaN is wrong too
            self.wrong.append(Wrong(where, what, stated, redone))
        return error <= within

    def check(self, what: str, where: str, stated: object, true: bool, instead: str) -> bool:
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
