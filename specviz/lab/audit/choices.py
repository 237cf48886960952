"""Adaptive K a second time: what each round chose, from the verdicts and times of the rounds before it (docs/trace.md, Choice)."""

from statistics import median

from ...trace.events import Choice
from .cases import Case
from .ledger import Ledger

RECENT, PRIOR, PROBE = 32, 3.0, 8
CLOSE = 1e-9  # of two promises either may count as the larger; and how far a number may part, since sums have an order


def choices(ledger: Ledger, some: list[Case], most: int, at_once: bool) -> None:
    idle = 0
    for n, case in enumerate(some):
        said, where, before = case.round.choice, case.where, [each.round for each in some[:n]]
        if said is None:
            ledger.holds("choice", where, said, False, "a choice: K is adaptive")
            return
        drafted = [r for r in before if r.drafted]
        if n < 3 or not drafted:
            ledger.same("choice", where, said, Choice(1 if n == 1 else most, "trial"))
            continue
        alpha, c, slope, unit = _estimates(before, drafted, at_once)

        def speedup(K: int) -> float:
            return sum(alpha**i for i in range(K + 1)) / ((min(K, 1) if at_once else K) * c + 1 + slope * K / unit)  # noqa: B023  # asked in this turn only

        best = max(speedup(K) for K in range(most + 1))
        pays = [K for K in range(most + 1) if speedup(K) >= best * (1 - CLOSE)]
        if 0 not in pays or (said.why == "most" and said.K):
            idle, right = 0, said.why == "most" and said.K in pays
        else:
            idle = (idle + 1) % (PROBE + 1)
            right = (said.why, said.K) == (("none", 0) if idle else ("probe", 1))
        ledger.holds("choice", where, (said.K, said.why), right, f"K of {pays}")
        numbers = {"alpha": alpha, "c": c, "v": 1 + slope * said.K / unit, "speedup": speedup(said.K)}
        for name, found in numbers.items():
            told = getattr(said, name)
            if told is None:
                ledger.holds("choice", where, told, False, f"{name} = {found:.6g}")
            else:
                ledger.near("choice", where, told, found, CLOSE * max(1.0, abs(found)))


def _estimates(before, drafted, at_once) -> tuple[float, float, float, float]:
    """α, c, and in ms what one more token adds to a pass, and a pass over one token."""
    recent = drafted[-RECENT:]
    verdicts = [d.verdict for r in recent for d in r.drafted if d.verdict != "unexamined"]
    alpha = (verdicts.count("accepted") + PRIOR / 2) / (len(verdicts) + PRIOR)
    low, high = (pick(len(r.drafted) for r in before) for pick in (min, max))
    one = min(r.times.verify or 0.0 for r in before)
    more = min(r.times.verify or 0.0 for r in before if len(r.drafted) == high)
    slope = max(0.0, more - one) / max(1, high - low)
    unit = max(one - slope * low, 1e-6)
    return alpha, median((r.times.draft or 0.0) / (1 if at_once else len(r.drafted)) for r in recent) / unit, slope, unit
