"""Where the speed of a run comes from: c, v, the speedup they predict, the best K, and what held it back. Plain values.

    account(trace.header, vanilla, speculative, most=4, limit=16, sure=(1.6, 1.9))    # both lanes as lists of Round

Two ways to price a round. c and v are medians in target passes over one token, the symbols of the papers (means where a coarse clock
shows 0 for most rounds). `cost` is the plain sum, overhead included, in steps of the target alone (ms a token of the vanilla lane), so tokens a round ÷ cost is the
measured speedup to the last digit. `replay`, of states that cannot be cut, is part of c, v and
the rest. Source of the formulas: specviz/acceptance.py. Standard library only.
"""

from statistics import mean, median

from ..acceptance import draft_steps
from ..config import DecodeConfig
from ..drafters import AT_ONCE
from ..trace.events import Round
from ..trace.header import Header
from ..trace.tree import depths
from .positions import best, three_ways, verify_cost
from .shapes import fastest, firsts, measured, speed

WORTH = 0.05  # what holds a run back by less is not worth a sentence


def account(
    header: Header,
    vanilla: list[Round],
    speculative: list[Round],
    most: int,
    limit: int,
    sure: tuple[float, float] | None = None,
) -> dict:
    """All of it, or `missing`: the reason why there is nothing to tell.

    `most`: tokens that the drafter may draft a round in this run; `limit`: what it could at any K; `sure`: the interval of the
    measured speedup (interval.py); without one the times are taken as exact."""
    blocks = [r for r in speculative if r.drafted]
    if not (header.config.K and header.draft):
        return {"missing": "zero"}
    if not vanilla or not speculative:
        return {"missing": "lane"}
    if not blocks:
        return {"missing": "undrafted"}
    if any(r.times.draft is None or r.times.verify is None for r in (*vanilla, *speculative)):
        return {"missing": "untold"}
    step = _usual([r.times.verify or 0.0 for r in vanilla])
    if not step or not all(sum(r.times.timed for r in lane) > 0 for lane in (vanilla, speculative)):
        return {"missing": "clock"}
    block = max(len(r.drafted) for r in blocks)
    if header.config.branches:
        return {"missing": "tree", **_of_trees(vanilla, speculative, step, block)}
    at_once = header.drafter in AT_ONCE
    c = _usual([(r.times.draft or 0.0) / draft_steps(len(r.drafted), at_once) for r in blocks]) / step
    v = median(r.times.verify or 0.0 for r in blocks if len(r.drafted) == block) / step
    tokens = sum(len(r.emitted) for r in speculative) / len(speculative)
    drafted = sum(len(r.drafted) for r in speculative) / len(speculative)
    steps = sum(draft_steps(len(r.drafted), at_once) for r in speculative) / len(speculative)
    alpha = _alpha(header, blocks)
    predicted = tokens / (steps * c + verify_cost(drafted, v, block))
    measured = tokens / _cost(vanilla, speculative)["all"]
    return {
        "missing": None,
        "c": c,
        "v": v,
        "block": block,
        "tokens": tokens,
        "drafted": drafted,
        "steps": steps,
        "predicted": predicted,
        "measured": measured,
        "of_predicted": measured / predicted,
        "replay": sum(r.times.replay for r in speculative) / len(speculative) / step,
        "alpha": alpha,
        "tokens_by": three_ways(blocks, alpha),
        **best(blocks, c, v, block, limit, at_once),
        "why": _why(vanilla, speculative, tokens, drafted, most, sure or (measured, measured), chosen=chooses(header.config)),
    }


def _usual(values: list[float]) -> float:
    return median(values) or mean(values)


def _of_trees(vanilla: list[Round], speculative: list[Round], step: float, block: int) -> dict:
    """Of a run of trees, whose draft makes a pass for each level: c of a level, and v of the largest tree. The best tree and the best chain of
    at most as many tokens, by acceptance at each depth and rank; both at the price that levels had here."""
    blocks = [r for r in speculative if r.drafted]
    levels = [max(depths(r.drafted)) for r in blocks]
    c = median((r.times.draft or 0.0) / n for r, n in zip(blocks, levels, strict=True)) / step
    v = median(r.times.verify or 0.0 for r in blocks if len(r.drafted) == block) / step
    tokens, drafted, steps = (
        sum(counts) / len(speculative)
        for counts in ([len(r.emitted) for r in speculative], [len(r.drafted) for r in blocks], levels)
    )
    passes = [verify_cost(n, v, block) for n in range(block + 1)]
    cost, predicted = _cost(vanilla, speculative), tokens / (steps * c + verify_cost(drafted, v, block))
    share = measured(blocks)
    found = {"best_tree": fastest(share, block, c, passes), "best_chain": fastest(firsts(share), block, c, passes)}
    return {
        "c": c,
        "v": v,
        "block": block,
        "tokens": tokens,
        "steps": steps,
        "cost": cost,
        "predicted": predicted,
        "of_predicted": tokens / cost["all"] / predicted,
        **{
            name: {"nodes": sum(shape.nodes), "levels": shape.levels, "speedup": speed(shape, c, passes)}
            for name, shape in found.items()
        },
    }


def chooses(config: DecodeConfig) -> bool:
    """Whether a block may be short because that was thought to pay."""
    return config.adaptive or config.ends_early


def _alpha(header: Header, blocks: list[Round]) -> float | None:
    """The chance that a draft token is kept: the mean of β where it says so, else (greedy, another rule, unobserved) what was counted."""
    tested = [d for r in blocks for d in r.drafted if d.verdict != "unexamined"]
    betas = [d.position.beta for d in tested if d.position and d.position.beta is not None]
    if betas and header.config.verifier == "rejection" and not header.config.greedy:
        return sum(betas) / len(betas)
    return sum(d.verdict == "accepted" for d in tested) / len(tested) if tested else None


def _cost(vanilla: list[Round], speculative: list[Round]) -> dict:
    """A round's time in steps of the target alone: draft, verify and the rest (decide too), and all of it."""
    step = sum(r.times.timed for r in vanilla) / sum(len(r.emitted) for r in vanilla)
    parts = {
        "draft": sum(r.times.draft or 0.0 for r in speculative),
        "verify": sum(r.times.verify or 0.0 for r in speculative),
        "rest": sum((r.times.decide or 0.0) + r.times.rest for r in speculative),
    }
    cost = {part: ms / len(speculative) / step for part, ms in parts.items()}
    return cost | {"all": sum(cost.values())}


def _without(cost: dict, part: str, least: float) -> float:
    """How many times as fast a round would be if `part` cost `least` at most."""
    return cost["all"] / max(1e-9, cost["all"] - max(0.0, cost[part] - least))


def called(low: float, high: float) -> str:
    """What a speedup may be called that lies between these."""
    return "faster" if low > 1 else "slower" if high < 1 else "level"


def _why(
    vanilla: list[Round],
    speculative: list[Round],
    tokens: float,
    drafted: float,
    most: int,
    sure: tuple[float, float],
    chosen: bool,
) -> dict:
    """What a round brought and cost, and the one thing without which the run would have gained most: named if that gain, and its lead
    over the next, are more than what the speedup is unsure by. Where blocks were `chosen` to be short, that is no loss."""
    cost, alone = _cost(vanilla, speculative), _cost(vanilla, vanilla)
    speedup = tokens / cost["all"]
    without = {  # how many times as fast the run would be if this were as good as it can be
        "alpha": (drafted + 1) / tokens,
        "undrafted": 1.0 if chosen else (most + 1) / (drafted + 1),
        "c": _without(cost, "draft", 0.0),
        "v": _without(cost, "verify", alone["verify"]),
        "rest": _without(cost, "rest", alone["rest"]),
    }
    second, limit = sorted(without, key=without.__getitem__)[-2:]
    unsure = max(sure[1] / speedup, speedup / sure[0])
    named = without[limit] >= max(1 + WORTH, unsure) and without[limit] >= unsure * without[second]
    return {
        "kind": called(*sure),
        "tokens": tokens,
        "cost": cost,
        "kept": sum(d.verdict == "accepted" for r in speculative for d in r.drafted) / len(speculative),
        "most": most,
        "empty": sum(not r.drafted for r in speculative),
        "rounds": len(speculative),
        "limit": limit if named else None,
        "without": without[limit],
    }
