"""specviz audit run.jsonl"""

from pathlib import Path
from typing import Annotated

import typer

from .options import FOLDERS
from .terminal import say, show, show_json, table


def audit(
    file: Annotated[Path, typer.Argument(help="A saved trace, also packed by gzip.")],
    target: Annotated[
        str | None, typer.Option(help="Folder or hub id of the target. By default the bundled model that the trace names.")
    ] = None,
    draft: Annotated[str | None, typer.Option(help=f"The same for the drafter. {FOLDERS} may stand before it.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 also if anything could not be redone.")] = False,
):
    """Redo a trace with transformers alone: every p, q, uniform, verdict, draw and cache length. Exit code 1 if anything is wrong."""
    from ..lab.audit.audit import audit, opened

    with say.status("redoing the trace") as status:
        ledger = audit(opened(file), target, draft, now=lambda where: status.update(f"redoing the trace: {where}"))
    found = table("what was redone", "times", "wrong", "largest error", left=("what was redone",), padding=(0, 1, 0, 0))
    for what, times, wrong, error in ledger.rows():
        found.add_row(what, str(times), str(wrong), "" if error is None else f"{error:.1e}")
    show(found)
    for one in ledger.told():
        show(f"wrong: {one}", soft_wrap=True)
    for one, times in ledger.skipped.items():
        show(f"not redone: {one} ({times} times)" if times > 1 else f"not redone: {one}", soft_wrap=True)
    show_json(ledger.summary())
    raise typer.Exit(1 if ledger.wrong or (strict and ledger.skipped) else 0)
