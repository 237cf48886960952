"""An assistant on the site, a tiny one: nothing of it comes before it is asked for, then its parts once, each as its hash says."""

from functools import partial

import pytest
from playwright.sync_api import expect

from specviz.engine import browser as parts
from specviz.site.build import build

from ... import tiny_gguf
from ..conftest import Files, IsolatedFiles, files_of
from .conftest import LATE, first_visit, says

PART = "**/assistant/*.bin"
RUN = """async () => {
  const { Engine } = await import("/engine/engine.js");
  const config = { K: 1, temperature: 0, top_k: 0, top_p: 1, max_new_tokens: 4, stop: [], seed: 0, ignore_eos: true };
  const request = { target: "assistant", draft: "eagle", prompt: "x", config: { ...config, verifier: "rejection" } };
  return (await new Engine("/engine/worker.js").race(request)).header.machine;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with an assistant in some parts."""
    folder = tmp_path_factory.mktemp("assistant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPECVIZ_GGUF", "blocks")
        patch.setattr(parts, "PART_BYTES", 1_000_000)
        target, draft = tiny_gguf.with_head(folder, None)
        build(folder / "site", assistant=partial(parts.write, target=target, draft=draft))
        yield folder / "site"


@pytest.fixture(scope="module")
def asked(site):
    with files_of(site) as address:
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
    link = page.get_by_role("link", name="Chapter 11")
    expect(link).to_be_visible()
    expect(link).to_have_css("color", offer.evaluate("link => getComputedStyle(link).color"))
    expect(page.locator("#K-field")).to_have_value("1")
    page.context.set_offline(True)
    page.reload()
    ask(page)
    page.context.set_offline(False)
    offer.click()
    expect(page.locator("#run-note")).to_contain_text("It first fetches 24 MB")


SPOIL = """async () => {
  for (const name of (await caches.keys()).filter((name) => name.endsWith(" models"))) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) if (request.url.includes("/assistant/")) await cache.put(request, new Response("spoilt"));
  }
}"""


def test_parts_that_the_disk_spoilt_are_fetched_again(page):
    ask(page)
    page.evaluate(SPOIL)
    page.reload()
    ask(page)
    page.context.set_offline(True)  # and kept
    page.reload()
    ask(page)
    page.context.set_offline(False)


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


PASSES = """
const root = ROOT, digest = async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", data)).join();
BEFORE;
const { Assistant } = await import(`${root}engine/assistant.js`);
const { suitedModule } = await import(`${root}engine/compiled.js`);
const models = await Assistant.open(async (path) => (await fetch(root + path)).bytes(), suitedModule(true).file, "blocks");
const { compiled } = models;
const [HAD_HELP, SLEEPING] = [4, 64]; // of engine/compiled/threads.py
compiled.threads = 1;
const sequence = (await models.loadModel("assistant")).sequence(100);
const pass = () => {
  sequence.rollback(0);
  sequence.append([...Array(40).keys()]);
  return digest(sequence.append([7, 8, 9], 3).data.slice());
};
const bits = [await pass()], has = (slot) => compiled.state.data[slot] === 1n;
compiled.threads = compiled.maxThreads;
let helped = false;
for (let i = 0; i < 1000 && compiled.threads > 1 && !helped; i++) {
  bits.push(await pass());
  helped = has(HAD_HELP);
}
while (compiled.secondThread && !has(SLEEPING)) await new Promise((resolve) => setTimeout(resolve));
compiled.secondThread?.terminate();
bits.push(await pass());
postMessage({ threads: compiled.maxThreads, helped, results: new Set(bits).size, bits: bits[0] });
"""
ONE_CORE = 'Object.defineProperty(navigator, "hardwareConcurrency", { value: 1 })'
NO_WORKER = "globalThis.Worker = class extends Worker { constructor(url, how) { super(`${url}.gone`, how); } }"
WORKER = """(code) => new Promise((resolve, reject) => {
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
})"""


def test_two_threads_of_an_isolated_page_have_the_bits_of_one_and_the_second_sleeps_between_passes(browser, site):
    def passes(handler, before=""):
        with files_of(site, handler) as address, browser.new_context() as context:
            page = context.new_page()
            page.goto(f"{address}engine/")
            return page.evaluate(WORKER, PASSES.replace("ROOT", f"{address!r}").replace("BEFORE", before))

    two = passes(IsolatedFiles)
    alone = {"threads": 1, "helped": False, "results": 1, "bits": two["bits"]}
    assert two == alone | {"threads": 2, "helped": True}
    assert passes(Files) == passes(IsolatedFiles, ONE_CORE) == passes(IsolatedFiles, NO_WORKER) == alone


def test_a_run_says_how_many_threads_made_its_passes(browser, site):
    machines = []
    for handler in (IsolatedFiles, Files):
        with files_of(site, handler) as address, browser.new_context() as context:
            page = context.new_page()
            page.goto(f"{address}engine/")
            machines.append(page.evaluate(RUN)["threads"])
    assert machines[0] in (1, 2) and machines[1] == 1  # beside busy programs one is sooner
