"""Whoever comes for the first time: the tests of the other folders are of those who have been here."""

from contextlib import ExitStack

import pytest

from ..conftest import faultless


@pytest.fixture
def newcomer(browser, opening):
    """Open the page as it is served in a browser that was never here; nothing goes wrong on it."""
    with ExitStack() as visits:

        def come(query: str = "", width: int = 1440, height: int = 900, **media):
            context = visits.enter_context(browser.new_context(viewport={"width": width, "height": height}, **media))
            page = visits.enter_context(faultless(context.new_page()))
            page.goto(f"{opening}{query}")
            return page

        yield come
