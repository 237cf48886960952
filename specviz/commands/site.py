"""specviz site --out site/"""

from pathlib import Path
from typing import Annotated

import typer

from .terminal import console


def site(
    out: Annotated[Path, typer.Option(help="Folder to write: a new one, or an earlier site.")] = Path("site"),
    app: Annotated[str, typer.Option(help="Address of the app with a server: the README links it.")] = "",
):
    """Write the page as files for any web server: recorded runs, Learn, the Lab, and decoding in the visitor's own browser."""
    from ..site.build import build

    size = build(out, app)
    console.print(f"saved {out} ({size / 1e6:.0f} MB); to look at it: python -m http.server --directory {out}", soft_wrap=True)
