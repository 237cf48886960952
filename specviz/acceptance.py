"""The theorem of speculative decoding on one screen (Leviathan, Kalman, Matias 2022, arXiv 2211.17192; Chen et al. 2023).

Draw x from the draft's distribution q. Accept it with probability min(1, p(x)/q(x)). If it is rejected, draw from the
residual norm(max(p − q, 0)). What comes out is distributed as p, whatever q is:

    P(out = x) = q(x)·min(1, p(x)/q(x))  +  P(rejected)·residual(x)
               = min(p(x), q(x))         +  (1 − β)·max(p(x) − q(x), 0)/(1 − β)  =  p(x)        β = Σ min(p, q)

p and q are tensors of probabilities whose last dimension is the vocabulary (leading dimensions: positions); both are
meant after temperature, top-k and top-p. Nothing here draws, and nothing here imports torch.
"""


def ratio(p_x, q_x):
    """p(x)/q(x), the acceptance threshold of a drafted token: floats or tensors. q(x) > 0, since x was drawn from q."""
    return p_x / q_x


def accepts(u, p_x, q_x):
    """Whether u, uniform in [0, 1), accepts x. Strictly below: u = 0 must not accept a token with p(x) = 0 (§2.3).

    Written as u·q(x) < p(x): the same rule, and no division by a q(x) that underflowed."""
    return u * q_x < p_x


def overlap(p, q):
    """β = Σ min(p, q) = 1 − TV(p, q): the chance that a token drawn from q is accepted (§3.2, theorem 3.5). Shape: leading."""
    return p.minimum(q).sum(-1)


def chances(p, q) -> dict[str, object]:
    """By drafting rule and verifier the chance that one draft token is kept, q being the draft's own softmax. Each of shape: leading.

    Drafted by `argmax` the q that is tested is one-hot, and rejection and match are one rule: u < p(x). Match never keeps
    more than rejection; the argmax keeps more than both where p(argmax q) is above Σ min(p, q). Equality at temperature 0 is p(argmax q) of a
    one-hot p. Block verification looks at more than one position: it keeps at least as many as rejection in the mean."""
    best = q.argmax(-1)[..., None]
    return {"rejection": overlap(p, q), "match": (p * q).sum(-1), "argmax": p.gather(-1, best)[..., 0]}


def joint(before: float, p_x: float, q_x: float) -> float:
    """p_i = min(1, p_{i−1}·p(x)/q(x)), p_0 = 1: the chance that block verification keeps x_1 … x_i or more (Sun et al. 2024, alg. 2).

    Token by token it is ∏ min(1, p(x)/q(x)), never more: here what is above 1 makes up for what was below before."""
    return min(1.0, before * p_x / q_x)


def leftover(joint, p, q):
    """e_i = Σ max(p_i·p − q, 0) at the position after x_i: what keeping more than i tokens leaves to keeping i. Shape: leading."""
    return (joint * p - q).clamp(min=0).sum(-1)


def keeps(joint: float, left: float) -> float:
    """h_i = e_i/(e_i + 1 − p_i), the chance to keep i tokens where no more are kept; of a whole block h_K = p_K (alg. 2 there).

    0/0 is p_i = 1 and p = q after it: there more are kept for certain, and whatever stands here is never asked."""
    return left / (left + (1 - joint)) if left + (1 - joint) > 0 else 1.0


def typical_bound(p, epsilon: float, delta: float):
    """min(ε, δ·e^−H(p)), which p(x) must exceed for typical acceptance (Cai et al. 2024, Medusa, §2.3.1). Not exact. Shape: leading."""
    entropy = -(p * p.clamp(min=1e-38).log()).sum(-1)
    return (delta * (-entropy).exp()).clamp(max=epsilon)


def residual(p, q):
    """norm(max(p − q, 0)), what a rejected token is replaced from (§2.3). Same shape as p, rows sum to 1.

    Where p = q nothing is ever rejected and there is no residual to normalise: the row is p itself (not NaN)."""
    excess = (p - q).clamp(min=0)
    mass = excess.sum(-1, keepdim=True)
    return (excess / mass).where(mass > 0, p)


def expected_tokens(alpha: float, K: int) -> float:
    """Mean tokens a round, 1 to K + 1, if each draft token is accepted with probability α independently (§3.1, eq. 1)."""
    return sum(alpha**i for i in range(K + 1))


def expected_speedup(tokens: float, K: int, c: float, v: float = 1.0) -> float:
    """Vanilla time over speculative time for a mean of `tokens` a round: one round costs K·c + v target steps.

    c = t_draft(1)/t_target(1); v = t_target(K + 1)/t_target(1), which the paper takes as 1 (§3.3, theorem 3.8)."""
    return tokens / (K * c + v)


def best_K(alpha: float, c: float, v: float = 1.0, limit: int = 16) -> int:
    """The K from 0 to `limit` with the largest expected speedup (§3.5); 0 means that drafting does not pay.

    v is the cost of verifying more than one position; verifying K = 0 costs 1 by definition."""
    return max(range(limit + 1), key=lambda K: expected_speedup(expected_tokens(alpha, K), K, c, v if K else 1.0))
