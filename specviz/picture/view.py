"""Trace → picture: the plain values that a screen shows, and nothing about how they look.

    json_text(picture(trace))        # what the page's one component is given

Every time is in milliseconds on the lane's own decode clock: 0 is the start of its first round, and only the timed part of a
round moves it (observation is left out). Text is data from here to the page. Standard library only.
"""

import json
import re
from dataclasses import asdict

from ..config import bounds
from ..drafters import DRAFTERS
from ..trace.events import Finished, Prefill, Round, decoding
from ..trace.header import Header, ModelInfo, Trace
from .account import account, chooses
from .chances import averaged
from .missing import left_out
from .numbers import compared, counted
from .plain import moment, shortened
from .spans import drawn
from .tokens import prompt_tokens
from .words import short as cut

KINDS = {one.family: one.drawn for one in DRAFTERS.values() if one.family}
MARKUP = re.compile(r"<(?=[a-zA-Z/!?])")  # what an HTML reader takes for a tag, a comment or the end of a script
NAMES = 40  # characters of an engine's name that a screen shows
DEPARTURES, DEPARTURE = 12, 160  # of another engine, and characters of each


def picture(trace: Trace) -> dict:
    """All that one screen shows of a run. A lane that never began is None."""
    lanes = {name: _lane(name, getattr(trace, name)) for name in ("vanilla", "speculative")}
    comparison = compared(trace, lanes["vanilla"], lanes["speculative"])
    return {
        "header": _header(trace.header) | {"left_out": left_out(trace)},
        "lanes": lanes,
        "comparison": comparison,
        "account": _account(trace, comparison),
        "rules": averaged(trace.header.config, [e for e in trace.speculative if isinstance(e, Round)]),
    }


def json_text(value: dict | list | str) -> str:
    """One JSON string; `<` is escaped where markup could begin, so that no reader on the way can take it for that."""
    return MARKUP.sub(r"\\u003c", json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _header(header: Header) -> dict:
    plain = asdict(header)
    # what a run is redone by, which no screen shows, and the repeats, of which the comparison speaks
    for unseen in plain, plain["target"], plain["draft"] or {}:
        for name in ("eos", "weights", "repeats", "exact"):
            unseen.pop(name, None)
    plain["engine"] = cut(header.engine, NAMES)
    plain["engine_version"] = cut(header.engine_version, NAMES)
    plain["departures"] = [cut(each, DEPARTURE) for each in header.departures[:DEPARTURES]]
    plain["config"] |= {"greedy": header.config.greedy, "exact": header.config.exact if header.exact is None else header.exact}
    if header.draft:
        plain["draft"] |= _drafter(header.draft, header)
    return plain


def _drafter(draft: ModelInfo, header: Header) -> dict:
    """What kind of drafter ran, which chooses the words about it; the `most` it can draft a round, and whether it may draft `fewer`."""
    config, kind = header.config, _kind(draft, header.target)
    return {
        "kind": kind,
        "most": config.most,
        "fewer": chooses(config) or kind == "lookup",
    }


def _kind(draft: ModelInfo, target: ModelInfo) -> str:
    if draft.family in KINDS:
        return KINDS[draft.family]
    if draft == target:
        return "target"
    if draft.forward == "none":
        return "table"
    return "model" if draft.parameters else "layers"  # the target's own first ones


def _lane(name: str, events: tuple) -> dict | None:
    if not events:
        return None
    prefill = next((e for e in events if isinstance(e, Prefill)), None)
    rounds = [e for e in events if isinstance(e, Round)]
    finished = next((e for e in events if isinstance(e, Finished)), None)
    shown, clock, before = [], 0.0, 0
    for round_ in rounds:
        passes = round_.draft_forwards
        shown.append(drawn(round_, clock, None if passes is None else passes - before))
        clock, before = clock + round_.times.timed, passes or 0
    return {
        "name": name,
        "prompt": prompt_tokens(prefill.prompt) if prefill else [],
        "rounds": shown,
        "duration": moment(clock),
        "stopped": {"reason": finished.reason, "detail": finished.detail} if finished else None,
        "numbers": counted(prefill, rounds, finished, clock),
    }


def _account(trace: Trace, comparison: dict | None) -> dict:
    """Where the speed came from (specviz/picture/account.py), in numbers that JSON has. Nothing is explained by times that cannot be
    trusted."""
    header, limit = trace.header, int(bounds("K")[1])
    vanilla, speculative = decoding(trace.vanilla), decoding(trace.speculative)
    sure = (comparison["low"], comparison["high"]) if comparison and comparison["speedup"] else None
    found = account(header, vanilla, speculative, header.config.K, limit, sure)
    timed = found["missing"] in (None, "tree")
    return {"missing": "disturbed"} if timed and comparison and comparison["disturbed"] else shortened(found)
