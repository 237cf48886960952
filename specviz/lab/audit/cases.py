"""One round with the text that it continued, and the shape of its block by the settings: what all else is worked out from.

A chain is a tree in which each token has one child, so one way of counting holds for both (docs/trace.md, A block).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod, sqrt

from ...config import DecodeConfig
from ...trace import tree
from ...trace.events import Event, Prefill, Round

Path = tuple[int, ...]  # the ids from the text to a drafted token


@dataclass(frozen=True, slots=True)
class Case:
    """`text`: all ids before the round; `block`: the ids drafted in it; `out`: those that it emitted."""

    where: str
    round: Round
    text: list[int]
    block: list[int]
    out: list[int]

    def token(self, i: int) -> str:
        """Where drafted token i stands."""
        return f"{self.where}, draft token {i + 1}"

    def paths(self) -> list[Path]:
        paths: list[Path] = []
        for id, parent in zip(self.block, tree.parents(self.round.drafted), strict=True):
            paths.append((*(paths[parent] if parent >= 0 else ()), id))
        return paths


def cases(lane: str, events: Sequence[Event]) -> Iterator[Case]:
    text = [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]
    for r in events:
        if isinstance(r, Round):
            out = [e.token.id for e in r.emitted]
            yield Case(f"{lane}, round {r.index + 1}", r, text, [d.token.id for d in r.drafted], out)
            text = [*text, *out]


def breadth(config: DecodeConfig) -> int:
    """Of a dynamic tree: tokens of a level that are fed, and children of each."""
    return ceil(sqrt(config.nodes))


def widths(config: DecodeConfig) -> list[int]:
    """Of a static tree: children of each token, by depth."""
    widths = [int(n) for n in config.children.split("-")]
    return [widths[min(depth, len(widths) - 1)] for depth in range(config.K)]


def max_nodes(config: DecodeConfig, depth: int) -> int:
    """Tokens of a block at most, `depth` of which follow each other."""
    if not config.branches:
        return depth
    if config.tree == "static":
        return sum(prod(widths(config)[: d + 1]) for d in range(depth))
    b = breadth(config)
    return min(config.nodes, b + b * b * (depth - 1)) if depth else 0


def max_fed_nodes(config: DecodeConfig, depth: int) -> int:
    """Tokens of it that a drafter is fed at most: all levels but the last."""
    return breadth(config) * (depth - 1) if config.tree == "dynamic" and config.K else max_nodes(config, depth - 1)
