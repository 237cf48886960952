"""How the blocks of a run branch, and which of its tokens a drafter's cache holds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ...config import DecodeConfig


@dataclass(frozen=True, slots=True)
class TreePlan:
    """How blocks branch: `widths` by depth of a static tree; of a dynamic one `nodes`, and the `breadth` of a level that is fed."""

    widths: tuple[int, ...]
    nodes: int = 0
    breadth: int = 0

    @classmethod
    def of(cls, config: DecodeConfig) -> "TreePlan | None":
        if not config.branches:
            return None
        return cls((), config.nodes, config.breadth) if config.tree == "dynamic" else cls(config.widths)

    def positions_fed(self, depth: int) -> int:
        """Tokens that a drafter is fed at most for a tree of `depth`: all but those of the last level."""
        if self.nodes:
            return self.breadth * (depth - 1)
        return sum(accumulate(self.widths[: depth - 1], int.__mul__))

    def depth_that_fits(self, depth: int, room: int) -> int:
        """The depth up to `depth` for which a drafter needs no more than `room` places."""
        return next((d for d in range(depth, 0, -1) if self.positions_fed(d) <= room), 0)


class CachedTree:
    """The tokens of a tree that a drafter's cache holds after the text, by number."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.parents: list[int] = []

    def add(self, ids: Sequence[int], parents: Sequence[int]) -> None:
        self.ids += ids
        self.parents += parents

    def path(self, tokens: Sequence[int]) -> list[int]:
        """The longest path whose ids are those of `tokens`, what joined the text."""
        nodes: list[int] = []
        for id in tokens:
            at = nodes[-1] if nodes else -1
            here = [i for i, parent in enumerate(self.parents) if parent == at and self.ids[i] == id]
            if not here:
                break
            nodes += here
        return nodes
