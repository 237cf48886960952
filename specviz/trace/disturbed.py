"""What speaks against a run: signs that something else had the machine while it was timed, and greedy lanes that part.

    signs(trace)                # () or what was seen, in plain values; the run's counts stand
    divergence_note(trace)      # "The greedy texts differ from token 7 on: …"; "" where they do not, or were sampled

Three kinds of signs. A lane whose thread had a processor for less than the clock says; a lane of which much went into rounds far slower
than its others of the same size; and what cannot be, such as a round that is cheaper than the one pass of the target in it.
In exact arithmetic greedy lanes write the same. Standard library only.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

from .events import LANES, OURS, Finished, Round, Trace, decoding, rounds_of

# Measured on two cores, by one thread: alone .96 to 1 of the time and at most .03 of it, beside two busy processes .6 to .75 and up to .18.
MIN_SHARE = 0.9  # a lane's thread had a processor for less than this share of the time
MAX_STALLED, SLOW = 0.15, 1.5  # more than this share of a lane's time lies beyond so many times what its rounds usually take
MIN_ROUND_COST = 0.95  # of the least that a round can cost
ALIKE = 1.2  # lanes that do the same work differ by more; the speedup does from what the usual rounds of both lanes give


class Sign(NamedTuple):
    """`value`: what was found, by `kind`: `processor`, the share of its time in which the lane's thread had one; `stalled`, the share
    of its time lost in slow rounds; `cheap`, what a round cost in steps of the target alone; `unlike`, the speedup where both lanes
    do the same work; `apart`, the speedup in units of what usual rounds give. `lane`: where it shows; None: in both together."""

    kind: Literal["processor", "stalled", "cheap", "unlike", "apart"]
    lane: str | None
    value: float


def signs(trace: Trace) -> tuple[Sign, ...]:
    """All that speak against the times of `trace`; none from what a trace does not hold."""
    against = []
    for name in LANES:
        events, repeats = getattr(trace, name), [getattr(repeat, name) for repeat in trace.header.repeats]
        runs = repeats or [event for event in events if isinstance(event, Finished)]
        processor = processor_share([(each.decode_ms, each.processor_ms) for each in runs])
        lost = stalled_share(decoding(events))
        if processor is not None and processor < MIN_SHARE:
            against.append(Sign("processor", name, processor))
        if lost > MAX_STALLED:
            against.append(Sign("stalled", name, lost))
    return (*against, *impossible(trace))


def impossible(trace: Trace) -> tuple[Sign, ...]:
    """A round of the speculative lane holds a whole pass of the target, so it costs no less than a step of the target alone; and
    without drafts a round is such a step."""
    vanilla, speculative = decoding(trace.vanilla), decoding(trace.speculative)
    tokens, ms = sum(len(r.emitted) for r in vanilla), sum(r.times.timed for r in vanilla)
    if not (speculative and tokens and ms):
        return ()
    cost = sum(r.times.timed for r in speculative) / len(speculative) / (ms / tokens)
    if not cost:
        return ()  # a clock that stands
    if not any(r.drafted for r in speculative):
        return () if 1 / ALIKE <= cost <= ALIKE else (Sign("unlike", None, 1 / cost),)
    apart = slowness(vanilla) / slowness(speculative)
    cheap = (Sign("cheap", None, cost),) if cost < MIN_ROUND_COST else ()
    return cheap if 1 / ALIKE <= apart <= ALIKE else (*cheap, Sign("apart", None, apart))


def processor_share(times: Sequence[tuple[float, float | None]]) -> float | None:
    """Of (ms of decoding, ms in which its thread had a processor) of each run: the median share; None where nobody says."""
    shares = [processor / ms for ms, processor in times if processor is not None and ms]
    return median(shares) if shares else None


def stalled_share(rounds: Sequence[Round]) -> float:
    """The share of a lane's time that lies beyond SLOW times what a round of the same size usually takes."""
    usual, whole = usual_ms(rounds), sum(r.times.timed for r in rounds)
    return sum(max(0.0, r.times.timed - SLOW * ms) for r, ms in zip(rounds, usual, strict=True)) / whole if whole else 0.0


def passes_disturbed(ms: Mapping[int, Sequence[float]], processor_ms: float | None = None) -> bool:
    """Whether something else had the machine while passes were timed alone, by the bounds of a lane. `ms`: by tokens in the pass, of each
    pass; `processor_ms`: in which the thread had a processor, of all of them. And a pass over more tokens is no cheaper."""
    whole = sum(map(sum, ms.values()))
    medians = {n: median(times) for n, times in ms.items()}
    lost = sum(max(0.0, time - SLOW * medians[n]) for n, times in ms.items() for time in times)
    processor = processor_share([(whole, processor_ms)])
    falls = any(medians[more] * ALIKE < medians[n] for n, more in pairwise(sorted(medians)))
    return falls or lost > MAX_STALLED * whole or (processor is not None and processor < MIN_SHARE)


def slowness(rounds: Sequence[Round]) -> float:
    """A lane's time in units of what it would be if each of its rounds took what such a round usually takes."""
    usual = sum(usual_ms(rounds))
    return sum(r.times.timed for r in rounds) / usual if usual else 1.0


def usual_ms(rounds: Sequence[Round]) -> list[float]:
    """For each round the median ms of all that drafted as many tokens."""
    by_size: dict[int, list[float]] = {}
    for r in rounds:
        by_size.setdefault(len(r.drafted), []).append(r.times.timed)
    medians = {size: median(ms) for size, ms in by_size.items()}
    return [medians[len(r.drafted)] for r in rounds]


def divergence_note(trace: Trace) -> str:
    alone, ours = ([e.token for r in rounds_of(getattr(trace, lane)) for e in r.emitted] for lane in LANES)
    if not trace.header.config.greedy or not alone or not ours or alone == ours:
        return ""
    at = next((i for i, (x, y) in enumerate(zip(alone, ours, strict=False)) if x.id != y.id), None)
    if at is not None:
        sentence = f"The greedy texts differ from token {at + 1} on: “{alone[at].text}” against “{ours[at].text}”."
        dtype = trace.header.target.dtype
        why = (
            f"In {dtype} two logits are often almost equal, and a pass over a block rounds differently than a pass over one token."
            if dtype != "float32"
            else "A pass over a block sums in another order than a pass over one token, "
            "so two logits that are almost equal may change places."
        )
        return f"{sentence} {why}"
    if len(alone) == len(ours):
        return ""
    longer, shorter = (LANES[1], LANES[0]) if len(ours) > len(alone) else LANES
    reason = getattr(getattr(trace, shorter)[-1], "reason", "")
    more = abs(len(ours) - len(alone))
    sentence = f"The {longer} text goes on for {more} token{'s' if more > 1 else ''} after the {shorter} one, which was ended by {reason}."
    if reason == "stop" and trace.header.engine != OURS:
        sentence += f" {trace.header.engine} looks for a stop string where a block ends, so it misses one that ends inside."
    return sentence
