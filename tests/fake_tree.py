"""A small random trace whose rounds draft static trees, true to itself as `fake_trace` is: children are drawn from q without replacement,
what siblings leave of p is what the next one is tested by. No model, no torch.

    trace = tree_trace(children="4-2-2-1", K=5)
"""

import random
from dataclasses import replace

from specviz.trace.events import Cache, Drafted, Emitted, Finished, Prefill, Residual, ResidualEntry, Round, Times
from specviz.trace.header import Trace

from .fake_trace import TOP, WORDS, World, draw, fake_trace, norm, one_hot

LEVEL_MS, PASS_MS, ROW_MS = 0.42, 3.9, 0.06


def tree_trace(children: str = "3-2-1-1", K: int = 4, seed: int = 3, tokens: int = 30, **settings) -> Trace:
    """A whole trace; its vanilla lane is that of `fake_trace`. `settings` go to `DecodeConfig`."""
    shape = {"tree": "static", "children": children, "K": K, "max_new_tokens": tokens, "seed": seed}
    trace = fake_trace("Once upon a time", drafter="early-exit", seed=seed, **{"max_new_tokens": tokens, "K": 0} | settings)
    config = replace(trace.header.config, **shape, **settings)
    draft = fake_trace(drafter="early-exit", seed=seed).header.draft
    header = replace(trace.header, config=config, draft=draft)
    return Trace(header, trace.vanilla, tuple(_lane(World(seed, WORDS, config.greedy), config, trace.vanilla[0])))


def _lane(world: World, config, prefill: Prefill):
    chance, text, last = random.Random(config.seed + 99), [], prefill.prompt[-1].id
    length, rounds, drafting = len(prefill.prompt), [], 0
    yield replace(prefill, draft_positions=None, draft_ms=0.0)
    while len(text) < config.max_new_tokens:
        depth = min(config.K, config.max_new_tokens - len(text) - 1)
        drafting += depth
        one = _round(world, config, last, depth, length, len(rounds), drafting, chance)
        rounds.append(one)
        text += one.emitted
        length += len(one.emitted)
        last = one.emitted[-1].token.id
        yield one
    flat = [d.verdict for r in rounds for d in r.drafted]
    tested, accepted = len(flat) - flat.count("unexamined"), flat.count("accepted")
    yield Finished(
        "length", "", "".join(e.piece for e in text), len(text), len(rounds), len(flat), tested, accepted, len(rounds), drafting, 12.0,
        sum(r.times.timed for r in rounds), sum(r.times.observe for r in rounds),
    )  # fmt: skip


def _round(world: World, config, last: int, depth: int, length: int, index: int, drafting: int, chance) -> Round:
    drafted = _draft_tree(world, config, last, depth, chance)
    laws = [world.p_and_q(last)[0], *(world.p_and_q(d.token.id)[0] for d in drafted)]
    at, path, residual, left = -1, [], None, laws[0]
    while here := [i for i, d in enumerate(drafted) if d.parent == at]:
        left, siblings, stays = laws[at + 1], [], None
        for i in here:
            d, q = drafted[i], _without(world.p_and_q(_id(drafted, at, last))[1], siblings)
            x = d.token.id
            u = None if world.greedy else chance.random()
            stays = left[x] >= 1 if world.greedy else u * q[x] < left[x]
            verdict = "accepted" if stays else "rejected"
            values = {"p": left[x], "q": q[x], "ratio": left[x] / q[x], "u": u, "position": world.position(left, q)}
            drafted[i] = replace(d, verdict=verdict, **values)
            if stays:
                at = i
                path.append(i)
                left = laws[at + 1]
                break
            rest = [max(a - b, 0.0) for a, b in zip(left, q, strict=True)]
            left, mass, siblings = (norm(rest) if sum(rest) else left), sum(rest), [*siblings, x]
        if not stays:
            top = [j for j in sorted(range(len(left)), key=lambda j: -left[j])[:TOP] if left[j] > 0]
            entries = tuple(ResidualEntry(world.token(j), left[j]) for j in top)
            residual = Residual(entries, max(0.0, 1 - sum(left[j] for j in top)), mass)
            break
    u = None if world.greedy else chance.random()
    then, role = draw(left, u or 0.0), "plain" if not drafted else "corrected" if residual else "bonus"
    emitted = tuple(Emitted(drafted[i].token, "accepted", drafted[i].token.text) for i in path)
    token = world.token(then)
    emitted += (Emitted(token, role, "" if token.partial else token.text, u, world.position(left, None)),)
    cache = Cache(length - 1, length + len(drafted), length - 1 + len(emitted))
    times = Times(LEVEL_MS * depth, PASS_MS + ROW_MS * len(drafted), 0.2, 0.2, 0.6)
    return Round(index, tuple(drafted), emitted, residual, cache, None, index + 1, drafting, times)


def _draft_tree(world: World, config, last: int, depth: int, chance) -> list[Drafted]:
    """Level by level, as the settings have it."""
    drafted: list[Drafted] = []
    level = [-1]
    for deep, width in enumerate(config.widths[:depth], 1):
        start = len(drafted)
        for parent in level:
            p, q = world.p_and_q(_id(drafted, parent, last))
            siblings: list[int] = []
            for rank in range(width):
                law = _without(q, siblings)
                if not sum(law):
                    break
                x = draw(one_hot(law) if config.drafting == "argmax" else law, chance.random())
                siblings.append(x)
                values = (world.token(x), law[x], p[x], p[x] / law[x], None, "unexamined")
                drafted.append(Drafted(*values, parent=parent, depth=deep, rank=rank))
        level = list(range(start, len(drafted)))
    return drafted


def _id(drafted: list[Drafted], at: int, last: int) -> int:
    return last if at < 0 else drafted[at].token.id


def _without(q: list[float], siblings: list[int]) -> list[float]:
    rest = [0.0 if i in siblings else x for i, x in enumerate(q)]
    return norm(rest) if sum(rest) else rest
