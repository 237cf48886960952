"""What a run of another engine does not tell, as keys of words.LEFT_OUT. Nothing is missing in a run of our own. Standard library only.

left_out(trace)         # ("cache", "chance"), shown as "Not recorded by vLLM: …"
"""

from collections.abc import Iterator

from ..trace.events import Event, Finished, Prefill, Round, decoding
from ..trace.header import LANES, OURS, Trace


def left_out(trace: Trace) -> tuple[str, ...]:
    """Each once, in the order of the inspector."""
    if trace.header.engine == OURS:
        return ()
    config, found = trace.header.config, set()
    for lane in LANES:
        found |= set(_of(getattr(trace, lane), config.greedy))
    return tuple(key for key in ("p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill") if key in found)


def _of(events: tuple[Event, ...], greedy: bool) -> Iterator[str]:
    rounds, drafted = decoding(events), [d for e in events if isinstance(e, Round) for d in e.drafted]
    tested = [d for d in drafted if d.verdict != "unexamined"]
    last = [e.emitted[-1] for e in events if isinstance(e, Round) and e.emitted and e.emitted[-1].role != "accepted"]
    told = {
        "p": all(d.p is not None for d in drafted),
        "q": all(d.q is not None for d in drafted),
        "u": greedy or all(d.u is not None for d in tested),
        "chance": greedy or all(e.u is not None for e in last),
        "positions": all(d.position for d in tested),
        "times": all(None not in (r.times.draft, r.times.verify, r.times.decide) for r in rounds),
        "cache": all(r.target_cache for r in rounds),
        "passes": all(e.draft_forwards is not None for e in events if isinstance(e, Finished)),
        "prefill": all(e.target_ms is not None for e in events if isinstance(e, Prefill)),
    }
    return (key for key, there in told.items() if not there)
