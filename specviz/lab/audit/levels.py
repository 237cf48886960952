"""What follows from a tree's shape without its numbers, a second time: how much was asked for, caches, passes, why fewer tokens."""

from ...config import DecodeConfig
from ...trace import tree
from ...trace.header import Header
from .cases import Case
from .drafts import Draft
from .grown import Grown, paths
from .ledger import Ledger
from .walk import held_by


def asked(case: Case, config: DecodeConfig, limit: int | None, context: int | None) -> tuple[int, int] | None:
    """How deep the tree was to be, and its most nodes: as the length and the cache leave room for. None where that is not known."""
    if limit is None or context is None:
        return None
    depth = min(config.K, limit - len(case.text) - 1)
    places = min(limit + config.most, context) - len(case.text)
    depth = next((d for d in range(depth, 0, -1) if config.nodes_to(d) <= places), 0)
    return depth, config.nodes_to(depth)


class Levels:
    """Of one lane, round after round."""

    def __init__(self, ledger: Ledger, header: Header, config: DecodeConfig, draft: Draft, n: int):
        """`n`: tokens of the prompt."""
        self.ledger, self.config, self.draft = ledger, config, draft
        self.target, self.drafting = header.target, header.draft or header.target
        self.passes, self.held = 0, draft.prefill(n)

    def round(self, case: Case, want: tuple[int, int] | None, found: Grown | None) -> None:
        """`found`: of a dynamic tree which nodes were fed to the drafter."""
        r, n, k, ledger = case.round, len(case.text), len(case.block), self.ledger
        ledger.rounds += 1
        ledger.same("target cache", case.where, r.target_cache, held_by(self.target, n - 1, n + k, n + len(case.out) - 1))
        depth = max(tree.depths(r.drafted), default=0)
        if self.config.tree == "dynamic" and want and k:  # all its levels were looked at, whatever stays of them
            depth = want[0]
        self._cache(case, depth, found)
        self.passes += self.draft.passes(depth)
        ledger.same("passes", case.where, (r.target_forwards, r.draft_forwards), (r.index + 1, self.passes))
        if want is None:
            ledger.skip("how many tokens were asked for: the trace does not say")
            return
        ledger.same("asked", case.where, r.asked, want[1])
        ledger.same("fewer", case.where, r.fewer, self._why(k, want[1], n))

    def _cache(self, case: Case, depth: int, found: Grown | None) -> None:
        said, n, k, m = case.round.draft_cache, len(case.text), len(case.block), len(case.text) + len(case.out)
        if self.held is None:
            self.ledger.same("draft cache", case.where, said, None)
            return
        before, heads = self.held, self.draft.features
        base, most = (n - 1, n - 1) if heads else (n, m - 1)
        if not k:
            self.held = min(before, most)
            self.ledger.same("draft cache", case.where, said, held_by(self.drafting, before, before, self.held))
            return
        fed, least, may = self._fed(case, depth, found)
        if self.draft.kind == "mtp":  # its first lane
            fed = 0
        if fed is None:
            self.ledger.skip("the draft's cache of a tree, where rounding decides how many nodes were fed")
            self.held = said.after if said else before
            return
        walk = [path for i, path in enumerate(paths(case)) if case.round.drafted[i].verdict == "accepted"]
        kept = (0, 0) if heads else tuple(sum(path in some for path in walk) for some in (least, may))
        after = [min(base + n, most) for n in range(kept[0], kept[1] + 1)]
        self.held = said.after if said and said.after in after else after[0]
        self.ledger.same("draft cache", case.where, said, held_by(self.drafting, before, base + fed, self.held))

    def _fed(self, case: Case, depth: int, found: Grown | None) -> tuple[int | None, set, set]:
        """How many nodes the drafter's cache took, which for certain, and which at most: those of all levels but the last, of a dynamic
        tree the likeliest of these."""
        if self.config.tree == "dynamic":
            return (found.fed, found.are_fed, found.may_be_fed) if found else (None, set(), set())
        here = {path for path in paths(case) if len(path) < depth}
        return len(here), here, here

    def _why(self, k: int, want: int, n: int) -> str | None:
        if k == want:
            return "length" if k < self.config.most else None
        if self.draft.kind == "lookup":
            return "lookup"
        if self.draft.features and n < 2:
            return "start"
        return "context" if self.draft.room is not None and not k else "filter"
