"""Decoding in the visitor's own browser, on a tab that stays open: the models are fetched once."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from specviz.config import ASSETS
from specviz.lab.audit.audit import audit
from specviz.trace.file import dumps, loads
from tests.fake_trace import fake_trace

from ..conftest import RETURNING
from ..person import reach

pytestmark = pytest.mark.browser
RUNS = [  # every drafter and every rule, a few pairs of them
    ("small", {"verifier": "rejection"}),
    ("large", {"verifier": "block"}),
    ("lookup", {"verifier": "match", "temperature": "0"}),
    ("bigram", {"verifier": "typical"}),
    ("early-exit", {"verifier": "threshold"}),
    ("mtp", {"drafting": "argmax"}),
    ("eagle", {"verifier": "block", "temperature": "0.7"}),
    ("block", {"verifier": "rejection", "K": "8"}),
    ("oracle", {"verifier": "match"}),
    ("random", {"verifier": "rejection", "K": "5"}),
]
# a machine that runs tests may be busy, and then says so
MEASURED = re.compile(r"Measured here: a pass of the target over one token takes [\d.]+ ms|keep this device busy")


@pytest.fixture(scope="module")
def tab(browser, site):
    """A tab on the site, with what went wrong in it and what it asked for."""
    with browser.new_context(reduced_motion="reduce", accept_downloads=True) as context:
        context.add_init_script(RETURNING)
        page = context.new_page()
        page.wrong, page.asked = [], []
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(site)
        expect(page.locator("#status")).to_contain_text("A recorded run")
        yield page
        assert page.wrong == [] and all(url.startswith((site, "data:", "blob:")) for url in page.asked)


def run(page, **values):
    page.locator("#more").evaluate("node => { node.open = true }")
    for key, value in {"drafter": "small", "K": "3", "temperature": "0.8", "length": "16", **values}.items():
        field = page.locator(f"#{key} :is(input, select, textarea)")
        field.select_option(value) if key in ("drafter", "verifier", "drafting", "tree") else field.fill(value)
    page.locator("#run").click()


def saved(page) -> bytes:
    with page.expect_download() as download:
        reach(page, "#save").click()
    return download.value.path().read_bytes()


def test_nothing_of_the_models_comes_before_run_is_pressed(tab):
    assert not [url for url in tab.asked if "/models/" in url or "/engine/" in url]
    expect(tab.locator("#run-note")).to_have_text("Run decodes in this browser. It first fetches 27 MB of models, once.")


@pytest.mark.parametrize(
    ("drafter", "values"),
    # the engine's own tests meet every drafter
    [pytest.param(*run, id=run[0], marks=[pytest.mark.full] * (run[0] != "small")) for run in RUNS],
)
def test_a_run_by_each_drafter_is_shown_and_its_trace_is_whole(tab, drafter, values):
    run(tab, drafter=drafter, **{"verifier": "rejection", "drafting": "sample", **values})
    expect(tab.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)
    trace = loads(saved(tab))
    assert trace.header.config.verifier == values.get("verifier", "rejection")
    assert trace.speculative[-1].tokens and "WebAssembly" in trace.header.machine.device
    expect(tab.locator("#run-note")).to_contain_text(MEASURED)


def test_a_tree_is_drafted_in_the_browser_and_what_does_not_fit_is_refused(tab):
    run(tab, drafter="eagle", K="3", tree="static", children="2-2-1", seed="2")
    expect(tab.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)
    trace = loads(saved(tab))
    assert any(d.rank for e in trace.speculative[1:-1] for d in e.drafted)
    assert audit(trace).wrong == []
    for rule in ("siblings", "places"):
        run(tab, K="3", tree="static", children="2-2-1", verifier=rule)
        expect(tab.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)
        trace = loads(saved(tab))
        assert trace.header.config.verifier == rule and trace.header.exact is False
        assert audit(trace).wrong == []
    expect(tab.locator("#verifier option[value=block]")).to_be_disabled()
    # a link may set it all the same
    tab.locator("#verifier select").evaluate("node => { node.value = 'block'; node.dispatchEvent(new Event('change')) }")
    tab.locator("#run").click()
    expect(tab.locator("#status")).to_contain_text("it must be off with the rule block, which verifies chains")
    run(tab, verifier="rejection", drafter="random")
    expect(tab.locator("#status")).to_contain_text("choose another one for a tree")
    run(tab, tree="off")
    expect(tab.locator("#status")).to_contain_text("Decoded in this browser", timeout=30_000)


def test_what_is_out_of_bounds_is_refused_in_a_sentence_and_the_run_before_stays(tab):
    run(tab, K="99")
    expect(tab.locator("#status")).to_have_text("“Drafted tokens, K” is 99; it must be a whole number from 0 to 32.")
    expect(tab.locator(".sv-lanes")).to_be_visible()


def test_who_looks_at_another_run_while_one_is_decoded_keeps_both(tab):
    """Also once lanes are drawn live, after two seconds; a file that is refused meanwhile stops nothing."""
    tab.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => 4 * now(); }")  # .5 s is enough
    for recorded in "", "hot":
        before = tab.locator("#history .sv-lines tbody tr").count()
        run(tab, drafter="oracle", temperature="2", K="1", length="900")  # it seldom ends early
        expect(tab.locator("[data-live] .sv-lanes")).to_be_visible(timeout=30_000)
        tab.locator("#watch input[type=file]").set_input_files({"name": "x.jsonl", "mimeType": "text/plain", "buffer": b"hello"})
        expect(tab.locator("#status [data-state=refused]")).to_be_visible()
        if recorded:
            reach(tab, "#recorded").select_option(recorded)
            expect(tab.locator("#race .sv-play")).to_be_visible()
        tab.locator("#stop").click()
        expect(tab.locator("#run")).to_be_enabled(timeout=30_000)
        expect(tab.locator("#race .sv-play")).to_be_visible()
        expect(tab.locator("#recorded")).to_have_value(recorded)
        said = "Your run is done. It is in the list of this visit's runs." if recorded else "Stopped"
        expect(tab.locator("#status")).to_contain_text(said)
        expect(tab.locator("#history .sv-lines tbody tr")).to_have_count(before + 1)
    tab.evaluate("() => { delete performance.now; }")


DAMAGED = {
    "not a trace": b"hello",
    "cut short": dumps(fake_trace())[:-400],
    "changed": dumps(fake_trace()).replace(b'"seed":3', b'"seed":4'),
    "too large": gzip.compress(b"\0" * (33 * 2**20)),
    "deep": b'{"format":"specviz-trace","version":1,"event":"header","prompt":' + b"[" * 50_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_file_that_is_no_whole_trace_is_refused_in_a_sentence(tab, name):
    tab.locator("#watch input[type=file]").set_input_files({"name": "x.jsonl", "mimeType": "text/plain", "buffer": DAMAGED[name]})
    expect(tab.locator("#status")).to_contain_text("The file was not opened.")
    expect(tab.locator(".sv-lanes")).to_be_visible()


def test_a_file_that_is_dropped_is_shown_and_its_text_is_no_markup(tab):
    trace = dumps(fake_trace("A fox and a hen", hostile=True)).decode()
    drop = """trace => {
  const data = new DataTransfer();
  data.items.add(new File([trace], "run.jsonl"));
  for (const type of ["dragenter", "drop"]) window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
    tab.evaluate(drop, trace)
    expect(tab.locator("#status")).to_contain_text("The run of the file is shown")
    expect(tab.locator(".sv-lane [data-role=prompt]").nth(1)).to_contain_text("fox")
    assert tab.locator(".sv-race :is(img, script, iframe)").count() == 0


def test_a_link_opens_a_run_of_this_site(tab, site):
    tab.goto(f"{site}?run=traces/lookup.jsonl.gz")
    expect(tab.locator("#status")).to_contain_text("The run of the file is shown")


def test_the_weights_that_the_page_names_are_those_it_fetches(tab, site):
    told = json.loads(tab.locator("#sv-data").text_content())
    by_key = {one["key"]: one["bytes"] for one in told["drafters"]}
    assert by_key["lookup"] == by_key["random"] == 0 < by_key["bigram"] < by_key["eagle"] < by_key["large"]
    assert told["target"]["bytes"] > sum(path.stat().st_size for path in (ASSETS / "models" / "fable").glob("*.safetensors"))
