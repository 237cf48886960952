"""What happened → the events of one run, and the totals that its last event gives. Nothing here decides anything.

Distributions of one round become the plain values of its event outside the round's timed part, in two steps: a look finds all
numbers where the distributions are, `positions_from` and `residual_from` read them. While a block is on a device nobody knows
which rows will be shown: there all are looked at, and the numbers leave in the verdict's transfer (tensors.pack, `unpack`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..config import DecodeConfig, rule_of
from ..trace.events import (
    SOFTMAX_TOP,
    TOP,
    Cache,
    Drafted,
    Emitted,
    Entry,
    Finished,
    Own,
    Position,
    Prefill,
    Reason,
    Residual,
    ResidualEntry,
    Role,
    Round,
    ShortBlockReason,
    Softmax,
    Times,
    totals,
)
from .machine import Recording, Stopwatch
from .sampling import compiled_rows, concatenate, top_k
from .text import Text
from .verify import Distributions, Largest, VerifyResult


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
        caches: tuple[Cache | None, Cache | None],
        replay_ms: float,
        draft_forwards: int,
        requested_k: int,
        short_block_reason: ShortBlockReason | None,
    ) -> Round:
        """Of a decided block and of the pieces of those of its tokens that joined the text. `caches`: of the target and of the
        draft."""
        start = self.stopwatch()
        k = len(result.ids)
        ended_inside = len(pieces) <= result.accepted  # the run ended on an accepted token: what follows was never examined
        path, tested, rejected = list(result.path), list(result.tested), result.rejected and not ended_inside
        if ended_inside:
            path = path[: len(pieces)]
            tested = tested[: tested.index(path[-1]) + 1]
        positions: list[Position | None] = [None] * k
        tree_places = _tree_places(result.walk.parents) if result.walk else []
        residual = last = None
        if self.observe:
            rows = (
                len(tested) if rejected or ended_inside else len(tested) + 1
            )  # a bonus or plain token was drawn from one row more
            replaced = rejected and self.rule.from_residual
            observed, residual = make_positions(result, rows, len(tested), replaced, self.argmax, self.vocabulary, self.text)
            for node, position in zip(tested, observed, strict=False):
                # what is left of p after a sibling says nothing of other rules
                second = tree_places and tree_places[node]["rank"]
                positions[node] = replace(position, product=None, best=None) if second else position
            last = observed[-1] if rows > len(tested) else None
        drafted = self._drafted_tokens(result, path, tested, positions, tree_places)
        drawn_u, grammar = self.rule.draws_each and result.u, bool(result.allowed)
        emitted = [
            Emitted(
                drafted[node].token,
                "accepted",
                piece,
                drawn_u[row] if drawn_u else None,
                forced=grammar and _is_forced(result, row),
            )
            for node, piece, row in zip(path, pieces, map(result.row, path), strict=False)
        ]
        if not ended_inside:
            emitted.append(self._last_token(result, pieces[-1], rejected, last))
        times = self._times(start, replay_ms)
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
        ratios = result.ratios  # of block verification, which asks every u
        accepted, tested_nodes = set(path), set(tested)
        return tuple(
            Drafted(
                token=self.text.token(id),
                q=q[i],
                p=p[i],
                ratio=p[i] / q[i],
                u=u[i] if u and (ratios or i in tested_nodes) else None,
                verdict="accepted" if i in accepted else "rejected" if i in tested_nodes else "unexamined",
                position=positions[i],
                joint=ratios.joint[i] if ratios else None,
                chance=ratios.chance[i] if ratios else None,
                **tree_places[i] if tree_places else {},
                void=bool(result.allowed) and (mask := result.allowed[result.row(i)]) is not None and not bool(mask[id]),
            )
            for i, id in enumerate(result.ids)
        )

    def _last_token(self, result: VerifyResult, piece: str, rejected: bool, position: Position | None) -> Emitted:
        """The round's last token: what corrects a draft, what comes free, or what a round without drafts writes."""
        role: Role = "plain" if not result.ids else "corrected" if rejected else "bonus"
        u = None if result.u is None else result.u[result.last_row if self.rule.draws_each else -1]
        forced = bool(result.allowed) and _is_forced(result, result.last_row)
        return Emitted(self.text.token(result.last), role, piece, u, position, forced)

    def _times(self, start: float, replay: float) -> Times:
        """`start`: seconds when the round was over and this began to describe it; `replay`: ms, as of Times."""
        draft, verify, decide, rest, look = self.stopwatch.phases()
        if not self.drafts:  # the draw of this round's uniform is no drafting
            draft, rest = 0.0, rest + draft
        return Times(draft, verify, decide, rest, observe=(self.stopwatch() - start) * 1e3 + look, replay=replay)

    def finished(self, reason: Reason, detail: str, draft_forwards: int, slow_reason: str) -> Finished:
        return Finished(
            reason=reason,
            detail=detail,
            target_forwards=len(self.rounds),
            draft_forwards=draft_forwards,
            prefill_ms=self.prefill_ms,
            capture_ms=(Recording.seconds - self.recording_before) * 1e3,
            eager=slow_reason,
            processor_ms=self.processor_ms,
            device_ms=self.device_ms,
            **totals(self.rounds),
        )


def _tree_places(parents: list[int]) -> list[dict[str, int]]:
    """Of each node of a tree its parent, depth and rank."""
    places: list[dict[str, int]] = []
    for parent in parents:
        rank = sum(other["parent"] == parent for other in places)
        places.append({"parent": parent, "depth": places[parent]["depth"] + 1 if parent >= 0 else 1, "rank": rank})
    return places


def _is_forced(result: VerifyResult, row: int) -> bool:
    """Whether the grammar allows one token alone."""
    mask = result.allowed[row]
    return mask is not None and int(mask.sum()) == 1


def _sum_ms(sum: float | None, ms: float | None) -> float | None:
    """None as long as nobody told any."""
    return sum if ms is None else (sum or 0.0) + ms


def host_top_entries(p, q, ids: list[int], m: int, next_distribution, last: int) -> np.ndarray:
    """The numbers, side by side in float64, that tensors.top_entries finds of the first n = len(ids) rows of p [·, V] and the
    first m of q [·, V] or None, and of `next_distribution` [V] or None: by one compiled call where that can be."""
    n, has_residual, top = len(ids), next_distribution is not None, min(TOP, p.shape[-1])
    if rows := compiled_rows(p):
        numbers = np.empty(n + m + m * (6 * top + 5) + (n - m) * (2 * top + 2) + has_residual * (2 * top + 1))
        rows.top_entries(p, q, ids, m, next_distribution, last, top, numbers)
        return numbers
    from . import tensors  # they are on a device, or there is no compiler

    return tensors.top_entries_now(p[:n], q[:m] if m else None, ids, next_distribution, last)


def make_positions(
    result: VerifyResult, rows: int, tested: int, from_residual: bool, argmax: bool, vocabulary: int, text: Text
) -> tuple[list[Position], Residual | None]:
    """The first `rows` positions of a decided block, `tested` of them drafted, and the residual if the last of these was replaced
    from it. `argmax`: what was looked at as q is the draft's own softmax, and q is one-hot.

    Their numbers are found now. They become Python's when one of them is asked for: that takes longer, and of most runs nobody asks."""
    shown, last, ids = result.shown, result.last, [result.ids[node] for node in result.tested][:tested]
    if isinstance(shown, Largest):
        at = [*map(result.row, result.tested), result.last_row][:rows]
        entropies = [] if shown.logits is None else logits_entropy(shown.logits[at])
        return one_hot_positions(shown.best[:rows], ids, text, entropies), one_hot_residual(last, text) if from_residual else None
    if isinstance(shown, Distributions):  # only the rows that are shown: here each of them costs
        p, q, next_distribution = shown
        if result.walk:
            p, q = (None if part is None else concatenate([row[None] for row in part]) for part in (p, q))
        m = 0 if q is None else tested
        numbers = host_top_entries(p, q, [*ids, last][:rows], m, next_distribution if from_residual else None, last)
        shape = rows, m, vocabulary
    else:
        numbers, shape = shown, (len(result.ids) + 1, len(result.ids), vocabulary)
    mass = result.ratios.mass if result.ratios else None  # not of the result itself, which holds all of p and q

    def read() -> list:
        look = unpack(numbers, *shape)
        positions = positions_from(look, rows, tested, text, argmax)
        if not from_residual:
            return positions
        beta = positions[-1].beta
        assert beta is not None  # what was replaced had been drafted
        return [*positions, residual_from(look, last, 1.0 - beta if mass is None else mass, text)]

    values: list = []
    residual = Residual.later(read, values, rows) if from_residual else None
    return [Position.later(read, values, i) for i in range(rows)], residual


class TopEntries(NamedTuple):
    """What tensors.top_entries finds of n rows of p, m of them with a q, and of a residual, t being TOP or all of a smaller
    vocabulary. Of rows with a q `ids`, `p`, `q` [m, 2t + 1] and `overlap`, `product` [m]; of those without `bare_ids`, `bare_p`
    [n − m, t + 1]; of the residual, where there is one, `residual_ids`, `residual` [t] and what `drawn` [1] has of it."""

    p_entropy: np.ndarray
    q_entropy: np.ndarray
    ids: np.ndarray
    p: np.ndarray
    q: np.ndarray
    overlap: np.ndarray
    product: np.ndarray
    bare_ids: np.ndarray
    bare_p: np.ndarray
    residual_ids: np.ndarray
    residual: np.ndarray
    drawn: np.ndarray


def unpack(numbers: np.ndarray, n: int, m: int, vocabulary: int) -> TopEntries:
    """The numbers of n rows over V = `vocabulary` tokens, m of them with a q, and of a residual if there is one: what `pack` put
    last."""
    top, end = min(TOP, vocabulary), 0

    def rows(n: int, width: int) -> np.ndarray:
        nonlocal end
        start, end = end, end + n * width
        return numbers[start:end].reshape(n, width)

    [p_entropy], [q_entropy] = rows(1, n), rows(1, m)
    ids, p, q = (rows(m, 2 * top + 1) for _ in range(3))
    overlap, product = rows(2, m)
    bare_ids, bare_p = (rows(n - m, top + 1) for _ in range(2))
    residual = numbers[end : end + top], numbers[end + top : end + 2 * top], numbers[end + 2 * top :]
    return TopEntries(p_entropy, q_entropy, ids, p, q, overlap, product, bare_ids, bare_p, *residual)


def positions_from(look: TopEntries, n: int, m: int, text: Text, argmax: bool = False) -> list[Position]:
    """The first n rows of what a look found, m of them with a q: by then it is known which are shown. `argmax`: as in `make_positions`."""
    positions, token, top = [], text.token, look.ids.shape[1] // 2
    p_entropy, s_entropy = look.p_entropy[:n].tolist(), look.q_entropy[:m].tolist()
    unions, p_rows, s_rows = look.ids[:m].astype(int).tolist(), look.p[:m].tolist(), look.q[:m].tolist()
    overlaps, products = look.overlap[:m].clip(max=1.0).tolist(), look.product[:m].clip(max=1.0).tolist()
    for i in range(m):
        rows = zip(unions[i], p_rows[i], s_rows[i], strict=True)
        pairs = {id: (a, b) for id, a, b in rows if a > 0 or b > 0}
        p_rest = max(0.0, 1.0 - sum([a for a, _ in pairs.values()]))
        s_rest = max(0.0, 1.0 - sum([b for _, b in pairs.values()]))
        if argmax:
            x, p_x = unions[i][top], p_rows[i][top]
            own = Own(tuple([b for _, b in pairs.values()]), s_rest, overlaps[i], s_entropy[i])
            entries = tuple([Entry(token(id), a, float(id == x)) for id, (a, _) in pairs.items()])
            positions.append(Position(entries, p_rest, 0.0, p_x, p_entropy[i], 0.0, products[i], p_x, own))
        else:
            entries = tuple([Entry(token(id), a, b) for id, (a, b) in pairs.items()])
            best = p_rows[i][top + 1]  # of the largest of q
            positions.append(Position(entries, p_rest, s_rest, overlaps[i], p_entropy[i], s_entropy[i], products[i], best))
    if m < n:
        likely = {id: a for id, a in zip(look.bare_ids[0].astype(int).tolist(), look.bare_p[0].tolist(), strict=True) if a > 0}
        entries = tuple([Entry(token(id), a, None) for id, a in likely.items()])
        positions.append(Position(entries, max(0.0, 1.0 - sum([e.p for e in entries])), None, None, p_entropy[m], None))
    return positions


def residual_from(look: TopEntries, last: int, mass: float, text: Text) -> Residual:
    """The residual of what a look found, whose `mass` was 1 − β before normalising; `last` is among the entries."""
    ids, values = look.residual_ids.astype(int).tolist(), look.residual.tolist()
    pairs = {id: a for id, a in zip(ids, values, strict=True) if a > 0}
    pairs.setdefault(last, look.drawn.item())
    entries = tuple([ResidualEntry(text.token(id), a) for id, a in pairs.items()])
    return Residual(entries, rest=max(0.0, 1.0 - sum([e.probability for e in entries])), mass=mass)


def logits_entropy(logits: np.ndarray) -> list[float]:
    """Of the softmax of each row of [n, V], in nats."""
    below = np.maximum(logits - logits.max(-1, keepdims=True), np.float32(-80.0))  # e^−80 adds nothing, and −∞ would add 0 · ∞
    parts = np.exp(below)
    whole = parts.sum(-1)
    return (np.log(whole) - (parts * below).sum(-1) / whole).tolist()


def one_hot_positions(best: list[int], drafted: list[int], text: Text, entropies: Sequence[float] = ()) -> list[Position]:
    """`positions_from` of greedy decoding: `best` [n] has all of p, and `drafted` [m] all of q where something was drafted.
    `entropies` [n]: entropies of the logits' softmax, if they are known."""
    positions = []
    for i, y in enumerate(best):
        x, entropy = drafted[i] if i < len(drafted) else None, entropies[i] if entropies else None
        if x is None:
            positions.append(Position((Entry(text.token(y), 1.0, None),), 0.0, None, None, 0.0, None, logits_entropy=entropy))
        elif x == y:
            same = (Entry(text.token(y), 1.0, 1.0),)
            positions.append(Position(same, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, logits_entropy=entropy))
        else:
            both = Entry(text.token(y), 1.0, 0.0), Entry(text.token(x), 0.0, 1.0)
            positions.append(Position(both, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, logits_entropy=entropy))
    return positions


def one_hot_residual(best: int, text: Text) -> Residual:
    """`residual_from` of greedy decoding: all of p is left."""
    return Residual((ResidualEntry(text.token(best), 1.0),), rest=0.0, mass=1.0)


def softmax_entries(p: np.ndarray, q: np.ndarray | None, x: int, text: Text) -> Softmax:
    """Of p and q [V], the softmax of the target's logits and of the draft's, where `x` is the token in question."""
    rows = np.stack([p] if q is None else [p, q])
    ids = [*dict.fromkeys([id for row in top_k(rows, SOFTMAX_TOP)[0] for id in row] + [x])]
    parts = [[float(f"{x:.5g}") for x in row] for row in rows[:, ids].tolist()]  # nothing is decided by them, and a file has many
    p_rest, *q_rest = (max(0.0, round(1.0 - sum(row), 6)) for row in parts)
    entries = [Entry(text.token(id), a, b[0] if b else None) for id, a, *b in zip(ids, *parts, strict=True)]
    return Softmax(tuple(entries), p_rest, q_rest[0] if q_rest else None)
