"""One round on its lane's clock, and the spans that it puts into the text. Plain values.

Phases are timed as wholes; what happens inside one is spread evenly over it. Standard library only.
"""

from dataclasses import asdict

from ..trace.events import Round
from ..trace.tree import branches, children, depths, parents, path, tested
from .plain import moment, short, shortened
from .tokens import drafted_token, emitted_token, face, residual_of


def drawn(round_: Round, start: float, drafting: int | None = None) -> dict:
    """A round that began `start` ms after the first one of its lane. `drafting`: the passes of its draft, where they are told."""
    times = round_.times
    drafted_at = start + (times.draft or 0.0)
    verified_at = drafted_at + (times.verify or 0.0)
    decided_at = verified_at + (times.decide or 0.0)
    guessed = _guessed(round_, start, drafted_at, drafting)
    fallen = _fallen(round_, verified_at, decided_at)
    return {
        "index": round_.index,
        "start": moment(start),
        "drafted_at": moment(drafted_at),
        "verified_at": moment(verified_at),
        "decided_at": moment(decided_at),
        "end": moment(start + times.timed),
        "times": {key: short(value) for key, value in asdict(times).items()},
        "drafted": _drafted(round_, guessed, fallen),
        "emitted": [emitted_token(e) for e in round_.emitted],
        "residual": residual_of(round_.residual),
        "target_cache": asdict(round_.target_cache) if round_.target_cache else None,
        "draft_cache": asdict(round_.draft_cache) if round_.draft_cache else None,
        "target_forwards": round_.target_forwards,
        "draft_forwards": round_.draft_forwards,
        "asked": round_.asked,
        "fewer": round_.fewer,
        "choice": round_.choice and shortened(asdict(round_.choice)),
        "shown": _shown(round_, guessed, fallen, decided_at),
    }


def _shown(round_: Round, guessed: list[float], fallen: list[float], decided_at: float) -> list[dict]:
    """The spans of one round in reading order: the draft block, struck or kept, then the token that follows it.

    `drafted` and `emitted` point into the round. A draft token appears `at` its share of the drafting time, waits for the
    target's pass, and gets its role when it is `decided`. What replaces or follows the block comes when all is decided.
    Of a tree the path that stays is text, and after it the tokens that were turned down where it ends; the round's picture has the others.
    """
    spans, kept = [], path(round_.drafted)
    for i in _in_line(round_):
        d = round_.drafted[i]
        emitted = kept.index(i) if d.verdict == "accepted" else None
        text, kind = face(d.token, round_.emitted[emitted].piece if emitted is not None else "")
        when = {"at": guessed[i], "decided": fallen[i]}
        spans.append({"role": d.verdict, "text": text, "kind": kind, "drafted": i, "emitted": emitted} | when)
    for i, e in enumerate(round_.emitted):
        if e.role != "accepted":
            text, kind = face(e.token, e.piece)
            at = moment(decided_at)
            spans.append({"role": e.role, "text": text, "kind": kind, "drafted": None, "emitted": i, "at": at, "decided": at})
    return spans


def _in_line(round_: Round) -> list[int]:
    """The drafted tokens that stand in the running text: of a chain all of them."""
    if not branches(round_):
        return list(range(len(round_.drafted)))
    kept = path(round_.drafted)
    return [*kept, *children(round_.drafted)[kept[-1] + 1 if kept else 0]]


def _drafted(round_: Round, guessed: list[float], fallen: list[float]) -> list[dict]:
    """The drafted tokens. Those of a tree have their parents and moments, since not all of them stand in the text."""
    if not branches(round_):
        return [drafted_token(d, None) for d in round_.drafted]
    follows = zip(round_.drafted, parents(round_.drafted), guessed, fallen, strict=True)
    return [drafted_token(d, parent) | {"at": at, "decided": decided} for d, parent, at, decided in follows]


def _guessed(round_: Round, start: float, drafted_at: float, drafting: int | None) -> list[float]:
    """When each token was drafted: one after the other, level by level of a tree, all at once where one pass drafted several."""
    deep = depths(round_.drafted)
    levels = 1 if drafting == 1 else max(deep, default=0)
    moments = _inside(start, drafted_at, levels)
    return [moment(moments[min(depth, levels) - 1]) for depth in deep]


def _fallen(round_: Round, verified_at: float, decided_at: float) -> list[float]:
    """When each verdict fell: of those examined one after the other in the order of the walk; the rest falls with the last of them."""
    order = tested(round_.drafted)
    moments = dict(zip(order, _inside(verified_at, decided_at, len(order)), strict=True))
    last = moments[order[-1]] if order else decided_at
    return [moment(moments.get(i, last)) for i in range(len(round_.drafted))]


def _inside(begin: float, end: float, count: int) -> list[float]:
    """`count` moments spread evenly between two, neither of them one of the two."""
    return [begin + (end - begin) * (i + 1) / (count + 1) for i in range(count)]
