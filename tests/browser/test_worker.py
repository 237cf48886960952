"""The engine in a worker of Chromium, from a plain file server: it runs, stops, and says what is missing in a sentence."""

from dataclasses import asdict

import pytest

from specviz.config import ASSETS, DecodeConfig

from ..products import every, some
from .conftest import files_of

SHORT = asdict(DecodeConfig(K=3, max_new_tokens=12, ignore_eos=True))
RACE = """async ([draft, prompt, config]) => {
  const { Engine, writeTrace } = await import("/engine/engine.js");
  window.engine ??= new Engine("/engine/worker.js");
  const reports = [];
  try {
    const trace = await engine.race({ target: "fable", draft, prompt, config }, ({ type }) => reports.push(type));
    const bytes = await writeTrace(trace);
    return { trace: new TextDecoder().decode(bytes), reports };
  } catch (error) {
    return { error: error.message, reports };
  }
}"""


@pytest.fixture(scope="module")
def files():
    with files_of(ASSETS) as address:
        yield f"{address}engine/"


@pytest.fixture
def page(browser, files):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(files)
        yield page


def race(page, draft="fable-small", prompt="Once upon a time", config=SHORT) -> dict:
    return page.evaluate(RACE, [draft, prompt, config])


def test_a_run_says_how_far_it_is_and_its_trace_is_read_strictly(page):
    from specviz.trace.file import loads

    first = race(page)
    assert {"fetched", "costs", "progress"} == set(first["reports"])
    trace = loads(first["trace"].encode())
    assert trace.speculative[-1].tokens == trace.vanilla[-1].tokens == 12
    assert trace.header.machine.device.startswith("CPU (WebAssembly, Chrome")
    again = race(page, "lookup")  # the target is there already
    assert "fetched" not in again["reports"] and "trace" in again


NOT_RELAXED = """const validate = WebAssembly.validate.bind(WebAssembly);
WebAssembly.validate = (code) => !String(new Uint8Array(code)).includes("253,133,2") && validate(code);
"""
MODULES = {"specviz.wasm": "", "specviz-plain.wasm": NOT_RELAXED}  # and the line before the worker's own that leads to it


@every(together=1, draft=["fable-small", "eagle"], module=MODULES)
def test_both_modules_tell_in_chromium_what_the_engine_tells_in_python(page, draft, module):
    from scripts.agree import LANES, differs, in_python
    from specviz.trace.file import loads

    files = []
    page.on("request", lambda request: files.append(request.url.rpartition("/")[2]))
    script = MODULES[module] + (ASSETS / "engine" / "worker.js").read_text("utf-8")
    page.context.route("**/engine/worker.js", lambda route: route.fulfill(content_type="text/javascript", body=script))
    trace = loads(race(page, draft)["trace"].encode())
    assert [name for name in files if name.endswith(".wasm")] == [module]
    [events] = in_python([{"draft": draft, "prompt": "Once upon a time", "config": SHORT}])
    assert [differs(events[lane], list(getattr(trace, lane))) for lane in LANES] == ["", ""]


@pytest.mark.parametrize("times", some([1, 2]))
def test_a_file_whose_connection_breaks_is_asked_for_once_more(page, times):
    requests = []

    def answer(route):
        requests.append(route.request.url)
        route.abort() if len(requests) <= times else route.continue_()

    page.context.route("**/engine/specviz.json", answer)
    answers = race(page)
    page.context.unroute_all()
    assert len(requests) == 2 and ("trace" in answers) == (times == 1)
    assert answers.get("error") in (None, "engine/specviz.json could not be fetched: there is no connection.")


def test_a_prompt_that_does_not_fit_and_a_second_run_are_refused(page):
    assert "the context of fable is 1024" in race(page, prompt="one two " * 1000)["error"]
    both = """async (config) => {
  const { Engine } = await import("/engine/engine.js");
  const engine = new Engine("/engine/worker.js");
  const request = { target: "fable", draft: "lookup", prompt: "x", config };
  const first = engine.race(request);
  const second = await engine.race(request).catch((error) => error.message);
  return [second, (await first).speculative.length > 0];
}"""
    assert page.evaluate(both, SHORT) == ["A run is going on in this browser. Stop it first.", True]
