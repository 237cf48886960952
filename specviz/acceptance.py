"""The theorem of speculative decoding on one screen (Leviathan, Kalman, Matias 2022, arXiv 2211.17192; Chen et al. 2023).

Draw x from the draft's distribution q. Accept it with probability min(1, p(x)/q(x)). If it is rejected, draw from the
residual norm(max(p − q, 0)). What comes out is distributed as p, whatever q is:

    P(out = x) = q(x)·min(1, p(x)/q(x))  +  P(rejected)·residual(x)
               = min(p(x), q(x))         +  (1 − β)·max(p(x) − q(x), 0)/(1 − β)  =  p(x)        β = Σ min(p, q)

p and q are arrays of probabilities whose last dimension is the vocabulary (leading dimensions: positions); both are meant after
temperature, top-k and top-p. Of numpy or of PyTorch: both know these operators. Nothing here draws, and nothing is imported.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import mul

EQUAL = 1e-9  # speedups that are closer differ by rounding


def ratio(p_x, q_x):
    """p(x)/q(x), the acceptance threshold of a drafted token: floats or arrays. q(x) > 0, since x was drawn from q."""
    return p_x / q_x


def accepts(u, p_x, q_x):
    """Whether u, uniform in [0, 1), accepts x. Strictly below: u = 0 must not accept a token with p(x) = 0 (§2.3).

    Written as u·q(x) < p(x): the same rule, and no division by a q(x) that underflowed."""
    return u * q_x < p_x


def overlap(p, q):
    """β = Σ min(p, q) = 1 − TV(p, q): the chance that a token drawn from q is accepted (§3.2, theorem 3.5). Shape: leading."""
    return (p * (p < q) + q * (q <= p)).sum(-1)


def residual(p, q):
    """norm(max(p − q, 0)), what a rejected token is replaced from (§2.3). Same shape as p, rows sum to 1.

    Where p = q nothing is ever rejected and there is no residual to normalise: the row is p itself (not NaN)."""
    excess = (p - q) * (p > q)
    mass = excess.sum(-1, keepdims=True)
    return excess / (mass + (mass <= 0)) + p * (mass <= 0)


def expected_tokens(alpha: float, K: int) -> float:
    """Mean tokens a round, 1 to K + 1, if each draft token is accepted with probability α independently (§3.1, eq. 1)."""
    return sum(alpha**i for i in range(K + 1))


def expected_tokens_by_position(rates: Sequence[float], K: int) -> float:
    """Mean tokens a round of K drafted ones, if the token at position i is accepted with probability rates[i − 1] once it is reached.

    α alone promises too much: it takes acceptances for independent, and later positions of a block keep less."""
    return 1 + sum(accumulate(rates[:K], mul))


def draft_steps(K: int, one_pass: bool = False) -> int:
    """Steps of the draft for a block of K tokens: one a token, or one for all of them (a block head)."""
    return min(K, 1) if one_pass else K


def expected_speedup(tokens: float, steps: int, c: float, v: float = 1.0) -> float:
    """Vanilla time over speculative time for a mean of `tokens` a round: one round costs steps·c + v target steps; `steps`: draft_steps(K).

    c = t_draft(1)/t_target(1); v = t_target(K + 1)/t_target(1), which the paper takes as 1 (§3.3, theorem 3.8)."""
    return tokens / (steps * c + v)


def best_K(speedups: Sequence[float]) -> int:
    """The K from 0 on with the largest expected speedup (§3.5), the least of equals; 0 means that drafting does not pay.

    `speedups`: by K, that of K = 0 is 1 by definition."""
    return reduce(lambda best, K: K if speedups[K] > speedups[best] * (1 + EQUAL) else best, range(len(speedups)))
