"""A record of another engine, printed."""

from rich.box import SIMPLE
from rich.table import Table

from ..picture.words import BY_POSITION, RECORD
from .terminal import show

DIGITS = (("steps", 0), ("drafted", 0), ("accepted", 0), ("accepted_of_drafted", 3), ("drafted_per_step", 2), ("tokens_per_step", 2), ("tokens_per_second", 1))  # fmt: skip


def show_record(picture: dict, vanilla: float | None = None) -> None:
    """`picture`: what `record_picture` gave."""
    totals = picture["totals"]
    numbers = Table(title=RECORD["title"].format(engine=picture["engine"]), show_header=False, box=SIMPLE)
    for key, digits in DIGITS:
        numbers.add_row(RECORD[key], number_text(totals[key], digits))
    if totals["tokens_per_pass"] is not None:
        numbers.add_row(RECORD["tokens_per_pass"], number_text(totals["tokens_per_pass"], 2))
    for key in ("K", "at_once"):
        if picture[key] is not None:
            numbers.add_row(RECORD[key], f"{picture[key]:g}")
    pace = totals["tokens_per_second"]
    if vanilla:
        numbers.add_row("speedup over the tokens/s given", number_text(pace and pace / vanilla, 2))
    show(numbers)
    for key, values in picture["notes"]:
        show(RECORD[f"note_{key}"].format(**values), soft_wrap=True)
    for at in picture["tables"]:
        tokens = number_text(at["tokens_per_step"], 2)
        show(f"{RECORD['table_K'].format(**at)}: {RECORD['table_is'].format(**{**at, 'tokens': tokens})}", soft_wrap=True)
        if at["positions"]:
            show(_positions(at["positions"]))
    for key, values in picture["means"]:
        show(RECORD[f"means_{key}"].format(**values), soft_wrap=True)
    if picture["positions"]:
        show(_positions(picture["positions"]))
    missing = [RECORD["untold_always"], *(RECORD[f"untold_{key}"] for key in picture["untold"])]
    show(RECORD["untold"].format(what="; ".join(missing)))
    if picture["format"]:
        show(RECORD["format"].format(format=picture["format"], evidence=picture["evidence_of_format"]), soft_wrap=True)
    if picture["unread"]:
        fields = ", ".join(f"{name} = {value}" for name, value in picture["unread"])
        show(f"{RECORD['unread']}: {fields}", soft_wrap=True)


def number_text(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _positions(positions: list[dict]) -> Table:
    rows = Table(box=SIMPLE, caption=RECORD["positions_is"])
    for key in ("position", "reached", "accepted", "given_reached", "of_blocks"):
        rows.add_column(BY_POSITION[key], justify="right")
    for at in positions:
        shares = (number_text(at[key], 3) for key in ("given_reached", "of_blocks"))
        rows.add_row(str(at["position"]), number_text(at["reached"], 0), str(at["accepted"]), *shares)
    return rows
