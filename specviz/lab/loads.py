"""What passes over many texts cost on this machine, one batch after the other: what the Lab's panel Load draws of one's own.

for found in loads(target, draft): found.as_json()
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace

from ..engine import machine
from ..engine.models.llama import Llama
from .costs import CONTEXT, curve
from .pairs import timing_alone

BATCHES, BLOCKS, REPEATS = (1, 2, 4, 8, 16), tuple(range(1, 10)), 5


@dataclass(frozen=True, slots=True)
class Loads:
    """`target_ms`: by batch, then by tokens of each text from 1 on; `draft_ms`: by batch, of one token of each."""

    done: int
    of: int
    device: str
    target: str
    draft: str
    context: int
    batches: tuple[int, ...] = ()
    target_ms: tuple[tuple[float, ...], ...] = ()
    draft_ms: tuple[float, ...] = ()

    def as_json(self) -> dict:
        """All of it, in JSON's own types."""
        return asdict(self)


def loads(
    target: Llama,
    draft: Llama,
    batches: tuple[int, ...] = BATCHES,
    blocks: tuple[int, ...] = BLOCKS,
    repeats: int = REPEATS,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Loads]:
    """One `Loads` after each batch; none after `stop`, which is asked in between."""
    context = min(CONTEXT, target.context - max(blocks))
    measured = Loads(0, len(batches), machine.describe().device, target.info.name, draft.info.name, context)
    with timing_alone():
        for size in batches:
            if stop():
                return
            [passes] = curve(target, context, [size], blocks, repeats)["ms"]
            [[draft_ms]] = curve(draft, context, [size], [1], repeats)["ms"]
            target_ms, all_draft_ms = (*measured.target_ms, tuple(passes)), (*measured.draft_ms, draft_ms)
            batches_done = *measured.batches, size
            measured = replace(measured, done=len(batches_done), batches=batches_done, target_ms=target_ms, draft_ms=all_draft_ms)
            yield measured
