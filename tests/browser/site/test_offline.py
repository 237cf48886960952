"""The site without a connection, and in a browser that gives it less than it asks for."""

import pytest
from playwright.sync_api import expect

from ..person import reach

pytestmark = pytest.mark.browser


KEPT = """async () => {
  const kept = await caches.open((await caches.keys())[0]);
  const sizes = (await kept.keys()).map(async ({ url }) => [url, (await (await kept.match(url)).arrayBuffer()).byteLength]);
  return Object.fromEntries(await Promise.all(sizes));
}"""


@pytest.fixture
def fresh(browser):
    with browser.new_context(reduced_motion="reduce") as context:
        yield context.new_page()


def test_a_second_visit_needs_no_connection_and_only_files_of_the_site_are_kept(fresh, site):
    page = fresh
    page.goto(site)
    page.evaluate("navigator.serviceWorker.ready")
    page.reload()
    page.context.set_offline(True)
    page.goto(f"{site}?recorded=hot")
    expect(page.locator("#status")).to_contain_text("Temperature 1.5")
    page.goto(f"{site}?chapter=3")
    expect(page.locator("#lrn-title")).to_be_visible()
    page.locator("#lab-tab-button").click()
    expect(page.locator(".lab-picture svg").first).to_be_visible()
    page.locator("#watch-button").click()
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text("its files did not come")
    page.context.set_offline(False)
    kept = page.evaluate("async () => (await (await caches.open((await caches.keys())[0])).keys()).map((one) => one.url)")
    assert all(url.startswith(site) for url in kept) and not any("/models/" in url for url in kept)


def test_all_that_comes_before_a_run_is_chosen_has_at_most_2250_kb(fresh, site):
    bodies = []
    fresh.context.on("requestfinished", lambda one: bodies.append((one.url, one.sizes()["responseBodySize"])))
    fresh.goto(site)
    fresh.evaluate("navigator.serviceWorker.ready")
    fresh.wait_for_load_state("networkidle")
    assert sum(size for _, size in bodies) <= 2.25e6
    assert not [url for url, _ in bodies if "/models/" in url or "/engine/" in url]
    kept = fresh.evaluate(KEPT)
    assert f"{site}handout.json" in kept and sum(kept.values()) <= 2.25e6


def test_after_a_run_the_browser_decodes_without_a_connection(fresh, site):
    page = fresh
    page.goto(site)
    page.evaluate("navigator.serviceWorker.ready")
    page.reload()
    for offline in (False, True):
        page.context.set_offline(offline)
        page.goto(f"{site}?length=8&drafter=lookup")
        expect(page.locator("#status")).to_contain_text("The link filled in")
        page.locator("#run").click()
        expect(page.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)


def test_a_visitor_who_leaves_while_models_come_leaves_no_part_of_a_file(fresh, site, folder):
    fresh.goto(site)
    fresh.evaluate("navigator.serviceWorker.ready")
    fresh.goto(f"{site}?length=8&drafter=lookup")
    expect(fresh.locator("#status")).to_contain_text("The link filled in")
    with fresh.expect_request("**/model-00001*"):
        fresh.locator("#run").click()
    fresh.goto(f"{site}?length=8&drafter=lookup")
    expect(fresh.locator("#status")).to_contain_text("The link filled in")
    fresh.locator("#run").click()
    expect(fresh.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)
    for url, size in fresh.evaluate(KEPT).items():
        assert (folder / (url.removeprefix(site) or "index.html")).stat().st_size == size


def test_without_a_worker_the_rest_of_the_site_goes_on(fresh, site):
    wrong = []
    fresh.on("pageerror", lambda error: wrong.append(str(error)))
    fresh.add_init_script("delete window.Worker")
    fresh.goto(f"{site}?length=8&drafter=lookup")
    expect(fresh.locator("#status")).to_contain_text("The link filled in")
    fresh.locator("#run").click()
    expect(fresh.locator("#status")).to_contain_text("This browser gives the page no worker to decode in.", timeout=30_000)
    reach(fresh, "#recorded").select_option("hot")
    expect(fresh.locator("#status")).to_contain_text("Temperature 1.5")
    assert wrong == []
