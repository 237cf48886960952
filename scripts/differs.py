"""In what two runs differ that should tell the same: tokens, verdicts, uniforms, caches, counts; p and q by more than FAR.

differs(ours, theirs)      # of two lanes of events the first thing, with its numbers on both sides; empty if there is none
"""

import math

from specviz.trace.events import Event, Finished, Prefill, Round

FAR = 1e-4  # how far p and q may be from each other


def differs(ours: list[Event], theirs: list[Event]) -> str:
    """The first thing in which two lanes differ; empty if nothing does."""
    for at, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if difference := _event(a, b):
            return f"event {at + 1}: {difference}"
    return _same("events", len(ours), len(theirs))


def _event(a: Event, b: Event) -> str:
    match a, b:
        case Prefill(), Prefill():
            return _same(
                "prompt", (a.prompt, a.target_positions, a.draft_positions), (b.prompt, b.target_positions, b.draft_positions)
            )
        case Finished(), Finished():
            return _same("end", _counts(a), _counts(b))
        case Round(), Round():
            return _round(a, b)
    return f"{type(a).__name__} and {type(b).__name__}"


def _counts(end: Finished) -> tuple:
    return end.reason, end.detail, end.text, end.tokens, end.rounds, end.drafted, end.tested, end.accepted, end.draft_forwards


def _round(a: Round, b: Round) -> str:
    for one, other in zip(a.drafted, b.drafted, strict=False):
        if one.token == other.token and one.verdict != other.verdict:  # with what it was decided by
            return _same("verdict, u, p, q", *((d.verdict, d.u, d.p, d.q) for d in (one, other)))
    for what, one, other in (
        ("drafted", [(d.token, d.parent, d.rank) for d in a.drafted], [(d.token, d.parent, d.rank) for d in b.drafted]),
        ("uniforms", [d.u for d in a.drafted], [d.u for d in b.drafted]),
        ("emitted", [(e.token, e.role, e.piece, e.u) for e in a.emitted], [(e.token, e.role, e.piece, e.u) for e in b.emitted]),
        ("caches", (a.target_cache, a.draft_cache), (b.target_cache, b.draft_cache)),
        ("counts", (a.asked, a.fewer, a.draft_forwards), (b.asked, b.fewer, b.draft_forwards)),
    ):
        if difference := _same(what, one, other):
            return difference
    for one, other in zip(a.drafted, b.drafted, strict=True):
        for what in "p", "q", "joint", "chance":
            far = 100 * FAR if what == "chance" else FAR  # left/(left + 1 − joint): both may be near 0
            if difference := _near(what, getattr(one, what), getattr(other, what), far):
                return difference
        if difference := _position(one.position, other.position):
            return difference
    for one, other in zip(a.emitted, b.emitted, strict=True):
        if difference := _position(one.position, other.position):
            return difference
    if (a.residual is None) != (b.residual is None):
        return "one has a residual"
    return _near("residual", a.residual.mass, b.residual.mass) if a.residual and b.residual else ""


def _position(a, b) -> str:
    if a is None or b is None:
        return _same("position", a, b)
    known = {entry.token.id: entry for entry in b.entries}
    for entry in a.entries:
        other = known.get(entry.token.id)
        if other and (difference := _near("p", entry.p, other.p) or _near("q", entry.q, other.q)):
            return difference
    # where they are not, others of equals are shown
    rests = ("p_rest", "q_rest") if known.keys() == {entry.token.id for entry in a.entries} else ()
    for what in (*rests, "beta", "p_entropy", "q_entropy", "product"):
        if difference := _near(what, getattr(a, what), getattr(b, what), 10 * FAR):  # sums over the vocabulary
            return difference
    return ""


def _same(what: str, a, b) -> str:
    return "" if a == b else f"{what}: {a!r:.300} and {b!r:.300}"


def _near(what: str, a: float | None, b: float | None, far: float = FAR) -> str:
    if a is None or b is None:
        return _same(what, a, b)
    return "" if math.isclose(a, b, rel_tol=far, abs_tol=far) else f"{what}: {a} and {b}"
