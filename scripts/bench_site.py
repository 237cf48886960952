"""The engine in a browser, from a plain file server in Chromium: `make bench-site`, on a quiet machine. Ends in one line of JSON.

wasm_kb                    the module with relaxed SIMD
t_target_ms, t5_ms         a pass of the bundled target over one token and over five, in Chromium; node_… the same in node
plain_…                    by the module without relaxed SIMD
c, v5                      a step of fable-small, and the pass over five, in passes over one token
native_over_browser        t in Chromium ÷ t of the compiled pass on this CPU, on one thread
browser_tokens_per_second  of both lanes, at the drafter and K that gain most
speculative_vs_vanilla     there; measured_vs_predicted: that ÷ what its own c, v and tokens a round promise
python_agrees              the share of runs that tell what Python tells (scripts/agree.py); greedy_texts_equal: of forty greedy texts of
                           all registers, those that are equal in both lanes and in Python
first_motion_s             from the address to the first moving token of the site, on a server that is warm
site_mb_before_run         all that the site has sent when nothing more comes, what it keeps for offline too, before a run is chosen
"""

import json
import os
import shutil
import statistics as st
import subprocess
import threading
import time
from dataclasses import asdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

os.environ["SPECVIZ_THREADS"] = "1"  # a page has one

import torch
import typer
from playwright.sync_api import Browser, Page, sync_playwright

from scripts.agree import agreement
from scripts.agree import in_node as browser_runs
from scripts.agree import in_python as python_runs
from scripts.prompts import OPENINGS, REGISTERS
from scripts.result import json_line
from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.models.load import load_model
from specviz.site.build import build

SIZES = (1, 2, 3, 4, 5, 6, 9)
TIMES = """async ([file, sizes]) => {
  const { Shelf } = await import(`${root}engine/load.js`);
  const { passTimes } = await import(`${root}engine/costs.js`);
  const shelf = await Shelf.open(fetched, file);
  const found = {};
  for (const name of ["fable", "fable-small"]) found[name] = passTimes(await shelf.model(name), sizes);
  return found;
}"""
IN_PAGE = 'const root = new URL("/", location).href, fetched = async (path) => (await fetch(root + path)).arrayBuffer();'
IN_NODE = 'import { readFileSync } from "node:fs"; const fetched = async (path) => new Uint8Array(readFileSync(new URL(root + path))).buffer;'
RACE = """async ([draft, config]) => {
  const { Engine } = await import("/engine/engine.js");
  window.engine ??= new Engine("/engine/worker.js");
  return engine.race({ target: "fable", draft, prompt: "Once upon a time", config });
}"""


MOVES = """const look = () => {
  const hand = document.querySelector(".sv-bar input[type=range]");
  if (hand && Number(hand.value) > 0) window.moved ??= performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);"""


class Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sent = 0  # bytes of bodies, to all visitors

    def log_message(self, *_) -> None:
        pass

    def copyfile(self, source, outputfile) -> None:
        body = source.read()
        Quiet.sent += len(body)
        outputfile.write(body)


def first_visit(browser: Browser) -> dict:
    """The site as somebody meets it who has only the address."""
    with TemporaryDirectory() as folder:
        build(Path(folder, "site"))
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=Path(folder, "site"))) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            moments, sent = [], []
            for _ in range(5):
                with browser.new_context() as context:
                    page, Quiet.sent = context.new_page(), 0
                    page.add_init_script(MOVES)
                    page.goto(f"http://127.0.0.1:{server.server_port}/")
                    page.wait_for_function("() => window.moved")
                    moments.append(page.evaluate("window.moved"))
                    page.evaluate("navigator.serviceWorker.ready")
                    page.wait_for_load_state("networkidle")
                    sent.append(Quiet.sent)
            server.shutdown()
    return {"first_motion_s": st.median(moments[1:]) / 1e3, "site_mb_before_run": max(sent) / 1e6}


def greedy_texts_equal() -> float:
    """Of forty prompts of all registers, the share whose greedy text is the same in both lanes and in Python."""
    config = asdict(DecodeConfig(K=4, temperature=0, max_new_tokens=32))
    prompts = [*(prompt for some in REGISTERS.values() for prompt in some), *OPENINGS[:4]]
    runs = [{"draft": "eagle", "prompt": prompt, "config": config} for prompt in prompts]
    texts = [
        {events["vanilla"][-1].text, trace.vanilla[-1].text, trace.speculative[-1].text}
        for events, trace in zip(python_runs(runs), browser_runs(runs), strict=True)
    ]
    return sum(len(each) == 1 for each in texts) / len(texts)


def in_page(page: Page, file: str) -> dict:
    return page.evaluate(f"async (given) => {{ {IN_PAGE} return ({TIMES})(given); }}", [file, SIZES])


def in_node(file: str) -> dict:
    code = (
        f'{IN_NODE} const root = "{ASSETS.as_uri()}/"; console.log(JSON.stringify(await ({TIMES})({json.dumps([file, SIZES])})));'
    )
    flag = ["--experimental-wasm-relaxed-simd"] if "plain" not in file else []
    run = subprocess.run(["node", *flag, "--input-type=module", "-e", code], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else {}


@torch.inference_mode()
def native() -> dict[int, float]:
    """ms of the compiled pass on this CPU over each number of tokens."""
    torch.set_num_threads(1)
    sequence, found = load_model("fable").sequence(200), {}
    sequence.append([*range(5, 105)], keep=1)
    for n in SIZES:
        times = []
        for _ in range(60):
            start = time.perf_counter()
            sequence.append([*range(200, 200 + n)])
            times.append(1e3 * (time.perf_counter() - start))
            sequence.rollback(100)
        found[n] = st.median(times)
    return found


def best(page: Page, drafts: list[str], ks: list[int]) -> dict:
    """The race that gains most."""
    found = []
    for draft in drafts:
        for k in ks:
            config = {name: getattr(DecodeConfig(K=k, temperature=0, ignore_eos=True), name) for name in DecodeConfig.__slots__}
            trace = page.evaluate(RACE, [draft, config])
            vanilla, ours = trace["vanilla"][-1], trace["speculative"][-1]
            found.append({
                "drafter": draft, "K": k, "speedup": vanilla["decode_ms"] / ours["decode_ms"], "tokens_a_round": ours["tokens"] / ours["rounds"],
                "tokens_per_second": [round(1e3 * lane["tokens"] / lane["decode_ms"]) for lane in (vanilla, ours)],
                "draft_ms": sum(e["times"]["draft"] for e in trace["speculative"][1:-1]) / max(1, ours["drafted"]),
            })  # fmt: skip
    return max(found, key=lambda one: one["speedup"])


def main(
    runs: Annotated[int, typer.Option(help="Runs that are compared with Python's.")] = 100,
    k: Annotated[list[int], typer.Option(help="K of the races.")] = [1, 2, 3, 5],  # noqa: B006
):
    """Measure and print; the last line is JSON."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=ASSETS))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/engine/")
        chromium, plain = in_page(page, "specviz.wasm"), in_page(page, "specviz-plain.wasm")
        race = best(page, ["fable-small", "lookup", "eagle"], k)
        version, visit = browser.version, first_visit(browser)
        browser.close()
    server.shutdown()
    node, cpu = in_node("specviz.wasm"), native()
    t, s = ({n: chromium[name][str(n)]["median"] for n in SIZES} for name in ("fable", "fable-small"))
    v = t[min(SIZES, key=lambda n: abs(n - race["K"] - 1))] / t[1]
    predicted = race["tokens_a_round"] / (race["K"] * race["draft_ms"] / t[1] + v)
    for name, found in (("Chromium", chromium), ("without relaxed SIMD", plain), ("node", node)):
        for model, times in found.items():
            print(
                f"{name}, {model}: "
                + ", ".join(f"{n}: {told['median']:.2f} (least {told['least']:.2f})" for n, told in times.items())
            )
    print("this CPU: " + ", ".join(f"{n}: {ms:.2f}" for n, ms in cpu.items()))
    figures = {
        "machine": machine.describe().device,
        "chromium": version,
        "wasm_kb": (ASSETS / "engine" / "specviz.wasm").stat().st_size / 1e3,
        "t_target_ms": t[1],
        "t5_ms": t[5],
        "plain_t_target_ms": plain["fable"]["1"]["median"],
        "plain_t5_ms": plain["fable"]["5"]["median"],
        "node_t_target_ms": node["fable"]["1"]["median"] if node else None,
        "node_t5_ms": node["fable"]["5"]["median"] if node else None,
        "c": s[1] / t[1],
        "v5": t[5] / t[1],
        "native_t_target_ms": cpu[1],
        "native_over_browser": t[1] / cpu[1],
        "native_over_browser_5": t[5] / cpu[5],
        "best": {"drafter": race["drafter"], "K": race["K"]},
        "browser_tokens_per_second": race["tokens_per_second"],
        "speculative_vs_vanilla": race["speedup"],
        "measured_vs_predicted": race["speedup"] / predicted,
        **visit,
        "greedy_texts_equal": greedy_texts_equal() if runs else None,
        "python_agrees": agreement(runs)[0] if runs else None,
    }
    print(json_line(figures))


if __name__ == "__main__":
    typer.run(main)
