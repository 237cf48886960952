"""specviz import metrics.txt --out record.html"""

from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from .saving import check_out
from .terminal import say, show


def import_record(
    file: Annotated[Path, typer.Argument(help="What vLLM, AIPerf, SGLang, llama.cpp, TensorRT-LLM or LM Studio told.")],
    out: Annotated[Path | None, typer.Option(help="File to write, one HTML page with the record drawn.")] = None,
    vanilla: Annotated[
        float | None, typer.Option(min=0.001, help="Tokens/s of the same server without drafts: then there is a speedup.")
    ] = None,
):
    """What another engine told of its own speculative decoding: counts, acceptance by position, how requests differ."""
    from ..picture.frame import show as draw
    from ..picture.record import record_picture
    from ..picture.words import BY_POSITION, RECORD
    from ..trace.records.read import read

    if out:
        check_out(out)
    record = read(file)
    shown = record_picture(record)
    totals = shown["totals"]
    table = Table(title=RECORD["title"].format(engine=record.engine), show_header=False, box=SIMPLE)
    for key, digits in (("steps", 0), ("drafted", 0), ("accepted", 0), ("accepted_of_drafted", 3), ("drafted_per_step", 2)):
        table.add_row(RECORD[key], _figure(totals[key], digits))
    table.add_row(RECORD["tokens_per_step"], _figure(totals["tokens_per_step"], 2))
    pace = totals["tokens_per_second"]
    table.add_row(RECORD["tokens_per_second"], _figure(pace, 1))
    if vanilla:
        table.add_row("speedup over the tokens/s given", _figure(pace and pace / vanilla, 2))
    show(table)
    if shown["positions"]:
        positions = Table(box=SIMPLE, caption=RECORD["positions_is"])
        for key in ("position", "reached", "accepted", "given_reached", "of_blocks"):
            positions.add_column(BY_POSITION[key], justify="right")
        for at in shown["positions"]:
            shares = (_figure(at[key], 3) for key in ("given_reached", "of_blocks"))
            positions.add_row(str(at["position"]), _figure(at["reached"], 0), str(at["accepted"]), *shares)
        show(positions)
    missing = [RECORD["untold_always"], *(RECORD[f"untold_{key}"] for key in shown["untold"])]
    show(RECORD["untold"].format(what="; ".join(missing)))
    if out:
        say.print(f"saved {draw(record).save(out)}")


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
