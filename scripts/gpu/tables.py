"""How the sections print what they measured."""

import sys
from collections.abc import Iterable

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)
HEADS = {  # of columns that are not called by their figure's name
    "alpha": "α", "tokens_a_round": "tokens/round", "measured_vs_predicted": "measured ÷ it", "ms_a_token": "ms/token",
    "vs_generate": "÷ generate()", "vs_assisted": "÷ assisted", "host_gap": "host gap", "floor_ms": "floor ms",
    "floor_of_measured": "floor ÷ measured", "gap_alone": "gap alone", "gap_block": "gap block",
}  # fmt: skip


def show(title: str, columns: str, rows: Iterable[dict]) -> None:
    table = Table(title=title, box=SIMPLE)
    for name in columns.split():
        table.add_column(HEADS.get(name, name), justify="right")
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in columns.split()))
    console.print(table)


def _cell(value) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
