"""What became of a drafted block, as the host knows it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..rules import Rule
from ..trace.events import value
from .arrays import concatenate


@value
class VerifyResult:
    """A decided block, wherever it was decided. `accepted` of the K drafted `ids` stay, then the token `last` follows.

    `p_x`, `q_x` [K]: p and q of the drafted ids. `u`: the K + 1 uniforms that decided and drew, None when greedy. Of block verification
    `joint`, `chance` [K] and `mass` (rules.Decision). `best`: when greedy, the id of the largest logit at each of K + 1 positions.

    What a screen will show comes from `device_numbers`, the numbers that were looked at on the device (observe.py), or from the distributions
    themselves on a host: p [K + 1, V], q [K, V], `next_distribution` [V] that the last token was drawn from. Of argmax drafting q is the draft's
    own softmax.

    Of a tree `parents` [K], the nodes on the `path` that stay, `accepted` of them, and those that were `tested`, in that order. Its p, q, and
    `best` are of the tested nodes alone, p as their siblings had left it, and p and `best` of what followed the path. `p_x` is the target's own.
    `logits` [K + 1, V]: the target's, when greedy on a host.

    `allowed` [K + 1, V]: by a grammar, of which each row may be None (grammar.py); empty without one."""

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
    device_numbers: Sequence[float] = ()
    p: Any = None
    q: Any = None
    next_distribution: Any = None
    logits: Any = None
    parents: list[int] | None = None
    path: Sequence[int] = ()
    tested: Sequence[int] = ()
    allowed: Sequence[Any] = ()

    def __post_init__(self):
        if self.parents is None:  # a chain: up to the first that was turned down
            object.__setattr__(self, "path", range(self.accepted))
            object.__setattr__(self, "tested", range(min(self.accepted + 1, len(self.ids))))

    @property
    def rejected(self) -> bool:
        """Whether the last token that was tested was turned down."""
        return len(self.tested) > 0 and self.tested[-1] not in self.path[-1:]

    def row(self, node: int) -> int:
        """Which of the target's K + 1 distributions decides about a node: that after its parent."""
        return node if self.parents is None else self.parents[node] + 1

    def p_of_drafted(self, tested: Sequence[int]) -> list[float]:
        """p of each drafted id [K]: of the `tested` nodes of a tree as it was in their test, of all others the target's own."""
        p_x = list(self.p_x)
        if self.parents is not None and self.p is not None:
            for node, row in zip(tested, self.p, strict=False):
                p_x[node] = float(row[self.ids[node]])
        return p_x

    @property
    def last_row(self) -> int:
        """Which of them follows the path."""
        return self.path[-1] + 1 if self.path else 0

    @property
    def as_chain(self) -> "VerifyResult":
        """The tested nodes, one after the other, as a chain shows what was looked at."""
        if self.parents is None:
            return self
        rows = [concatenate([row[None] for row in part]) if part else None for part in (self.p or (), self.q or ())]
        return replace(self, ids=[self.ids[node] for node in self.tested], parents=None, p=rows[0], q=rows[1])


def unpack_result(numbers: list[float], k: int, rule: Rule) -> VerifyResult:
    """From the numbers of `decide` over a block of k, and whatever stands after them."""
    accepted, last, ids = int(numbers[0]), int(numbers[1]), [*map(int, numbers[2 : k + 2])]
    p_x, q_x, u = (numbers[k * i + 2 : k * (i + 1) + 2] for i in (1, 2, 3))
    u.append(numbers[4 * k + 2])
    rest, more = numbers[4 * k + 3 :], dict[str, Any]()
    if rule.whole_block:
        more = {"joint": rest[:k], "chance": rest[k : 2 * k], "mass": rest[2 * k] if accepted < k else None}
        rest = rest[2 * k + 1 :] if k else rest
    return VerifyResult(ids, accepted, last, p_x, q_x, u, device_numbers=rest, **more)
