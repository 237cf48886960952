"""specviz audit run.jsonl"""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from .options import FOLDERS
from .terminal import console, print_json, show, table


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
    from ..trace.divergence import divergence_note

    if target == assistant.KEY or (target is None and trace.header.target.name == assistant.NAME):
        target = str(model_path(assistant.KEY))
    with console.status("redoing the trace") as status, ExitStack() as stack:
        header = trace.header
        target = _weights_folder(stack, target, header.target.dtype)
        draft = _weights_folder(stack, draft, header.draft.dtype if header.draft else "")
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


def _weights_folder(stack: ExitStack, name: str | None, dtype: str) -> str | None:
    """Where a model is that was named, whose weights a run held as `dtype`; of a GGUF file a folder that transformers wrote from it, for as long as the `stack` is open."""
    if name is None:
        return None
    file = Path(name).expanduser()
    if file.is_dir() and not (file / "config.json").is_file() and len(files := [*file.glob("*.gguf")]) == 1:
        file = files[0]
    if not file.is_file():
        return name
    from ..lab.audit.gguf import folder_of_gguf

    return str(stack.enter_context(folder_of_gguf(file, dtype)))
