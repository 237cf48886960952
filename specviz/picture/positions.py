"""Acceptance by position in the block, and what follows from it: tokens a round, and the K that pays most. Plain values.

    by_position(rounds)         # what vLLM prints as per-position acceptance is `of_blocks`

α alone promises too much: it takes acceptances for independent, and later positions of a block keep less. Standard library only.
"""

from itertools import accumulate
from operator import mul

from ..acceptance import draft_steps, expected_speedup, expected_tokens
from ..trace.events import Round
from ..trace.tree import branches, walked
from .plain import ratio

FEW = 5  # a position that was tested less often than this is not one that was measured, but for the first
MARGIN = 2  # positions past the last measured one that a best K may reach


def by_position(rounds: list[Round]) -> list[dict]:
    """For each position 1 … K of a block: how many blocks had a token there, in how many it was tested (`reached`), how many kept it.

    `given_reached` = accepted ÷ reached (conditional), `of_blocks` = accepted ÷ all blocks (marginal). A position of a tree is a depth:
    it keeps one of its tokens, or none."""
    blocks = [walked(r.drafted) if branches(r) else r.drafted for r in rounds if r.drafted]
    found = []
    for i in range(max(map(len, blocks), default=0)):
        verdicts = [block[i].verdict for block in blocks if len(block) > i]
        accepted = verdicts.count("accepted")
        reached = accepted + verdicts.count("rejected")
        found.append(
            {
                "position": i + 1,
                "drafted": len(verdicts),
                "reached": reached,
                "accepted": accepted,
                "given_reached": ratio(accepted, reached),
                "of_blocks": ratio(accepted, len(blocks)),
            }
        )
    return found


def promised(given_reached: list[float], K: int) -> float:
    """Mean tokens a round of K drafted ones whose position i is kept with chance given_reached[i − 1] once it is reached."""
    return 1 + sum(accumulate(given_reached[:K], mul))


def three_ways(rounds: list[Round], alpha: float | None) -> dict:
    """Tokens a round, of the rounds that drafted any: as `alpha` promises, as the `positions` do, as `measured`; each at the blocks'
    own lengths. None where there is nothing to reckon with."""
    blocks = [r for r in rounds if r.drafted]
    if not blocks:
        return {"alpha": None, "positions": None, "measured": None}
    kept, n = [p["given_reached"] or 0.0 for p in by_position(blocks)], len(blocks)
    return {
        "alpha": None if alpha is None else sum(expected_tokens(alpha, len(r.drafted)) for r in blocks) / n,
        "positions": sum(promised(kept, len(r.drafted)) for r in blocks) / n,
        "measured": sum(len(r.emitted) for r in blocks) / n,
    }


def best(rounds: list[Round], c: float, v: float, block: int, limit: int, at_once: bool = False) -> dict:
    """The K from 0 to MARGIN positions past what was `measured`, and to `limit`, with the largest speedup that its positions promise.

    Past the last measured position a token is taken to be kept as seldom as at the worst one before. `reach`: the largest K that
    was asked about; a best K there may be larger in truth. `at_once`: c is that of a whole block. 0: drafting does not pay. All None where nothing was tested."""
    found = [p for p in by_position(rounds) if p["reached"]]
    if not found:
        return {"best_K": None, "best_speedup": None, "best_measured": None, "best_reach": None}
    measured = max([1, *(p["position"] for p in found if p["reached"] >= FEW)])
    kept = [p["given_reached"] for p in found[:measured]]
    reach = min(limit, measured + MARGIN)
    kept += [min(kept)] * MARGIN
    by_K = [expected_speedup(promised(kept, K), draft_steps(K, at_once), c, verify_cost(K, v, block)) for K in range(reach + 1)]
    pays = max(range(reach + 1), key=by_K.__getitem__)
    return {"best_K": pays, "best_speedup": by_K[pays], "best_measured": min(measured, limit), "best_reach": reach}


def verify_cost(drafted: float, v: float, block: int) -> float:
    """A target pass over `drafted` + 1 tokens in passes over one: a line from 1 at one token through v at `block` + 1.

    Never below 1: a longer pass that was measured cheaper than a short one is noise, and must not be drawn on."""
    return 1 + max(0.0, v - 1) * drafted / block
