"""Both lanes of one prompt, vanilla and speculative, measured alike: one after the other, warmed up alike, alone.

for step in race(setup, "Once upon a time", DecodeConfig(K=4)): ...   # Progress, Progress, …, Trace
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

from . import machine
from .config import DecodeConfig
from .decode import decode
from .draft.base import Drafter
from .draft.choose import Setup, drafter_for
from .events import Event, Finished
from .models.base import ModelError
from .models.pair import Pair, load_pair
from .trace import Header, Lane, Trace

WARM_UP_TOKENS, WARM_UP_SECONDS = 16, 1.0
TARGET = "stories-7m"
DRAFTERS = {  # what the app offers, by the key under which its words are found; the default first
    "small": "stories-1m",
    "lookup": "lookup",
    "early-exit": "early-exit:2",
    "oracle": "oracle",
    "random": "random",
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane is: `tokens` of `of` at most."""

    lane: Lane
    tokens: int
    of: int


def lanes(setup: Setup, prompt: list[int], config: DecodeConfig, stop: Callable[[], bool], **how) -> Iterator[tuple[Lane, Event]]:
    """Events of the vanilla lane, then of the speculative lane. Once `stop` says so the lane at work ends and no other begins."""
    for lane, lane_config in (("vanilla", replace(config, K=0)), ("speculative", config)):
        if lane == "speculative" and stop():
            return
        drafter = setup.drafter if lane_config.K else None
        for event in decode(setup.target, drafter, prompt, lane_config, setup.text, stop=stop, **how):
            yield lane, event


def race(setup: Setup, prompt: str, config: DecodeConfig, stop: Callable[[], bool] = lambda: False) -> Iterator[Progress | Trace]:
    """Run both lanes; say how far they are; end with the Trace. Waits its turn: one timed run at a time in a process.

    Raises PromptError or ModelError before anything runs."""
    if config.K and setup.drafter is None:
        raise ModelError("K is above 0 and nothing was chosen to draft with: choose a drafter, or K = 0")
    ids = setup.text.encode(prompt)
    header = Header(
        prompt=prompt,
        config=config,
        target=setup.target.info,
        draft=setup.drafter.info if setup.drafter else None,
        machine=machine.describe(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    run: dict[Lane, list[Event]] = {"vanilla": [], "speculative": []}
    with _turn(stop) as ours:
        if ours:
            warm_up(setup, ids, config)
        of = min(config.max_new_tokens, setup.target.context - len(ids))
        tokens = {"vanilla": 0, "speculative": 0}
        for lane, event in lanes(setup, ids, config, stop) if ours else ():
            run[lane].append(event)
            if not isinstance(event, Finished):
                tokens[lane] += len(getattr(event, "emitted", ()))
                yield Progress(lane, tokens[lane], of)
    yield Trace(header, tuple(run["vanilla"]), tuple(run["speculative"]))


def warm_up(setup: Setup, prompt: list[int], config: DecodeConfig) -> None:
    """A few rounds of both lanes that nobody sees: first calls choose kernels and touch memory."""
    until = time.monotonic() + WARM_UP_SECONDS
    short = replace(config, max_new_tokens=WARM_UP_TOKENS, ignore_eos=True, stop=())
    for _ in lanes(setup, prompt, short, lambda: time.monotonic() > until, observe=False):
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
    """What the app runs: the bundled family on this machine, each part loaded once, when it is first asked for, and shared."""

    def __init__(self):
        machine.set_threads()

    def drafters(self) -> list[str]:
        """The keys of the ways to draft that can be chosen here, the default first."""
        return list(DRAFTERS)

    def race(
        self, prompt: str, config: DecodeConfig, drafter: str | None = None, stop: Callable[[], bool] = lambda: False
    ) -> Iterator[Progress | Trace]:
        """Raises ModelError for a drafter that is not one of `drafters()`."""
        key = drafter or self.drafters()[0]
        if key not in DRAFTERS:
            raise ModelError(f"no drafter {key!r}: choose one of {', '.join(DRAFTERS)}")
        base = _target()
        return race(Setup(base.target, _drafter(key) if config.K else None, base.text), prompt, config, stop)

    def warm(self) -> None:
        """Load the target and the default drafter before the first visitor asks for them."""
        _drafter(self.drafters()[0])


@cache
def _target() -> Pair:
    return load_pair(TARGET, None, machine.device())


@cache
def _drafter(key: str) -> Drafter:
    return drafter_for(_target(), DRAFTERS[key], machine.device())
