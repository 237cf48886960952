"""A record of another engine, printed."""

from rich.box import SIMPLE
from rich.table import Table

from ..picture.words import BY_POSITION, RECORD
from .terminal import show

ROW = 60  # blocks at most
DIGITS = (("steps", 0), ("drafted", 0), ("accepted", 0), ("accepted_of_drafted", 3), ("drafted_per_step", 2), ("tokens_per_step", 2), ("tokens_per_second", 1))  # fmt: skip


def show_record(picture: dict, vanilla: float | None = None) -> None:
    """`picture`: what `record_picture` gave."""
    totals = picture["totals"]
    numbers = Table(title=RECORD["title"].format(engine=picture["engine"]), show_header=False, box=SIMPLE)
    for key, digits in DIGITS:
        numbers.add_row(RECORD[key], number_text(totals[key], digits))
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
    if picture["spread"]:
        _requests(picture["spread"])
    if picture["moments"]:
        show(f"{RECORD['moments']}: {sparkline([m['tokens_per_step'] for m in picture['moments']])}", soft_wrap=True)
    missing = [RECORD["untold_always"], *(RECORD[f"untold_{key}"] for key in picture["untold"])]
    show(RECORD["untold"].format(what="; ".join(missing)))
    if picture["format"]:
        show(RECORD["format"].format(format=picture["format"], evidence=picture["evidence_of_format"]), soft_wrap=True)
    if picture["unread"]:
        fields = ", ".join(f"{name} = {value}" for name, value in picture["unread"])
        show(f"{RECORD['unread']}: {fields}", soft_wrap=True)


def number_text(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def sparkline(values: list[float | None]) -> str:
    """Numbers as a row of blocks, from the least to the most, which stand before it."""
    known = [value for value in values if value is not None]
    if not known:
        return "–"
    low, high = min(known), max(known)
    every = -(-len(values) // ROW)
    means = []
    for i in range(0, len(values), every):
        part = [value for value in values[i : i + every] if value is not None]
        means.append(sum(part) / len(part) if part else None)
    row = "".join(" " if m is None else "▁▂▃▄▅▆▇█"[min(7, int(8 * (m - low) / ((high - low) or 1)))] for m in means)
    return f"{low:.2f} to {high:.2f} tokens per step  {row}"


def _positions(positions: list[dict]) -> Table:
    rows = Table(box=SIMPLE, caption=RECORD["positions_is"])
    for key in ("position", "reached", "accepted", "given_reached", "of_blocks"):
        rows.add_column(BY_POSITION[key], justify="right")
    for at in positions:
        shares = (number_text(at[key], 3) for key in ("given_reached", "of_blocks"))
        rows.add_row(str(at["position"]), number_text(at["reached"], 0), str(at["accepted"]), *shares)
    return rows


def _requests(spread: dict) -> None:
    shares = {f"p{share}": number_text(value, 2) for share, value in spread["percentiles"].items()}
    show(f"{RECORD['spread_' + spread['what']]}: {RECORD['percentiles_is'].format(**shares)}", soft_wrap=True)
    worst = ", ".join(f"{request['request']} ({number_text(request['value'], 2)})" for request in spread["worst"])
    show(f"{RECORD['worst']}: {worst}", soft_wrap=True)
    for third in (spread["prompts"] or {}).get("thirds", ()):
        numbers = {**third, "share": number_text(third["accepted_of_drafted"], 3)}
        show(f"{RECORD['prompts']}: {RECORD['prompts_third'].format(**numbers)}", soft_wrap=True)
