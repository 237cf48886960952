"""specviz print --out pack.html"""

from pathlib import Path
from typing import Annotated

import typer

from .saving import check_out
from .terminal import say


def print_pack(out: Annotated[Path, typer.Option(help="File to write, HTML to print or to save as PDF.")]):
    """The teacher's pack of Learn: definitions, work sheets, plan, notes and keys, in one file."""
    from ..page.keep.recorded import load
    from ..page.learn.lesson import excerpts
    from ..page.learn.pack import pack

    check_out(out)
    out.write_text(pack(excerpts(load)), "utf-8")
    say.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")
