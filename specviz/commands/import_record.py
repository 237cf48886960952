"""specviz import metrics.txt --out record.html

specviz import --counts '{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3}'
"""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from ..config import ConfigError
from ..picture.words import BY_POSITION, RECORD
from ..trace.records.counts import loads
from ..trace.records.difference import difference
from ..trace.records.document import FILE_LIMIT
from ..trace.records.read import read
from ..trace.records.record import OtherEngine, RecordError, ServerRecord
from .decision import CardDraft, CardTarget, CostOptions, decision, show_decision
from .saving import check_out
from .terminal import console, print_json, show

DIGITS = {
    "steps": 0,
    "drafted": 0,
    "accepted": 0,
    "accepted_of_drafted": 3,
    "drafted_per_step": 2,
    "tokens_per_step": 2,
    "tokens_per_second": 1,
}
CostsFile = Annotated[Path | None, typer.Option(help="For the best K: a file that make costs wrote.")]


def import_record(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="A log, a metrics page, responses, or a benchmark's result (docs/records.md). Of two metrics pages the difference is read."
        ),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            help="Five numbers of any other engine: steps, drafted, accepted, K, accepted_by_position. "
            "JSON, a file with it, or - for standard input."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="HTML file to write, with the record drawn.")] = None,
    vanilla: Annotated[
        float | None,
        typer.Option(min=0.001, max=1e9, help="Tokens per second of the same server without drafts. Then a speedup is shown."),
    ] = None,
    c: Annotated[
        float | None, typer.Option(min=0, max=100, help="For the best K: the time of a draft step, in target passes.")
    ] = None,
    v: Annotated[
        float | None,
        typer.Option(min=0.01, max=100, help="With --c: the time of a pass over the recorded block, in target passes."),
    ] = None,
    costs: CostsFile = None,
    card: Annotated[
        str | None, typer.Option(help="For the best K: a GPU whose published figures are used, such as h100.")
    ] = None,
    target: CardTarget = None,
    draft: CardDraft = None,
    context: Annotated[
        int | None,
        typer.Option(min=0, max=10**7, help="With --card: tokens of context in each request. By default 2048."),
    ] = None,
    at_once: Annotated[
        list[int] | None,
        typer.Option("--at", min=1, help="Requests at the same time. May be given again with --card or --costs."),
    ] = None,
    min_acceptance: Annotated[
        float | None, typer.Option(min=0, max=1, help="Exit with code 1 if a smaller share of the drafted tokens was accepted.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
):
    """Read what another engine reported about its speculative decoding: counts, acceptance by position, and which K pays."""
    from ..picture.frame import show as draw
    from ..picture.record import record_picture

    if out:
        check_out(out)
    options = CostOptions(c, v, costs, card, target, draft, context, tuple(sorted(set(at_once or ()))))
    if counts is not None and files:
        raise ConfigError("files", f"{len(files)} of them", "left out beside --counts")
    record = _counted(counts) if counts is not None else _read(files or [])
    picture = record_picture(record)
    result = decision(record, picture["evidence"], options) if options.has_costs else None
    if as_json:
        print_json({**picture, "decision": result})
    else:
        show_record(picture, vanilla)
        if result:
            show_decision(result, record.engine)
    if out:
        console.print(f"saved {draw(record).save(out)}")
    if min_acceptance is not None:
        check_acceptance(picture["totals"]["accepted_of_drafted"], min_acceptance)


def _read(files: list[Path]) -> ServerRecord:
    """The record of one file, or the difference of two."""
    if not 1 <= len(files) <= 2:
        raise ConfigError("files", f"{len(files)} of them", "one record, or two metrics pages of one server, or --counts")
    records = []
    for file in files:
        try:
            records.append(read(file, fresh=len(files) == 2))
        except OtherEngine as error:
            raise RecordError(f"{file}: {error} (--counts)") from None
        except RecordError as error:
            raise RecordError(f"{file}: {error}") from None
    return difference(*records) if len(records) == 2 else records[0]


def _counted(text: str) -> ServerRecord:
    """`text`: JSON, the path of a file with it, or - for standard input."""
    if text.lstrip().startswith("{"):
        return loads(text.encode())
    if text == "-":
        return loads(sys.stdin.buffer.read(FILE_LIMIT + 1))
    try:
        with Path(text).open("rb") as file:
            return loads(file.read(FILE_LIMIT + 1))
    except (OSError, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise ConfigError("counts", text, "JSON that begins with {, a file that can be read, or -") from None


def check_acceptance(share: float | None, least: float) -> None:
    """Exit code 1 below the bound. ConfigError where the record has no share."""
    if share is None:
        raise ConfigError("min_acceptance", least, "left out: the record has no accepted ÷ drafted")
    if share < least:
        console.print(f"accepted ÷ drafted is {share:.3f}, below {least:g}", style="red")
        raise typer.Exit(1)


def show_record(picture: dict, vanilla: float | None = None) -> None:
    """`picture`: what `record_picture` gave."""
    totals = picture["totals"]
    numbers = Table(title=RECORD["title"].format(engine=picture["engine"]), show_header=False, box=SIMPLE)
    for key, digits in DIGITS.items():
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
