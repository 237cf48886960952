"""specviz print --out pack.html"""

from pathlib import Path
from typing import Annotated

import typer

from .saving import check_out
from .terminal import console


def print_pack(
    out: Annotated[Path, typer.Option(help="File to write, HTML to print or to save as PDF.")],
    sheet: Annotated[bool, typer.Option("--sheet", help="The student's sheet of two pages, not the teacher's pack.")] = False,
):
    """Write the teacher's pack of Learn: glossary, work sheets, plan, notes and keys. Or the student's sheet."""
    from ..page.learn.lesson import excerpts
    from ..page.learn.pack import pack
    from ..page.learn.pack import sheet as students_sheet

    check_out(out)
    html = (students_sheet if sheet else pack)(excerpts())
    out.write_text(html, "utf-8")
    console.print(f"saved {out} ({out.stat().st_size / 1e3:.0f} kB)")
