"""Both lanes of one prompt, vanilla and speculative, measured alike: one after the other, warmed up alike, alone, and again
by turns where that is cheap.

for step in race(setup, "Once upon a time", DecodeConfig(K=4)): ...   # Progress, Progress, …, Trace

Where two greedy lanes part, and by how little: in exact arithmetic they agree. A block of K + 1 tokens runs other kernels than
one token does, sums in another order, and where two logits nearly tie the larger of them may be another one (mostly in bf16 and
fp16). The passes are made again here, after the timed runs. So are those that say what greedy lanes do not keep: what target and
draft found likely before temperature 0 made p and q one-hot.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from ..config import DecodeConfig
from ..trace import tree
from ..trace.events import (
    LANES,
    Divergence,
    Emitted,
    Event,
    Finished,
    Header,
    Kind,
    Lane,
    LaneTime,
    Logits,
    Repeat,
    Round,
    Softmax,
    Trace,
    rounds_of,
    written_ids,
)
from . import machine
from .decode import check_settings, decode
from .draft.base import NO_DRAFT, DraftContext, DraftSession, Stateless, TreePlan, TreeSession
from .draft.choose import Setup
from .draft.model import SmallModel
from .events import softmax_entries
from .model import MAX_ROWS, Model, ModelError
from .sampling import DraftSampler, Sampler, on_host

WARM_UP_TOKENS, WARM_UP_SECONDS = 16, 1.0
STILL_WARM_SECONDS = 2.0
REPEAT_SECONDS, MAX_RUNS = 1.0, 15  # for all repeats together, and how many runs there are at most
SOFTMAX_SECONDS = 3.0  # of a lane, beyond which no pass of it is made again
ENDED_EARLY = ("cancelled", "error")
DEFAULT = DecodeConfig()
Run = dict[Lane, list[Event]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a lane is: `tokens` of `of` at most. `again`: both lanes are done and run for the so many-th time (repeat_runs).
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

    Where it is cheap both are run several times (repeat_runs), unless somebody is `awaited`, who waits for a turn.

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
        machine=machine.describe_machine(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        drafter=kind_of(setup) if config.K else None,
        eos=tuple(sorted(setup.text.eos)),
        chat=setup.text.chat,
        exact=config.exact,
    )
    run: Run = {"vanilla": [], "speculative": []}
    global _last_run
    key = _warm_key(setup, config)
    with timed_turn(stop) as ours:
        if ours and not (key and key == _last_run[0] and time.monotonic() < _last_run[1] + STILL_WARM_SECONDS):
            warm_up(setup, ids, config)
        of = min(config.max_new_tokens, setup.target.context - len(ids))
        tokens = {"vanilla": 0, "speculative": 0}
        for lane, event in lanes(setup, ids, config, stop) if ours else ():
            run[lane].append(event)
            if not isinstance(event, Finished):
                tokens[lane] += len(event.emitted) if isinstance(event, Round) else 0
                yield Progress(lane, tokens[lane], of, event=event)
                machine.TIMED_RUN.give_way()
        if ours:
            runs = [run]
            for repeat in repeat_runs(run, lambda: lanes(setup, ids, config, stop), lambda: stop() or awaited()):
                runs.append(repeat)
                yield Progress("speculative", tokens["speculative"], of, again=len(runs))
            run, repeats = median_run(runs)
            header = replace(header, repeats=repeats)
        if config.greedy:  # it makes passes, which nobody else's run is to feel
            header = replace(header, divergence=divergence(setup.target, ids, run["vanilla"], run["speculative"]))
            if ours and _is_cheap(setup, config, run) and not (stop() or awaited()):
                with machine.torch_threads(None):
                    run = add_softmax(setup, ids, config, run)
        if ours:
            enough = all(len(written_ids(lane)) >= WARM_UP_TOKENS for lane in run.values())
            _last_run = key if enough else None, time.monotonic()
    yield Trace(header, tuple(run["vanilla"]), tuple(run["speculative"]))


def repeat_runs(first: Run, run: Callable[[], Iterator[tuple[Lane, Event]]], enough: Callable[[], bool]) -> Iterator[Run]:
    """Both lanes again, by turns, while that is cheap: how far apart the times of one and the same work lie. A lane's tokens
    follow from the seed, so a repeat does the same work; what differs is the machine.

    Whole runs after the `first`, each what `run` gives, as long as one more fits into REPEAT_SECONDS; `enough` is asked in between.

    A run that was stopped is not given, and none after it; nor one that wrote other tokens, which is no repeat."""
    if not _is_whole(first):
        return
    left, one, wrote = REPEAT_SECONDS, _seconds(first), _token_ids(first)
    for _ in range(MAX_RUNS - 1):
        if one > left or enough():
            return
        repeat: Run = {lane: [] for lane in LANES}
        for lane, event in run():
            repeat[lane].append(event)
        if not _is_whole(repeat) or _token_ids(repeat) != wrote:
            return
        yield repeat
        left -= _seconds(repeat)


def median_run(runs: Sequence[Run]) -> tuple[Run, tuple[Repeat, ...]]:
    """The run of the middle speedup, of two such the slower one, since nobody picks the best; and the times of all in their
    order, none where there is one run."""
    if len(runs) == 1:
        return runs[0], ()
    times = tuple(
        Repeat(*(LaneTime(end.decode_ms, end.processor_ms) for lane in LANES if (end := _end(run[lane])))) for run in runs
    )
    slowest_first = sorted(range(len(runs)), key=lambda i: times[i].vanilla.decode_ms / max(1e-9, times[i].speculative.decode_ms))
    return runs[slowest_first[(len(runs) - 1) // 2]], times


def _end(lane: Sequence[Event]) -> Finished | None:
    return lane[-1] if lane and isinstance(lane[-1], Finished) else None


def _is_whole(run: Run) -> bool:
    ends = [_end(run[lane]) for lane in LANES]
    return all(end is not None and end.reason not in ENDED_EARLY for end in ends)


def _seconds(run: Run) -> float:
    """What a run took, all of it: also what is not timed as decoding."""
    ends = [end for lane in LANES if (end := _end(run[lane]))]
    return sum((end.prefill_ms or 0.0) + end.decode_ms + end.observe_ms + end.capture_ms for end in ends) / 1e3


def _token_ids(run: Run) -> list[list[int]]:
    return [written_ids(run[lane]) for lane in LANES]


def kind_of(setup: Setup) -> Kind | None:
    """How the drafter drafts, as a trace names it; None for none and for one that is not from here."""
    if isinstance(setup.drafter, SmallModel):
        return "oracle" if setup.drafter.model is setup.target else "model"
    return setup.drafter.kind if setup.drafter else None


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


_last_run: tuple[object, float] = None, 0.0
"""Of the race before in this process its key, and when it ended: where it was like this one and a moment ago, that is a better warm-up
than any. Where thirty of a class wait for each other, the models and settings are mostly the same."""


def _warm_key(setup: Setup, config: DecodeConfig) -> object:
    """What two races must have in common; None on a GPU, where another prompt may need other recordings."""
    if setup.target.device.type != "cpu":
        return None
    drafter = (kind_of(setup), setup.drafter.info) if setup.drafter else None
    return setup.target.info, drafter, replace(config, seed=0, stop=())


@contextmanager
def timed_turn(stop: Callable[[], bool]) -> Iterator[bool]:
    """Holds the lock of timed runs; while waiting, asks `stop`, and then goes on without it: nothing more will be timed."""
    is_timed = False
    while not is_timed and not stop():
        is_timed = machine.TIMED_RUN.acquire(0.1)
    try:
        with machine.no_garbage() if is_timed else nullcontext():
            yield is_timed
    finally:
        if is_timed:
            machine.TIMED_RUN.release()


def divergence(target: Model, prompt: list[int], vanilla: Sequence[Event], speculative: Sequence[Event]) -> Divergence | None:
    """The first token in which the lanes differ; None if neither has one that the other has not."""
    alone, ours = ([e.token for r in rounds_of(lane) for e in r.emitted] for lane in (vanilla, speculative))
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x != y), None)
    if at is None:
        return None
    pair = alone[at], ours[at]
    before = [*prompt, *(token.id for token in ours[:at])]
    first, round_ = _round_of(rounds_of(speculative), at)
    text = [*prompt, *(token.id for token in ours[:first])]
    drafted = round_.drafted
    parents = [-1, *(parent + 1 for parent in tree.parents(drafted))] if tree.branches(round_) else None
    row = [0, *(node + 1 for node in tree.path(drafted))][at - first]
    with machine.torch_threads(None):
        single = _logits(target, before[:-1], before[-1:], None, 0, pair)
        block = _logits(target, text[:-1], [text[-1], *(d.token.id for d in drafted)], parents, row, pair)
    return Divergence(at, *pair, single, block)


def _is_cheap(setup: Setup, config: DecodeConfig, run: Run) -> bool:
    """Whether the passes of a greedy run are made again: their logits are on a host, no grammar masks them, and they take no longer
    than a visitor would wait."""
    is_possible = setup.target.device.type == "cpu" and not config.grammar
    return is_possible and _is_whole(run) and _seconds({"vanilla": [], "speculative": run["speculative"]}) <= SOFTMAX_SECONDS


def add_softmax(setup: Setup, prompt: list[int], config: DecodeConfig, run: Run) -> Run:
    """A greedy run with what target and draft found likely before temperature, beside each of its positions (Softmax)."""
    text, alone, lane = setup.text, list[Softmax](), list[Event]()
    passes = passes_again(setup, prompt, config, rounds_of(run["speculative"]))
    for event in run["speculative"]:
        if isinstance(event, Round):
            p, q = next(passes)
            alone += [softmax_entries(row, None, e.token.id, text) for row, e in zip(p, event.emitted, strict=True)]
            drafted = list(event.drafted)
            for i, (d, depth) in enumerate(zip(drafted, tree.depths(drafted), strict=True)):
                if d.position:  # each node that was tested follows tokens that were kept
                    softmax = softmax_entries(p[depth - 1], None if q is None else q[i], d.token.id, text)
                    drafted[i] = replace(d, position=replace(d.position, softmax=softmax))
            event = replace(event, drafted=tuple(drafted), emitted=(*event.emitted[:-1], _beside(event.emitted[-1], alone[-1])))
        lane.append(event)
    vanilla, written = run["vanilla"], iter(alone)
    if written_ids(vanilla) == written_ids(lane):
        vanilla = [replace(e, emitted=(_beside(e.emitted[0], next(written)),)) if isinstance(e, Round) else e for e in vanilla]
    return {"vanilla": vanilla, "speculative": lane}


def _beside(emitted: Emitted, softmax: Softmax) -> Emitted:
    return emitted if emitted.position is None else replace(emitted, position=replace(emitted.position, softmax=softmax))


def passes_again(
    setup: Setup, prompt: list[int], config: DecodeConfig, rounds: Sequence[Round]
) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Of each round of a greedy lane, which wrote m tokens and drafted k, the softmax of the target's logits [m, V], after the text and
    after each of these tokens but the last, and of the draft's [k, V]: None where nothing was drafted, or a copy, or now other tokens."""
    target, text = setup.target, list(prompt)
    drafter = setup.drafter if config.K and kind_of(setup) != "lookup" else None
    capacity = min(target.context, len(prompt) + config.max_new_tokens + MAX_ROWS)
    sequence, sampler = target.sequence(capacity), DraftSampler(Sampler(), target.vocabulary, argmax=True)
    context = DraftContext(sampler, capacity, sequence, config.K, target.device, TreePlan.of(config))
    session: DraftSession = drafter.begin(context) if drafter else Stateless(context)
    if text[1:]:
        sequence.append(text[:-1], keep=1)
    session.prefill(text[:-1])
    for r in rounds:
        drafted, written, block = [d.token.id for d in r.drafted], [e.token.id for e in r.emitted], NO_DRAFT
        u = np.zeros(len(drafted))  # that a q is made at all
        if drafted and isinstance(session, TreeSession) and config.branches:
            block = session.branch(text, max(tree.depths(r.drafted)), u)
        elif drafted:
            block = session.propose(text, len(drafted), u)
        logits = on_host(sequence.append([text[-1], *written[:-1]]))
        text += written
        session.observe(text)
        yield Sampler()(logits), on_host(block.q) if block.ids == drafted else None


def _round_of(rounds: list[Round], at: int) -> tuple[int, Round]:
    """The round that wrote token `at`, and how many tokens there were before it."""
    before = 0
    for round_ in rounds:
        if at < before + len(round_.emitted):
            return before, round_
        before += len(round_.emitted)
    raise IndexError(at)


def _logits(target: Model, cached: list[int], fed: list[int], parents: list[int] | None, row: int, pair) -> Logits:
    """The logits of both tokens after fed[row], by a pass over `fed` behind what is cached. `parents`: where it branches."""
    sequence = target.sequence(len(cached) + len(fed))
    if cached:
        sequence.append(cached, keep=1)
    logits = (sequence.append(fed) if parents is None else sequence.append(fed, parents=parents))[row]
    return Logits(*(float(logits[token.id]) for token in pair))
