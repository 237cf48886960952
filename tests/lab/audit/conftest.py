import pytest

from specviz.engine import repeats

from .runs import made


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def three_runs(brief_races, monkeypatch):
    """Each race is run three times, however fast the machine is: a trace has repeats."""
    monkeypatch.setattr(repeats, "SECONDS", 1e9)
    monkeypatch.setattr(repeats, "MOST", 3)
