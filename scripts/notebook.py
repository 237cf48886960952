"""Runs the notebooks of docs/ from top to bottom and keeps what they printed: python -m scripts.notebook, or make notebook.

A replay is a frame of some 300 kB that GitHub does not draw, so of each only the line that says what it is is kept.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from .server import ROOT

PATHS = tuple(ROOT / "docs" / f"{name}.ipynb" for name in ("notebook", "assisted"))


def run(path: Path) -> NotebookNode:
    """The notebook, run in a kernel of this environment from the root of the checkout. CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    here = {"metadata": {"path": str(ROOT)}}
    NotebookClient(notebook, timeout=240, kernel_name="python3", coalesce_streams=True, resources=here).execute()
    return notebook


def without_frames(notebook: NotebookNode) -> NotebookNode:
    """The same without frames, without what libraries warn of, and without the times at which its cells ran."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                output.get("data", {}).pop("text/html", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    return notebook


if __name__ == "__main__":
    for path in PATHS:
        nbformat.write(without_frames(run(path)), path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB")
