"""How sure a speedup is: an interval around it, from its repeats, or from the rounds of the one run there is.

    interval(trace, 1.79)       # Interval(low=1.63, high=1.88, runs=7)

Repeats are whole runs of both lanes with the same tokens: the interval is the lowest and the highest of all. Where there are fewer
than ENOUGH, rounds are drawn again (Efron 1979) in stretches of neighbours (Künsch 1989), since a machine that is slow now is slow
for a while, each in units of what a round of its size usually takes: so which tokens were accepted, the luck of the seed, moves
nothing. What slowed a whole lane is seen by repeats only. Standard library only.
"""

from itertools import accumulate
from math import isqrt
from random import Random
from typing import NamedTuple

from ..trace.disturbed import usually
from ..trace.events import Round, decoding
from ..trace.header import Lane, Trace

ENOUGH = 5  # of so many runs the middle one of all that could be lies between the lowest and the highest with chance 15/16
DRAWS, LEVEL = 1000, 0.95


class Interval(NamedTuple):
    """`runs`: how often each lane was timed."""

    low: float
    high: float
    runs: int


def interval(trace: Trace, speedup: float) -> Interval:
    """Around `speedup`, which is that of the events of `trace`, and holding it."""
    times = [(repeat.vanilla.decode_ms, repeat.speculative.decode_ms) for repeat in trace.header.repeats]
    repeats = [vanilla / speculative for vanilla, speculative in times if vanilla > 0 and speculative > 0]
    found = [speedup, *_scaled(repeats, trace, speedup)]
    if len(repeats) < ENOUGH:
        found += _drawn(trace, speedup)
    return Interval(min(found), max(found), max(1, len(times)))


def pace(trace: Trace, lane: Lane) -> Interval:
    """Around 1: in units of the tokens a second of the events of `trace`, what the lane's runs or rounds say that these may be."""
    rounds = decoding(getattr(trace, lane))
    ms = [getattr(repeat, lane).decode_ms for repeat in trace.header.repeats]
    shown = sum(r.times.timed for r in rounds)
    found = [1.0, *(shown / each for each in ms if each > 0 and shown)]
    if len(ms) < ENOUGH:
        found += _ends([1 / slow for slow in _slowness(rounds, Random(0)) if slow])
    return Interval(min(found), max(found), max(1, len(ms)))


def _scaled(ratios: list[float], trace: Trace, speedup: float) -> list[float]:
    """Ratios of times as speedups: lanes that were sampled may differ in length."""
    ms = [sum(r.times.timed for r in decoding(lane)) for lane in (trace.vanilla, trace.speculative)]
    return [ratio * speedup * ms[1] / ms[0] for ratio in ratios] if all(ms) else []


def _drawn(trace: Trace, speedup: float) -> list[float]:
    """The ends of the middle LEVEL of speedups whose lanes' times were drawn again."""
    chance = Random(0)  # the same trace, the same interval
    vanilla, speculative = (_slowness(decoding(lane), chance) for lane in (trace.vanilla, trace.speculative))
    return _ends([speedup * a / b for a, b in zip(vanilla, speculative, strict=True)])


def _ends(drawn: list[float]) -> list[float]:
    drawn, out = sorted(drawn), round(len(drawn) * (1 - LEVEL) / 2)
    return [drawn[out], drawn[-1 - out]]


def _slowness(rounds: list[Round], chance: Random) -> list[float]:
    """DRAWS times: what a lane drawn again in stretches takes, in units of what this one took."""
    taken, usual = [r.times.timed for r in rounds], usually(rounds)
    long = max(1, isqrt(len(rounds)))
    stretches = list(zip(_stretches(taken, long), _stretches(usual, long), strict=True))
    if not sum(usual) or not sum(taken):
        return [1.0] * DRAWS
    whole, each = sum(taken) / sum(usual), -(-len(rounds) // long)
    drawn = zip(*chance.choices(stretches, k=each * DRAWS), strict=True)  # all at once: a run waits for it
    ms, as_usual = ([sum(column[i : i + each]) for i in range(0, each * DRAWS, each)] for column in drawn)
    return [a / max(1e-9, b) / whole for a, b in zip(ms, as_usual, strict=True)]


def _stretches(ms: list[float], long: int) -> list[float]:
    """The sums of all runs of `long` neighbours; the last has the first as its neighbour."""
    sums = [0.0, *accumulate(ms + ms[:long])]
    return [sums[i + long] - sums[i] for i in range(len(ms))]
