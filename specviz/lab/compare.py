"""One prompt under every way to draft, beside vanilla: python -m specviz compare --prompt "Once upon a time"."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import mean, median

from ..config import DecodeConfig
from ..engine import machine
from ..engine.backends.base import Model
from ..engine.draft.base import Drafter
from ..engine.text import Text
from .measure import Clock, Run, RunPair, measure, trusted_clock


@dataclass(frozen=True, slots=True)
class DrafterRow:
    """A drafter's runs beside vanilla's. `speedup`: median over the repeats of vanilla ÷ it, each pair run one after the other.

    `accepted_of_tested` and `alpha` (the mean of Σ min(p, q)) are two of the three definitions of acceptance; None without
    drafts. `positions`: of each position in the block how often it was tested, and kept. `parts`: the first token, from 0, that
    differs from vanilla's; None if the texts are the same. `low`, `high`: of the speedups of all pairs; `clock`: by which they
    are, None where no time is to be trusted (measure.trusted_clock)."""

    name: str
    tokens_a_round: float
    accepted_of_tested: float | None
    alpha: float | None
    draft: float
    verify: float
    rest: float
    tokens_a_second: float
    speedup: float
    tokens: int
    parts: int | None
    low: float
    high: float
    clock: Clock | None
    positions: tuple[tuple[int, int], ...] = ()


def compare(
    target: Model, drafters: dict[str, Drafter], ids: list[int], config: DecodeConfig, text: Text, repeats: int = 3
) -> Iterator[DrafterRow]:
    """Yield a row for each drafter, as soon as it is measured; first a warm-up that nobody sees."""
    vanilla = replace(config, K=0)
    with machine.TIMED_RUN:
        for name, drafter in drafters.items():
            for warm in (replace(vanilla, max_new_tokens=8), replace(config, max_new_tokens=8)):
                measure(target, drafter, ids, warm, text)
            pairs = [
                RunPair(measure(target, None, ids, vanilla, text), measure(target, drafter, ids, config, text))
                for _ in range(repeats)
            ]
            observed = measure(target, drafter, ids, config, text, observe=True)
            yield drafter_row(name, pairs, observed)


def drafter_row(name: str, pairs: list[RunPair], observed: Run) -> DrafterRow:
    runs, clock = [pair.mine for pair in pairs], trusted_clock(pairs)
    speedups = [pair.speedup_by(clock or "wall") for pair in pairs]
    first, alone = runs[0], pairs[0].vanilla.ids
    whole = sum(r.decode for r in runs)
    draft, verify = (sum(getattr(r, part) for r in runs) / whole for part in ("draft", "verify"))
    common = next((i for i, (a, b) in enumerate(zip(alone, first.ids, strict=False)) if a != b), min(len(alone), len(first.ids)))
    return DrafterRow(
        name=name,
        tokens_a_round=pairs[0].tokens_a_round,
        accepted_of_tested=first.accepted / first.tested if first.tested else None,
        alpha=mean(observed.betas) if observed.betas else None,
        draft=draft,
        verify=verify,
        rest=1 - draft - verify,
        tokens_a_second=median(1e3 / r.ms_a_token for r in runs),
        speedup=median(speedups),
        tokens=first.tokens,
        parts=None if first.ids == alone else common,
        positions=first.positions,
        low=min(speedups),
        high=max(speedups),
        clock=clock,
    )
