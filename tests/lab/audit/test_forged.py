"""Each field of a trace is forged. What anything else in the trace, or the weights, disproves is found: by the reader of files or by the
auditor; what nothing disproves is listed with the reason.

A field is forged on its own, and the file is sealed again: once in a run, and in `make test-all` wherever it means something else, beside
an accepted token and a rejected one, a sibling, a bonus, in runs of every drafter, rule and tree.
"""

from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache

import pytest

from specviz.config import ConfigError, DecodeConfig
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError
from specviz.trace import events
from specviz.trace.events import LANES, Header, Machine, ModelInfo, Round
from specviz.trace.file import TraceError, dumps, loads

from .runs import STATIC, TREES, WAYS, path_of, run_trace, set_at

FREE = {  # what nothing in a trace disproves
    "target.name": "the auditor is told where the weights are, and their sums are compared",
    "draft.name": "the auditor is told where the weights are, and their sums are compared",
    "machine.threads": "any number gives the same bits",
    "machine.python": "nothing else depends on it",
    "machine.torch": "nothing else depends on it",
    "machine.transformers": "nothing else depends on it",
    "machine.note": "free text",
    "target.note": "free text",
    "draft.note": "free text",
    "created": "any date is one",
    "config.stop": "a string that the text has not stops nothing",
    "config.epsilon": "another rule ran",
    "config.delta": "another rule ran",
    "config.theta": "another rule ran",
    "config.children": "a chain was drafted",
    "config.nodes": "a chain was drafted",
    "config.ignore_eos": "no token of the text ends one",
}
FORGED = {  # where the general forgery would be none, or not one that matters
    "config.top_k": 5,
    "config.top_p": 0.5,
    "config.stop": ("never",),
    "config.verifier": "match",
    "config.drafting": "argmax",
    "config.tree": "static",
    "config.children": "2",
    **dict.fromkeys(("config.confidence", "config.survival"), 0.9),
    "machine.device": "NVIDIA H100 80GB HBM3",
    **dict.fromkeys(("target.dtype", "draft.dtype"), "bfloat16"),
    **dict.fromkeys(("target.forward", "draft.forward"), "transformers"),
    "created": "2026-01-01T00:00:00+00:00",
    "drafter": "oracle",
    "engine_version": "1",
    "round.fewer": "context",
    "finished.reason": "cancelled",
    **dict.fromkeys(("finished.capture_ms", "finished.device_ms"), 1.0),
    "drafted.verdict": "rejected",
    "emitted.role": "bonus",
}


RUNS = {f"tree, {name}": ("near", how) for name, how in TREES.items()}
RUNS |= {name: ("near", how) for name, how in WAYS.items() if name not in ("one at a time", "argmax, as a block")}
RUNS |= {
    draft: (draft, {})
    for draft in ("block:block", "eagle:eagle", "mtp:heads", "lookup", "oracle", "random", "bigram:bigram", "early-exit:2")
}
RUNS |= {
    "match": ("near", {"verifier": "match"}),
    "typical": ("near", {"verifier": "typical"}),
    "tree of two levels, multi-token heads": ("mtp:heads", STATIC | {"K": 2, "children": "2-2"}),
    "tree, EAGLE": ("eagle:eagle", STATIC),
    "tree, copies": ("lookup", STATIC),
}
GREEDY = {"config.top_k", "config.top_p", "config.seed", "config.drafting", "config.verifier"}
NOTHING = {  # beside what test_forged.py lists
    "greedy": GREEDY - {"config.verifier"},  # `match` would be told by its residuals
    "tree, greedy": GREEDY,
    "tree, greedy dynamic": GREEDY,
    "lookup": {"config.confidence", "config.survival", "position.entries"},  # certain; of tokens with q = 0 any may stand there
    "tree, copies": {"position.entries"},
}
PACE = {"repeats"}  # whether the run is still the middle one of fewer depends on their times
OTHERS = {
    "drafted.verdict": ("accepted", "rejected", "unexamined"),
    "emitted.role": ("accepted", "corrected", "bonus", "plain"),
    "round.fewer": ("length", "context", "adaptive", "confidence", "survival", "lookup", "start", "filter"),
    "finished.reason": ("eos", "length", "context", "stop", "cancelled", "error"),
}


def forged(value):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value + 0.02 if value < 0.5 else 0.95 * value
    if isinstance(value, str):
        return f"{value}x"
    return None if value else 1.0


def variants(name, value):
    """Values of the same kind, and none where there is one. The first is what is forged once."""
    if name in FORGED:
        return [FORGED[name], *(other for other in OTHERS.get(name, ()) if other not in (value, FORGED[name]))]
    if name in OTHERS:
        return [other for other in OTHERS[name] if other != value]
    if isinstance(value, tuple):
        return [value[:-1], ()] if value else [forged(value)]
    more = [value - 1] if type(value) is int else []
    return [forged(value), *more, *([] if value is None or isinstance(value, str | bool) else [None])]


@cache
def richest(folder, run):
    """Of some runs the one with the most kinds of verdicts and roles."""
    draft, how = RUNS[run]

    def kinds(trace) -> int:
        rounds = [r for r in trace.speculative if isinstance(r, Round)]
        tested = {(d.verdict, bool(d.rank)) for r in rounds for d in r.drafted}
        return len(tested | {e.role for r in rounds for e in r.emitted})

    return max((run_trace(folder, draft, seed=seed, max_new_tokens=16, **how) for seed in range(12)), key=kinds)


def places(value, path=(), name=""):
    """Of everything inside a value the path and what it is called: the fields of a header by their place in it, those of events by type."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from places(part, (*path, i), name)
    elif is_dataclass(value):
        prefix = "" if isinstance(value, Header) else name if path[0] == "header" else type(value).__name__.lower()
        for f in fields(value):
            part, here = getattr(value, f.name), f"{prefix}.{f.name}".removeprefix(".")
            yield (*path, f.name), here, part
            if is_dataclass(part) or (isinstance(part, tuple) and part and not isinstance(part[0], float)):
                yield from places(part, (*path, f.name), here)


@cache
def sites(folder, run):
    """(name, beside what) → (path, value), in the first place of the run."""
    trace = richest(folder, run)
    homes = [(("header",), trace.header)]
    homes += [((lane, i), event) for lane in reversed(LANES) for i, event in enumerate(getattr(trace, lane))]
    times = [repeat.speculative.decode_ms for repeat in trace.header.repeats]
    own_repeat = times.index(trace.speculative[-1].decode_ms) if times else 0
    first_places = {}
    for home, value in homes:
        for path, name, part in places(value, home):
            if not (name.startswith("repeats.") and path[2] != own_repeat):  # the times of the other runs stand nowhere else
                first_places.setdefault((name, beside(trace, path), part is None), (path, part))
    return first_places


def beside(trace, path) -> str:
    if path[0] == "header":
        return ""
    event, description = getattr(trace, path[0])[path[1]], path[0]
    for part, name in (("drafted", "verdict"), ("emitted", "role")):
        if part in path[:-1]:
            one = getattr(event, part)[path[path.index(part) + 1]]
            description += f" {getattr(one, name)}{' sibling' if getattr(one, 'rank', None) else ''}"
    return description


def once(folder, run):
    """name → (path, value): where it has a value, if it has one anywhere."""
    first_places = {}
    for (name, _, none), site in sites(folder, run).items():
        if name not in first_places or (first_places[name][1] is None and not none):
            first_places[name] = site
    return first_places


def is_found(folder, run, trace) -> bool:
    try:
        return bool(audit(loads(dumps(trace)), str(folder / "target"), path_of(folder, RUNS[run][0])).wrong)
    except (TraceError, AuditError):  # refused, or by another engine
        return True


def missed(folder, run, some) -> set[str]:
    """Of (name, (path, value), another value) the names of those that were not found."""
    trace, left = richest(folder, run), set()
    for name, (path, _), other in some:
        with suppress(ConfigError):  # a setting that no run can have is refused where it is made
            changed = set_at(trace, list(path), other)
            if changed != trace and not is_found(folder, run, changed):
                left.add(name)
    return left


SPECIAL = {  # fields that only such a run has
    "block": {"drafted.joint", "drafted.chance"},
    "argmax": {"position.own", "own.entries", "own.rest", "own.beta", "own.entropy"},
    "greedy": {"position.logits_entropy", "position.softmax", "softmax.entries", "softmax.p_rest", "softmax.q_rest"},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "part"),
    [("sampled", "events"), *((run, "events") for run in SPECIAL), pytest.param("sampled", "header", marks=pytest.mark.full)],
)
def test_every_field_is_forged_and_what_the_trace_disproves_is_found(folder, run, part):
    places = once(folder, run)
    assert not is_found(folder, run, richest(folder, run))
    names = SPECIAL.get(run) or {name for name, (path, _) in places.items() if (path[0] == "header") == (part == "header")}
    names -= PACE
    assert missed(folder, run, [(name, places[name], variants(name, places[name][1])[0]) for name in names]) == names & set(FREE)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("run", RUNS)
def test_every_field_is_forged_wherever_it_stands_and_what_the_trace_disproves_is_found(folder, run):
    assert not is_found(folder, run, richest(folder, run))
    nothing = set(FREE) | NOTHING.get(run, set()) | PACE
    some = ((name, site, other) for (name, *_), site in sites(folder, run).items() for other in variants(name, site[1]))
    assert missed(folder, run, (each for each in some if each[0] not in nothing)) == set()


def test_no_field_is_left_out(folder):
    """Every field of every type of a trace is forged in one of the runs, but those of greedy lanes that part and of saved runs."""
    types = (*(t for t in vars(events).values() if isinstance(t, type) and is_dataclass(t)), DecodeConfig, Header, Machine)
    done = {name for run in ("sampled", *SPECIAL) for name in once(folder, run)}
    left = {f"{t.__name__.lower()}.{f.name}" for t in types for f in fields(t)} - done
    headers = {f"config.{f.name}" for f in fields(DecodeConfig)} | {f.name for f in fields(Header)}
    assert headers <= done and {f"{model}.{f.name}" for model in ("target", "draft") for f in fields(ModelInfo)} <= done
    elsewhere = "divergence logits choice decodeconfig header weightfile modelinfo lanetime repeat trace".split()
    assert not [name for name in left if name.split(".")[0] not in elsewhere]


@pytest.mark.parametrize("name", ["draft", "target.vocabulary", "token.id", "machine.device", "finished.draft_forwards"])
def test_a_forgery_never_stops_the_auditor(folder, name):
    trace, places_of = richest(folder, "sampled"), once(folder, "sampled")
    path, value = places_of[name]
    assert is_found(folder, "sampled", set_at(trace, list(path), variants(name, value)[0]))
    assert is_found(folder, "sampled", set_at(trace, [*places_of["token.id"][0]], 10**6))
