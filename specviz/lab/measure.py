"""One run of the engine in numbers: what benchmarks and comparisons are made of."""

import time
from dataclasses import dataclass

from ..config import DecodeConfig
from ..engine.backends.base import Model
from ..engine.decode import decode
from ..engine.draft.base import Drafter
from ..engine.machine import no_garbage
from ..engine.text import Text
from ..trace.disturbed import share, stalled_share
from ..trace.events import Drafted
from ..trace.tree import depths, path_by_depth


@dataclass(frozen=True, slots=True)
class Run:
    """Times in ms; counts and phases summed over the rounds. `betas`: Σ min(p, q) of each tested draft token, if observed. `wall`: the
    whole call, without recording graphs. `positions`: of each position in the block how often it was tested, and kept. `eager`: why it
    ran slower than the device allows (events.Finished). `had`: the share of `decode` for which its thread had a processor, None where
    nobody says; `stalled`: the share lost in slow rounds (trace/disturbed.py). `lengths`: tokens drafted in each round, and `drafts` the ms
    that took; `depths`: how far they reach past the text, which is less in a tree; `at_once`: a block is one step of the draft."""

    ids: tuple[int, ...]
    wall: float
    decode: float
    rounds: int
    drafted: int
    tested: int
    accepted: int
    forwards: int
    draft: float
    verify: float
    betas: tuple[float, ...]
    blocks: int  # rounds that drafted anything, and how many of them had their first draft token accepted
    first_accepted: int
    positions: tuple[tuple[int, int], ...] = ()
    eager: str = ""
    had: float | None = None
    stalled: float = 0.0
    lengths: tuple[int, ...] = ()
    drafts: tuple[float, ...] = ()
    depths: tuple[int, ...] = ()
    at_once: bool = False

    @property
    def tokens(self) -> int:
        return len(self.ids)

    @property
    def pace(self) -> float:
        """ms a token, decoding alone."""
        return self.decode / self.tokens


def measure(
    target: Model, drafter: Drafter | None, ids: list[int], config: DecodeConfig, text: Text, observe: bool = False
) -> Run:
    """Decode once. Alone on the machine, or the times say nothing."""
    with no_garbage():
        start = time.perf_counter()
        events = list(decode(target, drafter if config.K else None, ids, config, text, observe=observe))
        wall = (time.perf_counter() - start) * 1e3
    end, rounds = events[-1], events[1:-1]
    return Run(
        ids=tuple(e.token.id for r in rounds for e in r.emitted),
        wall=wall - end.capture_ms,
        decode=end.decode_ms,
        rounds=end.rounds,
        drafted=end.drafted,
        tested=end.tested,
        accepted=end.accepted,
        forwards=end.draft_forwards,
        draft=sum(r.times.draft for r in rounds),
        verify=sum(r.times.verify for r in rounds),
        betas=tuple(
            d.position.beta  # a sibling is tested against what is left of p
            for r in rounds
            for d in r.drafted
            if not d.rank and d.position is not None and d.position.beta is not None
        ),
        blocks=sum(bool(r.drafted) for r in rounds),
        first_accepted=sum(any(d.verdict == "accepted" for d in r.drafted) for r in rounds),
        positions=positions([r.drafted for r in rounds]),
        eager=end.eager,
        had=share([(end.decode_ms, end.processor_ms)]),
        stalled=stalled_share(rounds),
        lengths=tuple(len(r.drafted) for r in rounds),
        drafts=tuple(r.times.draft for r in rounds),
        depths=tuple(max(depths(r.drafted), default=0) for r in rounds),
        at_once=getattr(drafter, "at_once", False),
    )


def positions(blocks: list[tuple[Drafted, ...]]) -> tuple[tuple[int, int], ...]:
    """Of each position 1 … K how many blocks had a token there that was tested, and how many kept it."""
    blocks = [tuple(path_by_depth(block)) for block in blocks]
    longest = max(map(len, blocks), default=0)
    verdicts = [[block[i].verdict for block in blocks if len(block) > i] for i in range(longest)]
    return tuple((len(at) - at.count("unexamined"), at.count("accepted")) for at in verdicts)
