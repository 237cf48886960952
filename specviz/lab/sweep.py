"""Drafters × K on one prompt and machine: what was measured, and what the formula says of the same runs.

    for sweep in sweep(runs, ("small", "lookup"), (1, 2, 4), DecodeConfig(max_new_tokens=48)): ...    # each with one run more
    sweep.cells

The order makes Stop useful: each drafter at the least K, then each at the K that this predicts to be its best, then the rest, the most
promising first; then all of them again under the next seed, so that a slow minute meets every cell.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from statistics import mean

from ..acceptance import draft_steps, expected_speedup, expected_tokens
from ..config import DecodeConfig
from ..drafters import DRAFTERS as ALL_DRAFTERS
from ..request import never
from .measure import MeasurePair, Quantiles, RunPair, RunStopped, spread, timing_alone, tokens_a_round

KS, LENGTH, TURNS = (1, 2, 3, 5, 8), 48, 3
DRAFTERS = tuple(key for key, one in ALL_DRAFTERS.items() if not one.limit)


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """A cell's place."""

    drafter: str
    K: int
    temperature: float


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured at a place: `speedup` of its runs, each beside its own vanilla run; means of all else. c and v from these runs:
    a step of the draft (a token, a level of a tree, or a whole block at once), and a check of a block, in target passes over one token.
    `predicted`: the tokens that blocks of these lengths give if each token is kept with chance α by itself, ÷ what such a round costs by c
    and v (Leviathan et al. 2022, §3.3). None where nothing was drafted, and of trees. Of `disturbed` runs only what was counted is used:
    where all of `runs` are, no time is known. `by_processor`: runs whose speedup is by processor time, which gives no c and no v."""

    where: SweepPoint
    runs: int
    speedup: Quantiles | None
    tokens_a_round: float
    drafted_a_round: float
    alpha: float | None
    c: float | None
    v: float | None
    predicted: float | None
    disturbed: int
    by_processor: int = 0


@dataclass(frozen=True, slots=True)
class DrafterSummary:
    """A drafter, over all K. `best`: no other drafter is both cheaper and accepted more often; `K`, `speedup`: of
    its fastest cell, None where no cell has undisturbed times."""

    drafter: str
    alpha: float
    c: float
    best: bool
    K: int | None
    speedup: float | None


@dataclass(frozen=True, slots=True)
class Sweep:
    """What was run so far: `done` runs of `of`."""

    done: int
    of: int
    cells: tuple[Cell, ...]
    ways: tuple[DrafterSummary, ...]

    def as_json(self) -> dict:
        return asdict(self)


def sweep(
    run_pair: MeasurePair,
    drafters: Iterable[str],
    ks: Iterable[int] = KS,
    config: DecodeConfig = DecodeConfig(max_new_tokens=LENGTH),  # noqa: B008, frozen
    turns: int = TURNS,
    stop: Callable[[], bool] = never,
) -> Iterator[Sweep]:
    """One `Sweep` after each run; none after `stop`, which is asked in between."""
    sizes = tuple(sorted(set(ks)))
    each = {SweepPoint(d, k, config.temperature): replace(config, K=k) for d in drafters for k in sizes}
    return _runs(run_pair, each, sizes, turns, stop)


def _runs(
    run_pair: MeasurePair,
    configs: Mapping[SweepPoint, DecodeConfig],
    sizes: tuple[int, ...],
    turns: int,
    stop: Callable[[], bool],
) -> Iterator[Sweep]:
    pairs_of: dict[SweepPoint, list[RunPair]] = defaultdict(list)
    order: list[SweepPoint] = []
    with timing_alone():
        for turn in range(turns):
            for place in _first_turn(configs, sizes, pairs_of) if turn == 0 else order:
                if stop():
                    return
                config = configs[place]
                try:
                    pair = run_pair(place.drafter, replace(config, seed=(config.seed + turn) % 2**32))
                except RunStopped:
                    return
                pairs_of[place].append(pair)
                order += [place] * (turn == 0)
                cells = tuple(summarise_cell(place, pairs) for place, pairs in pairs_of.items())
                yield Sweep(sum(map(len, pairs_of.values())), turns * len(configs), cells, fastest_cells(pairs_of, cells))


def _first_turn(
    configs: Mapping[SweepPoint, DecodeConfig], sizes: tuple[int, ...], pairs: Mapping[SweepPoint, list[RunPair]]
) -> Iterator[SweepPoint]:
    """The order of the first turn, worked out as it goes."""
    least = [place for place in configs if sizes[0] == place.K]
    yield from least
    predicted = {place: _predicted_speedup(pairs[replace(place, K=sizes[0])][0], place.K) for place in configs}
    rest = sorted((place for place in configs if sizes[0] != place.K), key=predicted.__getitem__, reverse=True)
    firsts = {place.drafter: place for place in reversed(rest)}  # of each the most promising
    best = [place for place in rest if place in firsts.values()]
    yield from [*best, *(place for place in rest if place not in best)]


def _predicted_speedup(pair: RunPair, K: int) -> float:
    """What one run at another K promises for this K: v by a line through what was measured. Of a tree the formula promises nothing."""
    (c, v), alpha, drafted = pass_costs([pair]), pair.alpha, max(1, max(pair.mine.lengths, default=1))
    if c is None or alpha is None or pair.mine.depths != pair.mine.lengths:
        return 0.0
    return expected_speedup(expected_tokens(alpha, K), draft_steps(K, pair.mine.one_pass), c, 1 + max(0.0, v - 1) * K / drafted)


def summarise_cell(place: SweepPoint, pairs: list[RunPair]) -> Cell:
    quiet = [pair for pair in pairs if pair.clock == "wall"]
    (c, v), mine = pass_costs(quiet) if quiet else (None, None), [pair.mine for pair in pairs]
    lengths = [n for run in mine for n in run.lengths]
    alpha, drafted = _alpha_of(pairs), mean(lengths)
    predicted = None
    if c is not None and v is not None and alpha is not None and all(run.depths == run.lengths for run in mine):
        steps = mean(draft_steps(n, run.one_pass) for run in mine for n in run.depths)
        predicted = mean(expected_tokens(alpha, n) for n in lengths) / (steps * c + v)
    return Cell(
        where=place,
        runs=len(pairs),
        speedup=spread([pair.speedup for pair in pairs if pair.clock]),
        tokens_a_round=tokens_a_round(mine),
        drafted_a_round=drafted,
        alpha=alpha,
        c=c,
        v=v,
        predicted=predicted,
        disturbed=sum(pair.clock is None for pair in pairs),
        by_processor=sum(pair.clock == "processor" for pair in pairs),
    )


def pass_costs(pairs: list[RunPair]) -> tuple[float | None, float]:
    """c and v of these runs; c is None where nothing was drafted."""
    target_ms = sum(pair.vanilla.verify for pair in pairs) / sum(pair.vanilla.rounds for pair in pairs)
    steps = sum(draft_steps(n, pair.mine.one_pass) for pair in pairs for n in pair.mine.depths)
    v = sum(pair.mine.verify for pair in pairs) / sum(pair.mine.rounds for pair in pairs) / target_ms
    return (sum(pair.mine.draft for pair in pairs) / steps / target_ms if steps else None), v


def _alpha_of(pairs: list[RunPair]) -> float | None:
    betas = [beta for pair in pairs for beta in pair.mine.betas]
    return mean(betas) if betas else None


def fastest_cells(pairs_of: Mapping[SweepPoint, list[RunPair]], cells: tuple[Cell, ...]) -> tuple[DrafterSummary, ...]:
    """α against c by drafter, over all K; which of them no other one beats in both."""
    by_drafter: dict[str, list[RunPair]] = defaultdict(list)
    for place, pairs in pairs_of.items():
        by_drafter[place.drafter] += pairs
    points = {}
    for drafter, pairs in by_drafter.items():
        quiet, alpha = [pair for pair in pairs if pair.clock == "wall"], _alpha_of(pairs)
        c = pass_costs(quiet)[0] if quiet else None
        if alpha is not None and c is not None:
            points[drafter] = c, alpha
    ways = []
    for drafter, (c, alpha) in points.items():
        others = [other for name, other in points.items() if name != drafter]
        beaten = any(its_c <= c and its_alpha >= alpha and (its_c, its_alpha) != (c, alpha) for its_c, its_alpha in others)
        own = {each.where.K: each.speedup.median for each in cells if each.where.drafter == drafter and each.speedup}
        K = max(own, key=own.__getitem__, default=None)
        ways.append(DrafterSummary(drafter, alpha, c, not beaten, K, None if K is None else own[K]))
    return tuple(ways)
