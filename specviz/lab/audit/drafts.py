"""How each drafter works, a second time (docs/trace.md, What drafts): its logits, its passes, what a lookup copies, which tokens a dynamic
tree has; and what follows from a lane's ids and settings without any model: how much was asked for, caches, passes, why fewer (A block,
and Caches, there).

A dynamic tree offers, level by level, the b likeliest children of its b likeliest nodes, and keeps the likeliest of all.
Two passes agree to a share of each probability: of nodes that are so close to each other either may stand for the other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import cast

import torch

from ...config import DecodeConfig
from ...drafters import DRAFTERS, NO_PASS, ONE_PASS
from ...trace.events import Cache, Header, Kind, ModelInfo, Prefill
from .checkpoint import AuditError, Checkpoint, audit_errors, checkpoint, eagle3, error_line, folder_of, head_config, mtp, tensors
from .filters import ROUND, Filters
from .ledger import Case, Ids, Ledger, breadth, max_fed_nodes, max_nodes, widths

PICK_LOGIT = 1e-6  # by which the token that a random drafter picked is the largest of equals
UNSEEN_COUNT = 1e-4  # what a follower counts that the bigram table lacks
LONGEST_MATCH = 4  # tokens that a lookup compares
MATCH_LIMIT = 1000  # earlier places whose continuations it joins in a tree
FAMILIES: dict[str, Kind] = {one.family: cast(Kind, one.kind) for one in DRAFTERS.values() if one.family}

Blocks = list[tuple[list[int], list[int]]]  # texts, and what was drafted after each
Rows = Callable[[Blocks], list[torch.Tensor]]


@dataclass(frozen=True, slots=True)
class Draft:
    """`logits`: of blocks the rows [k, V] that they were drawn by; None for what is certain of itself. `room`: positions that its cache
    can hold, None where the target's is the limit. `features`: it reads those of the target."""

    kind: Kind
    logits: Rows | None
    room: int | None = None
    folder: Path | None = None
    features: bool = False
    model: Checkpoint | None = None  # where that is one of its own

    @property
    def one_pass(self) -> bool:
        return self.kind in ONE_PASS

    def passes(self, levels: int) -> int:
        """For a block in which so many tokens follow each other."""
        return 0 if self.kind in NO_PASS else min(levels, 1) if self.one_pass else levels

    def prefill(self, n: int) -> int | None:
        """Positions in its cache once a prompt of n tokens was taken in, all but its last token."""
        if self.kind in ("model", "oracle"):
            return n - 1 if self.room is None or n - 1 <= self.room else 0
        return max(0, n - 2) if self.features else None


def kind_of(header: Header) -> Kind:
    """As the trace says; of an older trace as its drafter's description tells."""
    assert header.draft
    if header.drafter:
        return header.drafter
    if header.draft.family in FAMILIES:
        return FAMILIES[header.draft.family]
    if header.draft == header.target:
        return "oracle"
    return "model" if header.draft.parameters else "early-exit"


def draft_of(header: Header, place: str | None, target: Checkpoint) -> Draft:
    """`place`: where a user says that its weights are, a name, folder or hub id, also behind a colon."""
    kind, stated = kind_of(header), header.draft
    assert stated
    V, largest = target.vocabulary, header.config.greedy or header.config.drafting == "argmax"
    match kind:
        case "oracle":
            return Draft(kind, rows_of(target, V))
        case "early-exit":
            return Draft(kind, rows_of(target, V, stated.layers))
        case "lookup":
            return Draft(kind, None)
        case "random":
            return Draft(kind, lambda blocks: [_random_rows(text, block, V, largest) for text, block in blocks])
    place = place and place.removeprefix(f"{kind}:")
    if kind == "model":
        model = checkpoint(stated.name, place)
        limit = stated.context or getattr(model.config, "max_position_embeddings", None)
        return Draft(kind, rows_of(model, V), limit, model.folder, model=model)
    if kind not in ("bigram", "mtp", "eagle", "block"):
        raise AuditError(f"specviz audit cannot redo the drafter {kind}")
    folder = folder_of(stated.name, place)
    if kind == "bigram":
        table = tensors(folder)
        if not {"next", "count"} <= table.keys():
            raise AuditError(f"{place or stated.name} has no bigram table: it must have `next` and `count`")
        return Draft(kind, lambda blocks: [_bigram_rows(text, block, table, V) for text, block in blocks], folder=folder)
    if kind == "mtp":
        rows = mtp(target, tensors(folder))
    else:
        with audit_errors(file := folder / "config.json"):
            own = head_config(folder) if file.is_file() else None
        rows = eagle3(target, tensors(folder), own, bool(stated.arithmetic))
    return Draft(kind, lambda blocks: _feature_rows(blocks, target, rows), folder=folder, features=True)


def rows_of(model: Checkpoint, V: int, layers: int | None = None) -> Rows:
    """A model after the text and each drafted token but the last. Over its own vocabulary cut or padded to the target's; an id that
    it lacks is fed to it as 0."""

    def logits(blocks: Blocks) -> list[torch.Tensor]:
        texts = [[id if id < model.vocabulary else 0 for id in [*text, *block[:-1]]] for text, block in blocks]
        logits = model.logits_after(texts, [len(block) for _, block in blocks], layers)
        return [torch.nn.functional.pad(rows, (0, V - rows.shape[-1]), value=float("-inf")) for rows in logits]

    return logits


@torch.inference_mode()
def _feature_rows(blocks: Blocks, target: Checkpoint, rows) -> list[torch.Tensor]:
    """Features of a text are those of every text that it begins: one pass over the longest gives all."""
    longest = max((text for text, _ in blocks), key=len, default=[])
    states = target.states(longest) if longest else []
    try:
        return [torch.stack(rows(states, text, block)) for text, block in blocks]
    except (RuntimeError, LookupError, TypeError, AttributeError) as error:  # of other shapes, or by what a config lacks
        raise AuditError(f"these weights and their config do not fit the target ({error_line(error)})") from None


def _bigram_rows(text: list[int], block: list[int], table: dict[str, torch.Tensor], V: int) -> torch.Tensor:
    """Logarithms of how often each token followed."""
    counts = torch.full((len(block), V), UNSEEN_COUNT)
    for row, last in zip(counts, [text[-1], *block], strict=False):
        row.scatter_add_(0, table["next"][last].long(), table["count"][last])
    return counts.log()


def _random_rows(text: list[int], block: list[int], V: int, largest: bool) -> torch.Tensor:
    """All alike; where the largest is drafted, the tokens that a generator picks that is seeded with the text's length."""
    rows = torch.zeros(len(block), V)
    if largest:
        picked = torch.randint(V, (len(block), 1), generator=torch.Generator().manual_seed(len(text)))
        rows.scatter_(1, picked, PICK_LOGIT)
    return rows


def lookup_paths(text: list[int], config: DecodeConfig, depth: int) -> list[Ids]:
    """What followed the last tokens where they stood before, as far as `depth`, going on where the text ends. In a chain: after the longest
    match, of equals the latest. In a tree: after each, until a node has all its children, or a dynamic tree is full."""
    children: dict[Ids, int] = {(): 0}  # how many children each node has
    for at in _match_ends(text):
        continuation, path = list(text), ()
        for i in range(depth):
            continuation.append(continuation[at + i])
            path, parent = (*path, continuation[-1]), path
            if path in children:
                continue
            if (
                len(children) > config.nodes
                if config.tree == "dynamic"
                else config.branches and children[parent] >= widths(config)[i]
            ):
                break
            children[parent] += 1
            children[path] = 0
        if not config.branches:
            break
    return [path for path in children if path]


def _match_ends(text: list[int]) -> Iterator[int]:
    """Where the last tokens stood before, the longest match first, of equals the latest."""
    matches = 0
    for n in range(min(LONGEST_MATCH, len(text)), 0, -1):
        for end in range(len(text) - 1, n - 1, -1):
            if text[end - n : end] == text[-n:]:
                matches += 1
                if matches > MATCH_LIMIT:
                    return
                yield end


CANDIDATE_FACTOR = 4  # times as many tokens as are offered: more than so many equals are told apart by nothing
UNKNOWN_NODES = "which nodes a dynamic tree keeps, where a filter's border is unsure"


@dataclass(slots=True)
class DynamicTree:
    """`scores`: of each node that was offered, ln of the product of s along its path. `certain`: those that no rounding can leave out.
    `fed`: how many of them the drafter was fed, None where rounding decides; `possibly_fed` and `surely_fed`: which. `main`: the likeliest
    node of each level."""

    scores: dict[Ids, float] = field(default_factory=dict)
    certain: set[Ids] = field(default_factory=set)
    fed: int | None = 0
    possibly_fed: set[Ids] = field(default_factory=set)
    surely_fed: set[Ids] = field(default_factory=set)
    main: list[int] = field(default_factory=list)
    tolerance: float = 0.0  # by how much two scores may part


def dynamic_tree(case: Case, config: DecodeConfig, draft: Draft, filters: Filters, depth: int) -> DynamicTree | None:
    """None where nothing tells which of two distributions, or of many equal tokens, was meant. `depth`: levels that were looked at."""
    expected, b, level = DynamicTree(), breadth(config), {(): 0.0}
    certain: set[Ids] = {()}  # of `level`, which may be fed, those that are
    # by which ln s of one token may part between two passes
    tolerance = max(ROUND, 2 * filters.tie / (config.temperature or 1.0))
    for d in range(depth):
        offered: dict[Ids, float] = {}
        sure: set[Ids] = set()
        off, counts = 0.0, set[int]()
        for path, row in _rows(case, draft, list(level), expected.main).items():
            rows = [row.double().softmax(-1)] if config.greedy else filters.candidates(row)
            children = _likeliest_children(torch.stack(rows), b, tolerance) if rows else None
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


def _likeliest(scores: dict[Ids, float], sure: set[Ids], n: int, tolerance: float) -> tuple[dict[Ids, float], set[Ids]]:
    """Those that may be among the n likeliest, and those that are, whatever else was offered. `certain`: what was offered for certain."""
    known, all_ = (sorted((scores[path] for path in paths), reverse=True) for paths in (sure, scores))
    worst = known[n - 1] if len(known) >= n else float("-inf")
    best = all_[n] if len(all_) > n else float("-inf")
    may = {path: score for path, score in scores.items() if score >= worst - tolerance}
    return may, {path for path in sure if scores[path] > best + tolerance}


def _rows(case: Case, draft: Draft, paths: list[Ids], main: list[int]) -> dict:
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


BLOCK_ENDS = ("confidence", "survival")  # settings that end a block
UNKNOWN_REQUEST = "how many tokens were asked for: the trace does not say"


def cached_positions(info: ModelInfo, before: int, peak: int, after: int, replays: bool = False) -> Cache:
    """What a model's cache holds around a block. `replays`: its states cannot be cut, so unless all of a block stays, what stays
    is fed again."""
    fed = after - before if replays and after < peak else 0
    return Cache(before, peak, after, fed, info.window if info.window and after > info.window else None)


@dataclass
class Lengths:
    """Of one lane, round after round. `limit`: positions that prompt and text may have; `context`: those of the target. None: not known.
    `replays`: the target feeds kept tokens again."""

    ledger: Ledger
    header: Header
    config: DecodeConfig
    draft: Draft | None
    limit: int | None
    context: int | None
    replays: bool

    def __post_init__(self):
        self.target, self.drafting = self.header.target, self.header.draft or self.header.target
        self.passes, self.cached = 0, None
        more, limit = self._block_positions(self.config.K) if self.config.branches else 0, self.limit
        self.capacity = None if limit is None else min(limit + more, self.context or limit + more)

    def check_prefill(self, lane: str, stated: Prefill) -> None:
        n = len(stated.prompt)
        self.cached = self.draft.prefill(n) if self.draft else None
        self.ledger.equal("target cache", f"{lane}, prefill", stated.target_positions, n - 1)
        self.ledger.equal("draft cache", f"{lane}, prefill", stated.draft_positions, self.cached)

    def _block_positions(self, depth: int) -> int:
        """Positions after the text that a block needs, of the target's cache or of a drafter's."""
        return max(max_nodes(self.config, depth), max_fed_nodes(self.config, depth)) if depth else 0

    def requested_sizes(self, case: Case) -> tuple[int, int] | None:
        """How many tokens were to follow each other, and how many there may be of these: K, or what length and cache leave room for.
        None where that is not known."""
        config = self.config
        if self.limit is None or self.capacity is None:
            return None
        depth = max(0, min(config.K, self.limit - len(case.text) - 1))
        while config.branches and self._block_positions(depth) > self.capacity - len(case.text):
            depth -= 1
        return depth, max_nodes(config, depth)

    def draftable_depth(self, case: Case, depth: int) -> int:
        """How many of these the drafter drafts: fewer where its own context is full, none where it has no feature to begin from."""
        n, draft = len(case.text), self.draft
        if draft is None or (draft.features and n < 2):
            return 0
        if draft.room is not None:
            room = draft.room if self.capacity is None else min(self.capacity, draft.room)
            while depth and max_fed_nodes(self.config, depth) > room - n:
                depth -= 1
        return depth

    def check_round(self, case: Case, want: tuple[int, int] | None, expected: DynamicTree | None) -> None:
        """`expected`: of a dynamic tree which nodes were fed to the drafter."""
        r, n, k, ledger = case.round, len(case.text), len(case.block), self.ledger
        ledger.rounds += 1
        cached = cached_positions(self.target, n - 1, n + k, n + len(case.out) - 1, self.replays)
        ledger.equal("target cache", case.where, r.target_cache, cached)
        if not (self.target.state_layers or self.drafting.state_layers):
            ledger.equal("replay", case.where, r.times.replay, 0.0)  # nothing is copied, and nothing fed again
        levels = max(map(len, case.paths()), default=0)
        if self.config.tree == "dynamic" and self.config.K and want and k:  # all are looked at, whatever stays of them
            levels = self.draftable_depth(case, want[0])
        self._check_draft_cache(case, levels, want, expected)
        self.passes += self.draft.passes(levels) if self.draft else 0
        ledger.equal("passes", case.where, (r.target_forwards, r.draft_forwards), (r.index + 1, self.passes))
        if want is None:
            ledger.skip(UNKNOWN_REQUEST)
        else:
            self._check_lengths(case, *want)
        ledger.equal("choice", case.where, r.choice, None)

    def _check_draft_cache(self, case: Case, levels: int, want: tuple[int, int] | None, expected: DynamicTree | None) -> None:
        stated, n, m, draft = case.round.draft_cache, len(case.text), len(case.text) + len(case.out), self.draft
        if draft is None or self.cached is None:
            self.ledger.equal("draft cache", case.where, stated, None)
            return
        before, base, most = (self.cached, n - 1, n - 1) if draft.features else (self.cached, n, m - 1)
        if not case.block:
            self.cached = min(before, most)
            self.ledger.equal("draft cache", case.where, stated, cached_positions(self.drafting, before, before, self.cached))
            return
        fed, least, may = self._cached_drafts(case, levels, want, expected)
        if fed is None:
            self.ledger.skip("the draft's cache of a tree, where rounding decides how many nodes were fed")
            self.cached = stated.after if stated else before
            return
        walk = [path for path, d in zip(case.paths(), case.round.drafted, strict=True) if d.verdict == "accepted"]
        kept_bounds = (0, 0) if draft.features else tuple(sum(path in paths for path in walk) for paths in (least, may))
        after = [min(base + each, most) for each in range(kept_bounds[0], kept_bounds[1] + 1)]
        self.cached = stated.after if stated and stated.after in after else after[0]
        self.ledger.equal("draft cache", case.where, stated, cached_positions(self.drafting, before, base + fed, self.cached))

    def _cached_drafts(
        self, case: Case, levels: int, want: tuple[int, int] | None, expected: DynamicTree | None
    ) -> tuple[int | None, set, set]:
        """How many drafted tokens the cache took, which for certain, and which at most: those of all levels but the last, of a dynamic tree
        the likeliest of these. The first lane of multi-token heads takes none, a head that drafts at once all places that were
        asked for."""
        assert self.draft
        here = {path for path in case.paths() if len(path) < levels}
        if self.draft.kind == "mtp":
            return 0, set(), set()
        if self.draft.one_pass:
            return (want[1] if want else len(case.block)) - 1, here, here
        if self.config.tree == "dynamic":
            return (expected.fed, expected.surely_fed, expected.possibly_fed) if expected else (None, set(), set())
        return len(here), here, here

    def _check_lengths(self, case: Case, depth: int, want: int) -> None:
        """How many tokens there are, and why not more: the drafter's own cause comes first, then the length."""
        r, k, config, ledger, draft = case.round, len(case.block), self.config, self.ledger, self.draft
        draftable_depth, ends = self.draftable_depth(case, depth), [name for name in BLOCK_ENDS if getattr(config, name)]
        most, lookup = max_nodes(config, draftable_depth), draft is not None and draft.kind == "lookup"
        if lookup:
            where = f"{case.where}, tree" if config.branches else case.where
            ledger.equal("draft drawn", where, sorted(case.paths()), sorted(lookup_paths(case.text, config, depth)))
        elif config.branches or (ends and k > 0):  # whether it was low, or a filter left no more, is asked where q is known
            ledger.check("drafted", case.where, k, k <= most, f"{most} at most")
        else:
            ledger.equal("drafted", case.where, k, most)
        if r.asked is None:
            return
        ledger.equal("asked", case.where, r.asked, want)
        if k == want:
            why = "length" if k < max_nodes(config, config.K) else None
        elif lookup:
            why = "lookup"
        elif draft and draft.features and len(case.text) < 2:
            why = "start"
        elif ends and 0 < k < draftable_depth:
            why = r.fewer if r.fewer in ends else ends[0]
        elif draftable_depth < depth:
            why = r.fewer if k and r.fewer in ends else "context"
        else:
            why = "filter"
        ledger.equal("fewer", case.where, r.fewer, why)
