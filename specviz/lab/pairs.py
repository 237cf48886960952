"""A drafter's run beside vanilla's, one right after the other: what luck and sweeps are made of.

runs = Runs(setups, prompt)           # setups: by the name of a drafter what it drafts for
pair = runs("small", DecodeConfig(K=4, seed=3))
pair.speedup
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import mean, median

from ..config import ConfigError, DecodeConfig
from ..engine import machine
from ..engine.decode import check_settings
from ..engine.draft.choose import Setup
from ..trace.disturbed import HAD, POSSIBLE, STALLED
from .measure import Run, measure

WARM_UP_TOKENS = 12


@dataclass(frozen=True, slots=True)
class RunPair:
    """`vanilla` and `mine` wrote as many tokens, after the same prompt, by the same seed."""

    vanilla: Run
    mine: Run

    @property
    def speedup(self) -> float:
        """By ms a token, decoding alone."""
        return self.vanilla.pace / self.mine.pace

    @property
    def alpha(self) -> float | None:
        """The mean of Σ min(p, q) over the tested draft tokens; None where nothing was drafted."""
        return mean(self.mine.betas) if self.mine.betas else None

    @property
    def tokens_a_round(self) -> float:
        return self.mine.tokens / self.mine.rounds

    @property
    def disturbed(self) -> bool:
        return disturbed((self,))


def disturbed(pairs: Sequence[RunPair]) -> bool:
    """Whether the times of these repeats are not to be trusted (trace/disturbed.py): a lane was, by the median of its runs, kept from a
    processor or lost much of its time in slow rounds; or the speedup is more than a round of so many tokens can give."""
    for lane in [pair.vanilla for pair in pairs], [pair.mine for pair in pairs]:
        had = [run.had for run in lane if run.had is not None]
        if (had and median(had) < HAD) or median(run.stalled for run in lane) > STALLED:
            return True
    return median(pair.speedup for pair in pairs) * POSSIBLE > max(pair.tokens_a_round for pair in pairs)


Once = Callable[[str, DecodeConfig], RunPair]


class Runs:
    """Measures pairs after one prompt; a drafter's first run is warmed up first. Raises ConfigError for no drafter, and for a prompt
    that is empty or leaves no room."""

    def __init__(self, setups: Mapping[str, Setup], prompt: str):
        if not setups:
            raise ConfigError("drafters", "none", "at least one")
        self.setups, self.warm = setups, set[str]()
        first = next(iter(setups.values()))
        self.ids = first.text.encode(prompt)
        self.room = first.target.context - len(self.ids)
        if not self.ids or self.room < 2:
            raise ConfigError("prompt", f"{len(self.ids)} tokens", f"1 to {first.target.context - 2} tokens")

    def check(self, drafter: str, config: DecodeConfig) -> None:
        """Refuse a tree that `drafter` cannot draft, before anything runs. Raises ConfigError."""
        check_settings(self.setups[drafter].target, self.setups[drafter].drafter, config)

    def __call__(self, drafter: str, config: DecodeConfig) -> RunPair:
        config = replace(config, ignore_eos=True, stop=(), max_new_tokens=min(config.max_new_tokens, self.room))
        alone = replace(config, K=0)
        if drafter not in self.warm:
            self.warm.add(drafter)
            self._pair(drafter, *(replace(c, max_new_tokens=min(WARM_UP_TOKENS, self.room)) for c in (alone, config)))
        return self._pair(drafter, alone, config)

    def _pair(self, drafter: str, alone: DecodeConfig, config: DecodeConfig) -> RunPair:
        setup = self.setups[drafter]
        vanilla = measure(setup.target, None, self.ids, alone, setup.text)
        return RunPair(vanilla, measure(setup.target, setup.drafter, self.ids, config, setup.text, observe=True))


@contextmanager
def timing_alone() -> Iterator[None]:
    """Alone among timed runs, and Python looks for no garbage meanwhile, which would fall on whichever lane is running."""
    with machine.TIMED:
        gc.collect()
        with machine.no_garbage():
            yield


def whole(field: str, value: object, low: int, high: int, why: str = "") -> int:
    """`value` if it is a whole number of these bounds. Raises ConfigError."""
    if type(value) is not int or not low <= value <= high:
        raise ConfigError(field, value, f"a whole number from {low} to {high}{why}")
    return value


def few(field: str, values: Iterable, most: int) -> tuple:
    """The values, each once. Raises ConfigError for none and for too many."""
    distinct = tuple(dict.fromkeys(values))
    if not 1 <= len(distinct) <= most:
        raise ConfigError(field, f"{len(distinct)} of them", f"1 to {most} of them")
    return distinct
