"""What the site cannot use, or a browser does not give it: one sentence each, and the rest of the site goes on."""

import gzip
import re

import pytest
from playwright.sync_api import expect

from specviz.config import ASSETS
from specviz.page import words

from ...products import some
from ..person import reach
from .conftest import LATE, decode, first_visit, follow, says

EMPTY_MODULE = b"\0asm\1\0\0\0"
FOREIGN = (ASSETS / "models" / "fable-bigram" / "model.safetensors").read_bytes()
MISSING = None, "could not be fetched: the server answered 404."
FILES = {  # what comes instead of a file, one after the other, and what is said of each
    "engine/worker.js": ((None, "The engine could not be started"),),
    "engine/specviz*.wasm": (
        MISSING,
        (b"\0asm", "is no module that this browser can run."),
        (EMPTY_MODULE, "is no module that this browser can run."),
    ),
    "models/fable/config.json": ((b"<html>", "models/fable/config.json is no JSON."),),
    "models/fable/model-00002*": (
        MISSING,
        (b"\1\2\3", "is no safetensors file, or a part of one."),
        (FOREIGN, "fable: the checkpoint"),
    ),
}
LACKS = {  # what a line before the worker's own takes from it
    "WebAssembly": ("self.WebAssembly = undefined;", "This browser has no WebAssembly."),
    "SIMD": ("WebAssembly.validate = () => false;", "This browser has no vector instructions (WebAssembly SIMD)."),
    "memory": ("WebAssembly.Memory.prototype.grow = () => { throw new RangeError() };", "The browser has no memory for"),
    "speed": (
        "const now = performance.now.bind(performance); performance.now = () => 1000 * now();",
        re.compile(r"This device is too weak: 1000 tokens would take it.*[Ww]atch a recorded run\."),
    ),
}
COARSE = "const now = performance.now.bind(performance); performance.now = () => Math.floor(now());"
STORES = {
    "nothing to keep runs in": "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused') } })",
    "no room": "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    "no service worker": "delete Navigator.prototype.serviceWorker",
    "a service worker that is refused": "navigator.serviceWorker.register = () => Promise.reject(new Error('refused'))",
}


@pytest.fixture
def fresh(browser, site):
    """A visitor's first page, with nothing between it and the files."""
    with first_visit(browser, site, service_workers="block") as page:
        yield page


def press_run(page, site, **settings):
    follow(page, site, **settings)
    page.locator("#run").click()


def answered(body: bytes | None):
    """What a server does that has this in place of a file, or nothing."""
    return lambda route: route.fulfill(status=200 if body else 404, body=body or b"")


def goes_on(page):
    """What needs no engine still does what it does, and Run can be pressed."""
    reach(page, "#recorded").select_option("hot")
    says(page, "Temperature 1.5")
    page.locator("#learn-tab-button").click()
    expect(page.locator("#lrn-title")).to_be_visible()
    page.locator("#watch-button").click()
    expect(page.locator("#run")).to_be_enabled()


def test_a_file_that_is_missing_cut_or_foreign_is_named_and_fetched_again_at_the_next_run(fresh, site):
    follow(fresh, site)
    for path, faults in FILES.items():
        for body, sentence in faults:
            fresh.context.route(f"{site}{path}", answered(body))
            fresh.locator("#run").click()
            says(fresh, sentence, timeout=LATE)
            fresh.context.unroute_all()
    goes_on(fresh)
    decode(fresh)


def before_the_worker(page, site, line: str) -> None:
    """The engine's worker begins with this line."""
    script = (ASSETS / "engine" / "worker.js").read_text("utf-8")
    page.context.route(f"{site}engine/worker.js", lambda one: one.fulfill(content_type="text/javascript", body=line + script))


@pytest.mark.parametrize("what", some(LACKS, "WebAssembly", "memory", "speed"))
def test_a_browser_that_lacks_something_for_decoding_says_so_and_keeps_the_recorded_runs(fresh, site, what):
    line, sentence = LACKS[what]
    before_the_worker(fresh, site, line)
    press_run(fresh, site, length=1000)
    says(fresh, sentence, timeout=LATE)
    goes_on(fresh)


def test_a_coarse_clock_is_reported_beside_the_times(fresh, site):
    before_the_worker(fresh, site, COARSE)
    follow(fresh, site, length=32, drafter="small")
    decode(fresh)
    expect(fresh.locator(".sv-device")).to_contain_text("the browser's clock steps by 1.0 ms")


@pytest.mark.parametrize("what", some(STORES, "nothing to keep runs in"))
def test_where_nothing_can_be_kept_everything_else_works(fresh, site, what):
    fresh.add_init_script(STORES[what])
    follow(fresh, site)
    decode(fresh)
    goes_on(fresh)


def test_stop_ends_a_run_whose_files_do_not_come(fresh, site):
    fresh.context.route(f"{site}engine/specviz.json", lambda _: None)  # no answer ever comes
    press_run(fresh, site)
    expect(fresh.locator("#stop")).to_be_enabled()
    fresh.locator("#stop").click()
    expect(fresh.locator("#status")).to_have_text(words.STATUS["never"])
    expect(fresh.locator("#run")).to_be_enabled()
    fresh.context.unroute_all()
    decode(fresh)


@pytest.mark.parametrize(
    "run", some(["//example.org/a", "data:text/plain,a", "javascript:alert(1)", "https://example.org@evil/", "blob:x"])
)
def test_a_link_to_a_run_elsewhere_is_refused_and_asks_nobody(fresh, site, run):
    fresh.goto(f"{site}?run={run}")
    says(fresh, "The link names a run at another site")
    goes_on(fresh)


@pytest.mark.parametrize("packed", some([False, True], True), ids=["plain", "gzip"])
def test_a_linked_run_that_is_too_large_is_given_up_before_it_is_read(fresh, site, packed):
    large = b"\0" * (33 * 2**20)
    fresh.context.route(f"{site}large", lambda route: route.fulfill(body=gzip.compress(large, 1) if packed else large))
    fresh.goto(f"{site}?run=large")
    says(fresh, "The file was not opened. It has more than 32 MiB.", timeout=LATE)
    goes_on(fresh)
