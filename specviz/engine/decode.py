"""Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events.

    for event in decode(target, SmallModel(draft), ids, DecodeConfig(K=4), text): ...

A round: the drafter proposes up to K tokens; one pass of the target over the last token and the block gives p at every
position; verification keeps a prefix and adds one token; both caches roll back to the text without its last token.
Where a block's numbers are when it is decided: verify.py. What becomes of them: events.py.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..config import SETTINGS, ConfigError, DecodeConfig
from ..trace.events import Cache, Event, Finished, ModelInfo, Prefill, Reason, Round, ShortBlockReason
from .draft.base import NO_DRAFT, Block, DraftContext, Drafter, DraftSession, Stateless, TreePlan, TreeSession
from .events import EventBuilder
from .machine import THREAD, Stopwatch, torch_threads
from .model import Model, Sequence
from .sampling import Array, Uniforms, concatenate, on_host
from .text import PromptError, Text
from .verify import GrammarState, Verifier


def decode(
    target: Model,
    drafter: Drafter | None,
    prompt: list[int],
    config: DecodeConfig,
    text: Text,
    *,
    stop: Callable[[], bool] = lambda: False,
    observe: bool = True,
    clock: Callable[[], float] | Stopwatch = time.perf_counter,
    reserve: int = 0,
) -> Iterator[Event]:
    """Decode after `prompt` (ids). Yields one Prefill, Rounds, one Finished.

    `stop` is asked between rounds; `observe=False` leaves out the distributions; `reserve`: new tokens that the caches hold at least,
    for a run that warms up those of a longer one. Raises PromptError at once for an empty
    prompt and one that leaves no room in the context. A failure inside the run is said in `Finished` and then raised;
    caches are the run's own, so the next run is unaffected.
    """
    if not prompt:
        raise PromptError("the prompt is empty: there is no token to continue from")
    if len(prompt) >= target.context:
        raise PromptError(f"the prompt is {len(prompt)} tokens long; the context of {target.info.name} is {target.context}")
    if config.K and drafter is None:
        raise ValueError("K is above 0 and there is no drafter")
    check_settings(target, drafter, config)
    return _Run(target, drafter if config.K else None, prompt, config, text, observe, clock, reserve).events(stop)


class _Run:
    """The state of one run: the text so far, two caches, one source of chance."""

    def __init__(self, target, drafter, prompt, config: DecodeConfig, text: Text, observe, clock, reserve: int):
        processor = None if target.capabilities.waits else THREAD
        self.config, self.stopwatch = (
            config,
            clock if isinstance(clock, Stopwatch) else Stopwatch(clock, target.device, processor),
        )
        self.output = Output(prompt, config, text, target.context)
        self.record = EventBuilder(config, text, target.vocabulary, self.stopwatch, observe, drafts=drafter is not None)
        self.uniforms = None if config.greedy else Uniforms(config.seed, target.device)
        self.tree_plan = TreePlan.of(config) if drafter else None
        limit = max(self.output.limit, len(prompt) + reserve) + (self._tree_positions(config.K) if self.tree_plan else 0)
        self.capacity = limit = min(limit, target.context)
        self.target = target.sequence(limit)
        context = DraftContext.of(config, target.vocabulary, limit, self.target, target.device)
        self.session: DraftSession = drafter.begin(context) if drafter else Stateless(context)
        needs_torch = target.capabilities.torch_threads or (drafter is not None and drafter.capabilities.torch_threads)
        self.torch_threads = None if needs_torch else 1
        self.caches = CacheSpan(self.target, target.info), CacheSpan(self.session, drafter.info if drafter else None)
        grammar = GrammarState.of(config, text, target.vocabulary)
        self.verifier = Verifier(config, self.target.replay, self.stopwatch, observe, grammar)

    def events(self, stop: Callable[[], bool]) -> Iterator[Event]:
        output = self.output
        try:
            with torch_threads(self.torch_threads):
                start = self._prefill()
            yield start
            while output.reason is None:
                if stop():
                    output.reason = "cancelled"
                else:
                    with torch_threads(self.torch_threads):
                        event = self._round()
                    yield event
        except Exception as error:
            output.reason, output.detail = "error", f"{type(error).__name__}: {error}"
            yield self._finished()
            raise
        yield self._finished()

    def _finished(self) -> Finished:
        reason, session = self.output.reason, self.session
        assert reason  # the run has ended
        slow_reason = self.target.slow_reason or session.slow_reason
        return self.record.finished(reason, self.output.detail, session.forwards, slow_reason)

    def _prefill(self) -> Prefill:
        """All of the prompt but its last token goes into both caches; the first round feeds that one."""
        before, target, session = self.output.ids[:-1], self.target, self.session
        start = self.stopwatch()
        if before:
            target.append(before, keep=1)
        middle = self.stopwatch()
        session.prefill(before)
        return self.record.prefill(self.output.ids, target.length, session.length, (start, middle, self.stopwatch()))

    def _round(self) -> Round:
        """Leviathan et al. 2022, algorithm 1; Chen et al. 2023, algorithm 2."""
        text, target, session, stopwatch = self.output, self.target, self.session, self.stopwatch
        target_cache, draft_cache = self.caches
        target_cache.begin_round()
        draft_cache.begin_round()
        stopwatch.start()
        # draft: k tokens, each drawn from its q, or its largest. A round emits up to k + 1, so near the end fewer are drafted
        depth, k, short_block_reason = self._block_size()
        u = on_host(self.uniforms(2 * k + 1)) if self.uniforms else None  # for k drafts, k verdicts and the round's last token
        block = self._draft(depth, k, None if u is None else u[:k])
        draft_cache.mark_peak()
        stopwatch.lap()
        # verify: one pass over the last token and the block gives p at each of their positions
        logits = _target_logits(target, text.ids[-1], block)
        target_cache.mark_peak()
        stopwatch.lap()
        # decide, here by rejection.                     case 1: u < p(x)/q(x)       → x is accepted
        # The theorem (acceptance.py): what is written   case 2: the first that fails → the residual norm(max(p − q, 0)) corrects it
        # is distributed as the target alone writes it   case 3: all were accepted    → p at position k + 1 gives a bonus token
        result = self.verifier(block, logits, None if u is None else u[-len(block.ids) - 1 :])
        stopwatch.end()
        # emit: the accepted tokens, then the one that corrects, is a bonus, or is plain where nothing was drafted
        pieces = text.add([*(result.ids[node] for node in result.path), result.last])
        # roll back: both caches, to the text without its last token. Of a tree the rows of one path are moved together before
        if result.walk:
            target.keep([0, *(node + 1 for node in result.path)])
        target.rollback(len(text.ids) - 1)
        session.observe(text.ids)
        stopwatch.end()
        why = block.short_block_reason if len(result.ids) < k else short_block_reason
        caches = target_cache.round_cache(), draft_cache.round_cache()
        replay_ms = target_cache.replay_ms + draft_cache.replay_ms  # as round_cache() has just found
        return self.record.round(result, pieces, caches, replay_ms, session.forwards, k, why)

    def _block_size(self) -> tuple[int, int, ShortBlockReason | None]:
        """How many tokens to draft one after the other, and in all; why not K."""
        depth = min(self.config.K, self.output.remaining - 1)
        if self.tree_plan:
            left = self.capacity - self.target.length - 1
            depth = next((d for d in range(depth, 0, -1) if self._tree_positions(d) <= left), 0)
        k = self.config.nodes_to(depth)
        return depth, k, "length" if k < self.config.max_drafted else None

    def _tree_positions(self, depth: int) -> int:
        """Positions after the text that a cache needs for a tree of `depth`: all of it lies there until one path is kept. A
        drafter may be fed more than what is drafted in the end."""
        assert self.tree_plan
        return max(self.config.nodes_to(depth), self.tree_plan.positions_fed(depth))

    def _draft(self, depth: int, k: int, u: Array | None) -> Block:
        """A chain of k tokens, or a tree of k that is `depth` deep."""
        ids = self.output.ids
        if not k:
            return NO_DRAFT
        if not self.config.branches:
            return self.session.propose(ids, k, u)
        assert isinstance(self.session, TreeSession)  # as its drafter said
        block = self.session.branch(ids, depth, u)
        return block if block.short_block_reason or len(block.ids) == k else replace(block, short_block_reason="filter")


def _target_logits(target: Sequence, last: int, block: Block) -> Array:
    """The target's logits [k + 1, V] after the last token of the text and after each drafted one. Of a tree each sees the text and what it
    follows."""
    ids = block.ids  # a list, or a tensor where it was drafted on a device
    block_input = [last, *ids] if isinstance(ids, list) else concatenate([ids.new_full((1,), last), ids])
    if block.parents is None:
        return target.append(block_input)
    return target.append(block_input, parents=[-1, *(parent + 1 for parent in block.parents)])


class CacheSpan:
    """What one cache holds in a round, and what it costs that some of it cannot be cut. Of `sequence`, the sequence of a target or the
    session of a drafter; `info`: whose cache it is, None without a drafter."""

    def __init__(self, sequence: Any, info: ModelInfo | None):
        self.sequence, self.window = sequence, info.window if info else None
        self.has_states = info is not None and info.state_layers > 0
        self.before = self.peak = None
        self.seconds_before = self.replay_ms = 0.0
        self.positions_before = 0

    def begin_round(self) -> None:
        self.before, (self.positions_before, self.seconds_before) = self.sequence.length, self._replay_so_far()

    def mark_peak(self) -> None:
        """Now it is at its fullest."""
        self.peak = self.sequence.length

    def round_cache(self) -> Cache | None:
        """Of the round that just ended; None where nothing is held. `replay_ms`: of copying states and feeding tokens again."""
        after, (positions, seconds) = self.sequence.length, self._replay_so_far()
        self.replay_ms = 1e3 * (seconds - self.seconds_before)
        if self.before is None or self.peak is None or after is None:
            return None
        return Cache(
            self.before,
            self.peak,
            after,
            positions - self.positions_before,
            self.window if after > (self.window or after) else None,
        )

    def _replay_so_far(self) -> tuple[int, float]:
        return (self.sequence.replayed.positions, self.sequence.replayed.seconds) if self.has_states else (0, 0.0)


def check_settings(target: Model, drafter: Drafter | None, config: DecodeConfig) -> None:
    """Refuse a grammar where p is not on the host, a setting of saved runs alone, and a tree that nobody can draft or verify.
    Raises ConfigError."""
    if config.grammar and target.device.type != "cpu":
        raise ConfigError(
            "grammar", config.grammar, f"empty with {target.info.name} on this device: a grammar masks p on a CPU only"
        )
    if config.adaptive:
        raise ConfigError("adaptive", True, "false: only saved runs have it")
    SETTINGS["verifier"].validate(config.verifier)
    if not config.branches:
        return
    if not (drafter and drafter.branches):
        raise ConfigError("tree", config.tree, f"off with {drafter.info.name}, which drafts chains" if drafter else "off")
    if why := target.no_trees:
        raise ConfigError("tree", config.tree, f"off with {target.info.name}, which takes no block that branches: {why}")


class Output:
    """`ids`: the prompt and what was written after it. `reason` is None until the run ends, then `detail` says which limit, stop
    string or token ended it."""

    def __init__(self, prompt: list[int], config: DecodeConfig, text: Text, context: int):
        self.config, self.text, self.context = config, text, context
        self.ids, self.prompt_length = list(prompt), len(prompt)
        self.limit = min(len(prompt) + config.max_new_tokens, context)  # the text is never longer
        self.stream = text.stream(prompt)
        self.tail, self.longest_stop = "", max(map(len, config.stop), default=0)
        self.reason: Reason | None = None
        self.detail = ""

    @property
    def remaining(self) -> int:
        return self.limit - len(self.ids)

    def add(self, ids: list[int]) -> list[str]:
        """Take in the ids that join the text: all of them, or up to the one that ends the run. Returns their pieces."""
        pieces = []
        for id in ids:
            piece = self.stream.push(id)
            pieces.append(piece)
            if id in self.text.eos and not self.config.ignore_eos:
                self.reason, self.detail = "eos", self.text.token(id).text
            elif self.longest_stop and piece and (string := self._stop_string(piece)):
                self.reason, self.detail = "stop", string
            if self.reason:
                break
        self.ids += ids[: len(pieces)]
        if not self.reason and self.remaining <= 0:
            new = self.limit - self.prompt_length
            full = new < self.config.max_new_tokens
            self.reason = "context" if full else "length"
            self.detail = f"context of {self.context}" if full else f"max_new_tokens of {new}"
        return pieces

    def _stop_string(self, piece: str) -> str | None:
        self.tail = (self.tail + piece)[-(self.longest_stop + len(piece)) :]
        return next((s for s in self.config.stop if s in self.tail), None)
