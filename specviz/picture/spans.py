"""One round on its lane's clock, and the spans that it puts into the text. Plain values.

Phases are timed as wholes; what happens inside one is spread evenly over it. Standard library only.
"""

from dataclasses import asdict

from ..trace.events import Round
from ..trace.tree import branches, children, parents, path
from .plain import moment, short, shortened
from .tokens import drafted_token, emitted_token, face, residual_of


def drawn(round_: Round, start: float) -> dict:
    """A round that began `start` ms after the first one of its lane."""
    times = round_.times
    drafted_at = start + (times.draft or 0.0)
    verified_at = drafted_at + (times.verify or 0.0)
    decided_at = verified_at + (times.decide or 0.0)
    return {
        "index": round_.index,
        "start": moment(start),
        "drafted_at": moment(drafted_at),
        "verified_at": moment(verified_at),
        "decided_at": moment(decided_at),
        "end": moment(start + times.timed),
        "times": {key: short(value) for key, value in asdict(times).items()},
        "drafted": _drafted(round_),
        "emitted": [emitted_token(e) for e in round_.emitted],
        "residual": residual_of(round_.residual),
        "target_cache": asdict(round_.target_cache) if round_.target_cache else None,
        "draft_cache": asdict(round_.draft_cache) if round_.draft_cache else None,
        "target_forwards": round_.target_forwards,
        "draft_forwards": round_.draft_forwards,
        "asked": round_.asked,
        "fewer": round_.fewer,
        "choice": round_.choice and shortened(asdict(round_.choice)),
        "shown": _shown(round_, start, drafted_at, verified_at, decided_at),
    }


def _shown(round_: Round, start: float, drafted_at: float, verified_at: float, decided_at: float) -> list[dict]:
    """The spans of one round in reading order: the draft block, struck or kept, then the token that follows it.

    `drafted` and `emitted` point into the round. A draft token appears `at` its share of the drafting time, waits for the
    target's pass, and gets its role when it is `decided`: one examined token after the other, inside the time of deciding;
    what was never examined falls with the last of them. What replaces or follows the block comes when all is decided.
    Of a tree the path that stays is text, and after it the tokens that were turned down where it ends; the inspector draws the others.
    """
    spans = []
    line = [round_.drafted[i] for i in _in_line(round_)]
    ghosts = _inside(start, drafted_at, len(line))
    examined = sum(d.verdict != "unexamined" for d in line)
    verdicts = _inside(verified_at, decided_at, examined)
    for i, d in enumerate(line):
        emitted = i if d.verdict == "accepted" else None
        text, kind = face(d.token, round_.emitted[emitted].piece if emitted is not None else "")
        spans.append(
            {
                "role": d.verdict,
                "text": text,
                "kind": kind,
                "drafted": i,
                "emitted": emitted,
                "at": moment(ghosts[i]),
                "decided": moment(verdicts[min(i, examined - 1)] if examined else decided_at),
            }
        )
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


def _drafted(round_: Round) -> list[dict]:
    """The drafted tokens: of a tree those in the running text first, as a chain has them."""
    drafted = round_.drafted
    if not branches(round_):
        return [drafted_token(d, None) for d in drafted]
    line = _in_line(round_)
    order = [*line, *(i for i in range(len(drafted)) if i not in line)]
    place = {-1: -1} | {i: n for n, i in enumerate(order)}
    return [drafted_token(drafted[i], place[parents(drafted)[i]]) for i in order]


def _inside(begin: float, end: float, count: int) -> list[float]:
    """`count` moments spread evenly between two, neither of them one of the two."""
    return [begin + (end - begin) * (i + 1) / (count + 1) for i in range(count)]
