"""Runs beside each other as ratios, the table of goals (docs/benchmarks/README.md) made of them, and how sections print theirs. No device is
asked here."""

import statistics as st
import sys
from collections.abc import Callable, Iterable

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from specviz.lab.measure import Run

from ..peer import Whole

MOST = 8  # a speedup is held against its prediction for K up to this

console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
HEADS = {  # of columns that are not called by their figure's name
    "alpha": "α", "tokens_a_round": "tokens/round", "measured_vs_predicted": "measured ÷ it", "ms_a_token": "ms/token",
    "vs_generate": "÷ generate()", "vs_assisted": "÷ assisted", "host_gap": "host gap", "floor_ms": "floor ms",
    "floor_of_measured": "floor ÷ measured", "gap_alone": "gap alone", "gap_block": "gap block",
}  # fmt: skip


def figures(sections: dict, main: str, context: int) -> dict:
    """The table of goals, from what was measured; null where it was not. Of several the worst; of what observing costs the median."""
    runs = [row for draft in _of(sections, "synthetic", main) for row in draft["rows"]]
    bases = [draft["vanilla"] for draft in _of(sections, "synthetic", main)]
    at = [row for row in runs if row["context"] == context]
    base = [row for rows in bases for row in rows if row["context"] == context]
    bundled = _all(sections, "bundled")

    def worst(values, of=min):
        some = [v for v in values if v is not None]
        return of(some) if some else None

    return {
        "vanilla_vs_floor": worst(row["floor_of_measured"] for row in base),
        "measured_vs_predicted_min": worst(row["measured_vs_predicted"] for row in at if row["K"] <= MOST),
        "vanilla_vs_generate": worst(row["vs_generate"] for row in base),
        "speculative_vs_assisted": worst(row["vs_assisted"] for row in at),
        "host_gap": worst((row["host_gap"] for row in at), max),
        "observing_slowdown": worst((row["observing"] for some in bundled for row in some), st.median),
        "bundled_best_speedup": worst((row["speedup"] for some in bundled for row in some), max),
        "synthetic_same_text": all(row["same_text"] for row in runs) if runs else None,
        "identical_fp32": worst(some["float32"]["same"] for some in _all(sections, "identity")),
    }


def _of(sections: dict, name: str, target: str) -> list:
    return [value for key, value in sections.get(name, {}).items() if key.startswith(target + ",")]


def _all(sections: dict, name: str) -> list:
    return list(sections.get(name, {}).values())


def run_figures(alone: list[Run], mine: list[Run]) -> dict:
    """Speculative runs beside vanilla ones: c and v from the runs themselves, what they predict, what was measured."""
    t_target = sum(r.verify for r in alone) / sum(r.rounds for r in alone)
    rounds, forwards = sum(r.rounds for r in mine), sum(r.forwards for r in mine)
    a_round = sum(r.tokens for r in mine) / rounds
    draft, verify = sum(r.draft for r in mine) / rounds, sum(r.verify for r in mine) / rounds
    predicted = a_round / ((draft + verify) / t_target)  # drafted a round · c is all of a round's drafting
    measured = st.median(a.ms_a_token / b.ms_a_token for a, b in zip(alone, mine, strict=True))
    return {
        "speedup": measured,
        "tokens_a_round": a_round,
        "accepted": sum(r.accepted for r in mine) / max(1, sum(r.tested for r in mine)),
        "c": draft * rounds / forwards / t_target if forwards else 0.0,
        "v": verify / t_target,
        "predicted": predicted,
        "measured_vs_predicted": measured / predicted,
        "ms_a_token": st.median(r.ms_a_token for r in mine),
        "eager": next((r.eager for r in [*alone, *mine] if r.eager), ""),
    }


def observing(run: Callable[..., Run], texts: list[list[int]]) -> float:
    """Wall time of runs of which the distributions are recorded ÷ without, a token each, by turns: at a temperature, where there are some,
    and all of it, since decoding alone leaves out the look. `run(ids, observe=…)`."""
    for observe in (True, False):
        run(texts[0], observe=observe)  # records graphs
    pairs = [(run(ids, observe=True), run(ids, observe=False)) for ids in texts]
    return st.median((look.wall / look.tokens) / (bare.wall / bare.tokens) for look, bare in pairs)


def peer_ratios(alone: list[Run], mine: list[Run], generate: list[Whole], assisted: list[Whole]) -> dict:
    """Whole calls, prefill in, a token each: transformers ÷ ours."""

    def ratio(theirs, ours):
        pairs = zip(theirs, ours, strict=True)
        return st.median((a.wall / a.tokens) / (b.wall / b.tokens) for a, b in pairs) if theirs else None

    return {"vs_generate": ratio(generate, alone), "vs_assisted": ratio(assisted, mine)}


def show(title: str, columns: str, rows: Iterable[dict]) -> None:
    table = Table(title=title, box=SIMPLE)
    for name in columns.split():
        table.add_column(HEADS.get(name, name), justify="right")
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in columns.split()))
    console.print(table)


def _cell(value) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
