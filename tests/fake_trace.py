"""A small random trace that is true to itself: p and q are distributions, every verdict follows from u and p/q, the residual is
norm(max(p − q, 0)), caches and totals add up. Of chains, or of static trees: children are drawn from q without replacement, what siblings
leave of p is what the next one is tested by. No model, no torch.

    trace = fake_trace(seed=1, K=4, greedy=False)
    trace = tree_trace(children="4-2-2-1", K=5)
"""

import codecs
import random
from dataclasses import replace
from functools import partial
from math import exp, log

from specviz.acceptance import draft_steps
from specviz.config import DecodeConfig
from specviz.trace.events import (
    Cache,
    Choice,
    Drafted,
    Emitted,
    Entry,
    Finished,
    Header,
    Machine,
    ModelInfo,
    Own,
    Position,
    Prefill,
    Residual,
    ResidualEntry,
    Round,
    Times,
    Token,
    Trace,
)

WORDS = (
    " the| dog| was| and| happy|.| She| ran| to| park| with| her| friend| big| red| ball|,| saw| a| little| bird|\n|"
    " said| it| loved| play| sun| day| Tim| very| so|!| day|ing"
).split("|")
HOSTILE = ["<img src=x onerror=alert(1)>", " " * 10_000]
HOSTILE += "${1+1} {{value}} \u202egnp.exe </span><b>bold `${value}` @children".split()
BYTES = [b"\xc3", b"\xa9"]  # two tokens that make one é
TOP = 6
SIZE = len(WORDS) + len(BYTES)
TARGET = ModelInfo("story-target", "stories", 8, 256, SIZE, 8_400_000, "float32", "own")
DRAFTERS = {  # what their traces say of them, one of each kind
    "small": ModelInfo("story-draft", "stories", 2, 128, SIZE, 900_000, "float32", "own"),
    "lookup": ModelInfo("lookup", "n-gram", 0, 0, SIZE, 0, "none", "none"),
    "bigram": ModelInfo("story-bigram", "bigram", 0, 0, SIZE, 12_345, "none", "none"),
    "early-exit": replace(TARGET, name="first 2 of 8 layers", layers=2, parameters=0),
    "mtp": replace(TARGET, name="story-mtp", family="multi-token heads", layers=2, parameters=1_200_000),
    "eagle": replace(TARGET, name="story-eagle", family="EAGLE head", layers=1, parameters=1_500_000),
    "block": replace(TARGET, name="story-block", family="block head", layers=1, parameters=1_600_000),
    "oracle": TARGET,
    "random": ModelInfo("random", "random", 0, 0, SIZE, 0, "none", "none"),
}


class World:
    """A vocabulary with a p and a q after every token."""

    def __init__(self, seed: int, words: list[str], greedy: bool, agreement: float = 0.75):
        self.bytes = [w.encode() for w in words] + BYTES
        self.seed, self.greedy, self.agreement = seed, greedy, agreement

    def token(self, i: int) -> Token:
        try:
            return Token(i, self.bytes[i].decode())
        except UnicodeDecodeError:
            return Token(i, f"⟨{self.bytes[i].hex().upper()}⟩", partial=True)

    def p_and_q(self, last: int) -> tuple[list[float], list[float]]:
        size, chance = len(self.bytes), random.Random(self.seed * 10_007 + last)
        if self.bytes[last] == BYTES[0]:  # the second half of é is certain
            p = q = norm([1.0 if b == BYTES[1] else 1e-4 for b in self.bytes])
            return (one_hot(p), one_hot(q)) if self.greedy else (p, q)
        p = norm([chance.gammavariate(0.12, 1) + 1e-6 for _ in range(size)])
        noise = norm([chance.gammavariate(0.12, 1) + 1e-6 for _ in range(size)])
        q = norm([self.agreement * a + (1 - self.agreement) * b for a, b in zip(p, noise, strict=True)])
        return (one_hot(p), one_hot(q)) if self.greedy else (p, q)

    def position(self, p: list[float], q: list[float] | None, own: list[float] | None = None) -> Position:
        """`own`: the draft's own softmax, where its argmax was drafted."""
        top, s = sorted(range(len(p)), key=lambda i: -p[i])[:TOP], own or q
        if s:
            top = sorted(set(top) | set(sorted(range(len(s)), key=lambda i: -s[i])[:TOP]), key=lambda i: -p[i])
        entries = tuple(Entry(self.token(i), p[i], q[i] if q else None) for i in top)
        shown = tuple(own[i] for i in top) if own else ()
        left = Own(shown, max(0.0, 1 - sum(shown)), sum(map(min, p, own)), entropy(own)) if own else None
        rest = [max(0.0, 1 - sum(x[i] for i in top)) if x else None for x in (p, q)]
        beta, entropies = sum(map(min, p, q)) if q else None, (entropy(p), entropy(q) if q else None)
        likely = (sum(a * b for a, b in zip(p, s, strict=True)), p[s.index(max(s))]) if s else (None, None)
        return Position(entries, *rest, beta, *entropies, *likely, left)


def norm(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [w / total for w in weights]


def one_hot(p: list[float]) -> list[float]:
    best = p.index(max(p))
    return [float(i == best) for i in range(len(p))]


def entropy(p: list[float]) -> float:
    return -sum(x * log(x) for x in p if x > 0)


def draw(p: list[float], u: float) -> int:
    total = 0.0
    for i, x in enumerate(p):
        total += x
        if u < total:
            return i
    return max(i for i, x in enumerate(p) if x > 0)


def judge(config: DecodeConfig, greedy: bool, ids: list[int], law: list, uniform, chance) -> tuple[list, int]:
    """Of each drafted token (u, what the target drew, joint ratio, chance), each None where it is not; and how many are kept."""
    judged, accepted, joint, k = [], None, 1.0, len(ids)
    block = config.verifier == "block" and not greedy
    for i, x in enumerate(ids):
        p, q = law[i]
        tested, asks = accepted is None or block, config.verifier in ("rejection", "threshold", "block")
        u, h = uniform() if tested and asks else None, None
        y = draw(p, chance.random())
        if block:
            joint = min(1.0, joint * p[x] / q[x])
            after = sum(max(joint * a - b, 0.0) for a, b in zip(*law[i + 1], strict=True)) if i + 1 < k else 0.0
            h = joint if i + 1 == k else after / (after + 1 - joint) if after + 1 > joint else 1.0
        elif accepted is None:
            bound = min(config.epsilon, config.delta * exp(-entropy(p)))
            keeps = {"match": x == y, "typical": p[x] > bound, "threshold": u is None or u * q[x] * config.theta < p[x]}
            stays = (
                p[x] >= 1 if greedy and config.verifier != "match" else keeps.get(config.verifier, u is None or u < p[x] / q[x])
            )
            accepted = None if stays else i
        judged.append((u, y, joint if block else None, h))
    if block:
        accepted = max((i for i, (u, _, _, h) in enumerate(judged, 1) if u < h), default=0)
    return judged, k if accepted is None else accepted


def fake_lane(
    world: World,
    config: DecodeConfig,
    prompt: tuple[Token, ...],
    K: int,
    stop_after: int | None,
    observed: bool,
    *,
    ends_inside=False,
    drafter: str = "small",
    short=False,
) -> tuple:
    """One lane's events. `stop_after` rounds the visitor presses Stop; `ends_inside`: a stop string ends it on an accepted token
    with draft tokens after it; `short`: by turns, K tokens are drafted, none, one, two."""
    passes = DRAFTERS[drafter].forward != "none"
    cached = K > 0 and passes and DRAFTERS[drafter].parameters > 0  # the target's own layers have its cache
    steps = partial(draft_steps, one_pass=drafter == "block")
    chance, clock = random.Random(config.seed + 77 * (K > 0)), random.Random(5)
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    length, text, last = len(prompt) - 1, [], prompt[-1].id
    rounds, tokens, draft_forwards, ended = [], 0, 0, None
    uniform = (lambda: None) if world.greedy else chance.random
    while tokens < config.max_new_tokens and not ended and (stop_after is None or len(rounds) < stop_after):
        ids, law, k = [last], [], min(K, config.max_new_tokens - tokens - 1)
        if short:
            k = min(k, (K, 0, 1, 2)[len(rounds) % 4])
        for _ in range(k):
            law.append(world.p_and_q(ids[-1]))
            q = law[-1][1]
            ids.append(draw(one_hot(q) if config.drafting == "argmax" else q, chance.random()))
        owns = [q for _, q in law] if config.drafting == "argmax" and not world.greedy else [None] * k
        law = [(p, one_hot(q)) if own else (p, q) for (p, q), own in zip(law, owns, strict=True)]
        judged, accepted = judge(config, world.greedy, ids[1:], law, uniform, chance)
        drafted, rejected = [], None if accepted == k else (accepted, judged[accepted][1])
        for i, (x, (u, _, joint, h)) in enumerate(zip(ids[1:], judged, strict=True)):
            p, q = law[i]
            verdict = "accepted" if i < accepted else "rejected" if i == accepted else "unexamined"
            position = world.position(p, q, owns[i]) if observed and verdict != "unexamined" else None
            drafted.append(Drafted(world.token(x), q[x], p[x], p[x] / q[x], u, verdict, position, joint, h))
        residual, role, u, position = None, "bonus" if k else "plain", uniform(), None
        if rejected is None:
            p, _ = world.p_and_q(ids[-1])
            then, position = draw(p, u or 0.0), world.position(p, None) if observed else None
            block = ids[1:]
        else:
            i, y = rejected
            p, q = law[i]
            role, block = "corrected", ids[1 : i + 1]
            scale = drafted[i - 1].joint if i and config.verifier == "block" and not world.greedy else 1.0
            left = [max(scale * a - b, 0.0) for a, b in zip(p, q, strict=True)]
            if config.verifier == "match":
                then = y
            elif config.verifier == "typical":
                then = draw(p, u or 0.0)
            else:
                law_left = norm(left)
                then = draw(law_left, u or 0.0)
                top = [j for j in sorted(range(len(p)), key=lambda j: -law_left[j])[:TOP] if law_left[j] > 0]
                entries = tuple(ResidualEntry(world.token(j), law_left[j]) for j in top)
                residual = Residual(entries, max(0.0, 1 - sum(law_left[j] for j in top)), sum(left))
        written_rows = [(x, "accepted", None, None) for x in block] + [(then, role, u, position)]
        emitted = tuple(Emitted(world.token(x), r, decode(world.bytes[x]), v, at) for x, r, v, at in written_rows)
        if ends_inside and len(block) >= 2:
            emitted, residual, ended = emitted[:1], None, emitted[0].piece
            cleared = {"verdict": "unexamined", "position": None}
            drafted[1:] = [replace(d, u=d.u if d.joint is not None else None, **cleared) for d in drafted[1:]]
        last, tokens, draft_forwards = emitted[-1].token.id, tokens + len(emitted), draft_forwards + steps(k) * passes
        text += [e.piece for e in emitted]
        before = length
        length += len(emitted)
        wobble = clock.uniform(0.9, 1.15)
        cache = Cache(before, before + k + 1, length)
        times = Times((0.42 if passes else 0.01) * k * wobble, (3.9 + 0.12 * k) * wobble, 0.12 if k else 0.05, 0.2, 0.6)
        chosen = Choice(k, "most" if k else "none", 0.75, 0.11, 1 + 0.03 * k, 1.5)
        adapted = (k, "adaptive" if k < K else None, chosen) if K and config.adaptive else ()
        caches = cache, cache if cached else None
        made = len(rounds), tuple(drafted), emitted, residual, *caches, len(rounds) + 1, draft_forwards, times
        rounds.append(Round(*made, *adapted))
    flat = [d for r in rounds for d in r.drafted]
    cut = tokens < config.max_new_tokens
    verdicts = [d.verdict for d in flat]
    reason = "stop" if ended else "cancelled" if cut else "length"
    tested, accepted = len(flat) - verdicts.count("unexamined"), verdicts.count("accepted")
    counts = tokens, len(rounds), len(flat), tested, accepted, len(rounds), draft_forwards
    times = 12.0 if K == 0 else 14.5, sum(r.times.timed for r in rounds), sum(r.times.observe for r in rounds)
    finished = Finished(reason, ended or "", "".join(text), *counts, *times)
    prefill = Prefill(prompt, len(prompt) - 1, len(prompt) - 1 if cached else None, 12.0, 2.5 if cached else 0.0)
    return prefill, *rounds, finished


def fake_trace(
    prompt: str = "Once upon a time, there was a little dog named",
    config: DecodeConfig | None = None,
    seed: int = 3,
    hostile: bool = False,
    cancelled: int | None = None,
    observed: bool = True,
    ends_inside: bool = False,
    drafter: str = "small",
    short: bool = False,
    **settings,
) -> Trace:
    """A whole trace. `settings` go to `DecodeConfig`; `cancelled` is the round of the speculative lane at which it was stopped
    (0: it never began); `observed=False` leaves out every distribution; `ends_inside` ends it inside a block; `drafter` is a key
    of DRAFTERS; `short`: its rounds draft fewer than K tokens, or none."""
    config = config or DecodeConfig(**{"max_new_tokens": 60, "seed": seed, **settings})
    world = World(seed, WORDS + (HOSTILE if hostile else []), config.greedy)
    pieces = [w if i == 0 else " " + w for i, w in enumerate(prompt.split(" "))]
    prompt_tokens = tuple(Token(i % len(WORDS), piece) for i, piece in enumerate(pieces))
    how = {"ends_inside": ends_inside, "drafter": drafter, "short": short}
    speculative = () if cancelled == 0 else fake_lane(world, config, prompt_tokens, config.K, cancelled, observed, **how)
    size = len(world.bytes)
    models = replace(TARGET, vocabulary=size), replace(DRAFTERS[drafter], vocabulary=size) if config.K else None
    header = Header(prompt, config, *models, Machine("cpu", 2, "3.11", "2.13.0", "5.23.0"), "2026-01-01T00:00:00Z")
    return Trace(header, fake_lane(world, config, prompt_tokens, 0, None, observed), speculative)


def rounds(lane: tuple) -> list[Round]:
    return [e for e in lane if isinstance(e, Round)]


def reticent(trace: Trace) -> Trace:
    """The same run as another engine might tell it: the prefill wrote its first token, and all is left out that may be."""
    lanes = []
    for lane in (trace.vanilla, trace.speculative):
        events: list = []
        for e in lane:
            if isinstance(e, Prefill):
                token = e.prompt[-1]
                first = Emitted(token, "plain", token.text)
                wrote = Round(0, (), (first,), None, None, None, 0, None, Times(None, None, None, 0.0, 0.0), fewer="prefill")
                events += [replace(e, target_positions=None, draft_positions=None, target_ms=None, draft_ms=None), wrote]
            elif isinstance(e, Round):
                drafted = tuple(replace(d, q=None, p=None, ratio=None, u=None, position=None) for d in e.drafted)
                emitted = tuple(replace(x, u=None, position=None) for x in e.emitted)
                times = Times(None, None, None, e.times.timed, e.times.observe)
                left = {"target_cache": None, "draft_cache": None, "draft_forwards": None, "residual": None, "choice": None}
                events.append(replace(e, index=e.index + 1, drafted=drafted, emitted=emitted, times=times, **left))
            else:
                text = events[0].prompt[-1].text + e.text
                more = {"text": text, "tokens": e.tokens + 1, "rounds": e.rounds + 1}
                events.append(replace(e, draft_forwards=None, prefill_ms=None, **more))
        lanes.append(tuple(events))
    config = replace(trace.header.config, max_new_tokens=trace.header.config.max_new_tokens + 1)
    return Trace(replace(trace.header, config=config, engine="vLLM", engine_version="0.32.0"), *lanes)


LEVEL_MS, PASS_MS, ROW_MS = 0.42, 3.9, 0.06


def tree_trace(children: str = "3-2-1-1", K: int = 4, seed: int = 3, tokens: int = 30, **settings) -> Trace:
    """A whole trace; its vanilla lane is that of `fake_trace`. `settings` go to `DecodeConfig`."""
    shape = {"tree": "static", "children": children, "K": K, "max_new_tokens": tokens, "seed": seed}
    trace = fake_trace("Once upon a time", drafter="early-exit", seed=seed, **{"max_new_tokens": tokens, "K": 0} | settings)
    config = replace(trace.header.config, **shape, **settings)
    draft = fake_trace(drafter="early-exit", seed=seed).header.draft
    header = replace(trace.header, config=config, draft=draft)
    return Trace(header, trace.vanilla, tuple(tree_lane(World(seed, WORDS, config.greedy), config, trace.vanilla[0])))


def tree_lane(world: World, config, prefill: Prefill):
    chance, text, last = random.Random(config.seed + 99), [], prefill.prompt[-1].id
    length, rounds, drafting = len(prefill.prompt), [], 0
    yield replace(prefill, draft_positions=None, draft_ms=0.0)
    while len(text) < config.max_new_tokens:
        depth = min(config.K, config.max_new_tokens - len(text) - 1)
        drafting += depth
        one = tree_round(world, config, last, depth, length, len(rounds), drafting, chance)
        rounds.append(one)
        text += one.emitted
        length += len(one.emitted)
        last = one.emitted[-1].token.id
        yield one
    flat = [d.verdict for r in rounds for d in r.drafted]
    tested, accepted = len(flat) - flat.count("unexamined"), flat.count("accepted")
    counts = len(text), len(rounds), len(flat), tested, accepted, len(rounds), drafting
    times = 12.0, sum(r.times.timed for r in rounds), sum(r.times.observe for r in rounds)
    yield Finished("length", "", "".join(e.piece for e in text), *counts, *times)


def tree_round(world: World, config, last: int, depth: int, length: int, index: int, drafting: int, chance) -> Round:
    drafted = _draft_tree(world, config, last, depth, chance)
    laws = [world.p_and_q(last)[0], *(world.p_and_q(d.token.id)[0] for d in drafted)]
    at, path, residual, left = -1, [], None, laws[0]
    while here := [i for i, d in enumerate(drafted) if d.parent == at]:
        left, siblings, stays = laws[at + 1], [], None
        for i in here:
            d, q = drafted[i], without(world.p_and_q(id_at(drafted, at, last))[1], siblings)
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
    drafted: list[Drafted] = []
    level = [-1]
    for deep, width in enumerate(config.widths[:depth], 1):
        start = len(drafted)
        for parent in level:
            p, q = world.p_and_q(id_at(drafted, parent, last))
            siblings: list[int] = []
            for rank in range(width):
                law = without(q, siblings)
                if not sum(law):
                    break
                x = draw(one_hot(law) if config.drafting == "argmax" else law, chance.random())
                siblings.append(x)
                values = (world.token(x), law[x], p[x], p[x] / law[x], None, "unexamined")
                drafted.append(Drafted(*values, parent=parent, depth=deep, rank=rank))
        level = list(range(start, len(drafted)))
    return drafted


def id_at(drafted: list[Drafted], at: int, last: int) -> int:
    return last if at < 0 else drafted[at].token.id


def without(q: list[float], siblings: list[int]) -> list[float]:
    rest = [0.0 if i in siblings else x for i, x in enumerate(q)]
    return norm(rest) if sum(rest) else rest
