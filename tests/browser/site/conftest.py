"""The site on a plain server of files, and a visitor's tab that stays open: nothing may leave the site, no script may fail."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from specviz.site.build import build

from ..conftest import faultless, files_of

LATE = 30_000  # ms: models are fetched first


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "site"
    build(out)
    return out


@pytest.fixture(scope="session")
def site(folder):
    with files_of(folder) as address:
        yield address


@pytest.fixture
def visit(watched, site):
    watched.emulate_media(reduced_motion="reduce")

    def go(query: str = ""):
        watched.goto(site + query)
        return watched

    return go


@contextmanager
def first_visit(browser, site, **settings):
    """A tab of a browser that was never here. No script of it fails, nobody else is asked."""
    with (
        browser.new_context(reduced_motion="reduce", **settings) as context,
        faultless(context.new_page(), (site, "data:", "blob:"), console=False) as page,
    ):
        yield page


def says(page: Page, sentence, **how) -> None:
    expect(page.locator("#status")).to_contain_text(sentence, **how)


def follow(page: Page, address: str, length=8, drafter="lookup") -> None:
    page.goto(f"{address}?length={length}&drafter={drafter}")
    says(page, "The link filled in")


def decode(page: Page) -> None:
    page.locator("#run").click()
    says(page, "Decoded in this browser", timeout=LATE)


def open_file(page: Page, data: bytes, sentence="The run of the file is shown") -> None:
    page.locator("#watch input[type=file]").set_input_files({"name": "x.jsonl", "mimeType": "text/plain", "buffer": data})
    says(page, sentence)
