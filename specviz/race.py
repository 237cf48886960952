"""Both lanes of one prompt, vanilla and speculative, measured alike: one after the other, warmed up alike, alone.

for step in race(pair, "Once upon a time", DecodeConfig(K=4)): ...   # Progress, Progress, …, Trace
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache

from . import machine
from .config import DecodeConfig
from .decode import decode
from .draft.small import SmallModel
from .events import Event, Finished
from .models.base import ModelError
from .models.pair import Pair, load_pair
from .trace import Header, Lane, Trace

WARM_UP_TOKENS, WARM_UP_SECONDS = 16, 1.0
BUNDLED_PAIRS = {"Stories (7.5 M target, 1.3 M draft)": ("stories-7m", "stories-1m")}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane is: `tokens` of `of` at most."""

    lane: Lane
    tokens: int
    of: int


def lanes(pair: Pair, prompt: list[int], config: DecodeConfig, stop: Callable[[], bool], **how) -> Iterator[tuple[Lane, Event]]:
    """Events of the vanilla lane, then of the speculative lane. Once `stop` says so the lane at work ends and no other begins."""
    for lane, lane_config in (("vanilla", replace(config, K=0)), ("speculative", config)):
        if lane == "speculative" and stop():
            return
        drafter = SmallModel(pair.draft) if pair.draft and lane_config.K else None
        for event in decode(pair.target, drafter, prompt, lane_config, pair.text, stop=stop, **how):
            yield lane, event


def race(pair: Pair, prompt: str, config: DecodeConfig, stop: Callable[[], bool] = lambda: False) -> Iterator[Progress | Trace]:
    """Run both lanes; say how far they are; end with the Trace. Waits its turn: one timed run at a time in a process.

    Raises PromptError or ModelError before anything runs."""
    if config.K and pair.draft is None:
        raise ModelError("K is above 0 and the pair has no draft model: choose one, or K = 0")
    ids = pair.text.encode(prompt)
    header = Header(
        prompt=prompt,
        config=config,
        target=pair.target.info,
        draft=pair.draft.info if pair.draft else None,
        machine=machine.describe(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    run: dict[Lane, list[Event]] = {"vanilla": [], "speculative": []}
    with _turn(stop) as ours:
        if ours:
            warm_up(pair, ids, config)
        of = min(config.max_new_tokens, pair.target.context - len(ids))
        tokens = {"vanilla": 0, "speculative": 0}
        for lane, event in lanes(pair, ids, config, stop) if ours else ():
            run[lane].append(event)
            if not isinstance(event, Finished):
                tokens[lane] += len(getattr(event, "emitted", ()))
                yield Progress(lane, tokens[lane], of)
    yield Trace(header, tuple(run["vanilla"]), tuple(run["speculative"]))


def warm_up(pair: Pair, prompt: list[int], config: DecodeConfig) -> None:
    """A few rounds of both lanes that nobody sees: first calls choose kernels and touch memory."""
    until = time.monotonic() + WARM_UP_SECONDS
    short = replace(config, max_new_tokens=WARM_UP_TOKENS, ignore_eos=True, stop=())
    for _ in lanes(pair, prompt, short, lambda: time.monotonic() > until, observe=False):
        pass


class _turn:
    """Holds the lock of timed runs; while waiting, asks `stop`, and then goes on without it: nothing more will be timed."""

    def __init__(self, stop: Callable[[], bool]):
        self.stop, self.held = stop, False

    def __enter__(self):
        while not self.held and not self.stop():
            self.held = machine.TIMED.acquire(timeout=0.1)
        return self.held

    def __exit__(self, *_):
        if self.held:
            machine.TIMED.release()


class LocalEngine:
    """What the app runs: the bundled pairs on this machine, loaded once and shared."""

    def __init__(self):
        machine.set_threads()

    def pairs(self) -> list[str]:
        return list(BUNDLED_PAIRS)

    def race(self, prompt: str, config: DecodeConfig, stop: Callable[[], bool] = lambda: False) -> Iterator[Progress | Trace]:
        return race(self._pair(self.pairs()[0]), prompt, config, stop)

    def warm(self) -> None:
        """Load the default pair before the first visitor asks for it."""
        self._pair(self.pairs()[0])

    @staticmethod
    @lru_cache(maxsize=2)
    def _pair(name: str) -> Pair:
        return load_pair(*BUNDLED_PAIRS[name], device=machine.device())
