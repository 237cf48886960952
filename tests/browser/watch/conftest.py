"""What a person sees and does in a race is tested on its components alone; where the app itself matters, a test asks for `visit`."""

import pytest

from ..conftest import opened


@pytest.fixture
def still(watched, components):
    """The components without Gradio, for a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    return opened(watched, components)


@pytest.fixture
def moving(watched, components):
    return opened(watched, components)


@pytest.fixture
def visit(watched, app):
    """The app, for a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    return opened(watched, app)
