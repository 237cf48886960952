"""Both lanes of one prompt, vanilla and speculative, measured alike: one after the other, warmed up alike, alone, and again
by turns where that is cheap.

for step in race(setup, "Once upon a time", DecodeConfig(K=4)): ...   # Progress, Progress, …, Trace
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ..config import DecodeConfig
from ..trace.events import Event, Finished, Round
from ..trace.header import Header, Lane, Trace
from . import machine
from .backends.base import ModelError
from .decode import check_settings, decode
from .divergence import divergence
from .draft.choose import Setup, kind_of
from .repeats import again, middle

WARM_UP_TOKENS, WARM_UP_SECONDS = 16, 1.0
STILL_WARM = 2.0  # seconds
DEFAULT = DecodeConfig()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane is: `tokens` of `of` at most. `again`: both lanes are done and run for the so many-th time (repeats.py).
    `event`: what has just happened in the lane; None in a repeat."""

    lane: Lane
    tokens: int
    of: int
    again: int = 0
    event: Event | None = None


def lanes(setup: Setup, prompt: list[int], config: DecodeConfig, stop: Callable[[], bool], **how) -> Iterator[tuple[Lane, Event]]:
    """Events of the vanilla lane, then of the speculative lane. Once `stop` says so the lane at work ends and no other begins."""
    configs: dict[Lane, DecodeConfig] = {"vanilla": replace(config, K=0), "speculative": config}
    for lane, lane_config in configs.items():
        if lane == "speculative" and stop():
            return
        drafter = setup.drafter if lane_config.K else None
        for event in decode(setup.target, drafter, prompt, lane_config, setup.text, stop=stop, **how):
            yield lane, event


def race(
    setup: Setup,
    prompt: str,
    config: DecodeConfig = DEFAULT,
    stop: Callable[[], bool] = lambda: False,
    awaited: Callable[[], bool] = lambda: False,
    **settings,
) -> Iterator[Progress | Trace]:
    """Run both lanes; say how far they are; end with the Trace. Waits its turn: one timed run at a time in a process.

    Where it is cheap both are run several times (repeats.py), unless somebody is `awaited`, who waits for a turn.

    `settings` are those of DecodeConfig by name, as in `K=4, temperature=0`, and replace what `config` says; strings to stop at
    go into a config. Raises ConfigError, PromptError or ModelError before anything runs."""
    config = replace(config, **settings)
    if config.K and setup.drafter is None:
        raise ModelError("K is above 0 and nothing was chosen to draft with: choose a drafter, or K = 0")
    check_settings(setup.target, setup.drafter, config)
    ids = setup.text.encode(prompt)
    header = Header(
        prompt=prompt,
        config=config,
        target=setup.target.info,
        draft=setup.drafter.info if setup.drafter and config.K else None,
        machine=machine.describe(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        drafter=kind_of(setup) if config.K else None,
        eos=tuple(sorted(setup.text.eos)),
        chat=setup.text.chat,
        exact=config.exact,
    )
    run: dict[Lane, list[Event]] = {"vanilla": [], "speculative": []}
    with _timed_turn(stop) as ours:
        if ours and not _last_run.is_warm(setup, config):
            warm_up(setup, ids, config)
        of = min(config.max_new_tokens, setup.target.context - len(ids))
        tokens = {"vanilla": 0, "speculative": 0}
        for lane, event in lanes(setup, ids, config, stop) if ours else ():
            run[lane].append(event)
            if not isinstance(event, Finished):
                tokens[lane] += len(getattr(event, "emitted", ()))
                yield Progress(lane, tokens[lane], of, event=event)
        if ours and not config.adaptive:  # it follows the clock: another run of it has other tokens
            runs = [run]
            for repeat in again(run, lambda: lanes(setup, ids, config, stop), lambda: stop() or awaited()):
                runs.append(repeat)
                yield Progress("speculative", tokens["speculative"], of, again=len(runs))
            run, repeats = middle(runs)
            header = replace(header, repeats=repeats)
        if config.greedy:  # it makes passes, which nobody else's run is to feel
            header = replace(header, divergence=divergence(setup.target, ids, run["vanilla"], run["speculative"]))
        if ours:
            _last_run.remember(setup, config, run)
    yield Trace(header, tuple(run["vanilla"]), tuple(run["speculative"]))


def warm_up(setup: Setup, prompt: list[int], config: DecodeConfig) -> None:
    """A few rounds of both lanes that nobody sees: first calls choose kernels and touch memory, and on a GPU each shape is recorded.

    Over caches of the size that the run's own will have, and looked at as those are: what is recorded here serves both."""
    short = replace(config, max_new_tokens=min(WARM_UP_TOKENS, config.max_new_tokens), ignore_eos=not config.grammar, stop=())
    for K in dict.fromkeys((0, config.K)):
        _warm_lane(setup, prompt, replace(short, K=K), config.max_new_tokens)


def _warm_lane(setup: Setup, prompt: list[int], config: DecodeConfig, reserve: int) -> None:
    """One lane. Its seconds are those of its rounds, without compiling and recording: else none would be left for rounds."""
    seconds, drafter = 0.0, setup.drafter if config.K else None

    def enough() -> bool:
        return seconds > WARM_UP_SECONDS

    for event in decode(setup.target, drafter, prompt, config, setup.text, stop=enough, reserve=reserve):
        if isinstance(event, Round):
            seconds += event.times.timed / 1e3


class _LastRun:
    """The race before in this process, when that is a better warm-up than any: where thirty of a class wait for each other, the models
    and settings are mostly the same. Not on a GPU, where another prompt may need other recordings."""

    def __init__(self):
        self.key: object = None
        self.ended_at = 0.0

    def is_warm(self, setup: Setup, config: DecodeConfig) -> bool:
        return self.key is not None and time.monotonic() < self.ended_at + STILL_WARM and self.key == self._key(setup, config)

    def remember(self, setup: Setup, config: DecodeConfig, run: dict[Lane, list[Event]]) -> None:
        enough = all(sum(len(e.emitted) for e in lane if isinstance(e, Round)) >= WARM_UP_TOKENS for lane in run.values())
        self.key, self.ended_at = self._key(setup, config) if enough else None, time.monotonic()

    def _key(self, setup: Setup, config: DecodeConfig) -> object:
        if setup.target.device.type != "cpu":
            return None
        drafter = (kind_of(setup), setup.drafter.info) if setup.drafter else None
        return setup.target.info, drafter, replace(config, seed=0, stop=())


_last_run = _LastRun()


@contextmanager
def _timed_turn(stop: Callable[[], bool]) -> Iterator[bool]:
    """Holds the lock of timed runs; while waiting, asks `stop`, and then goes on without it: nothing more will be timed."""
    held = False
    while not held and not stop():
        held = machine.TIMED.acquire(timeout=0.1)
    try:
        with machine.no_garbage() if held else nullcontext():
            yield held
    finally:
        if held:
            machine.TIMED.release()
