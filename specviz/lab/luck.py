"""How much of a speedup is luck: one prompt and one setting under many seeds, the first seed as often again, and two settings seed by seed.

    for luck in luck(runs, (Setting("small", DecodeConfig(K=4)),), seeds=30): ...     # each with one run more
    luck.summary()

Another seed draws other tokens, and the clock is another too; the same seed again draws the same tokens, so there only the clock
differs. The variance of the second in units of the first is the clock's share.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from math import ceil, isinf, log

from ..config import ASSETS, ConfigError, DecodeConfig
from ..request import never
from .measure import (
    Clock,
    MeasurePair,
    Quantiles,
    RunStopped,
    bootstrap,
    deviation,
    runs_to_estimate,
    runs_to_separate,
    spread,
    timing_alone,
)

SEEDS = 30
LENGTH = 64
PRECISION = 0.05  # how well one wants to know a speedup
MIN_SEEDS = 4  # with fewer seeds there is nothing to say about their spread
MAX_NEEDED = 10_000
WIDE_INTERVAL = 0.8  # an interval of a share that is wider says next to nothing
MEASURES = ("alpha", "tokens_a_round", "speedup")
SENTENCES = json.loads((ASSETS / "lab" / "luck" / "sentences.json").read_text("utf-8"))  # a page without a server says the same


@dataclass(frozen=True, slots=True)
class Setting:
    """Who drafts, and how. The seed of `config` is the first of the seeds."""

    drafter: str
    config: DecodeConfig


@dataclass(frozen=True, slots=True)
class LuckRun:
    """A run beside vanilla's. `setting`: 0 or 1; `again`: of the first seed, not the first time. `alpha`: the mean of Σ min(p, q).
    `clock`: by which its speedup is; None: it is not to be trusted (measure.trusted_clock)."""

    setting: int
    seed: int
    again: bool
    alpha: float | None
    tokens_a_round: float
    speedup: float
    clock: Clock | None


@dataclass(frozen=True, slots=True)
class LuckSummary:
    """What the dots say. Of disturbed runs only what was counted is used: their speedups are in no number here.
    `by_processor`: runs compared by processor time. `spreads`: by setting, of its seeds; `same`: of the speedup of the first
    seed, again and again; `clock`: its share of the variance of the speedup, with an interval; `ratio`: the first setting's
    speedup ÷ the second's, paired by seed; `needed`: seeds until that tells them apart, or with one setting until its median is
    known to ± WITHIN; None: more than MAX_NEEDED."""

    spreads: tuple[dict[str, Quantiles | None], ...]
    same: Quantiles | None
    clock: tuple[float, float, float] | None
    ratio: Quantiles | None
    needed: int | None
    disturbed: int
    by_processor: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Luck:
    """What was run so far, of `of` in all."""

    settings: tuple[Setting, ...]
    of: int
    dots: tuple[LuckRun, ...] = field(default=())

    @property
    def done(self) -> int:
        return len(self.dots)

    def as_json(self) -> dict:
        names = ("K", "temperature", "verifier", "drafting", "tree", "children", "nodes")
        settings = [{"drafter": s.drafter, **{name: getattr(s.config, name) for name in names}} for s in self.settings]
        dots = [asdict(dot) for dot in self.dots]
        for dot in dots:
            clock = dot.pop("clock")
            dot |= {"speedup": clock and dot["speedup"], "disturbed": clock is None, "by_processor": clock == "processor"}
        return {"settings": settings, "dots": dots, **asdict(self.summary())}

    def summary(self) -> LuckSummary:
        spreads = tuple(
            {
                name: spread([v for dot in (timed if name == "speedup" else seeds) if (v := getattr(dot, name)) is not None])
                for name in MEASURES
            }
            for seeds, timed in ((self._seed_runs(i), self._timed_runs(i)) for i in range(len(self.settings)))
        )
        same, ratios = self._repeats(), self._ratios()
        clock = self._clock_share()
        logs = [log(dot.speedup) for dot in self._timed_runs(0)]
        needed: float = float("inf")
        if len(self.settings) == 2 and len(ratios) >= MIN_SEEDS:
            needed = runs_to_separate([log(r) for r in ratios])
        elif len(self.settings) == 1 and len(logs) >= MIN_SEEDS:
            needed = runs_to_estimate(logs, PRECISION)
        count = None if isinf(needed) or needed > MAX_NEEDED else ceil(needed)
        disturbed, by_processor = (sum(dot.clock == kind for dot in self.dots) for kind in (None, "processor"))
        summary = LuckSummary(spreads, spread(same), clock, spread(ratios), count, disturbed, by_processor, "")
        return replace(summary, sentence=self._sentence(summary))

    def _seed_runs(self, setting: int) -> list[LuckRun]:
        return [dot for dot in self.dots if dot.setting == setting and not dot.again]

    def _timed_runs(self, setting: int) -> list[LuckRun]:
        return [dot for dot in self._seed_runs(setting) if dot.clock]

    def _repeats(self) -> list[float]:
        """The speedups of the first seed, under the first setting."""
        first = self._seed_runs(0)[:1]
        return [dot.speedup for dot in [*first, *(dot for dot in self.dots if dot.again)] if dot.clock]

    def _ratios(self) -> list[float]:
        if len(self.settings) < 2:
            return []
        second = {dot.seed: dot.speedup for dot in self._timed_runs(1)}
        return [dot.speedup / second[dot.seed] for dot in self._timed_runs(0) if dot.seed in second]

    def _clock_share(self) -> tuple[float, float, float] | None:
        seeds, same = ([log(s) for s in speedups] for speedups in ([dot.speedup for dot in self._timed_runs(0)], self._repeats()))
        if min(len(seeds), len(same)) < MIN_SEEDS:
            return None
        if self.settings[0].config.greedy:
            return 1.0, 1.0, 1.0

        def share(both: list[list[float]]) -> float:
            again, all = deviation(both[0]), deviation(both[1])
            return min(1.0, (again / all) ** 2) if all else 1.0

        return (share([same, seeds]), *bootstrap([same, seeds], share))

    def _sentence(self, summary: LuckSummary) -> str:
        counts = {"busy": summary.disturbed, "by_processor": summary.by_processor}
        busy = [SENTENCES[name].format(disturbed=count, runs=len(self.dots)) for name, count in counts.items() if count]
        speedup = summary.spreads[0]["speedup"]
        if speedup is None or summary.clock is None:
            return " ".join([*busy, SENTENCES["few"].format(few=MIN_SEEDS)])
        parts = [SENTENCES["median"].format(**_as_text(speedup)), *_clock_words(self.settings[0].config.greedy, *summary.clock)]
        if summary.ratio is not None and summary.ratio.runs >= MIN_SEEDS:
            parts += _comparison(summary.ratio, summary.needed)
        elif len(self.settings) == 1:
            needed = _count_text("about", summary.needed) if summary.needed else _count_text("above", MAX_NEEDED)
            parts.append(SENTENCES["needed"].format(within=f"{100 * PRECISION:.0f}", needed=needed))
        return " ".join([*parts, *busy])


def luck(
    run_pair: MeasurePair, settings: tuple[Setting, ...], seeds: int = SEEDS, stop: Callable[[], bool] = never
) -> Iterator[Luck]:
    """Run each setting under `seeds` seeds from its first on, and between them the first setting's first seed again, so that the same
    slow minute of the machine meets both. One `Luck` after each run; none after `stop`, which is asked in between.

    Of one setting, or of two to compare. Raises ConfigError for a K of 0."""
    for setting in settings:
        if not setting.config.K:
            raise ConfigError("K", 0, "at least 1: with K = 0 nothing is drafted")
    return _runs(run_pair, settings, seeds, stop)


def _runs(run_pair: MeasurePair, settings: tuple[Setting, ...], seeds: int, stop: Callable[[], bool]) -> Iterator[Luck]:
    plan = []
    for n in range(seeds):
        plan += [(i, n, False) for i in range(len(settings))] + [(0, 0, True)] * bool(n)
    runs = Luck(settings, len(plan))
    with timing_alone():
        for i, n, again in plan:
            if stop():
                return
            drafter, config = settings[i].drafter, settings[i].config
            seed = (settings[0].config.seed + n) % 2**32  # the seeds of both are the first's: they are paired
            try:
                pair = run_pair(drafter, replace(config, seed=seed))
            except RunStopped:
                return
            dot = LuckRun(i, seed, again, pair.alpha, pair.tokens_a_round, pair.speedup, pair.clock)
            runs = replace(runs, dots=(*runs.dots, dot))
            yield runs


def _as_text(spread: Quantiles) -> dict:
    numbers = ("median", "low", "high")
    return {"runs": spread.runs, **{name: f"{getattr(spread, name):.2f}" for name in numbers}}


def _count_text(word: str, n: int) -> str:
    return SENTENCES[word].format(n=f"{n:,}")


def _clock_words(greedy: bool, share: float, low: float, high: float) -> list[str]:
    if greedy:
        return [SENTENCES["clock_greedy"]]
    more = [SENTENCES["unsure"]] if high - low > WIDE_INTERVAL else [SENTENCES["rest"]] if share < 0.995 else []
    share_of = {name: f"{100 * value:.0f}" for name, value in (("share", share), ("low", low), ("high", high))}
    return [SENTENCES["clock"].format(**share_of), *more]


def _comparison(ratio: Quantiles, needed: int | None) -> list[str]:
    """Whether these seeds tell two settings apart, and how many would."""
    apart = ratio.low > 1 or ratio.high < 1
    if needed is None:
        runs_needed = _count_text("above", MAX_NEEDED)
    elif apart:
        runs_needed = f"{needed:,}"
    else:  # fewer would by their mean, which the interval of the median does not bear out
        runs_needed = _count_text("about", needed) if needed > ratio.runs else _count_text("above", ratio.runs)
    second = SENTENCES["apart" if apart else "alike"].format(runs=ratio.runs, needed=runs_needed)
    return [SENTENCES["ratio"].format(**_as_text(ratio)), second]
