"""One round with the text that it continued: what everything else of an audit is worked out from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...trace.events import Event, Prefill, Round


@dataclass(frozen=True, slots=True)
class Case:
    """`text`: all ids before the round; `block`: the ids drafted in it; `out`: those that it emitted; `tested`: how many drafted
    tokens were decided."""

    where: str
    round: Round
    text: list[int]
    block: list[int]
    out: list[int]
    tested: int


def cases(lane: str, events: Sequence[Event]) -> Iterator[Case]:
    text = [token.id for e in events if isinstance(e, Prefill) for token in e.prompt]
    for r in events:
        if isinstance(r, Round):
            out, block = [e.token.id for e in r.emitted], [d.token.id for d in r.drafted]
            tested = sum(d.verdict != "unexamined" for d in r.drafted)
            yield Case(f"{lane}, round {r.index + 1}", r, text, block, out, tested)
            text = [*text, *out]
