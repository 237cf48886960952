"""What many runs of one thing say together: the middle one, how sure that is, and how far apart they lie. Standard library only.

spread([1.4, 1.6, 1.5])        # Spread(median=1.5, low=1.4, high=1.6, first=1.45, third=1.55, runs=3)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from random import Random
from statistics import mean, median, quantiles

DRAWS, LEVEL = 1000, 0.95


@dataclass(frozen=True, slots=True)
class Quantiles:
    """`low` to `high`: the interval of the median; `first` and `third`: the quartiles of the runs."""

    median: float
    low: float
    high: float
    first: float
    third: float
    runs: int


def spread(values: Sequence[float]) -> Quantiles | None:
    """Of at least one value; None of none."""
    if not values:
        return None
    first, third = quartiles(values)
    return Quantiles(median(values), *bootstrap([values], lambda sample: median(sample[0])), first, third, len(values))


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    first, _, third = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return first, third


def bootstrap(groups: Sequence[Sequence[float]], statistic: Callable[[list[list[float]]], float]) -> tuple[float, float]:
    """The middle LEVEL of what `statistic` says of the groups drawn again, each with replacement (Efron 1979); the same each time."""
    chance = Random(0)
    ordered = sorted(statistic([chance.choices(values, k=len(values)) for values in groups]) for _ in range(DRAWS))
    out = round(DRAWS * (1 - LEVEL) / 2)
    return ordered[out], ordered[-1 - out]


def deviation(values: Sequence[float]) -> float:
    """The standard deviation that a normal distribution with these quartiles has: one run that the machine held up does not decide it."""
    first, third = quartiles(values)
    return (third - first) / 1.349


def runs_to_separate(differences: Sequence[float]) -> float:
    """How many differences like these a 95 % interval of their mean needs to leave out 0 in four tries of five: ((1.96 + .84)·s/d)²,
    s their deviation and d their mean (a two-sided test at .05 with power .8). Infinite where the mean is 0."""
    middle = mean(differences)
    return max(2.0, (2.8 * deviation(differences) / middle) ** 2) if middle else float("inf")


def runs_to_estimate(values: Sequence[float], within: float) -> float:
    """How many values like these until the 95 % interval of their median is ± `within`: the error of a median is √(π/2)·s/√n."""
    return max(2.0, (1.96 * sqrt(pi / 2) * deviation(values) / within) ** 2)
