"""An assistant on the site, a tiny one: nothing of it comes before it is asked for, then its parts once, each as its hash says."""

from functools import partial

import pytest
from playwright.sync_api import expect

from specviz.engine import browser as parts
from specviz.site.build import build

from ... import tiny_gguf
from ..conftest import files_of
from .conftest import LATE, first_visit, says

PART = "**/assistant/*.bin"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The address of a site with an assistant in some parts."""
    folder = tmp_path_factory.mktemp("assistant")
    with pytest.MonkeyPatch.context() as patch, files_of(folder / "site") as address:
        patch.setenv("SPECVIZ_GGUF", "blocks")
        patch.setattr(parts, "PART_BYTES", 1_000_000)
        target, draft = tiny_gguf.with_head(folder, None)
        build(folder / "site", assistant=partial(parts.write, target=target, draft=draft))
        yield address


@pytest.fixture
def page(browser, asked):
    with first_visit(browser, asked) as page:
        page.asked = []  # of the server
        page.context.on("request", lambda one: page.asked.append(one.url) if one.service_worker else None)
        page.goto(f"{asked}?length=8")
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("() => navigator.serviceWorker.controller")
        yield page


def ask(page, sentence="Decoded in this browser") -> None:
    page.locator("#assistant").click()
    says(page, sentence, timeout=LATE)


def test_it_comes_when_it_is_asked_for_once_and_answers_without_a_connection_the_next_time(page):
    offer = page.locator("#assistant")
    expect(offer).to_have_text("Ask an assistant, tiny: 3 MB, once")
    assert not [url for url in page.asked if "/assistant/" in url or "blocks" in url]
    ask(page)
    parts = [url for url in page.asked if url.endswith(".bin")]
    assert len(parts) == len(set(parts)) > 2
    expect(page.get_by_role("link", name="Chapter 11")).to_be_visible()
    expect(page.locator("#K-field")).to_have_value("1")
    page.context.set_offline(True)
    page.reload()
    ask(page)
    page.context.set_offline(False)
    offer.click()
    expect(page.locator("#run-note")).to_contain_text("It first fetches 24 MB")


@pytest.mark.parametrize("times", [1, 2])
def test_a_part_with_another_hash_is_asked_for_once_more_alone(page, times):
    broken = []

    def answer(route):
        if len(broken) < times and (not broken or route.request.url == broken[0]):
            broken.append(route.request.url)
            return route.fulfill(body=bytes(1_000_000))
        return route.continue_()

    page.context.route(PART, answer)
    ask(page, "Decoded in this browser" if times == 1 else "came 2 times with other bytes than its hash says. Try again later.")
    page.context.unroute_all()


def test_stop_ends_a_fetch_and_a_browser_that_saves_data_fetches_nothing(page):
    page.context.route(PART, lambda route: None)
    page.evaluate("navigator.storage.estimate = async () => ({ quota: 5e6, usage: 4e6 })")
    page.locator("#assistant").click()
    says(page, "Fetching the models", timeout=LATE)
    expect(page.locator("#run-note")).to_contain_text("This browser has no room to keep the assistant")
    page.locator("#stop").click()
    expect(page.locator("#run")).to_be_enabled()
    page.context.unroute_all()
    page.evaluate("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    page.locator("#assistant").click()
    page.locator("#assistant").click()
    says(page, "This browser saves data")
