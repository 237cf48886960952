"""What a person sees and does in a race is tested on its components alone; where the app itself matters, a test asks for `visit`."""

import pytest

from ..conftest import opened


@pytest.fixture
def still(quiet, components):
    """The components without Gradio, for a visitor who wants no motion."""
    return opened(quiet, components)


@pytest.fixture
def moving(watched, components):
    return opened(watched, components)


@pytest.fixture
def visit(quiet, app):
    """The app, for a visitor who wants no motion."""
    return opened(quiet, app)
