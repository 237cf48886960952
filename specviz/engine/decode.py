"""Speculative decoding, and vanilla decoding as the case where nothing is drafted: one generator of events.

    for event in decode(target, SmallModel(draft), ids, DecodeConfig(K=4), text): ...

A round: the drafter proposes up to K tokens; one pass of the target over the last token and the block gives p at every
position; verification keeps a prefix and adds one token; both caches roll back to the text without its last token.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from ..config import DecodeConfig
from ..trace.events import Cache, Drafted, Emitted, Event, Finished, Position, Prefill, Residual, Round, Times
from . import observe as see
from .draft.adaptive import AdaptiveK
from .draft.base import NOTHING, Block, Drafter, Start
from .models.base import Model
from .models.graphs import Graphs
from .models.watch import Watch
from .sampling import Distribution, Uniforms, distribution, draw
from .text import PromptError, Text
from .verify import Told, decide, verify_greedy, verify_match, verify_rejection


def decode(
    target: Model,
    drafter: Drafter | None,
    prompt: list[int],
    config: DecodeConfig,
    text: Text,
    *,
    stop: Callable[[], bool] = lambda: False,
    observe: bool = True,
    clock: Callable[[], float] | Watch = time.perf_counter,
) -> Iterator[Event]:
    """Decode after `prompt` (ids). Yields one Prefill, Rounds, one Finished.

    `stop` is asked between rounds; `observe=False` leaves out the distributions. Raises PromptError at once for an empty
    prompt and one that leaves no room in the context. A failure inside the run is said in `Finished` and then raised;
    caches are the run's own, so the next run is unaffected.
    """
    if not prompt:
        raise PromptError("the prompt is empty: there is no token to continue from")
    if len(prompt) >= target.context:
        raise PromptError(f"the prompt is {len(prompt)} tokens long; the context of {target.info.name} is {target.context}")
    if config.K and drafter is None:
        raise ValueError("K is above 0 and there is no drafter")
    return _Run(target, drafter if config.K else None, prompt, config, text, observe, clock).events(stop)


@dataclass(slots=True)
class _Totals:
    """Counted when a round is whole, so that a run that fails inside one says what it had yielded."""

    tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    tested: int = 0
    accepted: int = 0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    observe_ms: float = 0.0


class _Run:
    """The state of one run: the text so far, two caches, one source of chance."""

    def __init__(self, target, drafter, prompt, config: DecodeConfig, text: Text, observe, clock):
        self.target, self.config, self.text, self.observe = target, config, text, observe
        self.watch, self.captured = clock if isinstance(clock, Watch) else Watch(clock, target.device), Graphs.seconds
        self.tokens, self.prompt_length = list(prompt), len(prompt)
        self.limit = min(len(prompt) + config.max_new_tokens, target.context)  # the text is never longer
        self.distribution = distribution(config)
        self.uniforms = None if config.greedy else Uniforms(config.seed, target.device)
        self.sequence = target.sequence(self.limit)
        self.replayed = getattr(self.sequence, "replayed", None)  # where passes are replayed from graphs, so is what decides
        start = Start(self.distribution, target.vocabulary, self.limit, self.sequence, config.confidence, config.K)
        self.drafting = drafter.begin(start) if drafter else None
        self.adaptive = AdaptiveK(config.K) if config.adaptive and drafter else None
        self.stream, self.pieces = text.stream(prompt), []
        self.tail, self.longest_stop = "", max(map(len, config.stop), default=0)
        self.totals, self.reason, self.detail = _Totals(), None, ""

    def events(self, stop) -> Iterator[Event]:
        try:
            yield self._prefill()
            while self.reason is None:
                if stop():
                    self.reason = "cancelled"
                else:
                    yield self._round()
        except Exception as error:
            self.reason, self.detail = "error", f"{type(error).__name__}: {error}"
            yield self._finished()
            raise
        yield self._finished()

    @torch.inference_mode()
    def _prefill(self) -> Prefill:
        """All of the prompt but its last token goes into both caches; the first round feeds that one."""
        before = self.tokens[:-1]
        start = self.watch()
        if before:
            self.sequence.append(before, keep=1)
        middle = self.watch()
        if self.drafting:
            self.drafting.prefill(before)
        end = self.watch()
        self.totals.prefill_ms = (end - start) * 1e3
        return Prefill(
            prompt=tuple(map(self.text.token, self.tokens)),
            target_positions=self.sequence.length,
            draft_positions=self.drafting.length if self.drafting else None,
            target_ms=(middle - start) * 1e3,
            draft_ms=(end - middle) * 1e3,
        )

    @torch.inference_mode()
    def _round(self) -> Round:
        target_before, draft_before = self.sequence.length, self.drafting.length if self.drafting else None
        self.watch.start()
        # draft: a round emits up to k + 1 tokens, so near the end fewer are drafted
        k = min(self.adaptive.next() if self.adaptive else self.config.K, self.limit - len(self.tokens) - 1)
        u = self.uniforms(2 * k + 1) if self.uniforms else None  # for k drafts, k verdicts and the round's last token
        block = NOTHING
        if self.drafting and k:
            block = self.drafting.propose(self.tokens, k, None if u is None else u[:k])
            draft_peak = self.drafting.length
        else:
            draft_peak = draft_before
        self.watch.lap()
        # verify: one pass over the last token and the block
        logits = self.sequence.append(_after(self.tokens[-1], block.ids))
        target_peak = self.sequence.length
        self.watch.lap()
        # decide
        p = None
        if u is None:
            told = self._greedy(block.ids, logits)
        elif self.replayed or isinstance(block.ids, torch.Tensor):
            told = self._decide_there(block, logits, u)
        else:
            p = self.distribution(logits)
            told = self._decide(block, p, u)
        self.watch.end()
        # emit, roll back
        ids = [*told.ids[: told.verdict.accepted], told.last]
        emitted = self._emit(ids)
        self.tokens += ids[: len(emitted)]
        self.sequence.rollback(len(self.tokens) - 1)
        if self.drafting:
            self.drafting.observe(self.tokens)
        self.watch.end()
        event = self._event(told, block.q, p, ids, emitted)
        return Round(
            index=self.totals.rounds - 1,
            **event,
            target_cache=Cache(target_before, target_peak, self.sequence.length),
            draft_cache=None if draft_before is None else Cache(draft_before, draft_peak, self.drafting.length),
            target_forwards=self.totals.rounds,
            draft_forwards=self.drafting.forwards if self.drafting else 0,
        )

    def _greedy(self, ids, logits) -> Told:
        """The rule needs the ids of the largest logits, and of the block if that was drafted on a device: one transfer."""
        y = logits.argmax(-1)
        numbers = torch.cat([ids, y]) if isinstance(ids, torch.Tensor) else y
        self.watch.lap()
        numbers = numbers.tolist()
        ids, y = (ids, numbers) if isinstance(ids, list) else (numbers[: len(ids)], numbers[len(ids) :])
        verdict = verify_greedy(ids, y)
        return Told(ids, verdict, verdict.token, None, y)

    def _decide_there(self, block: Block, logits, u) -> Told:
        """Decide, and look at what will be shown, where the tensors are: all of it leaves a device in one transfer."""
        k, ids, match = len(block.ids), block.ids, self.config.verifier == "match"
        if isinstance(ids, list):
            ids = torch.tensor(ids, dtype=torch.long).to(logits.device, non_blocking=True)
        drafted = (ids, block.q) if k else (ids,)
        replayed = self.replayed or (lambda key, function, *inputs: function(*inputs))
        key = "decide", k, match, self.distribution, self.observe
        deciding = _deciding(self.distribution, match, self.observe)
        numbers, *found = replayed(key, deciding, logits, u[-k - 1 :], *drafted)
        self.watch.lap()
        if self.observe:
            p, last, *then = found
            [numbers] = replayed(("look", k, match), see.pack, numbers, p, last, *drafted, *then)
            self.watch.lap()
        return Told.of(numbers.tolist(), k)

    def _decide(self, block: Block, p, u) -> Told:
        """Decide here, where a look at a value costs nothing."""
        k, ids = len(block.ids), torch.tensor(block.ids, dtype=torch.long, device=p.device)
        u, chances = u[-k - 1 :], u[-k - 1 :].tolist()
        if self.config.verifier == "match":
            verdict = verify_match(ids, block.q, p, draw(p, u).tolist())
            return Told(block.ids, verdict, verdict.token, chances)
        verdict = verify_rejection(ids, block.q, p, chances[:-1])
        return Told(block.ids, verdict, int(draw(verdict.then[None], u[-1:])), chances)

    def _emit(self, ids: list[int]) -> list[str]:
        """Text pieces of the ids that join the text: all of them, or up to the one that ends the run."""
        pieces = []
        for id in ids:
            piece = self.stream.push(id)
            pieces.append(piece)
            if id in self.text.eos and not self.config.ignore_eos:
                self.reason, self.detail = "eos", self.text.token(id).text
            elif found := self._stop_string(piece):
                self.reason, self.detail = "stop", found
            if self.reason:
                break
        if not self.reason and len(self.tokens) + len(pieces) >= self.limit:
            new = self.limit - self.prompt_length
            full = new < self.config.max_new_tokens
            self.reason = "context" if full else "length"
            self.detail = f"context of {self.target.context}" if full else f"max_new_tokens of {new}"
        return pieces

    def _stop_string(self, piece: str) -> str | None:
        if not self.longest_stop or not piece:
            return None
        self.tail = (self.tail + piece)[-(self.longest_stop + len(piece)) :]
        return next((s for s in self.config.stop if s in self.tail), None)

    def _event(self, told: Told, q, p, ids, pieces) -> dict:
        """The parts of a Round that say what happened; counts it in the totals. p is None where it was looked at already."""
        start = self.watch()
        verdict, token, match = told.verdict, self.text.token, self.config.verifier == "match"
        k = len(told.ids)
        cut = len(pieces) <= verdict.accepted  # the run ended on an accepted token: what follows was never examined
        accepted = len(pieces) if cut else verdict.accepted
        rejected = verdict.rejected and not cut
        tested = accepted + rejected
        seen, left, plain = [None] * k, None, None
        if self.observe:
            rows = tested if rejected or cut else k + 1  # a bonus or plain token was drawn from one row more
            found, left = self._see(told, q, p, rows, tested, rejected and not match)
            seen[:tested], plain = found[:tested], found[-1] if rows > k else None
        thresholds = [] if told.u is None or match else told.u
        drafted = tuple(
            Drafted(
                token=token(id),
                q=verdict.q_x[i],
                p=verdict.p_x[i],
                ratio=verdict.p_x[i] / verdict.q_x[i],
                u=thresholds[i] if thresholds and i < tested else None,
                verdict="accepted" if i < accepted else "rejected" if i < tested else "unexamined",
                position=seen[i],
            )
            for i, id in enumerate(told.ids)
        )
        emitted = [Emitted(token(id), "accepted", piece) for id, piece in zip(ids[:accepted], pieces, strict=False)]
        if not cut:
            drew = None if told.u is None else told.u[accepted if match else -1]
            role = "plain" if k == 0 else "corrected" if rejected else "bonus"
            emitted.append(Emitted(token(ids[-1]), role, pieces[-1], drew, plain))
        draft, verify, decide, rest, look = self.watch.phases()
        if not self.drafting:  # the draw of this round's uniform is no drafting
            draft, rest = 0.0, rest + draft
        times = Times(draft, verify, decide, rest, observe=(self.watch() - start) * 1e3 + look)
        if self.adaptive:
            self.adaptive.learn(k, tested, accepted, times.draft, times.verify)
        totals = self.totals
        self.pieces += pieces
        totals.tokens += len(pieces)
        totals.rounds += 1
        totals.drafted += k
        totals.tested += tested
        totals.accepted += accepted
        totals.decode_ms += times.timed
        totals.observe_ms += times.observe
        return {"drafted": drafted, "emitted": tuple(emitted), "residual": left, "times": times}

    def _see(self, told: Told, q, p, rows: int, tested: int, replaced: bool) -> tuple[list[Position], Residual | None]:
        """The first `rows` positions, `tested` of them drafted, and the residual if the last of these was replaced from it."""
        text, k, last = self.text, len(told.ids), told.last
        if told.y:
            seen = see.one_hot(told.y[:rows], told.ids[:tested], text)
            return seen, see.one_hot_residual(last, text) if replaced else None
        if told.seen is None:  # only the rows that are shown: here each of them costs
            shown = torch.tensor([*told.ids[:tested], last][:rows], device=p.device)
            then, drawn = (told.verdict.then[None], torch.tensor([last], device=p.device)) if replaced else (None, None)
            found = [x.tolist() for x in see.look(p[:rows], q[:tested] if tested else None, shown, then, drawn)]
        else:
            found = see.unpack(told.seen, k, self.target.vocabulary)
        seen = see.positions(found, rows, tested, text)
        return seen, see.residual(found, last, 1.0 - seen[-1].beta, text) if replaced else None

    def _finished(self) -> Finished:
        t = self.totals
        return Finished(
            reason=self.reason,
            detail=self.detail,
            text="".join(self.pieces),
            tokens=t.tokens,
            rounds=t.rounds,
            drafted=t.drafted,
            tested=t.tested,
            accepted=t.accepted,
            target_forwards=t.rounds,
            draft_forwards=self.drafting.forwards if self.drafting else 0,
            prefill_ms=t.prefill_ms,
            decode_ms=t.decode_ms,
            observe_ms=t.observe_ms,
            capture_ms=(Graphs.seconds - self.captured) * 1e3,
            eager=getattr(self.sequence, "eager", "") or (self.drafting.eager if self.drafting else ""),
        )


def _after(last: int, ids: list[int] | torch.Tensor) -> list[int] | torch.Tensor:
    """What the target is fed: the last token and the block, wherever that lies."""
    if isinstance(ids, torch.Tensor):
        return torch.cat([torch.full_like(ids[:1], last), ids])
    return [last, *ids]


def _deciding(distribution: Distribution, match: bool, observe: bool):
    """What is recorded of a decision. A recording outlives the run, so it holds on to nothing of that."""

    def deciding(logits, u, ids, q=None) -> tuple[torch.Tensor, ...]:
        p = distribution(logits)
        numbers, last, then = decide(ids, q, p, u, match)
        if not observe:
            return (numbers,)
        return (numbers, p, last) if q is None or match else (numbers, p, last, then)

    return deciding
