"""Whoever comes for the first time: the tests of the other folders are of those who have been here."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def newcomer(browser, opening):
    """A tab of a browser that was never here, on the page as it is served; nothing may fail in it."""
    wrong, made = [], []

    def come(query: str = "", width: int = 1440, height: int = 900, **media):
        context = browser.new_context(viewport={"width": width, "height": height}, **media)
        made.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.set_default_timeout(30_000)
        expect.set_options(timeout=20_000)
        page.goto(f"{opening}{query}")
        return page

    yield come
    for context in made:
        context.close()
    assert not wrong
