"""Two scrapes of one server → what it did between them.

difference(read("before.txt"), read("after.txt"))        # Record of "difference", or RecordError
"""

from dataclasses import replace

from .record import Acceptance, RecordError, ServerRecord


def difference(before: ServerRecord, after: ServerRecord) -> ServerRecord:
    """RecordError unless both are counts of one server, the later one second."""
    if before.engine != after.engine:
        raise RecordError(f"the first file is from {before.engine}, the second from {after.engine}: both must be from one server")
    for which, record in (("first", before), ("second", after)):
        if record.of == "gauges":
            raise RecordError(
                f"the {which} file has gauges of {record.engine}: they show the last value, so two cannot be subtracted"
            )
        if record.of != "server":
            raise RecordError(f"the {which} file is not a metrics page: save one before and one after with curl URL/metrics")
    delta = subtract(after.parts[0], before.parts[0])
    if delta is None:
        raise RecordError(
            "a count of the second file is below that of the first: give the earlier file first, both since one start of the server"
        )
    if not delta.num_draft_tokens:
        raise RecordError("nothing was drafted between the two files: send requests in between")
    loads = [load for load in (before.at_once, after.at_once) if load]
    return replace(after, of="difference", parts=(delta,), at_once=max(loads) if loads else None)


def subtract(after: Acceptance, before: Acceptance) -> Acceptance | None:
    """What was counted in between; None where a count falls."""
    rows = before.accepted_per_position, after.accepted_per_position
    steps = None
    if before.num_spec_steps is not None and after.num_spec_steps is not None:
        steps = after.num_spec_steps - before.num_spec_steps
    drafted = after.num_draft_tokens - before.num_draft_tokens
    accepted = after.num_accepted_draft_tokens - before.num_accepted_draft_tokens
    positions = None
    if rows[1] is not None:
        earlier = (*(rows[0] or ()), *[0] * len(rows[1]))
        positions = tuple(late - early for late, early in zip(rows[1], earlier, strict=False))
    if min(drafted, accepted, steps or 0, *(positions or (0,))) < 0:
        return None
    return Acceptance(drafted, accepted, steps, after.num_spec_tokens, accepted_per_position=positions)
