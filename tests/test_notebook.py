"""The notebooks of docs/ run as they stand, and what is stored of them is a real run, without the frames."""

import nbformat
import pytest

from scripts.notebook import PATHS, run, without_frames

FRAMES = {"notebook": 2, "assisted": 1}


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def stored(path):
    return nbformat.read(path, as_version=4)


def code(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.full
@pytest.mark.timeout(300)
def test_every_cell_runs_and_says_what_is_stored_of_it(path, stored, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fresh = run(path)
    frames = [
        output.data["text/html"] for cell in code(fresh) for output in cell.outputs if "text/html" in output.get("data", {})
    ]
    assert len(frames) == FRAMES[path.stem] and all('<iframe title="specviz: fable' in html for html in frames)
    assert outline(without_frames(fresh)) == outline(stored)


def outline(notebook) -> list:
    """What a cell gave, without what differs from machine to machine: numbers, and the tokens that they decide."""
    outputs = [[(o.output_type, o.get("name"), sorted(o.get("data", {}))) for o in cell.outputs] for cell in code(notebook)]
    return [(cell.source, cell.execution_count, kinds) for cell, kinds in zip(code(notebook), outputs, strict=True)]


def test_it_is_stored_as_it_was_run_from_top_to_bottom_and_without_frames(path, stored):
    assert [cell.execution_count for cell in code(stored)] == list(range(1, len(code(stored)) + 1))
    assert all(cell.outputs for cell in code(stored))
    assert not [o for cell in code(stored) for o in cell.outputs if o.output_type == "error" or "text/html" in o.get("data", {})]
    assert path.stat().st_size < 20_000
    nbformat.validate(stored)


def test_the_picture_that_stands_for_the_frames_is_there(path, stored):
    linked = [cell.source.partition("](")[2].partition(")")[0] for cell in stored.cells if "](" in cell.source]
    assert linked and all((path.parent / link).is_file() for link in linked)
