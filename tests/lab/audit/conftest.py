import pytest

from specviz.engine import race

from .runs import save_models


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return save_models(tmp_path_factory.mktemp("models"))


@pytest.fixture(autouse=True)
def three_runs(brief_races, monkeypatch):
    """Each race is run three times, however fast the machine is: a trace has repeats."""
    monkeypatch.setattr(race, "REPEAT_SECONDS", 1e9)
    monkeypatch.setattr(race, "MAX_RUNS", 3)
