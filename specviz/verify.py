"""One pass of the target has given p at every position of a draft block: decide what is kept.

Pure: uniforms come in, a verdict goes out, nothing is drawn here but by comparison. Both rules are exact, so the tokens
they keep, and the one that follows, are distributed as if the target had written them alone.
"""

from dataclasses import dataclass

import torch

from .acceptance import accepts, residual
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
        if not accepts(u_i, p_i, q_i):  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
            return Verdict(i, True, residual(p[i], q[i]), None, p_x, q_x)
    # case 1 at every position: all kept → p at position K + 1 is a bonus; with nothing drafted it is vanilla decoding
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


def decide(ids: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: torch.Tensor | None, match: bool) -> "Decided":
    """The same rules in one piece for a device: no value is looked at on the way, so nothing waits for a transfer.

    ids [K]; q [K, V]; p [K+1, V]; u [K+1], for the verdicts and the last token (under `match`, for the K+1 draws). When greedy
    u and q are None and p may be logits."""
    k = len(ids)
    if u is None or match:
        y = p.argmax(-1) if u is None else draw(p, u)
        kept = y[:k] == ids
    if u is None:
        p_x, q_x = kept.double(), torch.ones_like(ids, dtype=torch.double)
    else:
        p_x, q_x = (x[:k].gather(1, ids[:, None])[:, 0].double() for x in (p, q))
    if u is not None and not match:
        kept = accepts(u[:k], p_x, q_x)
    accepted = kept.long().cumprod(0).sum(0, keepdim=True)
    then = None
    if u is None or match:
        last = y.index_select(0, accepted)
    else:
        at = p.index_select(0, accepted)
        then = residual(at, q.index_select(0, accepted.clamp(max=k - 1))).where(accepted[:, None] < k, at)
        last = draw(then, u[-1:])
    return Decided(torch.cat([x.double() for x in (accepted, last, ids, p_x, q_x)]), then, u is None or match)


@dataclass(frozen=True, slots=True)
class Decided:
    """What `decide` left on the device: all numbers of the verdict side by side, and the distribution of the last token [1, V]."""

    numbers: torch.Tensor
    then: torch.Tensor | None
    known: bool

    def fetch(self) -> tuple[list[int], Verdict, int]:
        """The drafted ids, the verdict and the round's last token: one transfer."""
        accepted, last, *rest = self.numbers.tolist()
        accepted, last, k = int(accepted), int(last), len(rest) // 3
        ids, p_x, q_x = ([*map(int, rest[:k])], rest[k : 2 * k], rest[2 * k :])
        then = None if self.known else self.then[0]
        return ids, Verdict(accepted, accepted < k, then, last if self.known else None, p_x, q_x), last


def _of_drafted(drafted, p, q) -> tuple[list[float], list[float]]:
    if len(drafted) == 0:
        return [], []
    at = drafted[:, None]
    return p[: len(drafted)].gather(1, at)[:, 0].tolist(), q.gather(1, at)[:, 0].tolist()
