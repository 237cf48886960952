"""What the app runs on this machine: the bundled family, and public pairs for whoever has a network."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch

from .config import DecodeConfig
from .drafters import DRAFTERS as KNOWN
from .engine import machine
from .engine.backends.base import ModelError
from .engine.backends.spread import mapped
from .engine.draft import choose
from .engine.draft.base import Drafter
from .engine.draft.choose import Setup, drafter_for
from .engine.models.llama import Llama, why_plain
from .engine.models.pair import Pair, load_pair
from .engine.models.public import PUBLIC, PublicPair
from .engine.race import DEFAULT, Progress, race, warm_up
from .lab.blocks import BlockTimes, block_times
from .lab.classroom import PlayedRound, play
from .lab.loads import Loads, loads
from .lab.luck import Luck, Setting, luck
from .lab.pairs import Runs
from .lab.sweep import Sweep, sweep
from .request import RunRequest
from .trace.events import Token
from .trace.header import Trace

TARGET = "fable"
# what is offered by its key, as `--draft` names it: for the bundled family, and for any target
DRAFTERS = {key: one.bundled for key, one in KNOWN.items() if one.bundled}
ANYWHERE = {key: one.kind for key, one in KNOWN.items() if one.bundled and one.kind and not one.weights}
PATIENCE = 20  # seconds that people who draft wait for a timed run


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Models that can be picked: a target, and by key what may draft for it, the default first. `public`: not bundled."""

    target: str
    drafters: dict[str, str]
    public: PublicPair | None = None


class LocalEngine:
    """Each part is loaded once, when it is first asked for, and shared. Of public pairs one is kept: they are large.

    `device_map`: their targets lie on several devices as accelerate lays them (backends/spread.py). Raises ConfigError and ModelError."""

    def __init__(self, device_map: str = ""):
        self._device_map = mapped(device_map)
        machine.set_threads()
        self._public: tuple[str, Pair, dict[str, Drafter]] | None = None

    def models(self) -> list[str]:
        """Keys of the models that can be chosen, the bundled family first."""
        return list(_choices())

    def needs(self, models: str) -> PublicPair | None:
        """What a public pair needs; None for the bundled family, which needs nothing."""
        return _choices()[models].public

    def drafters(self, models: str | None = None) -> list[str]:
        """Keys of the ways to draft for `models`, the default first."""
        return list(_choice(models)[1].drafters)

    def race(self, request: RunRequest) -> Iterator[Progress | Trace]:
        """Raises ModelError for a choice that is not offered or cannot be had; what was loaded before stays loaded."""
        key, choice = _choice(request.models)
        name = request.drafter or next(iter(choice.drafters))
        if name not in choice.drafters:
            raise ModelError(f"{name!r} cannot draft for {choice.target}: choose one of {', '.join(choice.drafters)}")
        pair = self._pair(key, choice)
        setup = Setup(pair.target, self._drafter(key, choice, name) if request.config.K else None, pair.text)
        return race(setup, request.prompt, request.config, request.stop, request.awaited)

    def block_times(self) -> BlockTimes:
        """What a pass of the bundled target over 1, 2, 4, 8 and 16 tokens takes here. Waits its turn like any timed run."""
        target = _bundled_target().target
        with machine.TIMED:
            return block_times(target)

    def cut(self, words: str, further: bool = False) -> list[Token]:
        """The bundled tokenizer's tokens of a text's beginning, or of what goes `further` after one. Raises PromptError."""
        text = _bundled_target().text
        return [text.token(id) for id in (text.further(words) if further else text.encode(words))]

    def score(self, text: Sequence[int], guesses: Sequence[Sequence[int]], config: DecodeConfig) -> PlayedRound:
        """One round of the bundled target that people draft, and the same place drafted by every drafter of the family but the
        target itself. Waits its turn, so that whoever measures is not disturbed; raises ModelError if that takes too long."""
        others = {key: _bundled_drafter(key) for key in DRAFTERS if key != "oracle"}
        pair = _bundled_target()
        if max(text) >= (most := pair.target.vocabulary):
            raise ModelError(f"{pair.target.info.name} has {most} tokens: there is none with the id {max(text)}")
        if not machine.TIMED.acquire(timeout=PATIENCE):
            raise ModelError(f"another run has been timed for {PATIENCE} seconds: try again when it is over")
        try:
            return play(Setup(pair.target, None, pair.text), list(text), guesses, config, others)
        finally:
            machine.TIMED.release()

    def luck(
        self,
        prompt: str,
        settings: Iterable[tuple[str, DecodeConfig]],
        seeds: int,
        stop: Callable[[], bool] = lambda: False,
        models: str | None = None,
    ) -> Iterator[Luck]:
        """One or two settings, a drafter and how it is run, under many seeds (lab/luck.py). Raises as `race` does, and ConfigError."""
        asked = tuple(Setting(*setting) for setting in settings)
        runs = self._runs(prompt, [setting.drafter for setting in asked], models)
        for setting in asked:
            runs.check(setting.drafter, setting.config)
        return luck(runs, asked, seeds, stop)

    def sweep(
        self,
        prompt: str,
        drafters: list[str],
        ks: Iterable[int],
        config: DecodeConfig,
        temperatures: Iterable[float] = (),
        turns: int = 1,
        stop: Callable[[], bool] = lambda: False,
        models: str | None = None,
    ) -> Iterator[Sweep]:
        """Every drafter at every K and temperature (lab/sweep.py). Raises as `race` does, and ConfigError."""
        runs = self._runs(prompt, drafters, models)
        for name in drafters:
            runs.check(name, config)
        return sweep(runs, drafters, ks, config, temperatures, turns, stop)

    def loads(self, stop: Callable[[], bool] = lambda: False) -> Iterator[Loads]:
        """What passes of the bundled pair over many texts take here (lab/loads.py). Raises ModelError where they are not our own pass."""
        draft = getattr(_bundled_drafter("small"), "model", None)
        target = _bundled_target().target
        if not isinstance(target, Llama) or not isinstance(draft, Llama):
            raise ModelError("many texts at once are timed in our own forward pass, which does not run here")
        return loads(target, draft, stop=stop)

    def _runs(self, prompt: str, drafters: list[str], models: str | None) -> Runs:
        key, choice = _choice(models)
        for name in drafters:
            if name not in choice.drafters:
                raise ModelError(f"{name!r} cannot draft for {choice.target}: choose one of {', '.join(choice.drafters)}")
        pair = self._pair(key, choice)
        return Runs({name: Setup(pair.target, self._drafter(key, choice, name), pair.text) for name in drafters}, prompt)

    def warm(self) -> None:
        """Load the target and the default drafter before the first visitor asks for them, and make a few rounds of both lanes: what is
        compiled, recorded and touched first is not a visitor's to wait for."""
        setup = Setup(_bundled_target().target, _bundled_drafter(next(iter(DRAFTERS))), _bundled_target().text)
        with machine.TIMED:
            warm_up(setup, setup.text.encode("Once upon a time"), DEFAULT)

    def load(self, models: str) -> None:
        """All that a run of `models` may ask for, at once and here: for whoever may not load later (zero.py). Raises ModelError."""
        key, choice = _choice(models)
        self._pair(key, choice)
        for name in choice.drafters:
            self._drafter(key, choice, name)

    def _pair(self, key: str, choice: ModelChoice) -> Pair:
        if choice.public is None:
            return _bundled_target()
        if self._public is None or self._public[0] != key:
            if not self._device_map:  # else what does not fit on the device lies elsewhere
                _refuse_too_large(choice.public, _choices()[self._public[0]].public if self._public else None)
            self._public = None
            machine.release()
            with _said_if_full():
                self._public = (
                    key,
                    load_pair(choice.target, None, machine.device(), _dtype(choice.public), choice.public.chat, self._device_map),
                    {},
                )
        return self._public[1]

    def _drafter(self, key: str, choice: ModelChoice, name: str) -> Drafter:
        if choice.public is None:
            return _bundled_drafter(name)
        _, pair, ready = self._public
        if name not in ready:
            with _said_if_full():
                ready[name] = drafter_for(pair, choice.drafters[name], machine.device(), _dtype(choice.public))
        return ready[name]


def set_up(
    target: str = TARGET,
    draft: str | None = None,
    device: str | torch.device | None = None,
    dtype: torch.dtype | None = None,
    chat: bool = False,
    device_map: str = "",
) -> Setup:
    """Models to race, by bundled name, folder or hub id, on this machine's device with the threads that the app would take.

    `draft` may also be a way to draft (engine/draft/choose.py); not given, it is the bundled small model, for another target prompt
    lookup, which needs none. `device_map="auto"` lets accelerate spread a target that the device does not hold. Raises ModelError
    with the reason if they do not fit."""
    spread = mapped(device_map)
    machine.set_threads()
    chosen = draft or (DRAFTERS["small"] if target == TARGET else ANYWHERE["lookup"])
    return choose.set_up(target, chosen, device or machine.device(), dtype or machine.dtype(), chat, spread)


@cache
def _choices() -> dict[str, ModelChoice]:
    found = {TARGET: ModelChoice(TARGET, DRAFTERS)}
    for pair in PUBLIC:
        kind = pair.draft.partition(":")[0]
        own = kind if "/" not in kind else "small"
        rest = {key: name for key, name in ANYWHERE.items() if key != own}
        found[f"{pair.target} + {pair.draft}"] = ModelChoice(pair.target, {own: pair.draft} | rest, pair)
    return found


def _choice(models: str | None) -> tuple[str, ModelChoice]:
    key = models or TARGET
    if key not in _choices():
        raise ModelError(f"no models {key!r}: choose {TARGET} or one of the public pairs (python -m specviz pairs)")
    return key, _choices()[key]


@cache
def _bundled_target() -> Pair:
    return load_pair(TARGET, None, machine.device(), machine.dtype())


@cache
def _bundled_drafter(key: str) -> Drafter:
    return drafter_for(_bundled_target(), DRAFTERS[key], machine.device(), machine.dtype())


def _dtype(pair: PublicPair) -> torch.dtype | None:
    """As asked for, else as the pair was published; None on a CPU, which computes in float32."""
    where = machine.device()
    return machine.dtype() or (None if where.type == "cpu" else machine.suited(getattr(torch, pair.dtype), where))


def _gigabytes(pair: PublicPair) -> tuple[float, torch.dtype]:
    """What the weights of a pair take here, and in what type."""
    stored = getattr(torch, pair.dtype)
    wanted = _dtype(pair) or (stored if pair.own and not why_plain(machine.device(), torch.float32) else torch.float32)
    return pair.gigabytes * wanted.itemsize / stored.itemsize, wanted


def _refuse_too_large(pair: PublicPair, instead_of: PublicPair | None) -> None:
    """Raises ModelError for what cannot fit, before it is fetched and while what it would replace is still there."""
    needed, kept_as = _gigabytes(pair)
    free = machine.free_gigabytes()
    if free is None:
        return
    free += _gigabytes(instead_of)[0] if instead_of else 0.0
    if needed > free:
        as_what = " in float32" if kept_as == torch.float32 else ""
        raise ModelError(f"{pair.target} with {pair.draft} needs {needed:.1f} GB{as_what}; {free:.1f} GB are free")


@contextmanager
def _said_if_full():
    """Says in one line that memory ran out while something was loaded."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError):
        machine.release()
        raise ModelError("the models do not fit in memory: choose a smaller pair, or the bundled family") from None
