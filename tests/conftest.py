"""Settings of every test: hypothesis draws the same examples each time, and torch computes in one thread (two that share a
core with a browser or another test wait for each other most of the time)."""

import gc
import os
import shutil
import socket
import sys

import pytest
from hypothesis import settings

os.environ["OMP_NUM_THREADS"] = os.environ["SPECVIZ_THREADS"] = "1"
os.environ["SPECVIZ_FETCH"] = "none"  # what lies in the cache of whoever runs the tests changes none of them, and none fetches

settings.register_profile("same", derandomize=True, deadline=None, database=None, max_examples=200)
settings.register_profile("quick", settings.get_profile("same"), max_examples=20)  # make quick asks for it
settings.load_profile("same")

import torch  # noqa: E402 (after the number of threads)

if not torch.cuda.is_available():  # before anything imports Triton: without a GPU its kernels are interpreted (test_kernels.py)
    os.environ["TRITON_INTERPRET"] = "1"


def pytest_addoption(parser):
    parser.addoption(
        "--full", action="store_true", help="the tests marked full too: whole products, other processors' code, minutes of work"
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """As many as there are cores: each takes half a minute of a processor to begin, and a gigabyte, so four at most."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else min(4, os.cpu_count() or 1)


def pytest_collection_modifyitems(config, items):
    if config.getoption("full"):
        return
    full = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=full)
    items[:] = [item for item in items if item not in set(full)]


@pytest.fixture(autouse=True, scope="module")
def what_is_there_stays():
    """Runs and tests collect garbage. What was imported and made before need not be searched each time: half a second and more."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """User and system time of this process and of all that it waited for: workers, browsers, servers."""
    terminalreporter.write_line(f"processor time: {sum(os.times()[:4]):.0f} s")


def pytest_unconfigure():
    gc.unfreeze()  # else Triton's bindings report all of it as leaked when the process ends


@pytest.fixture(autouse=True)
def brief_races(monkeypatch):
    """What a test asks of a race is not how fast it was, nor what ran before it."""
    if race := sys.modules.get("specviz.engine.race"):
        monkeypatch.setattr(race, "WARM_UP_SECONDS", 0.05)
        monkeypatch.setattr(race, "STILL_WARM_SECONDS", 0.0)
        monkeypatch.setattr(race, "REPEAT_SECONDS", 0.0)


@pytest.fixture
def no_network(monkeypatch):
    """Any attempt to reach another machine fails at once."""

    def refuse(*_, **__):
        raise AssertionError("this test reached for the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="module")
def as_on_a_device():
    """There PyTorch draws and decides: what is compiled for a host looks at values, and has its own last bits (test_rows.py)."""
    from specviz.engine import sampling

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "_rows", lambda: None)
        yield


@pytest.fixture(scope="module")
def with_tensors():
    """Logits come as tensors, by which they are compared with those of transformers."""
    from specviz.engine.models.llama import LlamaSequence

    append = LlamaSequence.append
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LlamaSequence, "append", lambda self, *ids, **how: torch.as_tensor(append(self, *ids, **how)))
        yield


@pytest.fixture
def vanishing(tmp_path, monkeypatch):
    """A folder whose subfolder `goes` is deleted by somebody else between being listed and being opened."""
    (tmp_path / "goes").mkdir()
    (tmp_path / "goes" / "one").write_bytes(b"1")
    (tmp_path / "stays").write_bytes(b"12345")
    scan = os.scandir

    def scandir(place):
        if str(place) == str(tmp_path / "goes"):
            shutil.rmtree(place, ignore_errors=True)
        return scan(place)

    monkeypatch.setattr(os, "scandir", scandir)
    return tmp_path
