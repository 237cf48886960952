"""How the sections print what they measured."""

import sys

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

console = Console(highlight=False, width=None if sys.stdout.isatty() else 150)


def table_of(title: str, heads: list[str]) -> Table:
    table = Table(title=title, box=SIMPLE)
    for head in heads:
        table.add_column(head.replace("·", " "), justify="right")
    return table


def cells(row: dict, keys: str) -> list[str]:
    def cell(value):
        return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)

    return [cell(row[key]) for key in keys.split()]
