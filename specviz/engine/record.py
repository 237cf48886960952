"""What happened → the events of one run, and the totals that its last event gives. Nothing here decides anything."""

from dataclasses import replace
from typing import Any

from ..config import DecodeConfig
from ..rules import rule_of
from ..trace.events import (
    Cache,
    Drafted,
    Emitted,
    Finished,
    ModelInfo,
    Position,
    Prefill,
    Role,
    Round,
    ShortBlockReason,
    Times,
    totals,
)
from . import observe as see
from .backends.base import Sequence
from .draft.base import DraftSession
from .machine import Recording
from .output import Output
from .result import VerifyResult
from .stopwatch import Stopwatch
from .text import Text


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
        """Of the round that just ended; None where nothing is held. `replay_ms` is then what it took to copy states and to feed tokens again."""
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


class EventBuilder:
    """Of one run. A round counts when it is whole, so that a run that fails inside one says what it had yielded.

    `vocabulary`: of the target; `drafts`: whether anything drafts in this run."""

    def __init__(self, config: DecodeConfig, text: Text, vocabulary: int, stopwatch: Stopwatch, observe: bool, drafts: bool):
        self.rule, self.argmax, self.text, self.vocabulary = rule_of(config), config.drafting == "argmax", text, vocabulary
        self.stopwatch, self.observe, self.drafts, self.recording_before = stopwatch, observe, drafts, Recording.seconds
        self.rounds: list[Round] = []
        self.prefill_ms = 0.0
        self.processor_ms: float | None = None
        self.device_ms: float | None = None

    def prefill(self, prompt: list[int], target: int, draft: int | None, marks: tuple[float, float, float]) -> Prefill:
        """Positions that both caches hold now; seconds before, between and after both prefills."""
        start, middle, end = marks
        self.prefill_ms = (end - start) * 1e3
        prompt_tokens = tuple(map(self.text.token, prompt))
        return Prefill(prompt_tokens, target, draft, target_ms=(middle - start) * 1e3, draft_ms=(end - middle) * 1e3)

    def round(
        self,
        result: VerifyResult,
        pieces: list[str],
        target: CacheSpan,
        draft: CacheSpan,
        draft_forwards: int,
        requested_k: int,
        short_block_reason: ShortBlockReason | None,
    ) -> Round:
        """Of a decided block and of the pieces of those of its tokens that joined the text."""
        start = self.stopwatch()
        k = len(result.ids)
        ended_inside = len(pieces) <= result.accepted  # the run ended on an accepted token: what follows was never examined
        path, tested, rejected = list(result.path), list(result.tested), result.rejected and not ended_inside
        if ended_inside:
            path = path[: len(pieces)]
            tested = tested[: tested.index(path[-1]) + 1]
        positions: list[Position | None] = [None] * k
        tree_places = _tree_places(result.parents)
        residual = last = None
        if self.observe:
            rows = (
                len(tested) if rejected or ended_inside else len(tested) + 1
            )  # a bonus or plain token was drawn from one row more
            replaced = rejected and self.rule.from_residual
            observed, residual = see.make_positions(result, rows, len(tested), replaced, self.argmax, self.vocabulary, self.text)
            for node, position in zip(tested, observed, strict=False):
                # what is left of p after a sibling says nothing of other rules
                second = tree_places and tree_places[node]["rank"]
                positions[node] = replace(position, product=None, best=None) if second else position
            last = observed[-1] if rows > len(tested) else None
        drafted = self._drafted_tokens(result, path, tested, positions, tree_places)
        drawn_u = self.rule.draws_each and result.u
        emitted = [
            Emitted(drafted[node].token, "accepted", piece, drawn_u[row] if drawn_u else None, forced=_is_forced(result, row))
            for node, piece, row in zip(path, pieces, map(result.row, path), strict=False)
        ]
        if not ended_inside:
            emitted.append(self._last_token(result, pieces[-1], rejected, last))
        caches = target.round_cache(), draft.round_cache()
        times = self._times(start, target.replay_ms + draft.replay_ms)
        self.processor_ms = _sum_ms(self.processor_ms, self.stopwatch.processor_ms())
        self.device_ms = _sum_ms(self.device_ms, self.stopwatch.device_ms())
        event = Round(
            index=len(self.rounds),
            drafted=drafted,
            emitted=tuple(emitted),
            residual=residual,
            target_cache=caches[0],
            draft_cache=caches[1],
            target_forwards=len(self.rounds) + 1,
            draft_forwards=draft_forwards,
            times=times,
            asked=requested_k,
            fewer=short_block_reason,
        )
        self.rounds.append(event)
        return event

    def _drafted_tokens(
        self, result: VerifyResult, path: list[int], tested: list[int], positions: list[Position | None], tree_places: list[dict]
    ) -> tuple[Drafted, ...]:
        p, q, u = result.p_of_drafted(tested), result.q_x, result.u if result.u and self.rule.tests_u else []
        joint, chance = result.joint, result.chance  # of block verification, which asks every u
        accepted, tested_nodes = set(path), set(tested)
        return tuple(
            Drafted(
                token=self.text.token(id),
                q=q[i],
                p=p[i],
                ratio=p[i] / q[i],
                u=u[i] if u and (joint or i in tested_nodes) else None,
                verdict="accepted" if i in accepted else "rejected" if i in tested_nodes else "unexamined",
                position=positions[i],
                joint=joint[i] if joint else None,
                chance=chance[i] if chance else None,
                **tree_places[i] if tree_places else {},
                void=_is_forbidden(result, i, id),
            )
            for i, id in enumerate(result.ids)
        )

    def _last_token(self, result: VerifyResult, piece: str, rejected: bool, position: Position | None) -> Emitted:
        """The round's last token: what corrects a draft, what comes free, or what a round without drafts writes."""
        role: Role = "plain" if not result.ids else "corrected" if rejected else "bonus"
        u = None if result.u is None else result.u[result.last_row if self.rule.draws_each else -1]
        return Emitted(self.text.token(result.last), role, piece, u, position, _is_forced(result, result.last_row))

    def _times(self, start: float, replay: float) -> Times:
        """`start`: seconds when the round was over and this began to describe it; `replay`: ms, as of Times."""
        draft, verify, decide, rest, look = self.stopwatch.phases()
        if not self.drafts:  # the draw of this round's uniform is no drafting
            draft, rest = 0.0, rest + draft
        return Times(draft, verify, decide, rest, observe=(self.stopwatch() - start) * 1e3 + look, replay=replay)

    def finished(self, output: Output, target: Sequence, session: DraftSession) -> Finished:
        assert output.reason  # the run has ended
        return Finished(
            reason=output.reason,
            detail=output.detail,
            target_forwards=len(self.rounds),
            draft_forwards=session.forwards,
            prefill_ms=self.prefill_ms,
            capture_ms=(Recording.seconds - self.recording_before) * 1e3,
            eager=target.slow_reason or session.slow_reason,
            processor_ms=self.processor_ms,
            device_ms=self.device_ms,
            **totals(self.rounds),
        )


def _tree_places(parents: list[int] | None) -> list[dict[str, int]]:
    """Of each node of a tree its parent, depth and rank."""
    places: list[dict[str, int]] = []
    for parent in parents or ():
        rank = sum(other["parent"] == parent for other in places)
        places.append({"parent": parent, "depth": places[parent]["depth"] + 1 if parent >= 0 else 1, "rank": rank})
    return places


def _allowed(result: VerifyResult, row: int):
    return result.allowed[row] if result.allowed else None


def _is_forbidden(result: VerifyResult, node: int, id: int) -> bool:
    """Whether the grammar forbids a drafted token."""
    mask = _allowed(result, result.row(node))
    return mask is not None and not bool(mask[id])


def _is_forced(result: VerifyResult, row: int) -> bool:
    """Whether the grammar allows one token alone."""
    mask = _allowed(result, row)
    return mask is not None and int(mask.sum()) == 1


def _sum_ms(sum: float | None, ms: float | None) -> float | None:
    """None as long as nobody told any."""
    return sum if ms is None else (sum or 0.0) + ms
