"""The server's own files: in one folder, bounded, and none of a server that was killed."""

import os
import tempfile

import pytest

from specviz.page.scratch import Scratch, _files


@pytest.fixture(autouse=True)
def put_back(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def fill(scratch, *names, size=100):
    for age, name in enumerate(reversed(names)):
        path = scratch.folder / "sent" / name / "specviz-run.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(size))
        os.utime(path, (1000 - age, 1000 - age))


def left(scratch):
    return sorted(path.parent.name for path in (scratch.folder / "sent").rglob("*.jsonl"))


def test_what_a_killed_server_left_is_gone_when_it_starts_again(tmp_path, monkeypatch):
    first = Scratch(7860)
    fill(first, "half")
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    other = Scratch(7861)
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    assert left(Scratch(7860)) == [] and other.folder.is_dir()  # another port is another server


def test_gradio_and_python_keep_their_files_there():
    scratch = Scratch(7860)
    assert os.environ["GRADIO_TEMP_DIR"].startswith(str(scratch.folder))
    assert tempfile.mkdtemp().startswith(str(scratch.folder))


def test_the_oldest_copies_go_until_the_rest_is_within_the_bound():
    scratch = Scratch(7860, most=250)
    fill(scratch, "oldest", "older", "newer", "newest")
    folder = tempfile.mkdtemp()
    scratch.sweep()
    assert left(scratch) == ["newer", "newest"] and os.path.isdir(folder)


def test_of_tiny_files_no_more_stay_than_the_bound(monkeypatch):
    monkeypatch.setattr("specviz.page.scratch.SCRATCH_FILES", 3)
    scratch = Scratch(7860)
    fill(scratch, *(f"tiny{n}" for n in range(10)), size=1)
    scratch.sweep()
    assert left(scratch) == ["tiny7", "tiny8", "tiny9"]
    assert sorted(path.name for path in (scratch.folder / "sent").iterdir()) == left(scratch)  # nor an empty folder


def test_what_an_upload_left_that_never_ended_goes(tmp_path):
    scratch = Scratch(7860)
    fill(scratch, "whole")
    old, new = (scratch.folder / "sent" / name for name in ("tmpold", "tmpnew"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1000, 1000))
    scratch.sweep()
    assert not old.exists() and new.exists() and left(scratch) == ["whole"]


def test_a_server_that_ends_leaves_nothing():
    scratch = Scratch(7860)
    fill(scratch, "a")
    scratch.remove()
    assert not scratch.folder.exists()


def test_nobody_can_make_it_before_and_what_is_somebody_elses_stays(tmp_path):
    theirs, elsewhere = tmp_path / "specviz-7860", tmp_path / "elsewhere"
    theirs.mkdir()
    elsewhere.mkdir()
    (tmp_path / "specviz-7860-link").symlink_to(elsewhere)
    first, second = Scratch(7860), Scratch(7861)
    assert first.folder.parent == tmp_path and first.folder.name != second.folder.name.replace("7861", "7860")
    assert first.folder.stat().st_mode & 0o777 == 0o700 and theirs.is_dir() and elsewhere.is_dir()


def test_a_folder_that_goes_while_files_are_listed_is_no_error(vanishing):
    assert [(size, path.name) for _, size, path in _files(vanishing)] == [(5, "stays")]
