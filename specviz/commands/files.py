"""Commands that read a file.

specviz import metrics.txt --out record.html
specviz import --counts '{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3}'
specviz audit run.jsonl
"""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table

from ..config import ConfigError
from ..picture.record import costs_from, decide, flag_for, widest
from ..trace.events import ModelInfo
from ..trace.records.document import FILE_LIMIT
from ..trace.records.read import counts, read
from ..trace.records.record import OtherEngine, RecordError, ServerRecord, difference
from ..words import picture as words
from .terminal import FOLDERS, check_out, console, print_json, show, table

DIGITS = {
    "steps": 0,
    "drafted": 0,
    "accepted": 0,
    "accepted_of_drafted": 3,
    "drafted_per_step": 2,
    "tokens_per_step": 2,
    "tokens_per_second": 1,
}


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
    c: Annotated[
        float | None, typer.Option(min=0, max=100, help="For the best K: the time of a draft step, in target passes.")
    ] = None,
    v: Annotated[
        float | None,
        typer.Option(min=0.01, max=100, help="With --c: the time of a pass over the recorded block, in target passes."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
):
    """Read what another engine reported about its speculative decoding: counts, acceptance by position, and which K pays."""
    from ..picture.frame import show as draw
    from ..picture.record import record_picture

    if out:
        check_out(out)
    if (c is None) != (v is None):
        name, value, other = ("c", c, "v") if v is None else ("v", v, "c")
        raise ConfigError(name, value, f"given together with --{other}")
    if counts is not None and files:
        raise ConfigError("files", f"{len(files)} of them", "left out beside --counts")
    record = _counted(counts) if counts is not None else _read(files or [])
    picture = record_picture(record)
    result = None if c is None or v is None else decision(record, picture["evidence"], c, v)
    if as_json:
        print_json({**picture, "decision": result})
    else:
        show_record(picture)
        if result:
            show_decision(result, record.engine)
    if out:
        console.print(f"saved {draw(record).save(out)}")


def decision(record: ServerRecord, evidence: dict, c: float, v: float) -> dict:
    """`evidence`: the record's. JSON's own types: what `decide` says, the flag, what is assumed, what to measure next."""
    if evidence["missing"]:
        return {"missing": evidence["missing"], "said": words.DECISION[f"missing_{evidence['missing']}"]}
    K, costs = evidence["measured"], costs_from(evidence["measured"], c, v)
    result = decide(evidence, costs)
    values = {"measured": K, "limit": len(evidence["middle"]), "block": K + 1}
    assumed = [words.DECISION[f"assumed_{key}"].format(**values) for key in (*evidence["assumed"], "line", "load")]
    next_ = words.DECISION[f"next_{widest(evidence, costs)}"] if result["verdict"] == "open" else None
    return {"missing": None, "K": K, **result, "flag": flag_for(record.engine, result["best"]), "assumed": assumed, "next": next_}


def show_decision(result: dict, engine: str) -> None:
    if result["missing"]:
        show(result["said"], soft_wrap=True)
        return
    answer = Table(title=words.DECISION["title"], caption=words.DECISION["interval_is"], show_header=False, box=SIMPLE)
    answer.add_row(words.DECISION["best"], f"{result['best']} ({result['Ks'][0]}–{result['Ks'][1]})")
    for name in ("speedup", "now"):
        low, middle, high = result[name]
        answer.add_row(words.DECISION[name].format(K=result["K"]), f"{middle:.2f} ({low:.2f}–{high:.2f})")
    answer.add_row(words.DECISION["verdict"], words.DECISION[f"verdict_{result['verdict']}"])
    show(answer)
    flag = f"{words.DECISION['flag']} {result['flag']}" if result["flag"] else words.DECISION["flag_none"]
    show(flag.replace("{engine}", engine), soft_wrap=True)
    show(words.DECISION["assumed"].format(what="; ".join(result["assumed"])), soft_wrap=True)
    if result["next"]:
        show(words.DECISION["next"].format(what=result["next"]), soft_wrap=True)


def _read(files: list[Path]) -> ServerRecord:
    """The record of one file, or the difference of two."""
    if not 1 <= len(files) <= 2:
        raise ConfigError(
            "files", f"{len(files)} files", "one record, or two metrics pages of one server, or --counts instead of them"
        )
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
        return counts(text.encode())
    if text == "-":
        return counts(sys.stdin.buffer.read(FILE_LIMIT + 1))
    try:
        with Path(text).open("rb") as file:
            return counts(file.read(FILE_LIMIT + 1))
    except (OSError, ValueError) as error:
        if isinstance(error, RecordError):
            raise
        raise ConfigError("counts", text, "JSON that begins with {, a file that can be read, or -") from None


def show_record(picture: dict) -> None:
    """`picture`: what `record_picture` gave."""
    totals = picture["totals"]
    numbers = Table(title=words.RECORD["title"].format(engine=picture["engine"]), show_header=False, box=SIMPLE)
    for key, digits in DIGITS.items():
        numbers.add_row(words.RECORD[key], number_text(totals[key], digits))
    if totals["tokens_per_pass"] is not None:
        numbers.add_row(words.RECORD["tokens_per_pass"], number_text(totals["tokens_per_pass"], 2))
    for key in ("K", "at_once"):
        if picture[key] is not None:
            numbers.add_row(words.RECORD[key], f"{picture[key]:g}")
    show(numbers)
    for key, values in picture["notes"]:
        show(words.RECORD[f"note_{key}"].format(**values), soft_wrap=True)
    for at in picture["tables"]:
        tokens = number_text(at["tokens_per_step"], 2)
        show(
            f"{words.RECORD['table_K'].format(**at)}: {words.RECORD['table_is'].format(**{**at, 'tokens': tokens})}",
            soft_wrap=True,
        )
        if at["positions"]:
            show(_positions(at["positions"]))
    for key, values in picture["means"]:
        show(words.RECORD[f"means_{key}"].format(**values), soft_wrap=True)
    if picture["positions"]:
        show(_positions(picture["positions"]))
    missing = [words.RECORD["untold_always"], *(words.RECORD[f"untold_{key}"] for key in picture["untold"])]
    show(words.RECORD["untold"].format(what="; ".join(missing)))
    if picture["format"]:
        show(words.RECORD["format"].format(format=picture["format"], evidence=picture["evidence_of_format"]), soft_wrap=True)
    if picture["unread"]:
        fields = ", ".join(f"{name} = {value}" for name, value in picture["unread"])
        show(f"{words.RECORD['unread']}: {fields}", soft_wrap=True)


def number_text(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _positions(positions: list[dict]) -> Table:
    rows = Table(box=SIMPLE, caption=words.RECORD["positions_is"])
    for key in ("position", "reached", "accepted", "given_reached", "of_blocks"):
        rows.add_column(words.BY_POSITION[key], justify="right")
    for at in positions:
        shares = (number_text(at[key], 3) for key in ("given_reached", "of_blocks"))
        rows.add_row(str(at["position"]), number_text(at["reached"], 0), str(at["accepted"]), *shares)
    return rows


def audit(
    file: Annotated[Path, typer.Argument(help="A saved trace, also packed by gzip.")],
    target: Annotated[
        str | None,
        typer.Option(help="Folder, GGUF file, or hub id of the target. By default the bundled model that the trace names."),
    ] = None,
    draft: Annotated[str | None, typer.Option(help=f"The same for the drafter. {FOLDERS} may stand before it.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 also if anything could not be redone.")] = False,
):
    """Redo a trace with transformers alone: every p, q, uniform, verdict, draw and cache length. Exit code 1 if anything is wrong."""
    from ..trace.file import read

    trace = read(file)  # before torch and transformers are loaded: what is wrong with a file is said at once
    from ..engine.models import assistant
    from ..engine.models.load import model_path
    from ..lab.audit.audit import audit
    from ..trace.disturbed import divergence_note

    if target == assistant.KEY or (target is None and trace.header.target.name == assistant.NAME):
        target = str(model_path(assistant.KEY))
    with console.status("redoing the trace") as status, ExitStack() as stack:
        header = trace.header
        target = _weights_folder(stack, target, header.target)
        draft = _weights_folder(stack, draft, header.draft)
        ledger = audit(trace, target, draft, progress=lambda where: status.update(f"redoing the trace: {where}"))
    checks = table("what was redone", "times", "wrong", "largest error", left=("what was redone",), padding=(0, 1, 0, 0))
    for what, times, wrong, error in ledger.rows():
        checks.add_row(what, str(times), str(wrong), "" if error is None else f"{error:.1e}")
    show(checks)
    for line in ledger.details():
        show(f"wrong: {line}", soft_wrap=True)
    for line in ledger.not_redone():
        show(f"not redone: {line}", soft_wrap=True)
    if why := divergence_note(trace):
        show(why, soft_wrap=True, markup=False)
    print_json(ledger.summary())
    raise typer.Exit(1 if ledger.wrong or (strict and ledger.skipped) else 0)


def _weights_folder(stack: ExitStack, name: str | None, stated: ModelInfo | None) -> str | None:
    """Where a model is that was named, whose weights a run held as `stated`; of a GGUF file a folder that transformers wrote from
    it, for as long as the `stack` is open."""
    if name is None:
        return None
    file = Path(name).expanduser()
    if file.is_dir() and not (file / "config.json").is_file() and len(files := [*file.glob("*.gguf")]) == 1:
        file = files[0]
    if not file.is_file():
        return name
    from ..lab.audit.checkpoint import folder_of_gguf

    return str(stack.enter_context(folder_of_gguf(file, stated)))
