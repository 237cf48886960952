"""Each field is forged once wherever it means something else: beside an accepted token and a rejected one, a sibling, a bonus; in runs of
every drafter, rule and tree. What nothing disproves is listed with the reason."""

from contextlib import suppress

import pytest

from specviz.config import ConfigError
from specviz.lab.audit.audit import audit
from specviz.lab.audit.checkpoint import AuditError
from specviz.trace.events import Round
from specviz.trace.file import TraceError, dumps, loads
from specviz.trace.header import LANES

from .runs import placed, put, ran
from .test_forged import FORGED, FREE, forged, places
from .test_trees import RULES, STATIC

TREES = {f"tree, {name}": ("near", how) for name, how in RULES.items()}
RUNS = TREES | {
    "tree of two levels, multi-token heads": ("mtp:heads", STATIC | {"K": 2, "children": "2-2"}),
    "tree, EAGLE": ("eagle:eagle", STATIC),
    "tree, copies": ("lookup", STATIC),
    "greedy": ("near", {"temperature": 0}),
    "match": ("near", {"verifier": "match"}),
    "typical": ("near", {"verifier": "typical"}),
    "threshold": ("near", {"verifier": "threshold", "theta": 0.4}),
    "confidence": ("near", {"confidence": 0.1, "K": 6}),
    "survival": ("near", {"survival": 0.02, "K": 6}),
    "adaptive": ("near", {"adaptive": True}),
    "filtered": ("near", {"temperature": 0.8, "top_k": 20, "top_p": 0.9}),
    "a block head": ("block:block", {}),
    "EAGLE": ("eagle:eagle", {}),
    "multi-token heads": ("mtp:heads", {}),
    "copies": ("lookup", {}),
    "the target": ("oracle", {}),
    "anything": ("random", {}),
    "a table": ("bigram:bigram", {}),
    "first layers": ("early-exit:2", {}),
}
GREEDY = {"config.top_k", "config.top_p", "config.seed", "config.drafting", "config.verifier"}
NOTHING = {  # beside what test_forged.py lists
    "greedy": GREEDY - {"config.verifier"},  # `match` would be told by its residuals
    "tree, greedy": GREEDY,
    "tree, greedy dynamic": GREEDY,
    "adaptive": {"finished.processor_ms"},  # a run without repeats says it once
    "copies": {
        "config.confidence",
        "config.survival",
        "position.entries",
    },  # a copy is certain; of tokens with q = 0 any may stand there
    "tree, copies": {"position.entries"},
}
OTHERS = {
    "drafted.verdict": ("accepted", "rejected", "unexamined"),
    "emitted.role": ("accepted", "corrected", "bonus", "plain"),
    "round.fewer": ("length", "context", "adaptive", "confidence", "survival", "lookup", "start", "filter"),
    "finished.reason": ("eos", "length", "context", "stop", "cancelled", "error"),
    "choice.why": ("trial", "most", "none", "probe"),
}


def richest(folder, run):
    """Of some runs the one with the most kinds of verdicts and roles."""
    draft, how = RUNS[run]

    def kinds(trace) -> int:
        rounds = [r for r in trace.speculative if isinstance(r, Round)]
        tested = {(d.verdict, bool(d.rank)) for r in rounds for d in r.drafted}
        return len(tested | {e.role for r in rounds for e in r.emitted})

    return max((ran(folder, draft, seed=seed, max_new_tokens=16, **how) for seed in range(12)), key=kinds)


def sites(trace):
    """(name, beside what) → (path, value), in the first place of the trace."""
    homes = [(("header",), trace.header)]
    homes += [((lane, i), event) for lane in reversed(LANES) for i, event in enumerate(getattr(trace, lane))]
    found = {}
    for home, value in homes:
        for path, name, part in places(value, home):
            if not name.startswith("repeats"):  # the times of the other runs stand nowhere else
                found.setdefault((name, beside(trace, path), part is None), (path, part))
    return found


def beside(trace, path) -> str:
    if path[0] == "header":
        return ""
    event, said = getattr(trace, path[0])[path[1]], path[0]
    for part, name in (("drafted", "verdict"), ("emitted", "role")):
        if part in path[:-1]:
            one = getattr(event, part)[path[path.index(part) + 1]]
            said += f" {getattr(one, name)}{' sibling' if getattr(one, 'rank', None) else ''}"
    return said


def variants(name, value):
    """Values of the same kind, and none where there is one."""
    if name in OTHERS:
        return [other for other in OTHERS[name] if other != value]
    if name in FORGED:
        return [FORGED[name]]
    if isinstance(value, tuple):
        return [value[:-1], ()] if value else [forged(value)]
    more = [value - 1] if type(value) is int else []
    return [forged(value), *more, *([] if value is None or isinstance(value, str | bool) else [None])]


def missed(folder, run, all_of_them: bool) -> set[str]:
    trace, draft = richest(folder, run), placed(folder, RUNS[run][0])

    def is_found(changed) -> bool:
        try:
            return bool(audit(loads(dumps(changed)), str(folder / "target"), draft).wrong)
        except (TraceError, AuditError):  # refused by the reader
            return True

    assert not is_found(trace)
    left = set()
    for (name, _, _), (path, value) in sites(trace).items():
        for other in variants(name, value) if all_of_them else variants(name, value)[:1]:
            if name in left | set(FREE) | NOTHING.get(run, set()) or (not all_of_them and path[0] in ("header", "vanilla")):
                continue
            with suppress(ConfigError):  # a setting that no run can have is refused where it is made
                changed = put(trace, list(path), other)
                if changed != trace and not is_found(changed):
                    left.add(name)
    return left


@pytest.mark.full
@pytest.mark.parametrize("run", ["tree, sampled", "tree, copies"])
def test_every_field_of_a_tree_is_forged_beside_each_verdict_and_found(folder, run):
    assert missed(folder, run, all_of_them=False) == set()


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("run", RUNS)
def test_every_field_is_forged_in_every_run_and_what_the_trace_disproves_is_found(folder, run):
    assert missed(folder, run, all_of_them=True) == set()
