"""What a rule is given of a drafted tree, and what it says of it.

Nodes are drafted tokens, numbered as they were drafted; −1 is the text. A node's children are alternatives for one position, in the order
in which they are tested: their rank.
"""

from collections.abc import Callable
from typing import Any, NamedTuple


class TreeInputs(NamedTuple):
    """`x` [n]: the drafted ids. `children` [n + 1]: of the text, then of each node, the nodes that follow it. `p` [n + 1, V]: the
    target's distribution after the text and after each node. `q(i)` [V]: what node i was drawn from, which is without the siblings before
    it; `s(i)` [V]: the draft's own softmax at its place. `u` [n]: a uniform for each. `y(i)`: the id that the target draws after node i."""

    x: list[int]
    children: list[list[int]]
    p: Any
    q: Callable[[int], Any]
    s: Callable[[int], Any]
    u: list[float]
    y: Callable[[int], int]


class Walk(NamedTuple):
    """`path`: the nodes that stay, each a child of the one before. `tested`: those that were asked, in that order, by `p` and `q` [V]
    each. `next_distribution` [V]: the distribution of the token after the path, or None where that is the drawn `last`. `mass`: that of the residual
    before it is normalised, where it is not 1 − Σ min(p, q)."""

    path: list[int]
    tested: list[int]
    p: list
    q: list
    next_distribution: Any = None
    last: int | None = None
    mass: float | None = None
