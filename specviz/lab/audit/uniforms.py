"""A run's uniforms from its seed, on any machine: `rand` of torch on a CPU by torch itself, on a GPU by what CUDA's generator is.

That is Philox 4×32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), as cuRAND numbers its streams: number i of
call n is made by thread i, from the counter (n, 0, i, 0) and the seed as the key.
"""

from collections.abc import Callable

import torch

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
    """Four words of 32 bits."""
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
