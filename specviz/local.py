"""What the app runs on this machine: the assistant where it was fetched, the bundled family, models that the owner names, and public
pairs for whoever has a network."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from .config import DecodeConfig
from .drafters import DRAFT_NAMES
from .drafters import DRAFTERS as KNOWN
from .engine import machine
from .engine.draft import choose
from .engine.draft.base import Drafter
from .engine.draft.choose import Setup, drafter_for, heads
from .engine.model import ModelError
from .engine.models import assistant
from .engine.models.llama import Llama, not_compiled_reason
from .engine.models.load import FULL, display_name, model_path, parse_device_map
from .engine.models.pair import PUBLIC, Pair, PublicPair, load_pair
from .engine.race import DEFAULT, Progress, race, warm_up
from .engine.sampling import TYPES
from .engine.text import PromptError
from .lab.classroom import PlayedRound, play_round
from .lab.costs import BlockTimes, Loads, block_times, loads
from .lab.luck import Luck, Setting, luck
from .lab.measure import PairRunner
from .lab.sweep import Sweep, sweep
from .request import RunRequest, never
from .trace.events import Token, Trace

TARGET, HYBRID, MIXTURE = "fable", "fable-hybrid", "fable-experts"
# what is offered by its key, as `--draft` names it: for the bundled family, and for any target
DRAFTERS = {key: one.bundled for key, one in KNOWN.items()}
ANYWHERE = {key: one.kind for key, one in KNOWN.items() if not one.weights}
HEADS_FIRST = ("eagle", "block", "mtp", "bigram")  # the assistant's, the best first
PROMPT_WORK = 3e11  # weights times tokens of a prompt at most: a pass takes some 20 seconds of a core, which nobody can stop
TIMED_RUN_WAIT_S = 20  # seconds that people who draft wait for a timed run


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Models that can be picked: a target, and by key what may draft for it, the default first. `public`: what has to be fetched.
    `chat`: prompts go through its chat template. `stays`: once loaded it is kept; of the others, which may be large, one is."""

    target: str
    drafters: dict[str, str]
    public: PublicPair | None = None
    chat: bool = False
    stays: bool = False


class LocalEngine:
    """Each part is loaded once, when it is first asked for, and shared. Of public pairs one is kept: they are large.

    `device_map`: their targets lie on several devices as accelerate lays them (models/load.py). `own`: what else is offered, by
    key (`offered`). Raises ConfigError and ModelError."""

    def __init__(self, device_map: str = "", own: Mapping[str, ModelChoice] | None = None):
        self._device_map = parse_device_map(device_map)
        machine.set_threads()
        self._choices = _assistant() | _bundled_choices() | dict(own or {}) | _pairs()
        self._public: tuple[str, Pair, dict[str, Drafter]] | None = None

    def models(self) -> list[str]:
        """Keys of the models that can be chosen, the default first."""
        return list(self._choices)

    def needs(self, models: str) -> PublicPair | None:
        """What a public pair needs; None for what is here, which needs nothing."""
        return self._choices[models].public

    def chats(self, models: str) -> bool:
        """Whether prompts are what a user says, and go through a chat template."""
        return self._choices[models].chat

    def drafters(self, models: str | None = None) -> list[str]:
        """Keys of the ways to draft for `models`, the default first."""
        return list(self._choice(models)[1].drafters)

    def race(self, request: RunRequest) -> Iterator[Progress | Trace]:
        """Raises ModelError for a choice that is not offered or cannot be had; what was loaded before stays loaded."""
        name = request.drafter or self.drafters(request.models)[0]
        [setup] = self._setups(request.prompt, [name], request.models, drafting=request.config.K > 0).values()
        return race(setup, request.prompt, request.config, request.stop, request.awaited)

    def block_times(self) -> BlockTimes:
        """What a pass of the bundled target over 1, 2, 4, 8 and 16 tokens takes here. Waits its turn like any timed run."""
        target = _cached_target(TARGET).target
        with machine.TIMED_RUN:
            return block_times(target)

    def cut(self, words: str, further: bool = False) -> list[Token]:
        """The bundled tokenizer's tokens of a text's beginning, or of what goes `further` after one. Raises PromptError."""
        text = _cached_target(TARGET).text
        return [text.token(id) for id in (text.encode_continuation(words) if further else text.encode(words))]

    def score(
        self, text: Sequence[int], guesses: Sequence[Sequence[int]], config: DecodeConfig, others: Sequence[str] | None = None
    ) -> PlayedRound:
        """One round of the bundled target that people draft, and the same place drafted by `others` of the family, None for all but the
        target itself. Waits until a run gives way, so that whoever measures is not disturbed; raises ModelError if that takes too long."""
        keys = [key for key in DRAFTERS if key != "oracle" and (others is None or key in others)]
        drafters = {key: _cached_drafter(TARGET, DRAFTERS[key]) for key in keys}
        pair = _cached_target(TARGET)
        if max(text) >= (most := pair.target.vocabulary):
            raise ModelError(f"{pair.target.info.name} has {most} tokens: there is none with the id {max(text)}")
        with machine.TIMED_RUN.moment(TIMED_RUN_WAIT_S) as free:
            if not free:
                raise ModelError(f"another run has been timed for {TIMED_RUN_WAIT_S} seconds: try again when it is over")
            return play_round(Setup(pair.target, None, pair.text), list(text), guesses, config, drafters)

    def luck(
        self,
        prompt: str,
        settings: Iterable[tuple[str, DecodeConfig]],
        seeds: int,
        stop: Callable[[], bool] = never,
        models: str | None = None,
    ) -> Iterator[Luck]:
        """One or two settings, a drafter and how it is run, under many seeds (lab/luck.py). Raises as `race` does, and ConfigError."""
        pair = tuple(Setting(*setting) for setting in settings)
        runs = self._runs(prompt, [setting.drafter for setting in pair], models, stop)
        for setting in pair:
            runs.check_tree(setting.drafter, setting.config)
        return luck(runs, pair, seeds, stop)

    def sweep(
        self,
        prompt: str,
        drafters: list[str],
        ks: Iterable[int],
        config: DecodeConfig,
        turns: int = 1,
        stop: Callable[[], bool] = never,
        models: str | None = None,
    ) -> Iterator[Sweep]:
        """Every drafter at every K (lab/sweep.py). Raises as `race` does, and ConfigError."""
        runs = self._runs(prompt, drafters, models, stop)
        for name in drafters:
            runs.check_tree(name, config)
        return sweep(runs, drafters, ks, config, turns, stop)

    def loads(self, stop: Callable[[], bool] = never) -> Iterator[Loads]:
        """What passes of the bundled pair over many texts take here (lab/costs.py). Raises ModelError where they are not our own pass."""
        draft = getattr(_cached_drafter(TARGET, DRAFTERS["small"]), "model", None)
        target = _cached_target(TARGET).target
        if not isinstance(target, Llama) or not isinstance(draft, Llama):
            raise ModelError("many texts at once are timed in our own forward pass, which does not run here")
        return loads(target, draft, stop=stop)

    def _runs(self, prompt: str, drafters: list[str], models: str | None, stop: Callable[[], bool]) -> PairRunner:
        return PairRunner(self._setups(prompt, drafters, models), prompt, stop)

    def _setups(self, prompt: str, drafters: list[str], models: str | None, drafting: bool = True) -> dict[str, Setup]:
        """What runs after `prompt`, by the keys of `drafters`; without them where it is not `drafting`."""
        key, choice = self._choice(models)
        for name in drafters:
            if name not in choice.drafters:
                raise ModelError(f"{name!r} cannot draft for {choice.target}: choose one of {', '.join(choice.drafters)}")
        pair = self._pair(key, choice)
        most = int(PROMPT_WORK // max(1, pair.target.info.parameters))  # else its pass would keep a CPU from everybody for long
        if pair.target.device.type == "cpu" and most < pair.target.context and (length := len(pair.text.encode(prompt))) > most:
            raise PromptError(f"the prompt has {length:,} tokens; {pair.target.info.name} takes at most {most:,} here, on a CPU")
        return {name: Setup(pair.target, self._drafter(key, choice, name) if drafting else None, pair.text) for name in drafters}

    def warm(self) -> None:
        """Load the target and the default drafter before the first visitor asks for them, and make a few rounds of both lanes: what is
        compiled, recorded and touched first is not a visitor's to wait for."""
        key, choice = self._choice(None)
        try:
            pair = self._pair(key, choice)
            setup = Setup(pair.target, self._drafter(key, choice, next(iter(choice.drafters))), pair.text)
        except ModelError:  # of a file that is broken, which a run says; the bundled family is whole
            if key == TARGET:
                raise
            del self._choices[key]
            return self.warm()
        with machine.TIMED_RUN:
            warm_up(setup, setup.text.encode("Once upon a time"), DEFAULT)

    def load(self, models: str) -> None:
        """All that a run of `models` may ask for, at once and here: for whoever may not load later (zero.py). Raises ModelError."""
        key, choice = self._choice(models)
        self._pair(key, choice)
        for name in choice.drafters:
            self._drafter(key, choice, name)

    def _choice(self, models: str | None) -> tuple[str, ModelChoice]:
        key = models or next(iter(self._choices))
        if key not in self._choices:
            raise ModelError(f"no models {key!r}: choose {TARGET} or one of the public pairs (docs/measure.md)")
        return key, self._choices[key]

    def _pair(self, key: str, choice: ModelChoice) -> Pair:
        if choice.stays:
            return _cached_target(choice.target)
        if self._public is None or self._public[0] != key:
            if choice.public and not self._device_map:  # else what does not fit on the device lies elsewhere
                _refuse_too_large(choice.public, self._choices[self._public[0]].public if self._public else None)
            self._public = None
            machine.release_memory()
            with _memory_errors_as_sentences():
                dtype = _dtype(choice.public)
                pair = load_pair(choice.target, None, machine.device(), dtype, choice.chat, self._device_map)
                self._public = key, pair, {}
        return self._public[1]

    def _drafter(self, key: str, choice: ModelChoice, name: str) -> Drafter:
        if choice.stays:
            return _cached_drafter(choice.target, choice.drafters[name])
        _, pair, ready = self._public
        if name not in ready:
            with _memory_errors_as_sentences():
                ready[name] = drafter_for(pair, choice.drafters[name], machine.device(), _dtype(choice.public))
        return ready[name]


def set_up(
    target: str = TARGET,
    draft: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    chat: bool = False,
    device_map: str = "",
) -> Setup:
    """Models to race, by bundled name, folder or hub id, on this machine's device with the threads that the app would take.

    `draft` may also be a way to draft (engine/draft/choose.py); not given, it is `default_draft`. `device_map="auto"` lets
    accelerate spread a target that the device does not hold. Raises ModelError with the reason if they do not fit."""
    placement = parse_device_map(device_map)
    machine.set_threads()
    draft = draft or default_draft(target)
    return choose.set_up(target, draft, device or machine.device(), dtype or machine.dtype(), chat, placement)


def owner_choices(targets: Sequence[str], drafts: Sequence[str], chat: bool = False) -> dict[str, ModelChoice]:
    """Choices of models that the owner names, by folder, hub id or GGUF file, which visitors never do: of one target all `drafts`, of
    several each its own. What may draft without being named (`drafts_for`) is there too. Raises ModelError for what is not there."""
    if len(targets) > 1 and len(drafts) not in (0, len(targets)):
        raise ModelError(f"there are {len(targets)} targets and {len(drafts)} drafts: name one draft for each target, or none")
    choices: dict[str, ModelChoice] = {}
    for i, target in enumerate(targets):
        model_path(target)
        drafters = {_key(draft): draft for draft in (drafts if len(targets) == 1 else drafts[i : i + 1])}
        unnamed = {key: name for key, name in drafts_for(target).items() if key not in drafters}
        choices[display_name(target)] = ModelChoice(target, drafters | unnamed, chat=chat)
    return choices


def drafts_for(target: str) -> dict[str, str]:
    """By key what may draft for a target without being named, as `--draft` takes it, the default first: all of the bundled family, the
    assistant's heads, and for any other what needs no weights."""
    known = _assistant() | _bundled_choices()
    return known[target].drafters if target in known else ANYWHERE


def default_draft(target: str) -> str:
    """What drafts for a target where nothing is named, as `--draft` takes it."""
    return next(iter(drafts_for(target).values()))


def _key(draft: str) -> str:
    """What a page calls a way to draft that was named as `--draft` takes it: the kind, or the model's own name."""
    kind = draft.partition(":")[0]
    return kind if kind in DRAFT_NAMES else display_name(draft)


def _assistant() -> dict[str, ModelChoice]:
    """Where it was fetched; its heads where they come with the project."""
    if assistant.place() is None:
        return {}
    there = [name.rsplit("-", 1)[1] for name in heads(assistant.KEY)]
    own = {kind: kind for kind in sorted(there, key=HEADS_FIRST.index)}
    drafters = own | ANYWHERE | {"early-exit": f"early-exit:{assistant.EXIT}"}
    return {assistant.KEY: ModelChoice(assistant.KEY, drafters, chat=True, stays=True)}


def _bundled_choices() -> dict[str, ModelChoice]:
    """The family's target; its hybrid and its mixture of experts, with the drafters that run with any pass."""
    drafters = {key: one.bundled for key, one in KNOWN.items() if one.kind == "model" or key in ANYWHERE.keys() - {"early-exit"}}
    offered = {TARGET: DRAFTERS, HYBRID: drafters, MIXTURE: drafters}
    return {name: ModelChoice(name, own, stays=True) for name, own in offered.items()}


def _pairs() -> dict[str, ModelChoice]:
    choices = {}
    for pair in PUBLIC:
        kind = pair.draft.partition(":")[0]
        own = kind if "/" not in kind else "small"
        rest = {key: name for key, name in ANYWHERE.items() if key != own}
        choices[f"{pair.target} + {pair.draft}"] = ModelChoice(pair.target, {own: pair.draft} | rest, pair, pair.chat)
    return choices


@cache
def _cached_target(name: str) -> Pair:
    return load_pair(name, None, machine.device(), machine.dtype())


@cache
def _cached_drafter(target: str, name: str) -> Drafter:
    return drafter_for(_cached_target(target), name, machine.device(), machine.dtype())


def _dtype(pair: PublicPair | None) -> str | None:
    """As asked for, else as the pair was published; None on a CPU, which computes in float32."""
    where = machine.device()
    return machine.dtype() or (None if pair is None or where.type == "cpu" else machine.half_precision(pair.dtype, where))


def _gigabytes(pair: PublicPair) -> tuple[float, str]:
    """What the weights of a pair take here, and in what type."""
    wanted = _dtype(pair) or (pair.dtype if pair.own and not not_compiled_reason(machine.device(), "float32") else "float32")
    return pair.gigabytes * TYPES[wanted].itemsize / TYPES[pair.dtype].itemsize, wanted


def _refuse_too_large(pair: PublicPair, instead_of: PublicPair | None) -> None:
    """Raises ModelError for what cannot fit, before it is fetched and while what it would replace is still there."""
    needed, kept_as = _gigabytes(pair)
    free = machine.free_gigabytes()
    if free is None:
        return
    free += _gigabytes(instead_of)[0] if instead_of else 0.0
    if needed > free:
        as_what = " in float32" if kept_as == "float32" else ""
        raise ModelError(f"{pair.target} with {pair.draft} needs {needed:.1f} GB{as_what}; {free:.1f} GB are free")


@contextmanager
def _memory_errors_as_sentences():
    """Says in one line that memory ran out while something was loaded."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and type(error).__name__ != FULL:
            raise
        machine.release_memory()
        raise ModelError("the models do not fit in memory: choose a smaller pair, or the bundled family") from None
