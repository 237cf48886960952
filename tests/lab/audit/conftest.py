import pytest

from specviz.engine import repeats

from .runs import made


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module", autouse=True)
def _few_repeats():
    """They take a second otherwise, of every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "SECONDS", 0.1)
        yield
