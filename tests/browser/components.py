"""The page's components without Gradio: the race and the chapters, mounted on their empty boxes as Gradio mounts them, from files alone.

What a person sees and does in one component is tested here, at a twentieth of what the app costs; that the app hands values to
components, and hears of them, is tested on the app.
"""

from pathlib import Path

from playwright.sync_api import Page, expect

from specviz.page import look
from specviz.page.learn import lesson as lessons
from specviz.page.learn.tab import _measure_json, learn_bundle
from specviz.page.watch import race
from specviz.page.watch.run import read_settings
from specviz.picture.replay import json_text
from specviz.picture.sheets import PAGE, style
from specviz.trace.events import Trace

from ..page_fixtures import value, value_of
from .fake_engine import FakeEngine

BODY = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Components</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><style>[hidden] { display: none !important; }</style>
<link rel="stylesheet" href="page.css"><script src="page.js"></script></head>
<body><main><div id="masthead"><h1>specviz</h1></div>
<div id="tabs"><div class="tab-wrapper" role="tablist">
<button role="tab" id="watch-button" aria-controls="watch" aria-selected="true">Watch</button>
<button role="tab" id="learn-tab-button" aria-controls="learn-tab" aria-selected="false">Learn</button></div>
<div id="watch"><div id="prompt"><textarea></textarea></div>
<div id="race"><div class="sv-panes"><section class="sv-race"></section><div id="timeline"></div>
<div class="sv-detail"></div></div></div></div>
<div id="learn-tab" hidden><div id="learn"><section class="lrn"></section></div></div></div></main>
<script src="mount.js"></script></body></html>"""

# `watch` and `props` as Gradio gives them (js_on_load of gr.HTML); a tab is mounted when it is first opened
MOUNT = """
function part(name, own, more) {
  const heard = [], props = { value: "", ...own }, element = document.querySelector(name);
  specviz[name.slice(1)]({ element, props, watch: (_, act) => heard.push(act), ...more });
  return (value) => { props.value = value; heard.forEach((act) => act()); };
}
const { everything, rounds, pack, measured, inspection } = BUNDLES;
window.show = part("#race", {}, { server: { inspection: async () => inspection } });
const [teachers_pack, students_sheet] = [async () => pack, async () => pack];
const server = { everything: async () => everything, recorded_rounds: async () => rounds, teachers_pack, students_sheet };
let taught = null;
const measure = () => setTimeout(() => taught(measured));
for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => {
    for (const one of document.querySelectorAll("[role=tab]")) {
      one.setAttribute("aria-selected", String(one === tab));
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    if (tab.id === "learn-tab-button") taught ??= part("#learn", { measures: true }, { server, measure, tryIt() {} });
  });
}
if (new URLSearchParams(location.search).has("chapter")) document.querySelector("#learn-tab-button").click();
"""


def write(folder: Path) -> None:
    """The page's files. Lessons are drawn from the recorded runs."""
    bundles = {
        "everything": learn_bundle(),
        "rounds": json_text(lessons.excerpts()),
        "measured": _measure_json(FakeEngine()),
        "inspection": race.inspection_bundle(),
        "pack": "",
    }
    mount = f"const BUNDLES = {json_text(bundles)};\n{MOUNT}"
    for name, text in {"index.html": BODY, "page.css": style(*PAGE), "page.js": look.script(), "mount.js": mount}.items():
        (folder / name).write_text(text, "utf-8")


def run(page: Page, prompt: str = "Once upon a time", **settings) -> None:
    """The race that the engine answers with, shown. Settings by their keys, and the drafter; what is not said is the page's own."""
    drafter = settings.pop("drafter", "small")
    show(page, value_of(prompt, read_settings(settings), drafter))
    first = page.locator(".sv-lane[data-lane=vanilla] [data-role=prompt]").first
    expect(first).to_have_text(prompt.split(" ")[0])


def show(page: Page, run: Trace | str) -> None:
    page.evaluate("value => window.show(value)", value(run) if isinstance(run, Trace) else run)
