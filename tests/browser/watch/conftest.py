"""What a person sees and does in a race is tested on its components alone; where the app itself matters, a test asks for `visit`."""

import pytest

from ..conftest import opened


@pytest.fixture
def still(quiet, components):
    return opened(quiet, components)


@pytest.fixture
def moving(watched, components):
    return opened(watched, components)


@pytest.fixture
def visit(quiet, app):
    return opened(quiet, app)
