import pytest

from .runs import made


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("models"))
