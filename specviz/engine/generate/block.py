"""Tensors of one step of transformers' generation → what it decided, in numbers; and these → a round of a trace.

By its rules (generation/utils.py): sampled with the draft's logits, reject and resample; else the target's own draw, or pick, has to be
the drafted token.
"""

from dataclasses import dataclass, replace
from math import isfinite

import torch

from ...acceptance import residual
from ...trace.events import Drafted, Emitted, Position, Residual, Role, Round, Times
from .. import observe, tensors
from ..text import TokenizerText


@dataclass(frozen=True)
class DecidedBlock:
    """A decided block: ids, how many were accepted, whether the next was rejected; p and q of each drafted token. `parts`: what
    observe.host_top_entries gave of its rows, and of the row that is only p's; `best`: the target's picks where it is greedy."""

    drafted: tuple[int, ...]
    new: tuple[int, ...]
    accepted: int
    rejected: bool
    p: tuple[float, ...]
    q: tuple[float, ...] | None
    parts: tuple[list[list], ...]
    best: tuple[int, ...] | None

    @property
    def tested(self) -> int:
        return self.accepted + self.rejected


@torch.inference_mode()
def describe_block(scores, logits, drafted: list[int], new: list[int], greedy: bool) -> DecidedBlock:
    """scores [K + 1, V]: of the target after all processors; logits [1, K, V]: likewise the draft's, None where it gave none.
    `new`: what joined the text."""
    k = len(drafted)
    accepted = next((i for i, (x, y) in enumerate(zip(drafted, new, strict=False)) if x != y), min(k, len(new)))
    cut = accepted == len(new)  # the text ended on an accepted token
    rejected = accepted < k and not cut
    rows = accepted + rejected if rejected or cut else k + 1
    if greedy:
        best = tuple(scores[:rows].argmax(-1).tolist())
        picks = scores[:k].argmax(-1).tolist()
        same = tuple(float(x == y) for x, y in zip(drafted, picks, strict=True))
        return DecidedBlock(tuple(drafted), tuple(new), accepted, rejected, same, (1.0,) * k, (), best)
    all_p = scores.float().softmax(-1)
    x = torch.tensor(drafted, dtype=torch.long, device=all_p.device)
    p = tuple(all_p[:k].gather(1, x[:, None])[:, 0].tolist()) if k else ()
    whole = None if logits is None or not k else logits[0, :k].float().softmax(-1).to(all_p.device)
    q = None if whole is None and k else tuple(whole.gather(1, x[:, None])[:, 0].tolist()) if whole is not None else ()
    ids = [*drafted[:rows], *new[accepted:]][:rows]
    inspected = torch.tensor(ids, device=all_p.device)
    if whole is None:  # each row is p's alone
        parts = [
            [part.tolist() for part in tensors.top_entries(all_p[i : i + 1], None, inspected[i : i + 1])] for i in range(rows)
        ]
    else:
        m = accepted + rejected
        last = torch.tensor(new[accepted : accepted + 1], device=all_p.device)
        residual_inputs = (residual(all_p[m - 1 : m], whole[m - 1 : m]), last) if rejected else ()
        parts = [
            [part.tolist() for part in tensors.top_entries(all_p[:rows], whole[:m] if m else None, inspected, *residual_inputs)]
        ]
    return DecidedBlock(tuple(drafted), tuple(new), accepted, rejected, p, q, tuple(parts), None)


def round_event(
    index: int, step: DecidedBlock, pieces: list[str], passes: int, draft_passes: int | None, times: Times, text: TokenizerText
) -> Round:
    """`pieces`: the text of what was written; `passes` of the target were made until then, and `draft_passes`, where they are known."""
    k, accepted, tested, new = len(step.drafted), step.accepted, step.tested, step.new
    positions, left = _positions(step, text)
    drafted = tuple(
        Drafted(
            token=text.token(id),
            q=None if step.q is None else step.q[i],
            p=step.p[i],
            ratio=_ratio(step, i),
            u=None,
            verdict="accepted" if i < accepted else "rejected" if i < tested else "unexamined",
            position=positions[i] if i < tested else None,
        )
        for i, id in enumerate(step.drafted)
    )
    emitted = [Emitted(text.token(id), "accepted", piece) for id, piece in zip(new[:accepted], pieces, strict=False)]
    if len(new) > accepted:
        role: Role = "plain" if not k else "corrected" if step.rejected else "bonus"
        last = None if step.rejected else positions[-1]
        emitted.append(Emitted(text.token(new[accepted]), role, pieces[accepted], None, last))
    return Round(index, drafted, tuple(emitted), left, None, None, passes, draft_passes, times)


def _ratio(step: DecidedBlock, i: int) -> float | None:
    if step.q is None or not step.q[i]:
        return None
    ratio = step.p[i] / step.q[i]
    return ratio if isfinite(ratio) else None


def _positions(step: DecidedBlock, text: TokenizerText) -> tuple[list[Position], Residual | None]:
    tested = step.tested
    if step.best is not None:
        rest = observe.one_hot_residual(step.best[-1], text) if step.rejected else None
        return observe.one_hot_positions(list(step.best), list(step.drafted[:tested]), text), rest
    if step.q is None or not step.drafted:
        return [position for parts in step.parts for position in observe.positions_from(parts, 1, 0, text)], None
    [parts] = step.parts
    rows = tested if step.rejected or len(step.new) == step.accepted else len(step.drafted) + 1
    positions = observe.positions_from(parts, rows, tested, text)
    if not step.rejected:
        return positions, None
    beta = positions[-1].beta
    assert beta is not None  # it was drafted
    rest = observe.residual_from(parts, step.new[step.accepted], 1.0 - beta, text)
    return positions, replace(rest, mass=max(0.0, rest.mass))
