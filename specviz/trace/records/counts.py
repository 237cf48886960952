"""Five numbers that every engine prints → a record, for an engine whose files are not read.

    loads('{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}')

A step is a pass of the target that checked a draft. `drafted`, `accepted`: tokens in all of them, without the extra token
that ends a step; `K`: the most that a step drafts. `accepted_by_position`: how many steps kept the first, the second, … of K;
it may be left out. Standard library only.
"""

from ..grammar import WHOLE
from ..strict import short
from .document import documents, text_of
from .record import LONGEST, Acceptance, CountsError, ServerRecord

REQUIRED, POSITIONS = ("steps", "drafted", "accepted", "K"), "accepted_by_position"


def loads(data: bytes) -> ServerRecord:
    """The record of one JSON object. RecordError if it is none; CountsError where the five cannot be true together."""
    text = text_of(data)
    if not text.strip():
        raise CountsError("the five numbers are missing")
    [*several] = documents(text)
    if len(several) != 1:
        raise CountsError(f"the five numbers must be one JSON object, found {len(several)}")
    return record_of(several[0])


def is_counts(document: dict) -> bool:
    """Whether it has names of the five numbers and no others."""
    return {"steps", "drafted", "accepted"} <= document.keys() <= {*REQUIRED, POSITIONS}


def record_of(document: dict) -> ServerRecord:
    """CountsError, which names the field and its bound, unless all can be true together."""
    if unknown := document.keys() - {*REQUIRED, POSITIONS}:
        raise CountsError(f"{short(min(unknown))} is not one of {', '.join((*REQUIRED, POSITIONS))}")
    steps = _whole("steps", document.get("steps"), 1, WHOLE)
    K = _whole("K", document.get("K"), 1, LONGEST)
    drafted = _whole("drafted", document.get("drafted"), 1, min(WHOLE, steps * K), "steps · K")
    accepted = _whole("accepted", document.get("accepted"), 0, drafted, "drafted")
    positions = document.get(POSITIONS)
    if positions is not None:
        positions = _positions(positions, steps, accepted, K)
    part = Acceptance(drafted, accepted, steps, K, accepted_per_position=positions)
    return ServerRecord("another engine", "counts", (part,))


def _positions(positions: object, steps: int, accepted: int, K: int) -> tuple[int, ...]:
    if not isinstance(positions, list) or len(positions) != K:
        found = f"{len(positions)} of them" if isinstance(positions, list) else short(positions)
        raise CountsError(f"{POSITIONS} must be a list of {K} whole numbers, one for each of K, found {found}")
    most, bound = steps, "steps"
    for i, value in enumerate(positions, 1):
        most, bound = _whole(f"{POSITIONS}, number {i},", value, 0, most, bound), "the one before it"
    if sum(positions) != accepted:
        raise CountsError(f"{POSITIONS} must sum up to accepted, {accepted}, found {sum(positions)}")
    return tuple(positions)


def _whole(name: str, value: object, least: int, most: int, bound: str = "") -> int:
    """`bound`: what sets `most`, in words."""
    if value is None:
        raise CountsError(f"{name} is missing; it must be a whole number from {least} to {most}{bound and f' ({bound})'}")
    if type(value) is not int or not least <= value <= most:
        raise CountsError(f"{name} must be a whole number from {least} to {most}{bound and f' ({bound})'}, found {short(value)}")
    return value
