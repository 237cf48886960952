"""specviz import metrics.txt --out record.html"""

from pathlib import Path
from typing import Annotated

import typer

from ..config import ConfigError
from .decision import CardDraft, CardTarget, CostOptions, Why, check_why, decision, show_causes, show_decision
from .saving import check_out
from .terminal import console, print_json

CostsFile = Annotated[Path | None, typer.Option(help="For the best K: a file that make costs wrote.")]


def import_record(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A log, a metrics page, responses, or a benchmark's result (docs/records.md). Of two metrics pages the difference is read."
        ),
    ],
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
    why: Why = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
):
    """Read what another engine reported about its speculative decoding: counts, acceptance by position and over time, and which K pays."""
    from ..picture.frame import show as draw
    from ..picture.record import record_picture
    from ..trace.records.difference import difference
    from ..trace.records.read import read
    from ..trace.records.record import RecordError
    from .server_record import show_record

    if out:
        check_out(out)
    check_why(why)
    options = CostOptions(c, v, costs, card, target, draft, context, tuple(sorted(set(at_once or ()))))
    if len(files) > 2:
        raise ConfigError("files", f"{len(files)} of them", "one record, or two metrics pages of one server")
    records = []
    for file in files:
        try:
            records.append(read(file, fresh=len(files) == 2))
        except RecordError as error:
            raise RecordError(f"{file}: {error}") from None
    record = difference(*records) if len(records) == 2 else records[0]
    picture = record_picture(record)
    result = decision(record, picture["evidence"], options) if options.has_costs else None
    if as_json:
        print_json({**picture, "decision": result})
    else:
        show_record(picture, vanilla)
        if result:
            show_decision(result, record.engine)
        if why:
            show_causes(picture["totals"]["accepted_of_drafted"], picture["K"], picture["at_once"], why)
    if out:
        console.print(f"saved {draw(record).save(out)}")
    if min_acceptance is not None:
        check_acceptance(picture["totals"]["accepted_of_drafted"], min_acceptance)


def check_acceptance(share: float | None, least: float) -> None:
    """Exit code 1 below the bound. ConfigError where the record has no share."""
    if share is None:
        raise ConfigError("min_acceptance", least, "left out: the record has no accepted ÷ drafted")
    if share < least:
        console.print(f"accepted ÷ drafted is {share:.3f}, below {least:g}", style="red")
        raise typer.Exit(1)
