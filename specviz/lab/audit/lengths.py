"""What follows from a lane's ids and settings without any model: how much was asked for, caches, passes, why fewer.

docs/trace.md, A block and Caches, is this page in words.
"""

from ...config import DecodeConfig
from ...trace.events import Cache, Prefill
from ...trace.header import Header, ModelInfo
from .cases import Case, max_fed_nodes, max_nodes
from .drafts import Draft, lookup_paths
from .dynamic_tree import DynamicTree
from .ledger import Ledger

BLOCK_ENDS = ("confidence", "survival")  # settings that end a block
CHOSEN_K = "K of a round: it was chosen by times, which nothing gives a second time"
UNKNOWN_REQUEST = "how many tokens were asked for: the trace does not say"


def cached_positions(info: ModelInfo, before: int, peak: int, after: int, replays: bool = False) -> Cache:
    """What a model's cache holds around a block. `replays`: its states cannot be cut, so what stays of a block is fed again unless all stays."""
    fed = after - before if replays and after < peak else 0
    return Cache(before, peak, after, fed, info.window if info.window and after > info.window else None)


class Lengths:
    """Of one lane, round after round. `limit`: positions that prompt and text may have; `context`: those of the target. None: not known.
    `replays`: the target feeds kept tokens again."""

    def __init__(
        self,
        ledger: Ledger,
        header: Header,
        config: DecodeConfig,
        draft: Draft | None,
        first: Prefill,
        limit: int | None,
        context: int | None,
        replays: bool,
    ):
        self.ledger, self.config, self.draft, self.limit, self.replays = ledger, config, draft, limit, replays
        self.target, self.drafting = header.target, header.draft or header.target
        self.passes = 0
        self.n, self.cached = len(first.prompt), draft.prefill(len(first.prompt)) if draft else None
        more = self._block_positions(config.K) if config.branches else 0
        self.capacity = None if limit is None else limit + more if context is None else min(limit + more, context)

    def check_prefill(self, lane: str, stated: Prefill) -> None:
        self.ledger.equal("target cache", f"{lane}, prefill", stated.target_positions, self.n - 1)
        self.ledger.equal("draft cache", f"{lane}, prefill", stated.draft_positions, self.cached)

    def _block_positions(self, depth: int) -> int:
        """Positions after the text that a block needs, of the target's cache or of a drafter's."""
        return max(max_nodes(self.config, depth), max_fed_nodes(self.config, depth)) if depth else 0

    def requested_sizes(self, case: Case) -> tuple[int, int] | None:
        """How many tokens were to follow each other, and how many there may be of these: K, or what length and cache leave room for.
        Of a saved run of `adaptive` the round's choice is in the place of K. None where that is not known."""
        config, r, depth = self.config, case.round, self.config.K
        if config.adaptive and config.K:
            if r.choice is None:
                return None if r.asked is None else (min(r.asked, config.K), r.asked)
            depth = min(r.choice.K, config.K)
        if self.limit is None or self.capacity is None:
            return None
        depth = max(0, min(depth, self.limit - len(case.text) - 1))
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
        ledger.equal(
            "target cache",
            case.where,
            r.target_cache,
            cached_positions(self.target, n - 1, n + k, n + len(case.out) - 1, self.replays),
        )
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
        if not (self.config.adaptive and self.config.K):
            ledger.equal("choice", case.where, r.choice, None)
        else:
            ledger.skip(CHOSEN_K)

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
        the likeliest of these. The first lane of multi-token heads takes none, a head that drafts at once all places that were asked for."""
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
        """How many tokens there are, and why not more: the drafter's own cause comes first, then the length, then the round's own K."""
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
            why = (
                "length"
                if k < max_nodes(config, r.choice.K if r.choice else config.K)
                else "adaptive"
                if k < max_nodes(config, config.K)
                else None
            )
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
