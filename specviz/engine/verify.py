"""One pass of the target has given p at every position of a draft block: decide what is kept.

Pure: uniforms come in, a verdict goes out, nothing is drawn here but by comparison. Both rules are exact, so the tokens
they keep, and the one that follows, are distributed as if the target had written them alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from ..acceptance import accepts, residual
from .sampling import draw


@dataclass(frozen=True, slots=True)
class Verdict:
    """`accepted`: how many draft tokens are kept, 0 to K. `rejected`: whether the next one was turned down.

    `then`: the distribution [V] that the round's last token is drawn from; None if `token` is already known.
    `p_x`, `q_x`: p and q of each drafted token, K floats."""

    accepted: int
    rejected: bool
    then: torch.Tensor | None
    token: int | None
    p_x: list[float]
    q_x: list[float]


def verify_rejection(drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: list[float]) -> Verdict:
    """Accept, reject, resample: Leviathan et al. 2022 algorithm 1, Chen et al. 2023 algorithm 2.

    drafted [K] ids, each drawn from its row of q; q [K, V]; p [K+1, V] given the prompt and the drafts before;
    u: K independent uniforms."""
    p_x, q_x = _of_drafted(drafted, p, q)
    for i, (u_i, p_i, q_i) in enumerate(zip(u, p_x, q_x, strict=True)):
        # case 1, u < p/q: accepted
        if not accepts(u_i, p_i, q_i):  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
            assert q is not None  # something was drafted
            return Verdict(i, True, residual(p[i], q[i]), None, p_x, q_x)
    # case 3, all accepted → p at position K + 1 gives a bonus; with nothing drafted it is vanilla decoding
    return Verdict(len(drafted), False, p[len(drafted)], None, p_x, q_x)


def verify_match(drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, y: list[int]) -> Verdict:
    """Sample and match: y, K+1 ids, was drawn from p at each position; keep the drafts while they equal it.

    Exact because every token kept is one that p drew. It accepts with probability Σ p·q, less than Σ min(p, q)."""
    p_x, q_x = _of_drafted(drafted, p, q)
    for i, x in enumerate(drafted.tolist()):
        if x != y[i]:
            return Verdict(i, True, None, y[i], p_x, q_x)
    return Verdict(len(drafted), False, None, y[-1], p_x, q_x)


def verify_greedy(drafted: list[int], y: list[int]) -> Verdict:
    """Temperature 0, where both rules are one: p and q are one-hot, so a draft is kept iff it is what the target would write.

    y: K+1 ids, the largest logit at each position. The one-hot p and q are never formed."""
    accepted = next((i for i, x in enumerate(drafted) if x != y[i]), len(drafted))
    p_x = [float(x == best) for x, best in zip(drafted, y, strict=False)]
    return Verdict(accepted, accepted < len(drafted), None, y[accepted], p_x, [1.0] * len(drafted))


def decide(
    ids: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: torch.Tensor, match: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Both rules in one piece for a device: no value is looked at on the way, so nothing waits for a transfer.

    ids [K]; q [K, V], or None with nothing drafted; p [K+1, V]; u [K+1], for the verdicts and the last token (under `match`,
    for the K+1 draws). Returns all numbers of it side by side, float64, which `Told.of` reads; the id [1] of the round's last
    token; and what that was drawn from [1, V], which `match` has no need to form."""
    k, at = len(ids), ids[:, None]
    p_x = p[:k].gather(1, at)[:, 0].double()
    q_x = p_x if q is None else q.gather(1, at)[:, 0].double()
    if match:
        y = draw(p, u)
        kept = y[:k] == ids
    else:
        kept = accepts(u[:k], p_x, q_x)
    accepted = kept.long().cumprod(0).sum(0, keepdim=True)
    if match:
        then, last = None, y.index_select(0, accepted)
    else:
        then = p.index_select(0, accepted)
        if k and q is not None:
            left = residual(then, q.index_select(0, accepted.clamp(max=k - 1)))
            then = left.where(accepted[:, None] < k, then)
        last = draw(then, u[-1:])
    return torch.cat([x.double() for x in (accepted, last, ids, p_x, q_x, u)]), last, then


@dataclass(frozen=True, slots=True)
class Told:
    """A decided block as the host knows it, wherever that was decided: the K drafted ids, the verdict, the round's last token.

    `u`: the K + 1 uniforms that decided and drew, and `y` None; when greedy `u` is None, and `y` the largest logit's id at each of
    K + 1 positions. What the event will show of it comes from `seen`, the numbers of what was looked at on the device meanwhile
    (observe.py), or from p [K + 1, V] and q [K, V] themselves, on a host."""

    ids: list[int]
    verdict: Verdict
    last: int
    u: list[float] | None
    y: list[int] | None = None
    seen: Iterable[float] = ()
    p: torch.Tensor | None = None
    q: torch.Tensor | None = None

    @classmethod
    def of(cls, numbers: list[float], k: int) -> "Told":
        """From the numbers of `decide` over a block of k, and whatever stands after them."""
        accepted, last, ids = int(numbers[0]), int(numbers[1]), [*map(int, numbers[2 : k + 2])]
        p_x, q_x, u = (numbers[k * i + 2 : k * (i + 1) + 2] for i in (1, 2, 3))
        u.append(numbers[4 * k + 2])
        return cls(ids, Verdict(accepted, accepted < k, None, last, p_x, q_x), last, u, seen=numbers[4 * k + 3 :])


def _of_drafted(drafted, p, q) -> tuple[list[float], list[float]]:
    if len(drafted) == 0:
        return [], []
    at = drafted[:, None]
    return p[: len(drafted)].gather(1, at)[:, 0].tolist(), q.gather(1, at)[:, 0].tolist()
