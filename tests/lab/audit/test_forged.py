"""Each field of a trace is forged once. What anything else in the trace, or the weights, disproves is found: by the reader of files or
by the auditor; what nothing disproves is listed with the reason.

A field is forged in the first place of a trace that has it, on its own, and the file is sealed again.
"""

from dataclasses import fields, is_dataclass
from functools import cache

import pytest

from specviz.config import DecodeConfig
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError
from specviz.trace import events
from specviz.trace.events import Choice
from specviz.trace.file import TraceError, dumps, loads
from specviz.trace.header import Header, Machine, ModelInfo

from ...products import later
from .runs import honest, mixed, placed, put, ran

FREE = {  # what nothing in a trace disproves
    "target.name": "the auditor is told where the weights are, and their sums are compared",
    "draft.name": "the auditor is told where the weights are, and their sums are compared",
    "machine.threads": "any number gives the same bits",
    "machine.python": "nothing else depends on it",
    "machine.torch": "nothing else depends on it",
    "machine.transformers": "nothing else depends on it",
    "machine.note": "free text",
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
    "config.confidence": 0.9,
    "config.survival": 0.9,
    "machine.device": "NVIDIA H100 80GB HBM3",
    "target.dtype": "bfloat16",
    "draft.dtype": "bfloat16",
    "target.forward": "transformers",
    "draft.forward": "transformers",
    "created": "2026-01-01T00:00:00+00:00",
    "drafter": "oracle",
    "engine_version": "1",
    "round.fewer": "context",
    "finished.reason": "cancelled",
    "finished.capture_ms": 1.0,
    "finished.device_ms": 1.0,
    "drafted.verdict": "rejected",
    "emitted.role": "bonus",
    "choice.why": "trial",
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


def places(value, path=(), name=""):
    """Of everything inside a value the path and what it is called: the fields of a header by their place in it, those of events by type."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from places(part, (*path, i), name)
    elif is_dataclass(value):
        called = "" if isinstance(value, Header) else name if path[0] == "header" else type(value).__name__.lower()
        for f in fields(value):
            part, here = getattr(value, f.name), f"{called}.{f.name}".removeprefix(".")
            yield (*path, f.name), here, part
            if is_dataclass(part) or (isinstance(part, tuple) and part and not isinstance(part[0], float)):
                yield from places(part, (*path, f.name), here)


@cache
def every(folder, way):
    """Name → (path, value) in the first place of a run that has it: in the mixed round of the speculative lane, then anywhere."""
    trace = ran(folder, "near", **WAYS_OF[way]) if way == "adaptive" else honest(folder, way)
    lane = trace.speculative
    at = mixed(lane) if way != "adaptive" else len(lane) - 2
    homes = [
        (("header",), trace.header),
        (("speculative", at), lane[at]),
        (("speculative", len(lane) - 1), lane[-1]),
        (("speculative", 0), lane[0]),
        *((("speculative", i), e) for i, e in enumerate(lane)),
    ]
    told = [r.speculative.decode_ms for r in trace.header.repeats].index(lane[-1].decode_ms) if trace.header.repeats else 0
    found = {}
    for path, value in homes:
        for where, name, part in places(value, path):
            if name.startswith("repeats.") and where[2] != told:  # the times of the other runs stand nowhere else
                continue
            kept = found.get(name)
            if kept is None or (kept[1] is None and part is not None):
                found[name] = where, part
    return trace, found


WAYS_OF = {"sampled": {}, "block": {}, "argmax": {}, "adaptive": {"adaptive": True}}
SPECIAL = {  # fields that only such a run has
    "block": {"drafted.joint", "drafted.chance"},
    "argmax": {"position.own", "own.entries", "own.rest", "own.beta", "own.entropy"},
    "adaptive": {"round.choice", *(f"choice.{f.name}" for f in fields(Choice))},
}


def is_found(folder, trace) -> bool:
    try:
        ledger = audit(loads(dumps(trace)), str(folder / "target"), placed(folder, "near"))
    except (TraceError, AuditError):  # refused, or by another engine
        return True
    return bool(ledger.wrong)


def forge(folder, way, name):
    trace, found = every(folder, way)
    path, value = found[name]
    return put(trace, list(path), FORGED.get(name, forged(value)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "part"), [("sampled", "events"), *((way, "events") for way in SPECIAL), *later([("sampled", "header")])]
)
def test_every_field_is_forged_and_what_the_trace_disproves_is_found(folder, way, part):
    trace, found = every(folder, way)
    assert not is_found(folder, trace)
    forged = SPECIAL.get(way) or {name for name, (path, _) in found.items() if (path[0] == "header") == (part == "header")}
    missed = {name for name in forged if not is_found(folder, forge(folder, way, name))}
    assert missed == forged & set(FREE)


def test_no_field_is_left_out(folder):
    """Every field of every type of a trace is forged in one of the runs, but for those of greedy lanes that part."""
    types = (*(t for t in vars(events).values() if isinstance(t, type) and is_dataclass(t)), DecodeConfig, Header, Machine)
    done = {name for way in WAYS_OF for name in every(folder, way)[1]}
    left = {f"{t.__name__.lower()}.{f.name}" for t in types for f in fields(t)} - done
    headers = {f"config.{f.name}" for f in fields(DecodeConfig)} | {f.name for f in fields(Header)}
    assert headers <= done and {f"{model}.{f.name}" for model in ("target", "draft") for f in fields(ModelInfo)} <= done
    assert not [name for name in left if name.split(".")[0] not in ("divergence", "logits", "decodeconfig", "header")]


@pytest.mark.parametrize("name", ["draft", "target.vocabulary", "token.id", "machine.device", "finished.draft_forwards"])
def test_a_forgery_never_stops_the_auditor(folder, name):
    trace, found = every(folder, "sampled")
    assert is_found(folder, forge(folder, "sampled", name))
    assert is_found(folder, put(trace, [*found["token.id"][0]], 10**6))
