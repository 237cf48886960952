"""Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events.

    for event in decode(target, SmallModel(draft), ids, DecodeConfig(K=4), text): ...

A round: the drafter proposes up to K tokens; one pass of the target over the last token and the block gives p at every
position; verification keeps a prefix and adds one token; both caches roll back to the text without its last token.
Where a block's numbers are when it is decided: verify.py. What becomes of them: record.py and observe.py.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..config import SETTINGS, ConfigError, DecodeConfig
from ..trace.events import Event, Prefill, Round, ShortBlockReason
from .arrays import Array, concatenate, on_host
from .backends.base import Model, Sequence
from .draft.base import NO_DRAFT, Block, DraftContext, Drafter, DraftSession, Stateless, TreeSession
from .draft.tree_plan import TreePlan
from .grammar import GrammarState
from .machine import torch_threads
from .output import Output
from .record import CacheSpan, EventBuilder
from .sampling import Uniforms
from .stopwatch import THREAD, Stopwatch
from .text import PromptError, Text
from .verify import Verifier


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
        processor = None if getattr(target, "waits", False) else THREAD
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
        models = {target, getattr(drafter, "model", target)}
        own = all(getattr(getattr(model, "backend", None), "own_threads", False) for model in models)
        self.torch_threads = 1 if own else None
        self.caches = CacheSpan(self.target, target.info), CacheSpan(self.session, getattr(drafter, "info", None))
        grammar = GrammarState.of(config, text, target.vocabulary)
        self.verifier = Verifier(config, getattr(self.target, "replay", None), self.stopwatch, observe, grammar)

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
            yield self.record.finished(output, self.target, self.session)
            raise
        yield self.record.finished(output, self.target, self.session)

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
        if result.parents is not None:
            target.keep([0, *(node + 1 for node in result.path)])
        target.rollback(len(text.ids) - 1)
        session.observe(text.ids)
        stopwatch.end()
        why = block.short_block_reason if len(result.ids) < k else short_block_reason
        return self.record.round(result, pieces, target_cache, draft_cache, session.forwards, k, why)

    def _block_size(self) -> tuple[int, int, ShortBlockReason | None]:
        """How many tokens to draft one after the other, and in all; why not K."""
        depth = min(self.config.K, self.output.remaining - 1)
        if self.tree_plan:
            left = self.capacity - self.target.length - 1
            depth = next((d for d in range(depth, 0, -1) if self._tree_positions(d) <= left), 0)
        k = self.config.nodes_to(depth)
        return depth, k, "length" if k < self.config.max_drafted else None

    def _tree_positions(self, depth: int) -> int:
        """Positions after the text that a cache needs for a tree of `depth`: all of it lies there until one path is kept. A drafter may be fed
        more than what is drafted in the end."""
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


def check_settings(target: Model, drafter: Drafter | None, config: DecodeConfig) -> None:
    """Refuse a grammar where p is not on the host, a setting of saved runs alone, and a tree that nobody can draft or verify. Raises ConfigError."""
    if config.grammar and target.device.type != "cpu":
        raise ConfigError(
            "grammar", config.grammar, f"empty with {target.info.name} on this device: a grammar masks p on a CPU only"
        )
    if config.adaptive:
        raise ConfigError("adaptive", True, "false: only saved runs have it")
    SETTINGS["verifier"].validate(config.verifier)
    if not config.branches:
        return
    if not getattr(drafter, "branches", False):
        raise ConfigError("tree", config.tree, f"off with {drafter.info.name}, which drafts chains" if drafter else "off")
    if why := getattr(target, "no_trees", ""):
        raise ConfigError("tree", config.tree, f"off with {target.info.name}, which takes no block that branches: {why}")
