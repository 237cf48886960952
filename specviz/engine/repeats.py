"""Both lanes again, by turns, while that is cheap: how far apart the times of one and the same work lie.

A lane's tokens follow from the seed, so a repeat does the same work; what differs is the machine. Nobody picks the best run: the
one that is shown is that of the middle speedup, and the times of all are kept.
"""

from collections.abc import Callable, Iterator, Sequence

from ..trace.events import Event, Finished, Round
from ..trace.header import LANES, Lane, LaneTime, Repeat

SECONDS, MOST = 1.0, 15  # for all repeats together, and how many runs there are at most
ENDED_EARLY = ("cancelled", "error")
Run = dict[Lane, list[Event]]


def again(first: Run, run: Callable[[], Iterator[tuple[Lane, Event]]], enough: Callable[[], bool]) -> Iterator[Run]:
    """Whole runs after the `first`, each what `run` gives, as long as one more fits into SECONDS; `enough` is asked in between.

    A run that was stopped is not given, and none after it; nor one that wrote other tokens, which is no repeat."""
    if not _whole(first):
        return
    left, one, wrote = SECONDS, _seconds(first), _tokens(first)
    for _ in range(MOST - 1):
        if one > left or enough():
            return
        repeat: Run = {lane: [] for lane in LANES}
        for lane, event in run():
            repeat[lane].append(event)
        if not _whole(repeat) or _tokens(repeat) != wrote:
            return
        yield repeat
        left -= _seconds(repeat)


def middle(runs: Sequence[Run]) -> tuple[Run, tuple[Repeat, ...]]:
    """The run of the middle speedup, of two such the slower one, and the times of all in their order; none where there is one run."""
    if len(runs) == 1:
        return runs[0], ()
    times = tuple(Repeat(*(_clocked(run[lane]) for lane in LANES)) for run in runs)
    slowest_first = sorted(range(len(runs)), key=lambda i: times[i].vanilla.decode_ms / max(1e-9, times[i].speculative.decode_ms))
    return runs[slowest_first[(len(runs) - 1) // 2]], times


def _clocked(lane: Sequence[Event]) -> LaneTime:
    end = _end(lane)
    assert end  # only whole runs are repeats
    return LaneTime(end.decode_ms, end.processor_ms)


def _end(lane: Sequence[Event]) -> Finished | None:
    return lane[-1] if lane and isinstance(lane[-1], Finished) else None


def _whole(run: Run) -> bool:
    ends = [_end(run[lane]) for lane in LANES]
    return all(end is not None and end.reason not in ENDED_EARLY for end in ends)


def _seconds(run: Run) -> float:
    """What a run took, all of it: also what is not timed as decoding."""
    ends = [end for lane in LANES if (end := _end(run[lane]))]
    return sum((end.prefill_ms or 0.0) + end.decode_ms + end.observe_ms + end.capture_ms for end in ends) / 1e3


def _tokens(run: Run) -> list[list[int]]:
    return [[e.token.id for event in run[lane] if isinstance(event, Round) for e in event.emitted] for lane in LANES]
