"""SGLang's `accept rate`, which is one of two things → accepted ÷ drafted.

Versions of 2025 print `accept len` ÷ num_draft_tokens, the extra token in both: 1.95 ÷ 4 = .49, where accepted ÷ drafted is
.95 ÷ 3 = .32. Later versions print accepted ÷ drafted. A file does not say which, but the numbers do. Standard library only.
"""

from collections.abc import Sequence

MOST = 257  # num_draft_tokens that is tried: trees of servers are smaller


def shares(
    lengths: Sequence[float | None], rates: Sequence[float | None], K: int | None, digit: float = 0.01
) -> list[float | None]:
    """Accepted ÷ drafted of each report. `digit`: of what the numbers were rounded to. Rates that a whole number of draft tokens
    explains are not believed: they follow from the lengths where K is known, and are None where it is not."""
    pairs = [(length, rate) for length, rate in zip(lengths, rates, strict=True) if length and rate]
    doubtful = [n for n in range(2, MOST) if all(_is_length_over(n, *pair, digit) for pair in pairs)]
    if not pairs or not doubtful:
        return list(rates)
    if K is None or not (K + 1 in doubtful or all(abs((length - 1) / K - rate) < digit for length, rate in pairs)):
        return [None] * len(rates)  # unknown: of a tree, K is not the number of tokens that are drafted
    return [
        None if length is None or rate is None else max(0.0, length - 1) / K for length, rate in zip(lengths, rates, strict=True)
    ]


def _is_length_over(n: int, length: float, rate: float, digit: float) -> bool:
    """Whether `rate` may be `length` ÷ n, both rounded."""
    half = digit / 2 * 1.01
    return (length - half) / n - half <= rate <= (length + half) / n + half
