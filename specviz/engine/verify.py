"""One pass of the target has given p at every position of a draft block: decide what is kept.

Pure: uniforms come in, a verdict goes out, nothing is drawn here but by comparison. By an exact rule (config.EXACT) the tokens
that are kept, and the one that follows, are distributed as if the target had written them alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch

from ..acceptance import accepts, joint, keeps, leftover, residual, typical_bound
from ..config import DecodeConfig, Verifier
from .sampling import draw


@dataclass(frozen=True, slots=True)
class Rule:
    """What of a run's settings decides a block. `argmax`: the q that is tested is one-hot at what was drafted. `theta`: 1 under any
    verifier but `threshold`, which is `rejection` with another one."""

    verifier: Verifier = "rejection"
    argmax: bool = False
    epsilon: float = 0.0
    delta: float = 0.0
    theta: float = 1.0

    @classmethod
    def of(cls, config: DecodeConfig) -> "Rule":
        theta = config.theta if config.verifier == "threshold" else 1.0
        return cls(config.verifier, config.drafting == "argmax", config.epsilon, config.delta, theta)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`accepted`: how many draft tokens are kept, 0 to K. `rejected`: whether the next one was turned down.

    `then`: the distribution [V] that the round's last token is drawn from; None if `token` is already known.
    `p_x`, `q_x`: p and q of each drafted token, K floats. Of block verification, K floats each: `joint`, the ratios p_1 … p_K, and
    `chance`, h_1 … h_K; and `mass`, that of the residual before normalising if one is drawn from."""

    accepted: int
    rejected: bool
    then: torch.Tensor | None
    token: int | None
    p_x: list[float]
    q_x: list[float]
    joint: list[float] | None = None
    chance: list[float] | None = None
    mass: float | None = None


def verify_rejection(
    drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: list[float], theta: float = 1.0
) -> Verdict:
    """Accept, reject, resample: Leviathan et al. 2022 algorithm 1, Chen et al. 2023 algorithm 2.

    drafted [K] ids, each drawn from its row of q; q [K, V]; p [K+1, V] given the prompt and the drafts before;
    u: K independent uniforms. `theta` below 1 accepts more, u < p/q/θ, and is not exact."""
    p_x, q_x = _of_drafted(drafted, p, q)
    for i, (u_i, p_i, q_i) in enumerate(zip(u, p_x, q_x, strict=True)):
        # case 1, u < p/q: accepted
        if not accepts(u_i, p_i, theta * q_i):  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
            assert q is not None  # something was drafted
            return Verdict(i, True, residual(p[i], q[i]), None, p_x, q_x)
    # case 3, all accepted → p at position K + 1 gives a bonus; with nothing drafted it is vanilla decoding
    return Verdict(len(drafted), False, p[len(drafted)], None, p_x, q_x)


def verify_block(drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: list[float]) -> Verdict:
    """The block as one: Sun et al. 2024 (arXiv 2403.10444), algorithm 2. Arguments as of `verify_rejection`.

    Every u is asked, since a token that fails may be kept with those after it: the longest beginning that one accepts stays. Exact
    for blocks of any length, also where what was drafted decides that nothing more is: the chance to keep i tokens or more is p_i."""
    p_x, q_x = _of_drafted(drafted, p, q)
    if q is None or not p_x:
        return Verdict(0, False, p[0], None, p_x, q_x, [], [])
    ratios = [1.0]
    for p_i, q_i in zip(p_x, q_x, strict=True):
        ratios.append(joint(ratios[-1], p_i, q_i))
    left = leftover(torch.tensor(ratios[:-1], dtype=p.dtype, device=p.device)[:, None], p[:-1], q).tolist()
    chances = [*map(keeps, ratios[1:-1], left[1:]), ratios[-1]]
    kept = max((i for i, (u_i, h_i) in enumerate(zip(u, chances, strict=True), 1) if accepts(u_i, h_i, 1.0)), default=0)
    if kept == len(drafted):
        return Verdict(kept, False, p[kept], None, p_x, q_x, ratios[1:], chances)
    return Verdict(kept, True, residual(ratios[kept] * p[kept], q[kept]), None, p_x, q_x, ratios[1:], chances, left[kept])


def verify_typical(drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, epsilon: float, delta: float) -> Verdict:
    """Keep what is not improbable: Cai et al. 2024 (Medusa) §2.3.1. Not exact; no u is asked, and what was not kept is drawn from p."""
    p_x, q_x = _of_drafted(drafted, p, q)
    bound = typical_bound(p, epsilon, delta).tolist()
    kept = next((i for i, p_i in enumerate(p_x) if not p_i > bound[i]), len(p_x))
    return Verdict(kept, kept < len(p_x), p[kept], None, p_x, q_x)


def verify_match(drafted: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, y: list[int]) -> Verdict:
    """Sample and match: y, K+1 ids, was drawn from p at each position; keep the drafts while they equal it.

    Exact because every token kept is one that p drew. It accepts with probability Σ p·q, less than Σ min(p, q)."""
    p_x, q_x = _of_drafted(drafted, p, q)
    for i, x in enumerate(drafted.tolist()):
        if x != y[i]:
            return Verdict(i, True, None, y[i], p_x, q_x)
    return Verdict(len(drafted), False, None, y[-1], p_x, q_x)


def verify_greedy(drafted: list[int], y: list[int]) -> Verdict:
    """Temperature 0, where all rules are one: p and q are one-hot, so a draft is kept iff it is what the target would write.

    y: K+1 ids, the largest logit at each position. The one-hot p and q are never formed."""
    accepted = next((i for i, x in enumerate(drafted) if x != y[i]), len(drafted))
    p_x = [float(x == best) for x, best in zip(drafted, y, strict=False)]
    return Verdict(accepted, accepted < len(drafted), None, y[accepted], p_x, [1.0] * len(drafted))


def decide(
    ids: torch.Tensor, q: torch.Tensor | None, p: torch.Tensor, u: torch.Tensor, rule: Rule
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """All rules in one piece for a device: no value is looked at on the way, so nothing waits for a transfer.

    ids [K]; q [K, V], or None with nothing drafted; p [K+1, V]; u [K+1], for the verdicts and the last token (under `match`,
    for the K+1 draws). Returns all numbers of it side by side, float64, which `Told.of` reads; the id [1] of the round's last
    token; and what that was drawn from [1, V], which `match` has no need to form."""
    k, at = len(ids), ids[:, None]
    p_x = p[:k].gather(1, at)[:, 0].double()
    q_x = p_x if q is None else q.gather(1, at)[:, 0].double()
    more: tuple[torch.Tensor, ...] = ()
    if rule.verifier == "match":
        y = draw(p, u)
        last = y.index_select(0, accepted := _first(y[:k] == ids))
        return _told(accepted, last, ids, p_x, q_x, u), last, None
    scale = torch.ones_like(u[:1])  # of p in the residual
    if rule.verifier == "block" and q is not None:
        ratios, left, chance = _joint(p_x, q_x, p, q)
        steps = torch.arange(1, k + 1, device=u.device)
        accepted = (accepts(u[:k], chance, 1.0) * steps).amax(0, keepdim=True)
        scale = ratios.index_select(0, accepted)
        mass = torch.cat([left, torch.zeros_like(left[:1])]).index_select(0, accepted)
        more = ratios[1:], chance, mass
    elif rule.verifier == "typical":
        accepted = _first(p_x > typical_bound(p[:k], rule.epsilon, rule.delta).double())
    else:
        accepted = _first(accepts(u[:k], p_x, rule.theta * q_x))
    then = p.index_select(0, accepted)
    if q is not None and rule.verifier != "typical":
        left = residual(scale.to(p.dtype) * then, q.index_select(0, accepted.clamp(max=k - 1)))
        then = left.where(accepted[:, None] < k, then)
    last = draw(then, u[-1:])
    return _told(accepted, last, ids, p_x, q_x, u, *more), last, then


def _joint(p_x, q_x, p, q) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of `verify_block`: p_0 … p_K [K + 1], what is left of p_0 … p_{K−1} [K], and h_1 … h_K [K]; float64."""
    steps = [torch.ones_like(p_x[:1])]
    for i in range(len(p_x)):
        steps.append((steps[-1] * p_x[i] / q_x[i]).clamp(max=1))
    ratios = torch.cat(steps)
    left = leftover(ratios[:-1, None].to(p.dtype), p[:-1], q).double()
    whole = left[1:] + (1 - ratios[1:-1])
    return ratios, left, torch.cat([(left[1:] / whole).where(whole > 0, 1.0), ratios[-1:]])


def _first(kept: torch.Tensor) -> torch.Tensor:
    """[K] → how many are true before the first that is not [1]."""
    return kept.long().cumprod(0).sum(0, keepdim=True)


def _told(*numbers: torch.Tensor) -> torch.Tensor:
    return torch.cat([x.double() for x in numbers])


@dataclass(frozen=True, slots=True)
class Told:
    """A decided block as the host knows it, wherever that was decided: the K drafted ids, the verdict, the round's last token.

    `u`: the K + 1 uniforms that decided and drew, and `y` None; when greedy `u` is None, and `y` the largest logit's id at each of
    K + 1 positions. What the event will show of it comes from `seen`, the numbers of what was looked at on the device meanwhile
    (observe.py), or from p [K + 1, V] and q [K, V] themselves, on a host, where p and what the last token was drawn from may be arrays. Of
    argmax drafting q is the draft's own softmax there."""

    ids: list[int]
    verdict: Verdict
    last: int
    u: list[float] | None
    y: list[int] | None = None
    seen: Iterable[float] = ()
    p: torch.Tensor | None = None
    q: torch.Tensor | None = None

    @classmethod
    def of(cls, numbers: list[float], k: int, block: bool = False) -> "Told":
        """From the numbers of `decide` over a block of k, and whatever stands after them. `block`: it was verified as one."""
        accepted, last, ids = int(numbers[0]), int(numbers[1]), [*map(int, numbers[2 : k + 2])]
        p_x, q_x, u = (numbers[k * i + 2 : k * (i + 1) + 2] for i in (1, 2, 3))
        u.append(numbers[4 * k + 2])
        verdict, rest = Verdict(accepted, accepted < k, None, last, p_x, q_x), numbers[4 * k + 3 :]
        if block:
            mass = rest[2 * k] if accepted < k else None
            verdict = replace(verdict, joint=rest[:k], chance=rest[k : 2 * k], mass=mass)
            rest = rest[2 * k + 1 :] if k else rest
        return cls(ids, verdict, last, u, seen=rest)


def _of_drafted(drafted, p, q) -> tuple[list[float], list[float]]:
    if len(drafted) == 0:
        return [], []
    at = drafted[:, None]
    return p[: len(drafted)].gather(1, at)[:, 0].tolist(), q.gather(1, at)[:, 0].tolist()
