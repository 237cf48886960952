"""What holds in every run, whoever recorded it: the grammar of a lane and the sums between its events.

    assert not list(violations("speculative", events, config))
    assert not list(violations("speculative", events, config, "vLLM"))        # which may leave out what OPTIONAL_FIELDS names

The reader of traces asks it of files from anywhere, tests ask it of the engine. Standard library only.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from math import inf, isclose

from ..config import DecodeConfig, rule_of
from ..request import PROMPT_LIMIT
from ..rules.rejection import SLACK
from . import tree
from .events import (
    OURS,
    Drafted,
    Emitted,
    Entry,
    Event,
    Finished,
    Header,
    Logits,
    Own,
    Position,
    Prefill,
    Residual,
    ResidualEntry,
    Round,
    Softmax,
    Times,
    rounds_of,
    totals,
)

WHOLE = 2**53 - 1  # the largest whole number that a browser keeps exact
# Numbers in a trace are 0 to WHOLE, except these. Those that are derived by sums may miss their bound by SLACK.
CHANCE = (-SLACK, 1 + SLACK)
RANGE: dict[type, dict[str, tuple[float, float]]] = {
    Entry: {"p": CHANCE, "q": CHANCE},
    Position: {
        **dict.fromkeys(("p_rest", "q_rest", "beta", "product", "best"), CHANCE),
        **dict.fromkeys(("p_entropy", "q_entropy", "logits_entropy"), (-SLACK, WHOLE)),
    },
    Softmax: {"p_rest": CHANCE, "q_rest": CHANCE},
    Own: {"rest": CHANCE, "beta": CHANCE, "entropy": (-SLACK, WHOLE)},
    Drafted: {"q": CHANCE, "p": CHANCE, "ratio": (0, inf), "u": CHANCE, "joint": CHANCE, "chance": CHANCE, "parent": (-1, WHOLE)},
    ResidualEntry: {"probability": CHANCE},
    Residual: {"rest": CHANCE, "mass": CHANCE},
    Emitted: {"u": CHANCE},
    Logits: {"vanilla": (-WHOLE, WHOLE), "speculative": (-WHOLE, WHOLE)},
}
MAX_CHARS = 10_000  # characters of a text in a trace: no token and no name is as long
LONG_TEXTS: dict[type, dict[str, float]] = {Header: {"prompt": PROMPT_LIMIT}, Finished: {"text": inf}}  # the latter: all pieces
# What another engine than ours may not tell. All else is asked of it as of ours, and so is this where it does tell it.
OPTIONAL_FIELDS: dict[type, tuple[str, ...]] = {
    Prefill: ("target_positions", "target_ms", "draft_ms"),
    Drafted: ("q", "p", "ratio"),
    Round: ("target_cache", "draft_forwards"),
    Times: ("draft", "verify", "decide"),
    Finished: ("draft_forwards", "prefill_ms"),
}

Violation = tuple[int, str, str]  # which event of the lane, which field of it, what holds there


def violations(lane: str, events: Sequence[Event], config: DecodeConfig, engine: str = OURS) -> Iterator[Violation]:
    """Every rule that the events of `lane` break. A lane that never began is empty and breaks none."""
    for i, event in enumerate(events):
        if isinstance(event, Prefill) != (i == 0):
            yield i, "event", "a lane begins with its one prefill"
        if isinstance(event, Finished) != (i == len(events) - 1):
            yield i, "event", "a lane ends with its one finished"
        if isinstance(event, Round) and event.index != i - 1:
            yield i, "index", f"must be {i - 1}: rounds count from 0"
        if broken_rule := out_of_range(event):
            yield i, *broken_rule
        if engine == OURS:
            yield from ((i, name, f"must not be null: {OURS} tells it") for name in missing_fields(event))
    if not events:
        return
    prefill, rounds, finished = events[0], rounds_of(events), events[-1]
    if not isinstance(prefill, Prefill) or not isinstance(finished, Finished) or len(rounds) != len(events) - 2:
        return
    if not prefill.prompt:
        yield 0, "prompt", "must hold at least one token"
    passes: list[Round | Finished] = [*rounds, finished]
    forwards, alone = (0, 0), replace(config, K=0)
    for i, after in enumerate(passes, 1):
        count = after.target_forwards, forwards[1] if after.draft_forwards is None else after.draft_forwards
        if count[0] < forwards[0] or count[1] < forwards[1]:
            yield i, "target_forwards", "forward passes must count up, of target and draft"
        forwards = count
    for i, r in enumerate(rounds, 1):
        yield from ((i, *broken_rule) for broken_rule in _round(r, alone if lane == "vanilla" else config, i == len(rounds)))
        if r.fewer == "prefill" and (engine == OURS or i > 1 or r.drafted or r.times.timed or r.target_forwards):
            nothing = "with nothing drafted, no pass and no time of its own"
            yield i, "fewer", f"prefill is for the first round of another engine, {nothing}"
        yield from ((i, *broken_rule) for broken_rule in _rule_violations(r, config))
        yield from ((i, *broken_rule) for broken_rule in _mask_violations(r, config))
        for j, d in enumerate(r.drafted):
            yield from ((i, f"drafted[{j}].{name}", problem) for name, problem in _draft_violations(d, config))
    yield from ((len(events) - 1, *broken_rule) for broken_rule in _totals(finished, rounds, config))


def missing_fields(value, path: str = "") -> Iterator[str]:
    """The path of each field inside an event that an engine left out."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from missing_fields(part, f"{path}[{i}]")
    elif type(value) in OPTIONAL_FIELDS:
        for f in fields(value):
            name, part = f"{path}.{f.name}".removeprefix("."), getattr(value, f.name)
            if part is None and f.name in OPTIONAL_FIELDS[type(value)]:
                yield name
            elif type(part) in OPTIONAL_FIELDS or f.name == "drafted":
                yield from missing_fields(part, name)


def out_of_range(value) -> tuple[str, str] | None:
    """The path and the bound of the first number inside `value`, a dataclass or a tuple, that is out of its range, or of the first text
    that is too long."""
    parts: Iterable[tuple[int | str, object]]
    ranges = RANGE.get(type(value), {})
    if isinstance(value, tuple):
        parts = enumerate(value)
    elif is_dataclass(value):
        parts = ((f.name, getattr(value, f.name)) for f in fields(value))
    else:
        return None
    for name, part in parts:
        if isinstance(part, int | float):
            low, high = bound = ranges.get(str(name), (0, WHOLE))
            if not low <= part <= high:
                return str(name), f"must be from {0 if low == -SLACK else low} to {1 if bound is CHANCE else high}"
        elif isinstance(part, str):
            if len(part) > MAX_CHARS and len(part) > (most := LONG_TEXTS.get(type(value), {}).get(str(name), MAX_CHARS)):
                return str(name), f"must have at most {most:,} characters, found {len(part):,}"
        elif inside := out_of_range(part):
            rest, problem = inside
            here = f"[{name}]" if isinstance(name, int) else name
            return here + (rest if rest.startswith("[") else "." + rest), problem
    return None


def unknown_token(event: Event, vocabulary: int) -> tuple[str, str] | None:
    """The path of the first token of `event` that is none of a `vocabulary`, and the bound; a vocabulary of 0 is not known."""
    tokens: list[tuple[str, int]] = []
    if isinstance(event, Prefill):
        tokens = [(f"prompt[{i}].id", token.id) for i, token in enumerate(event.prompt)]
    elif isinstance(event, Round):
        tokens = [(f"drafted[{i}].token.id", d.token.id) for i, d in enumerate(event.drafted)]
        tokens += [(f"emitted[{i}].token.id", e.token.id) for i, e in enumerate(event.emitted)]
    wrong = f"must be below {vocabulary}, the target's vocabulary"
    return next(((path, wrong) for path, id in tokens if vocabulary and id >= vocabulary), None)


def _round(r: Round, config: DecodeConfig, last: bool) -> Iterator[tuple[str, str]]:
    K = config.max_drafted
    if len(r.drafted) > K:
        yield "drafted", f"must hold at most {K} tokens"
    if r.choice is not None and (r.asked is None or not r.asked <= r.choice.K <= K):
        yield "choice.K", f"must be from {r.asked}, what was asked for, to {K}"
    if r.asked is not None:
        if not len(r.drafted) <= r.asked <= K:
            yield "asked", f"must be from {len(r.drafted)}, what was drafted, to {K}"
        if (r.fewer is None) != (len(r.drafted) == K):
            yield "fewer", f"must say why fewer than {K} were drafted, and must be null where they were {K}"
    # a chain is the tree in which each token has one child
    chain = [("drafted[0].parent", "must be null: the run drafts chains")] if tree.branches(r) else []
    yield from (list(tree.shape_violations(r, config.K)) if config.branches else chain) or tree.walk_violations(r, last)
    rejected = any(d.verdict == "rejected" for d in r.drafted)
    if r.residual and (not rejected or not any(e.role == "corrected" for e in r.emitted)):
        yield "residual", "must be null: nothing was rejected"
    for name, cache in ("target_cache", r.target_cache), ("draft_cache", r.draft_cache):
        if cache and cache.peak < max(cache.before, cache.after):
            yield f"{name}.peak", "must be at least what the cache holds before and after"


def _rule_violations(r: Round, config: DecodeConfig) -> Iterator[tuple[str, str]]:
    """What the rule of the run says of a round: which numbers are there, and that the verdicts follow from them."""
    if config.greedy:
        return
    rule = rule_of(config)
    for i, d in enumerate(r.drafted):
        if not rule.whole_block and (d.joint is not None or d.chance is not None):
            yield f"drafted[{i}].joint", "joint and chance must be null under any rule but block verification"
        if not rule.tests_u and d.u is not None:
            yield f"drafted[{i}].u", f"must be null: {rule.name} draws none for a drafted token"
    yield from rule.contradictions(r)


def _mask_violations(r: Round, config: DecodeConfig) -> Iterator[tuple[str, str]]:
    """What a round says of the run's grammar: which the automaton allows is not asked here (specviz audit)."""
    for i, d in enumerate(r.drafted):
        if d.void and (not config.grammar or d.verdict == "accepted" or d.p):
            yield f"drafted[{i}].void", "must be false but under a grammar, of a token that is not accepted and whose p is 0"
    for i, e in enumerate(r.emitted):
        if e.forced and not config.grammar:
            yield f"emitted[{i}].forced", "must be false but under a grammar"


def _draft_violations(d: Drafted, config: DecodeConfig) -> Iterator[tuple[str, str]]:
    """What a draft token says of the way it was drafted, and of what other rules would have done at its position."""
    argmax = config.drafting == "argmax" and not config.greedy and not rule_of(config).tests_softmax
    if argmax and d.q is not None and not isclose(d.q, 1.0, abs_tol=SLACK):
        yield "q", "must be 1: what was drafted is the draft's largest, so all of q is on it"
    at = d.position
    if at is None:
        return
    if (at.own is not None) != argmax and (at.own or at.product is not None):
        yield "position.own", "must be there if, and only if, the draft's largest was drafted at a temperature above 0"
    if at.own and (len(at.own.entries) != len(at.entries) or not all(CHANCE[0] <= s <= CHANCE[1] for s in at.own.entries)):
        yield "position.own.entries", f"must be {len(at.entries)} numbers from 0 to 1, one of each entry"
    if (at.best is None) != (at.product is None):
        yield "position.best", "must be there if, and only if, product is"
    overlap = at.own.beta if at.own else at.beta
    if at.product is not None and overlap is not None and at.product > overlap + SLACK:
        yield "position.product", "must be at most Σ min(p, q): no product of chances is above the smaller of them"
    if at.best is not None and argmax and d.p is not None and not isclose(at.best, d.p, rel_tol=SLACK, abs_tol=SLACK):
        yield "position.best", "must be p of the drafted token, which is the draft's largest"


def _totals(finished: Finished, rounds: Sequence[Round], config: DecodeConfig) -> Iterator[tuple[str, str]]:
    for name, total in totals(rounds).items():
        stated = getattr(finished, name)
        if name.endswith("_ms"):
            if not isclose(stated, total, rel_tol=1e-6, abs_tol=1e-3):
                yield name, f"must be {total:.3f}, the sum over the rounds"
        elif stated != total:
            summed = "the pieces of the rounds, joined" if name == "text" else f"{total}, the sum over the rounds"
            yield name, f"must be {summed}"
    if finished.tokens > config.max_new_tokens:
        yield "tokens", f"must be at most {config.max_new_tokens}, the run's max_new_tokens"
