"""Decoding in the visitor's own browser, on a tab that stays open: the models are fetched once."""

import gzip
import json
import re

import pytest
from playwright.sync_api import expect

from specviz.config import ASSETS
from specviz.page import words
from specviz.trace.file import dumps, loads
from tests.fake_trace import fake_trace

from ..conftest import RETURNING
from ..person import press, reach, save
from .conftest import decode, first_visit, open_file, says

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
MEASURED = re.compile(r"Measured here: a pass of the target over one token takes [\d.]+ ms|keep this device busy")


@pytest.fixture(scope="module")
def tab(browser, site):
    """A tab on the site."""
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
    """The trace of a run with these settings."""
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
  for (const type of ["dragenter", "drop"]) window.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
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
