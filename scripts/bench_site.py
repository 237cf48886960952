"""The engine in a browser, from a plain file server in Chromium: `make bench-site`, on a quiet machine. Ends in one line of JSON.

t_target_ms, t5_ms         a pass of the bundled target over one token and over five, in Chromium; plain_…: without relaxed SIMD
native_over_browser        t in Chromium ÷ t of the compiled pass on this CPU, on one thread
browser_tokens_per_second  of both lanes, at the drafter and K that gain most
speculative_vs_vanilla     there; measured_vs_predicted: that ÷ what the race's own c, v and tokens a round promise (`best`)
races_disturbed            of all that were tried; their times are left out
python_agrees              the share of runs that tell what Python tells (scripts/agree.py), python_agrees_plain that by the module without
                           relaxed SIMD
assistant_tokens_s         of the assistant (specviz site --assistant), without a draft; assistant_tokens_s_threads: in an isolated page, on
                           two threads or, where it was faster, on one; assistant_v5: a pass over five tokens ÷ one over a token;
                           assistant_agrees: as python_agrees, of 30 runs. None of them where it was not fetched (specviz fetch)
assistant_memory_mb        the most that the process of a page takes for itself while the assistant comes and decodes 64 tokens, on one
                           thread and on two; on Linux
first_motion_s             from the address to the first moving token of the site, on a server that is warm
site_mb_before_run         all that the site has sent when nothing more comes, what it keeps for offline too, before a run is chosen
"""

import os
import shutil
import statistics as st
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar

os.environ["SPECVIZ_THREADS"] = "1"  # a page has one

import torch
import typer
from playwright.sync_api import Browser, Page, sync_playwright

from scripts.agree import agreement
from scripts.result import print_figures
from specviz.config import ASSETS, DecodeConfig
from specviz.engine import machine
from specviz.engine.browser import write
from specviz.engine.models.assistant import KEY, place
from specviz.engine.models.load import load_model
from specviz.lab.costs import block_times
from specviz.picture.replay import engine_facts, json_text, replay_data
from specviz.site.build import HEADERS, build
from specviz.trace.file import loads

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
ANSWER_SECONDS = 60
SIZES = (1, 2, 3, 4, 5, 6, 9)
TIMES = """async ([file, sizes]) => {
  const root = new URL("/", location).href, fetched = async (path) => (await fetch(root + path)).bytes();
  const { ModelCache } = await import(`${root}engine/load.js`);
  const { blockTimes } = await import(`${root}engine/costs.js`);
  const shelf = await ModelCache.open(fetched, file);
  return blockTimes(await shelf.loadModel("fable"), sizes);
}"""
VIEW = """async ([run, about]) => {
  (await import("/player/words.js")).setVocabulary({ words: {}, roles: {}, about });
  return (await import("/player/picture.js")).readPicture(run);
}"""
ASSISTANT_TIMES = TIMES.replace("ModelCache", "Assistant").replace("load.js", "assistant.js").replace("fable", "assistant")
ASSISTANT_TIMES = ASSISTANT_TIMES.replace("file)", 'file, "blocks")')
RACE = """async ([draft, config, target]) => {
  const { Engine, writeTrace } = await import("/engine/engine.js");
  window.engine ??= new Engine("/engine/worker.js");
  return new TextDecoder().decode(await writeTrace(await engine.race({ target, draft, prompt: "Once upon a time", config })));
}"""
ALONE = f"""<script type="module">
const controlled = new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done));
await navigator.serviceWorker.register("sw.js").then(() => controlled);
await ({RACE})(REQUEST);
await fetch("done");
</script>"""
MOVES = """const look = () => {
  const hand = document.querySelector(".sv-bar input[type=range]");
  if (hand && Number(hand.value) > 0) window.moved ??= performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);"""


def races(page: Page, drafts: list[str], ks: list[int]) -> list[dict]:
    """Each as the page shows it: without times where the machine was busy."""
    figures = []
    for draft in drafts:
        for k in ks:
            config = asdict(DecodeConfig(K=k, temperature=0, ignore_eos=True))
            trace = loads(page.evaluate(RACE, [draft, config, "fable"]).encode())
            view = page.evaluate(VIEW, [json_text(replay_data(trace)), engine_facts()])
            figures.append({"drafter": draft, "K": k, **{part: view[part] for part in ("account", "comparison", "lanes")}})
    return figures


def best(races: list[dict]) -> dict:
    """The race that gains most, in figures."""
    quiet = [race for race in races if not race["account"]["missing"]]
    if not quiet:
        raise SystemExit("The machine was busy in every race: leave it alone, then try again.")
    race = max(quiet, key=lambda one: one["comparison"]["speedup"])
    account, lanes = race["account"], (race["lanes"][name]["numbers"] for name in ("vanilla", "speculative"))
    return {
        "best": {"drafter": race["drafter"], "K": race["K"], **{name: account[name] for name in ("c", "v", "tokens")}},
        "browser_tokens_per_second": [round(numbers["tokens_per_second"]) for numbers in lanes],
        "speculative_vs_vanilla": race["comparison"]["speedup"],
        "measured_vs_predicted": account["of_predicted"],
        "races_disturbed": f"{len(races) - len(quiet)} of {len(races)}",
    }


class QuietHandler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bytes_sent = 0  # bytes of bodies, to all visitors
    isolated = False
    asked: ClassVar[list[str]] = []

    def log_request(self, *_) -> None:
        self.asked.append(self.path)

    def log_message(self, *_) -> None:
        pass

    def end_headers(self) -> None:
        for header in HEADERS.items() if self.isolated else ():
            self.send_header(*header)
        super().end_headers()

    def copyfile(self, source, outputfile) -> None:
        body = source.read()
        QuietHandler.bytes_sent += len(body)
        outputfile.write(body)


@contextmanager
def serve(site: Path) -> Iterator[str]:
    """The address of a folder's server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def first_visit(browser: Browser, site: Path, runs: int) -> dict:
    """The site as somebody meets it who has only the address, and its assistant, if that was fetched."""
    with serve(site) as address:
        moments, bytes_sent = [], []
        for _ in range(5):
            with browser.new_context() as context:
                page, QuietHandler.bytes_sent = context.new_page(), 0
                page.add_init_script(MOVES)
                page.goto(f"{address}/")
                page.wait_for_function("() => window.moved")
                moments.append(page.evaluate("window.moved"))
                page.evaluate("navigator.serviceWorker.ready")
                page.wait_for_load_state("networkidle")
                bytes_sent.append(QuietHandler.bytes_sent)
        page = browser.new_page()
        page.goto(f"{address}/engine/")
        figures = assistant(page, site, runs) if place() else {}
    return figures | {"first_motion_s": st.median(moments[1:]) / 1e3, "site_mb_before_run": max(bytes_sent) / 1e6}


def assistant(page: Page, site: Path, runs: int) -> dict:
    """The assistant in a page of the `site`, on one thread, and its tokens also where the page is isolated."""
    times = page.evaluate(ASSISTANT_TIMES, ["specviz-blocks.wasm", SIZES])
    config, figures = asdict(DecodeConfig(K=1, temperature=0, max_new_tokens=64, ignore_eos=True)), {}
    for end, QuietHandler.isolated in ("", False), ("_threads", True):
        (fresh := page.context.browser.new_page()).goto(page.url)  # another keeps the scripts that came with other headers
        trace = loads(fresh.evaluate(RACE, ["eagle", config, "assistant"]).encode())
        figures[f"assistant_tokens_s{end}"] = 1e3 * trace.vanilla[-1].tokens / trace.vanilla[-1].decode_ms
    figures["assistant_v5"] = times["5"]["median"] / times["1"]["median"]
    return figures | {"assistant_agrees": agreement(runs, site=site)[0] if runs else None}


def page_memory_mb(site: Path) -> list[int]:
    """No debugger looks into the page, since that would keep what was fetched."""
    config, most = asdict(DecodeConfig(K=1, temperature=0.8, max_new_tokens=64, ignore_eos=True)), []
    (site / "alone.html").write_text(ALONE.replace("REQUEST", json_text(["eagle", config, "assistant"])), "utf-8")
    for QuietHandler.isolated in (False, True):
        QuietHandler.asked.clear()
        most.append(0)
        end = time.monotonic() + ANSWER_SECONDS
        with serve(site) as address, TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
            command = [CHROMIUM or "chromium", *options, f"{address}/alone.html"]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                while "/done" not in QuietHandler.asked and time.monotonic() < end:
                    most[-1] = max(most[-1], private_mb())
                    time.sleep(0.02)
                process.terminate()
            if "/done" not in QuietHandler.asked:
                raise SystemExit(f"The assistant did not answer within {ANSWER_SECONDS} s.")
    return most


def private_mb() -> int:
    """The most that one page's process has for itself now: what all have in common, as the browser's program, is left out."""
    sizes = [0]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if "--type=renderer" in (process / "cmdline").read_text():
                sizes += [
                    int(line.split()[1]) // 1000 for line in (process / "status").read_text().splitlines() if "RssAnon" in line
                ]
    return max(sizes)


def main(
    runs: Annotated[int, typer.Option(help="Runs that are compared with Python's.")] = 100,
    k: Annotated[list[int], typer.Option(help="K of the races.")] = [1, 2, 3, 5],  # noqa: B006
):
    """Measure and print; the last line is JSON."""
    os.environ["SPECVIZ_GGUF"] = "blocks"
    with TemporaryDirectory() as folder, serve(ASSETS) as address, sync_playwright() as playwright:
        build(Path(folder), assistant=partial(write, target=KEY, draft="eagle") if place() else None)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"{address}/engine/")
        chromium, plain = (page.evaluate(TIMES, [file, SIZES]) for file in ("specviz.wasm", "specviz-plain.wasm"))
        race = best(races(page, ["fable-small", "lookup", "eagle"], k))
        version, visit = browser.version, first_visit(browser, Path(folder), min(runs, 30))
        browser.close()
        memory = {"assistant_memory_mb": page_memory_mb(Path(folder))} if place() else {}
    torch.set_num_threads(1)
    cpu = block_times(load_model("fable"), SIZES, context=100, repeats=60).ms
    for name, times in (("Chromium", chromium), ("without relaxed SIMD", plain)):
        print(f"{name}: " + ", ".join(f"{n}: {ms['median']:.2f} (least {ms['least']:.2f})" for n, ms in times.items()))
    t, t_plain = ({n: times[str(n)]["median"] for n in SIZES} for times in (chromium, plain))
    print("this CPU: " + ", ".join(f"{n}: {ms:.2f}" for n, ms in cpu.items()))
    figures = {
        "machine": machine.describe_machine().device,
        "chromium": version,
        "t_target_ms": t[1],
        "t5_ms": t[5],
        "plain_t_target_ms": t_plain[1],
        "plain_t5_ms": t_plain[5],
        "native_t_target_ms": cpu[1],
        "native_over_browser": t[1] / cpu[1],
        "native_over_browser_5": t[5] / cpu[5],
        **race,
        **visit,
        **memory,
        "python_agrees": agreement(runs)[0] if runs else None,
        "python_agrees_plain": agreement(runs, plain=True)[0] if runs else None,
    }
    print_figures(figures)


if __name__ == "__main__":
    typer.run(main)
