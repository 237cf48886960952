"""Logits → the distribution that a token is drawn from, worked out a second time, in float64 and from the definitions; and the uniforms
that draw.

Two forward passes agree to `TIE` in a logit, so where two logits nearly tie, or a filter cuts between two tokens that nearly tie, both
outcomes are right: `closest_distribution` takes the one that the trace has.

A run's uniforms come from its seed, on any machine: `rand` of torch on a CPU by torch itself, on a GPU by what CUDA's generator is.
That is Philox 4×32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), as cuRAND numbers its streams: number i of
call n is made by thread i, from the counter (n, 0, i, 0) and the seed as the key.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from ...config import DecodeConfig

TIE = 4e-4  # by which the difference of two logits may part between two passes: 30 times what the bundled family shows in float32
ROUND = 4e-6  # of probabilities and their sums in float32: at most 9e-7 was seen
TIED_ERROR = 5e-6  # where two are as near to the trace as each other but for this, it does not tell which is meant


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution [V] that was redone, and by how much each probability may part from the trace's."""

    p: torch.Tensor
    error: torch.Tensor

    @classmethod
    def of(cls, p: torch.Tensor, rel_error: float) -> "Distribution":
        """`rel_error`: by which share of itself."""
        return cls(p, p * rel_error)


@dataclass(frozen=True, slots=True)
class RejectionRest:
    """What a rejection leaves of p, scaled up from `mass`, and by how much that may part. Where nothing is left, p."""

    distribution: Distribution
    mass: float
    error: float


class Filters:
    """What `config` asks for: temperature, then the k most probable, then the most probable that hold top_p of the mass.

    `slack` widens what counts as a tie, for passes in half precision. `rel_error`: by which share of itself a probability may part then."""

    def __init__(self, config: DecodeConfig, slack: float = 1.0, table: bool = False):
        """`table`: the logits are those of a table, where no tie is a rounding."""
        self.config, self.tie = config, 0.0 if table else TIE * slack
        self.rel_error = 0.0 if config.greedy else min(1.0, TIE * slack / config.temperature)
        self.border = 0.0 if table else self.rel_error  # mass by which the sum at top-p's border may differ

    def closest_distribution(self, logits: torch.Tensor, stated: dict[int, float], settle=lambda p: 0.0) -> Distribution | None:
        """The distribution [V] of logits [V] that is nearest to {id: probability}; of those that `stated` cannot tell from
        each other the one of which `settle` is least, of equals the likelier. None where tokens that tie exactly
        lie on both sides of a border, as in tables: which of them a sort leaves inside nothing decides."""
        candidates = self.candidates(logits)
        if candidates is None:
            return None
        errors = [(p, distance(p, stated)) for p in candidates]
        best = min(error for _, error in errors)
        return Distribution.of(min((p for p, error in errors if error <= best + TIED_ERROR), key=settle), self.rel_error)

    def candidates(self, logits: torch.Tensor) -> list[torch.Tensor] | None:
        """All that it may be [V], the likeliest first. None as in `closest_distribution`."""
        logits = logits.double()
        if self.config.greedy:
            order = logits.argsort(descending=True, stable=True)
            near = [id for id in order[:8].tolist() if logits[order[0]] - logits[id] <= self.tie]
            return [torch.zeros_like(logits).index_fill_(0, torch.tensor([id]), 1.0) for id in near]
        scores, tie = logits / self.config.temperature, self.tie / self.config.temperature
        order = scores.argsort(descending=True, stable=True)
        sorted_, counts, candidates = scores[order], {len(scores): None}, []
        if 0 < self.config.top_k < len(scores):
            border = sorted_[self.config.top_k - 1]
            counts = {int((sorted_ >= border + by).sum()): None for by in (0.0, -tie, tie)}
        for k in counts:
            for n in self._nucleus_sizes(sorted_, max(1, k)):
                ids, gap = order[:n], float(sorted_[n - 1] - sorted_[n]) if n < len(sorted_) else float("inf")
                if gap == 0 and sorted_[n] > float("-inf"):
                    return None
                candidates.append(_softmax_over(scores, ids))
                if gap < tie:  # either of the two may be the one inside
                    candidates.append(_softmax_over(scores, torch.cat([order[: n - 1], order[n : n + 1]])))
        return candidates

    def _nucleus_sizes(self, sorted_: torch.Tensor, k: int) -> list[int]:
        """How many of the first k hold top_p of their mass; the likeliest answer first."""
        if self.config.top_p >= 1:
            return [k]
        mass = sorted_[:k].softmax(0)
        before = mass.cumsum(0) - mass  # a token stays if those before it do not hold top_p yet
        sizes = {int((before < self.config.top_p + by).sum()): None for by in (0.0, -self.border, self.border)}
        return [max(1, n) for n in sizes]


def _softmax_over(scores: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(scores).index_copy_(0, ids, scores[ids].softmax(0))


def distance(p: torch.Tensor, stated: dict[int, float]) -> float:
    return max((abs(float(p[id]) - value) for id, value in stated.items()), default=0.0)


def distance_to_draw(p: torch.Tensor, u: float, id: int) -> float:
    """How far u is outside the interval of the cumulative sum that draws `id` by inverse transform: 0 inside."""
    sums = p.cumsum(0) / p.sum()
    low, high = (float(sums[id - 1]) if id else 0.0), float(sums[id])
    return float("inf") if p[id] <= 0 else max(0.0, low - u, u - high)


def entropy(p: torch.Tensor) -> float:
    """In nats."""
    return float(-(p[p > 0] * p[p > 0].log()).sum())


def one_hot(like: torch.Tensor, id: int) -> torch.Tensor:
    """All on one token, as float64 [V]."""
    return torch.zeros_like(like, dtype=torch.float64).index_fill_(0, torch.tensor([id]), 1.0)


def rejection_rest(p: Distribution, q: Distribution) -> RejectionRest:
    """norm(max(p − q, 0))."""
    left = (p.p - q.p).clamp(min=0)
    mass, off = float(left.sum()), p.error + q.error
    now = left / mass if mass > 0 else p.p
    # a share of each, and what sums are rounded by once: by token it would add up over the vocabulary
    blur = ((off + now * (float(off.sum()) + ROUND)) / max(mass, ROUND)).clamp(max=1) * (p.p > 0)  # of nothing nothing is left
    return RejectionRest(Distribution(now, blur), mass, float(off.sum()) + ROUND)


WORD_MASK = 2**32 - 1
MULTIPLIERS, WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
Uniforms = Callable[[int], list[float]]


def uniforms(seed: int, cpu: bool) -> Uniforms:
    """What gives the next n ≤ 256 uniforms in [0, 1) of a run on a CPU, or on a GPU."""
    if cpu:
        generator = torch.Generator().manual_seed(seed)
        return lambda n: torch.rand(n, generator=generator, dtype=torch.float64).tolist()
    call = iter(range(2**32))

    def next_uniforms(n: int) -> list[float]:
        at = next(call)
        return [_double(*philox((at, 0, i, 0), (seed & WORD_MASK, seed >> 32))[:2]) for i in range(n)]

    return next_uniforms


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    a, b, c, d = counter
    for i in range(10):
        first, second = ((k + i * w) & WORD_MASK for k, w in zip(key, WEYL, strict=True))
        low, high = MULTIPLIERS[0] * a, MULTIPLIERS[1] * c
        a, b, c, d = (high >> 32) ^ b ^ first, high & WORD_MASK, (low >> 32) ^ d ^ second, low & WORD_MASK
    return a, b, c, d


def _double(low: int, high: int) -> float:
    """53 bits of two words as a number in (0, 1], and 0 in the place of 1."""
    double = (low ^ (high << 21)) * 2.0**-53 + 2.0**-54
    return 0.0 if double == 1.0 else double
