"""What became of a drafted block, as the host knows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

from ..rules import Rule


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """A decided block, wherever it was decided. `accepted` of the K drafted `ids` stay, then the token `last` follows.

    `p_x`, `q_x` [K]: p and q of the drafted ids. `u`: the K + 1 uniforms that decided and drew, None when greedy. Of block verification
    `joint`, `chance` [K] and `mass` (rules.Decision). `best`: when greedy, the id of the largest logit at each of K + 1 positions.

    What a screen will show comes from `seen`, the numbers that were looked at on the device (observe.py), or from the distributions
    themselves on a host: p [K + 1, V], q [K, V], `then` [V] that the last token was drawn from. Of argmax drafting q is the draft's own softmax."""

    ids: list[int]
    accepted: int
    last: int
    p_x: list[float]
    q_x: list[float]
    u: list[float] | None
    joint: list[float] | None = None
    chance: list[float] | None = None
    mass: float | None = None
    best: list[int] | None = None
    seen: Iterable[float] = ()
    p: Any = None
    q: torch.Tensor | None = None
    then: Any = None

    @property
    def rejected(self) -> bool:
        """Whether the token after the accepted ones was turned down."""
        return self.accepted < len(self.ids)


def unpacked(numbers: list[float], k: int, rule: Rule) -> VerifyResult:
    """From the numbers of `decide` over a block of k, and whatever stands after them."""
    accepted, last, ids = int(numbers[0]), int(numbers[1]), [*map(int, numbers[2 : k + 2])]
    p_x, q_x, u = (numbers[k * i + 2 : k * (i + 1) + 2] for i in (1, 2, 3))
    u.append(numbers[4 * k + 2])
    rest, more = numbers[4 * k + 3 :], dict[str, Any]()
    if rule.whole_block:
        more = {"joint": rest[:k], "chance": rest[k : 2 * k], "mass": rest[2 * k] if accepted < k else None}
        rest = rest[2 * k + 1 :] if k else rest
    return VerifyResult(ids, accepted, last, p_x, q_x, u, seen=rest, **more)
