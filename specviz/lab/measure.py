"""One run of the engine in numbers; a drafter's run beside vanilla's, one right after the other; and what many of them say together.

runs = PairRunner(setups, prompt)           # setups: by the name of a drafter what it drafts for
pair = runs("small", DecodeConfig(K=4, seed=3))
pair.speedup
compare(target, drafters, ids, config, text)   # a row for each drafter: python -m specviz compare --prompt "Once upon a time"
spread([1.4, 1.6, 1.5])                     # Quantiles(median=1.5, low=1.4, high=1.6, first=1.45, third=1.55, runs=3)
"""

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import pi, sqrt
from random import Random
from statistics import mean, median, quantiles
from typing import Literal

from ..config import ConfigError, DecodeConfig
from ..engine import machine
from ..engine.decode import check_settings, decode
from ..engine.draft.base import Drafter
from ..engine.draft.choose import Setup
from ..engine.model import Model
from ..engine.text import Text
from ..request import never
from ..trace.disturbed import MAX_STALLED, MIN_ROUND_COST, MIN_SHARE, processor_share, stalled_share
from ..trace.events import Drafted
from ..trace.tree import depths, path_by_depth

WARM_UP_TOKENS = 12
Clock = Literal["wall", "processor"]


@dataclass(frozen=True, slots=True)
class Run:
    """Times in ms; counts and phases summed over the rounds. `betas`: Σ min(p, q) of each tested draft token, if observed. `wall`: the
    whole call, without recording graphs. `positions`: of each position in the block how often it was tested, and kept. `eager`: why it
    ran slower than the device allows (events.Finished). `processor_share`: the share of `decode` for which its thread had a processor, None
    where nobody says; `stalled`: the share lost in slow rounds (trace/disturbed.py). `lengths`: tokens drafted in each round, and `drafts`
    the ms that took; `depths`: how far they reach past the text, which is less in a tree; `one_pass`: a block is one step of the draft."""

    ids: tuple[int, ...]
    wall: float
    decode: float
    rounds: int
    drafted: int
    tested: int
    accepted: int
    forwards: int
    draft: float
    verify: float
    betas: tuple[float, ...]
    blocks: int  # rounds that drafted anything, and how many of them had their first draft token accepted
    first_accepted: int
    positions: tuple[tuple[int, int], ...] = ()
    eager: str = ""
    processor_share: float | None = None
    stalled: float = 0.0
    lengths: tuple[int, ...] = ()
    drafts: tuple[float, ...] = ()
    depths: tuple[int, ...] = ()
    one_pass: bool = False

    @property
    def tokens(self) -> int:
        return len(self.ids)

    @property
    def ms_a_token(self) -> float:
        """ms a token, decoding alone."""
        return self.decode / self.tokens


class RunStopped(Exception):
    """A run was to end before it was whole: nothing of it is measured."""


def measure(
    target: Model,
    drafter: Drafter | None,
    ids: list[int],
    config: DecodeConfig,
    text: Text,
    observe: bool = False,
    stop: Callable[[], bool] = never,
) -> Run:
    """Decode once. Alone on the machine, or the times say nothing. Raises RunStopped once `stop` says so, which is asked between rounds."""
    wall = 0.0
    with machine.no_garbage():
        events = []
        start = time.perf_counter()
        for event in decode(target, drafter if config.K else None, ids, config, text, observe=observe, stop=stop):
            wall += time.perf_counter() - start
            events.append(event)
            machine.TIMED_RUN.give_way()
            start = time.perf_counter()
    end, rounds = events[-1], events[1:-1]
    if end.reason == "cancelled":
        raise RunStopped
    return Run(
        ids=tuple(e.token.id for r in rounds for e in r.emitted),
        wall=1e3 * wall - end.capture_ms,
        decode=end.decode_ms,
        rounds=end.rounds,
        drafted=end.drafted,
        tested=end.tested,
        accepted=end.accepted,
        forwards=end.draft_forwards,
        draft=sum(r.times.draft for r in rounds),
        verify=sum(r.times.verify for r in rounds),
        betas=tuple(
            d.position.beta  # a sibling is tested against what is left of p
            for r in rounds
            for d in r.drafted
            if not d.rank and d.position is not None and d.position.beta is not None
        ),
        blocks=sum(bool(r.drafted) for r in rounds),
        first_accepted=sum(any(d.verdict == "accepted" for d in r.drafted) for r in rounds),
        positions=positions([r.drafted for r in rounds]),
        eager=end.eager,
        processor_share=processor_share([(end.decode_ms, end.processor_ms)]),
        stalled=stalled_share(rounds),
        lengths=tuple(len(r.drafted) for r in rounds),
        drafts=tuple(r.times.draft for r in rounds),
        depths=tuple(max(depths(r.drafted), default=0) for r in rounds),
        one_pass=drafter is not None and drafter.capabilities.one_pass,
    )


def tokens_a_round(runs: Sequence[Run]) -> float:
    """Over all rounds of all of them."""
    return sum(run.tokens for run in runs) / sum(run.rounds for run in runs)


def positions(blocks: list[tuple[Drafted, ...]]) -> tuple[tuple[int, int], ...]:
    """Of each position 1 … K how many blocks had a token there that was tested, and how many kept it."""
    blocks = [tuple(path_by_depth(block)) for block in blocks]
    longest = max(map(len, blocks), default=0)
    verdicts = [[block[i].verdict for block in blocks if len(block) > i] for i in range(longest)]
    return tuple((len(at) - at.count("unexamined"), at.count("accepted")) for at in verdicts)


@dataclass(frozen=True, slots=True)
class RunPair:
    """`vanilla` and `mine` wrote as many tokens, after the same prompt, by the same seed."""

    vanilla: Run
    mine: Run

    @property
    def clock(self) -> Clock | None:
        """By which its speedup is (`trusted_clock`)."""
        return trusted_clock((self,))

    @property
    def speedup(self) -> float:
        """By ms a token, decoding alone, of its clock."""
        return self.speedup_by(self.clock or "wall")

    def speedup_by(self, clock: Clock) -> float:
        ratio = self.vanilla.ms_a_token / self.mine.ms_a_token
        if clock == "processor" and self.vanilla.processor_share and self.mine.processor_share:
            ratio *= self.vanilla.processor_share / self.mine.processor_share
        return ratio

    @property
    def alpha(self) -> float | None:
        """The mean of Σ min(p, q) over the tested draft tokens; None where nothing was drafted."""
        return mean(self.mine.betas) if self.mine.betas else None

    @property
    def tokens_a_round(self) -> float:
        return self.mine.tokens / self.mine.rounds


def trusted_clock(pairs: Sequence[RunPair]) -> Clock | None:
    """By which clock these repeats are compared: the machine's, unless other programs had the machine (trace/disturbed.py); then the time
    for which the decoding thread had a processor; None where nobody knows that, or it gives more than rounds of so many tokens can."""
    if not disturbed(pairs):
        return "wall"
    known = all(run.processor_share for pair in pairs for run in (pair.vanilla, pair.mine))
    return "processor" if known and not _impossible(pairs, "processor") else None


def disturbed(pairs: Sequence[RunPair]) -> bool:
    """Whether the machine's clock is not to be trusted in these repeats (trace/disturbed.py): a lane was, by the median of its runs,
    kept from a processor or lost much of its time in slow rounds; or the speedup is more than a round of so many tokens can give."""
    for lane in [pair.vanilla for pair in pairs], [pair.mine for pair in pairs]:
        had = [run.processor_share for run in lane if run.processor_share is not None]
        if (had and median(had) < MIN_SHARE) or median(run.stalled for run in lane) > MAX_STALLED:
            return True
    return _impossible(pairs, "wall")


def _impossible(pairs: Sequence[RunPair], clock: Clock) -> bool:
    return median(pair.speedup_by(clock) for pair in pairs) * MIN_ROUND_COST > max(pair.tokens_a_round for pair in pairs)


MeasurePair = Callable[[str, DecodeConfig], RunPair]


class PairRunner:
    """Measures pairs after one prompt; a drafter's first run is warmed up first. `stop` is asked between rounds. Raises ConfigError for no
    drafter, and for a prompt that is empty or leaves no room; RunStopped for a pair that was to end."""

    def __init__(self, setups: Mapping[str, Setup], prompt: str, stop: Callable[[], bool] = never):
        if not setups:
            raise ConfigError("drafters", "none", "at least one")
        self.setups, self.warmed_up, self.stop = setups, set[str](), stop
        first = next(iter(setups.values()))
        self.ids = first.text.encode(prompt)
        self.room = first.target.context - len(self.ids)
        if not self.ids or self.room < 2:
            raise ConfigError("prompt", f"{len(self.ids)} tokens", f"1 to {first.target.context - 2} tokens")

    def check_tree(self, drafter: str, config: DecodeConfig) -> None:
        """Refuse a tree that `drafter` cannot draft, before anything runs. Raises ConfigError."""
        check_settings(self.setups[drafter].target, self.setups[drafter].drafter, config)

    def __call__(self, drafter: str, config: DecodeConfig) -> RunPair:
        config = replace(config, ignore_eos=True, stop=(), max_new_tokens=min(config.max_new_tokens, self.room))
        alone = replace(config, K=0)
        if drafter not in self.warmed_up:
            self.warmed_up.add(drafter)
            self._pair(drafter, *(replace(c, max_new_tokens=min(WARM_UP_TOKENS, self.room)) for c in (alone, config)))
        return self._pair(drafter, alone, config)

    def _pair(self, drafter: str, alone: DecodeConfig, config: DecodeConfig) -> RunPair:
        setup = self.setups[drafter]
        vanilla = measure(setup.target, None, self.ids, alone, setup.text, stop=self.stop)
        return RunPair(vanilla, measure(setup.target, setup.drafter, self.ids, config, setup.text, observe=True, stop=self.stop))


@contextmanager
def timing_alone() -> Iterator[None]:
    """Alone among timed runs, and Python looks for no garbage meanwhile, which would fall on whichever lane is running."""
    with machine.TIMED_RUN:
        gc.collect()
        with machine.no_garbage():
            yield


@dataclass(frozen=True, slots=True)
class DrafterRow:
    """A drafter's runs beside vanilla's. `speedup`: median over the repeats of vanilla ÷ it, each pair run one after the other.

    `accepted_of_tested` and `alpha` (the mean of Σ min(p, q)) are two of the three definitions of acceptance; None without
    drafts. `positions`: of each position in the block how often it was tested, and kept. `parts`: the first token, from 0, that
    differs from vanilla's; None if the texts are the same. `low`, `high`: of the speedups of all pairs; `clock`: by which they
    are, None where no time is to be trusted (measure.trusted_clock)."""

    name: str
    tokens_a_round: float
    accepted_of_tested: float | None
    alpha: float | None
    draft: float
    verify: float
    rest: float
    tokens_a_second: float
    speedup: float
    tokens: int
    parts: int | None
    low: float
    high: float
    clock: Clock | None
    positions: tuple[tuple[int, int], ...] = ()


def compare(
    target: Model, drafters: dict[str, Drafter], ids: list[int], config: DecodeConfig, text: Text, repeats: int = 3
) -> Iterator[DrafterRow]:
    """Yield a row for each drafter, as soon as it is measured; first a warm-up that nobody sees."""
    vanilla = replace(config, K=0)
    with machine.TIMED_RUN:
        for name, drafter in drafters.items():
            for warm in (replace(vanilla, max_new_tokens=8), replace(config, max_new_tokens=8)):
                measure(target, drafter, ids, warm, text)
            lanes = (None, vanilla), (drafter, config)
            pairs = [RunPair(*(measure(target, lane[0], ids, lane[1], text) for lane in lanes)) for _ in range(repeats)]
            yield drafter_row(name, pairs, measure(target, drafter, ids, config, text, observe=True))


def drafter_row(name: str, pairs: list[RunPair], observed: Run) -> DrafterRow:
    runs, clock = [pair.mine for pair in pairs], trusted_clock(pairs)
    speedups = [pair.speedup_by(clock or "wall") for pair in pairs]
    first, alone = runs[0], pairs[0].vanilla.ids
    whole = sum(r.decode for r in runs)
    draft, verify = (sum(getattr(r, part) for r in runs) / whole for part in ("draft", "verify"))
    common = next((i for i, (a, b) in enumerate(zip(alone, first.ids, strict=False)) if a != b), min(len(alone), len(first.ids)))
    return DrafterRow(
        name=name,
        tokens_a_round=pairs[0].tokens_a_round,
        accepted_of_tested=first.accepted / first.tested if first.tested else None,
        alpha=mean(observed.betas) if observed.betas else None,
        draft=draft,
        verify=verify,
        rest=1 - draft - verify,
        tokens_a_second=median(1e3 / r.ms_a_token for r in runs),
        speedup=median(speedups),
        tokens=first.tokens,
        parts=None if first.ids == alone else common,
        positions=first.positions,
        low=min(speedups),
        high=max(speedups),
        clock=clock,
    )


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
