"""Decoding in the visitor's own browser: in Watch, in the Lab, without a connection, and where a browser gives too little."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from specviz.config import ASSETS
from specviz.site.data import drafters
from specviz.trace.file import dumps, loads
from specviz.words import page as words
from specviz.words import site as site_words

from ...fake_trace import fake_trace
from ...products import some
from ..conftest import RETURNING
from ..person import field, opened_panel, press, reach, save
from .conftest import LATE, decode, first_visit, follow, open_file, says

RUNS = [  # every drafter and every rule, a few pairs of them
    ("small", {"verifier": "rejection"}),
    ("large", {"verifier": "match"}),
    ("lookup", {"verifier": "match", "temperature": "0"}),
    ("early-exit", {"drafting": "argmax"}),
    ("eagle", {"verifier": "rejection", "temperature": "0.7"}),
    ("oracle", {"verifier": "match"}),
    ("random", {"verifier": "rejection", "K": "5"}),
]
# a machine that runs tests may be busy, and then says so
MEASURED = re.compile(r"Measured here before a run: a pass of the target over one token takes [\d.]+ ms|keep this device busy")


@pytest.fixture(scope="module")
def tab(browser, site):
    with first_visit(browser, site, accept_downloads=True) as page:
        page.context.add_init_script(RETURNING)
        page.goto(site)
        says(page, "A recorded run")
        yield page


def choose(page, **values):
    page.locator("#more").evaluate("node => { node.open = true }")
    for key, value in {"drafter": "small", "K": "3", "temperature": "0.8", "length": "16", **values}.items():
        field = reach(page, f"#{key} :is(input, select, textarea)")
        field.select_option(value) if key in ("drafter", "verifier", "drafting") else field.fill(value)


def run(page, folder, **values):
    choose(page, **values)
    decode(page)
    return loads(save(page, folder).read_bytes())


def test_the_weights_of_the_models_are_named(tab):
    site = json.loads(tab.locator("#sv-data").text_content())
    by_key = {one["key"]: one["bytes"] for one in site["drafters"]}
    assert by_key["lookup"] == by_key["random"] == 0 < by_key["eagle"] < by_key["large"]
    assert site["target"]["bytes"] > sum(path.stat().st_size for path in (ASSETS / "models" / "fable").glob("*.safetensors"))


@pytest.mark.parametrize(
    ("drafter", "values"),
    # the engine's own tests meet every drafter
    [pytest.param(*run, id=run[0], marks=[pytest.mark.full] * (run[0] != "small")) for run in RUNS],
)
def test_a_run_by_each_drafter_is_shown_and_its_trace_is_whole(tab, tmp_path, drafter, values):
    trace = run(tab, tmp_path, drafter=drafter, **{"verifier": "rejection", "drafting": "sample", **values})
    assert trace.header.config.verifier == values.get("verifier", "rejection")
    assert trace.speculative[-1].tokens and "WebAssembly" in trace.header.machine.device
    expect(tab.locator("#run-note")).to_contain_text(MEASURED)


def test_what_only_the_app_has_is_not_shown_and_a_link_that_asks_for_it_says_so_and_decodes_a_chain(tab, site, tmp_path):
    tab.goto(f"{site}?tree=static&children=2-2-1&drafter=mtp&verifier=block&K=3&length=8")
    says(tab, "Not all of the link was used: only the app has “Tree of guesses”; only the app has “Multi-token heads”")
    tab.locator("#more").evaluate("node => { node.open = true }")
    for absent in ("#tree", "#children", "#nodes", "#survival", "#grammar", "#theta"):
        expect(tab.locator(absent)).to_have_count(0)
    expect(tab.locator("#verifier option")).to_have_count(2)
    decode(tab)
    trace = loads(save(tab, tmp_path).read_bytes())
    config = trace.header.config
    assert (config.tree, config.verifier, trace.header.drafter) == ("off", "rejection", "model")
    reach(tab, "#recorded").select_option("tree")
    says(tab, "Only the app has “Tree of guesses”")
    expect(tab.locator(".sv-lanes")).to_be_visible()
    choose(tab, K="99")
    tab.locator("#run").click()
    says(tab, "“Drafted tokens, K” is 99; it must be a whole number from 0 to 32.")
    expect(tab.locator(".sv-lanes")).to_be_visible()  # of the run before


def test_who_looks_at_another_run_while_one_is_decoded_keeps_both(tab):
    """Also once lanes are drawn live, after two seconds; a file that is refused meanwhile stops nothing."""
    tab.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => 4 * now(); }")  # .5 s is enough
    for recorded in "", "hot":
        press(tab, words.HISTORY["clear"])  # the list holds twelve, and the tests before this one may have filled it
        press(tab, words.HISTORY["clear_yes"])
        expect(tab.locator("#history .sv-lines tbody tr")).to_have_count(0)
        expect(tab.locator("#history")).to_contain_text(site_words.PROMPT_STAYS)
        choose(tab, drafter="oracle", temperature="2", K="1", length="900")  # it seldom ends early
        tab.locator("#run").click()
        expect(tab.locator("[data-live] .sv-lanes")).to_be_visible(timeout=30_000)
        open_file(tab, b"hello", "The file was not opened.")
        if recorded:
            reach(tab, "#recorded").select_option(recorded)
            expect(tab.locator("#race .sv-play")).to_be_visible()
        tab.locator("#stop").click()
        expect(tab.locator("#run")).to_be_enabled(timeout=30_000)
        expect(tab.locator("#race .sv-play")).to_be_visible()
        expect(tab.locator("#recorded")).to_have_value(recorded)
        says(tab, "Your run is done. It is in the list of this visit's runs." if recorded else "Stopped")
        expect(tab.locator("#history .sv-lines tbody tr")).to_have_count(1)
    tab.evaluate("() => { delete performance.now; }")


NO_TRACES = {  # one after the other, so that each sentence is a new one
    "line 1: this is not a specviz trace": b"hello",
    "line 84: the last line of the trace is missing": dumps(fake_trace())[:-400],
    "the file was changed after it was saved": dumps(fake_trace()).replace(b'"seed":3', b'"seed":4'),
    "It has more than 32 MiB.": gzip.compress(b"\0" * (33 * 2**20)),
    "this is not a specviz trace": b'{"format":"specviz-trace","version":1,"event":"header","prompt":' + b"[" * 50_000,
}
DROP = """trace => {
  const data = new DataTransfer();
  data.items.add(new File([trace], "run.jsonl"));
  const more = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const type of ["dragenter", "drop"]) window.dispatchEvent(new DragEvent(type, more));
}"""


def test_a_run_comes_by_a_link_or_is_dropped_and_a_file_that_is_no_whole_trace_is_refused(tab, site, subtests):
    tab.goto(f"{site}?run=traces/lookup.jsonl.gz")
    says(tab, "The run of the file is shown")
    for sentence, data in NO_TRACES.items():
        with subtests.test(sentence=sentence):
            open_file(tab, data, sentence)
            says(tab, "The file was not opened.")
            expect(tab.locator(".sv-lanes")).to_be_visible()
    tab.evaluate(DROP, dumps(fake_trace("A fox and a hen", hostile=True)).decode())
    says(tab, "The run of the file is shown")
    expect(tab.locator(".sv-lane [data-role=prompt]").nth(1)).to_contain_text("fox")
    assert tab.locator(".sv-race :is(img, script, iframe)").count() == 0


LATER = 60_000  # ms: models are fetched first


def test_luck_runs_each_seed_in_the_browser_and_refuses_as_the_app_does(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "luck", seeds=4, length=12, drafter="lookup", prompt="one+two+one+two+one")
    expect(box).to_contain_text("The models for it come once")
    press(box, "Measure here")
    expect(box.locator(".lab-sentence")).to_contain_text("seeds", timeout=LATER)
    expect(box.locator("tbody tr")).to_have_count(4)
    field(box, "Seeds").fill("1")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("“Seeds” is 1; it must be a whole number from 2 to 100.")


def test_a_sweep_fills_its_map_is_stopped_and_a_cell_goes_to_watch(watched, site):
    box = opened_panel(
        watched, site.rstrip("/"), "sweep", drafters="lookup,random", Ks="1,2", turns=10, length=64, prompt="one+two+one+two"
    )
    expect(box.locator("input[type=checkbox]")).to_have_count(len(drafters()))  # none that only the app has
    cells = box.locator(".lab-cell")
    expect(cells.first).to_be_visible()
    recorded = cells.count()
    press(box, "Measure here")
    expect(cells).not_to_have_count(recorded, timeout=LATER)  # which stay until something is measured
    expect(cells.first).to_be_visible(timeout=LATER)
    press(box, "Stop")
    expect(box.locator(".lab-told")).to_contain_text("Stopped", timeout=LATER)
    box.locator(".lab-cell").first.click()
    expect(watched.locator("#watch")).to_be_visible()
    expect(watched.locator("#prompt textarea")).to_have_value("one two one two")
    expect(watched.locator("#drafter select")).to_have_value("lookup")


def test_a_link_to_a_panel_that_asks_for_what_only_the_app_has_says_so(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "luck", tree="static", drafter="mtp", verifier="match")
    expect(box.locator(".lab-told")).to_contain_text("only the app has “Tree of guesses”; only the app has “Multi-token heads”")
    expect(box.get_by_label("Rule").first.locator("option")).to_have_count(2)
    expect(box.get_by_text("Tree of guesses", exact=True)).to_have_count(0)
    expect(box.get_by_label("First: Drafter").locator("option")).to_have_count(len(drafters()))


def test_people_draft_at_one_keyboard_and_are_scored_in_the_browser(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "classroom", prompt="Once+upon+a+time", temperature=0, who="room")
    expect(box.get_by_label("Who drafts").locator("option")).to_have_text(["One keyboard", "Two in turn"])
    guess = box.get_by_label("What comes next?")
    guess.fill("there was a king")
    expect(box.locator(".ppl-cut .sv-chip-token").first).to_have_text("␣there", timeout=LATER)
    guess.press("Enter")
    expect(box.locator(".ppl-round")).to_contain_text("the target would write", timeout=LATER)
    expect(box.locator(".ppl-counts tbody tr")).to_have_count(len(drafters()))  # people, and all but the oracle
    guess.press("Enter")
    expect(box.locator(".lab-told")).to_have_text("Type at least one word: an empty guess is no draft.")


CACHED = """async () => {
  const all = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
  const sizes = all.map(async (cache) => Promise.all((await cache.keys()).map(async ({ url }) =>
    [url.replace(/\\?.*/, ""), (await (await cache.match(url)).arrayBuffer()).byteLength])));
  return Object.fromEntries((await Promise.all(sizes)).flat());
}"""


@pytest.fixture
def ready(browser, site):
    with first_visit(browser, site) as page:
        page.goto(site)
        page.evaluate("navigator.serviceWorker.ready")
        yield page


def test_a_second_visit_needs_no_connection_and_only_files_of_the_site_are_cached(ready, site):
    ready.reload()
    ready.context.set_offline(True)
    ready.goto(f"{site}?recorded=hot")
    says(ready, "Temperature 1.5")
    ready.goto(f"{site}?chapter=3")
    expect(ready.locator("#lrn-title")).to_be_visible()
    ready.locator("#lab-tab-button").click()
    expect(ready.locator(".lab-picture svg").first).to_be_visible()
    ready.locator("#watch-button").click()
    ready.locator("#run").click()
    says(ready, "its files did not come")
    ready.context.set_offline(False)
    assert all(url.startswith(site) and "/models/" not in url for url in ready.evaluate(CACHED))


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


def test_after_a_run_the_browser_decodes_without_a_connection(ready, site):
    for offline in (False, True):
        ready.context.set_offline(offline)
        follow(ready, site)
        decode(ready)


def test_a_visitor_who_leaves_while_models_come_leaves_no_part_of_a_file(ready, site, folder):
    follow(ready, site)
    with ready.expect_request("**/model-00001*"):
        ready.locator("#run").click()
    ready.goto(f"{site}?length=8&drafter=lookup")
    says(ready, "so the run is lost")
    decode(ready)
    for url, size in ready.evaluate(CACHED).items():
        assert (folder / (url.removeprefix(site) or "index.html")).stat().st_size == size


def test_without_a_worker_the_rest_of_the_site_goes_on(ready, site):
    ready.add_init_script("delete window.Worker")
    follow(ready, site)
    ready.locator("#run").click()
    says(ready, "This browser gives the page no worker to decode in.", timeout=LATE)
    reach(ready, "#recorded").select_option("hot")
    says(ready, "Temperature 1.5")


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
