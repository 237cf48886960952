"""One pass of the target has given p at every position of a draft block: decide what is kept.

Pure: uniforms come in, a verdict goes out, nothing is drawn here but by comparison. Both rules are exact, so the tokens
they keep, and the one that follows, are distributed as if the target had written them alone.
"""

from dataclasses import dataclass

import torch

from .acceptance import accepts, residual


@dataclass(frozen=True, slots=True)
class Verdict:
    """`accepted`: how many draft tokens are kept, 0 to K. `rejected`: whether the next one was turned down.

    `then`: the distribution [V] that the round's last token is drawn from; None if `token` is already known."""

    accepted: int
    rejected: bool
    then: torch.Tensor | None
    token: int | None = None


def verify_rejection(drafted: torch.Tensor, q: torch.Tensor, p: torch.Tensor, u: torch.Tensor) -> Verdict:
    """Accept, reject, resample: Leviathan et al. 2022 algorithm 1, Chen et al. 2023 algorithm 2.

    drafted [K] ids, each drawn from its row of q; q [K, V]; p [K+1, V] given the prompt and the drafts before;
    u [K] independent uniforms. When greedy, p and q are one-hot and u is all zeros: accept iff p(x) = 1."""
    K = len(drafted)
    if K == 0:
        return Verdict(0, False, p[0])  # vanilla: plain token from p
    at = drafted[:, None]
    kept = accepts(u, p[:K].gather(1, at)[:, 0].double(), q.gather(1, at)[:, 0].double())
    accepted = int(kept.long().cumprod(0).sum())
    if accepted < K:  # case 2: rejected → the residual makes up exactly what acceptance leaves of p
        return Verdict(accepted, True, residual(p[accepted], q[accepted]))
    return Verdict(K, False, p[K])  # case 1 at every position: all kept → p at position K + 1 is a bonus


def verify_match(drafted: torch.Tensor, y: torch.Tensor) -> Verdict:
    """Sample and match: y [K+1] was drawn from p at each position; keep the drafts while they equal it.

    Exact because every token kept is one that p drew. It accepts with probability Σ p·q, less than Σ min(p, q)."""
    K = len(drafted)
    accepted = int((drafted == y[:K]).long().cumprod(0).sum())
    return Verdict(accepted, accepted < K, None, int(y[accepted]))
