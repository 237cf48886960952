"""Which tokens a dynamic tree has, a second time.

It offers, level by level, the b likeliest children of its b likeliest nodes, and keeps the likeliest of all (docs/trace.md).
Two passes agree to a share of each probability: of nodes that are so close to each other either may stand for the other.
"""

from dataclasses import dataclass, field
from math import log

import torch

from ...config import DecodeConfig
from .cases import Case, Path, breadth
from .drafts import Draft
from .filters import ROUND, Filters

CANDIDATE_FACTOR = 4  # times as many tokens as are offered: more than so many equals are told apart by nothing
UNKNOWN_NODES = "which nodes a dynamic tree keeps, where a filter's border is unsure"


@dataclass(slots=True)
class DynamicTree:
    """`scores`: of each node that was offered, ln of the product of s along its path. `certain`: those that no rounding can leave out.
    `fed`: how many of them the drafter was fed, None where rounding decides; `possibly_fed` and `surely_fed`: which. `main`: the likeliest
    node of each level."""

    scores: dict[Path, float] = field(default_factory=dict)
    certain: set[Path] = field(default_factory=set)
    fed: int | None = 0
    possibly_fed: set[Path] = field(default_factory=set)
    surely_fed: set[Path] = field(default_factory=set)
    main: list[int] = field(default_factory=list)
    tolerance: float = 0.0  # by how much two scores may part


def dynamic_tree(case: Case, config: DecodeConfig, draft: Draft, filters: Filters, depth: int) -> DynamicTree | None:
    """None where nothing tells which of two distributions, or of many equal tokens, was meant. `depth`: levels that were looked at."""
    expected, b, level = DynamicTree(), breadth(config), {(): 0.0}
    certain: set[Path] = {()}  # of `level`, which may be fed, those that are
    for d in range(depth):
        offered: dict[Path, float] = {}
        sure: set[Path] = set()
        off, counts = 0.0, set[int]()
        for path, row in _rows(case, draft, list(level), expected.main).items():
            rows = row.double().softmax(-1)[None] if config.greedy else filters.candidates(row)
            children = None if rows is None else _likeliest_children(rows, b, _log_tolerance(config, filters))
            if children is None:
                return None
            for id, (s, known) in children[0].items():
                offered[*path, id] = level[path] + log(s)
                if path in certain and known:
                    sure.add((*path, id))
            off = max(off, children[1])
            counts.add(min(b, len(children[0])))
        expected.scores |= offered
        expected.certain |= sure
        expected.tolerance += off
        if d + 1 == depth or not offered:
            return expected
        expected.main.append(max(offered, key=offered.__getitem__)[-1])
        several, nodes = certain != level.keys(), min(b, len(level))
        total = None if several and len(counts) > 1 else nodes * max(counts) if several else len(offered)
        expected.fed = None if expected.fed is None or total is None else expected.fed + min(b, total)
        level, certain = _likeliest(offered, sure, b, expected.tolerance)
        expected.possibly_fed |= level.keys()
        expected.surely_fed |= certain
    return expected


def _log_tolerance(config: DecodeConfig, filters: Filters) -> float:
    """By how much ln s of one token may part between two passes."""
    return max(ROUND, 2 * filters.tie / (config.temperature or 1.0))


def _likeliest_children(rows: torch.Tensor, b: int, tolerance: float) -> tuple[dict[int, tuple[float, bool]], float] | None:
    """Of all that s may be [n, V] the b likeliest tokens, and those that are as good: s of each, and whether it is one of them for certain.
    By how much ln s may part. None where too many are equal."""
    high, low = rows.max(0).values, rows.min(0).values
    values, ids = high.topk(min(CANDIDATE_FACTOR * b, len(high)))
    tolerance += float((values / rows[0][ids].clamp(min=ROUND)).log().clamp(0, 1)[:b].max())  # what a border moves
    border, after = (float(values[i]) if i < len(values) else 0.0 for i in (b - 1, b))
    if len(values) < len(high) and float(values[-1]) >= max(border * (1 - tolerance), ROUND):
        return None
    children = {}
    for value, id in zip(values.tolist(), ids.tolist(), strict=True):
        if value > 0 and value >= border * (1 - tolerance):
            children[id] = value, float(low[id]) > after * (1 + tolerance)
    return children, tolerance


def _likeliest(scores: dict[Path, float], sure: set[Path], n: int, tolerance: float) -> tuple[dict[Path, float], set[Path]]:
    """Those that may be among the n likeliest, and those that are, whatever else was offered. `certain`: what was offered for certain."""
    known, all_ = (sorted((scores[path] for path in paths), reverse=True) for paths in (sure, scores))
    worst = known[n - 1] if len(known) >= n else float("-inf")
    best = all_[n] if len(all_) > n else float("-inf")
    may = {path: score for path, score in scores.items() if score >= worst - tolerance}
    return may, {path for path in sure if scores[path] > best + tolerance}


def _rows(case: Case, draft: Draft, paths: list[Path], main: list[int]) -> dict:
    """The logits after each path. All nodes of a level have those of their multi-token head, which read the first of each level before."""
    assert draft.logits
    if draft.kind == "mtp":
        [rows] = draft.logits([(case.text, [*main, 0])])
        return dict.fromkeys(paths, rows[-1])
    logits = draft.logits([(case.text, [*path, 0]) for path in paths])
    return {path: rows[-1] for path, rows in zip(paths, logits, strict=True)}


def tree_mismatch(case: Case, expected: DynamicTree, config: DecodeConfig) -> str:
    """What is not as it should be: a node that is none of the likeliest, or one that is missing. Empty if nothing is."""
    may, must = _likeliest(expected.scores, expected.certain, config.nodes, expected.tolerance)
    stated = set(case.paths())
    if wrong := sorted(stated - may.keys()):
        return f"without {list(wrong[0])}"
    return f"with {list(missing[0])}" if (missing := sorted(must - stated)) else ""
