"""The site without a connection, and in a browser that gives it less than it asks for."""

import pytest
from playwright.sync_api import expect

from ..person import reach
from .conftest import LATE, decode, first_visit, follow, says

CACHED = """async () => {
  const cache = await caches.open((await caches.keys())[0]);
  const sizes = (await cache.keys()).map(async ({ url }) => [url, (await (await cache.match(url)).arrayBuffer()).byteLength]);
  return Object.fromEntries(await Promise.all(sizes));
}"""


@pytest.fixture
def fresh(browser, site):
    with first_visit(browser, site) as page:
        page.goto(site)
        page.evaluate("navigator.serviceWorker.ready")
        yield page


def test_a_second_visit_needs_no_connection_and_only_files_of_the_site_are_cached(fresh, site):
    fresh.reload()
    fresh.context.set_offline(True)
    fresh.goto(f"{site}?recorded=hot")
    says(fresh, "Temperature 1.5")
    fresh.goto(f"{site}?chapter=3")
    expect(fresh.locator("#lrn-title")).to_be_visible()
    fresh.locator("#lab-tab-button").click()
    expect(fresh.locator(".lab-picture svg").first).to_be_visible()
    fresh.locator("#watch-button").click()
    fresh.locator("#run").click()
    says(fresh, "its files did not come")
    fresh.context.set_offline(False)
    assert all(url.startswith(site) and "/models/" not in url for url in fresh.evaluate(CACHED))


def test_all_that_comes_before_a_run_is_chosen_has_at_most_2250_kb(browser, site):
    bodies = []
    with first_visit(browser, site) as page:
        page.context.on("requestfinished", lambda one: bodies.append((one.url, one.sizes()["responseBodySize"])))
        page.goto(site)
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_load_state("networkidle")
        expect(page.locator("#run-note")).to_have_text("Run decodes in this browser. It first fetches 24 MB of models, once.")
        cached = page.evaluate(CACHED)
    assert sum(size for _, size in bodies) <= 2.25e6
    assert not [url for url, _ in bodies if "/models/" in url or "/engine/" in url]
    assert f"{site}handout.json" in cached and sum(cached.values()) <= 2.25e6


def test_after_a_run_the_browser_decodes_without_a_connection(fresh, site):
    for offline in (False, True):
        fresh.context.set_offline(offline)
        follow(fresh, site)
        decode(fresh)


def test_a_visitor_who_leaves_while_models_come_leaves_no_part_of_a_file(fresh, site, folder):
    follow(fresh, site)
    with fresh.expect_request("**/model-00001*"):
        fresh.locator("#run").click()
    fresh.goto(f"{site}?length=8&drafter=lookup")
    says(fresh, "so the run is lost")
    decode(fresh)
    for url, size in fresh.evaluate(CACHED).items():
        assert (folder / (url.removeprefix(site) or "index.html")).stat().st_size == size


def test_without_a_worker_the_rest_of_the_site_goes_on(fresh, site):
    fresh.add_init_script("delete window.Worker")
    follow(fresh, site)
    fresh.locator("#run").click()
    says(fresh, "This browser gives the page no worker to decode in.", timeout=LATE)
    reach(fresh, "#recorded").select_option("hot")
    says(fresh, "Temperature 1.5")
