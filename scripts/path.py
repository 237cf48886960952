"""Which files and functions a run passes from the click on Run to the pixel: python -m scripts.path. Ends in one line of JSON.

files, functions, lines   of both halves: specviz's from the settings to what the browser is sent, and the page's scripts from opening the
                          page over that run's replay to the token that is chosen. Functions are those with a name; lines those of the files

The Python half is counted by calls of a warm engine, the other one by V8's coverage in Chromium.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from playwright.sync_api import CDPSession, Page, sync_playwright

from specviz.config import ASSETS
from specviz.local import TARGET, LocalEngine
from specviz.page.queue import RunQueue
from specviz.page.settings import default_values
from specviz.page.watch.run import run_steps
from specviz.picture.replay import run_contents
from specviz.picture.sheets import _files

from .result import print_figures
from .server import served

PORT = 7899
PACKAGE = Path(sys.modules["specviz"].__file__ or "").parent
MODULE = re.compile(r'^const \$m(\d+) = (?:\$all\["([^"]+)"\] \?\?= )?\(\(\) => \{$', re.MULTILINE)
"""Where a file begins in a bundle: by its path where another script may need it, else by its number."""


def python_calls() -> Counter[tuple[Path, str]]:
    """(file, function) → calls, for one sampled run of the bundled pair by a warm engine: its EAGLE head drafts a chain."""
    engine, queue = LocalEngine(), RunQueue()
    engine.warm()
    values = {**default_values(engine, TARGET), "drafter": "eagle", "prompt": "Once upon a time"}

    def run() -> None:
        with queue.join("one", "one", "run") as place:
            for _, trace in run_steps(engine, values, place):
                if trace:
                    run_contents(trace, "run")

    run()
    return _counted(run)


def _counted(work: Callable[[], None]) -> Counter[tuple[Path, str]]:
    calls: Counter[tuple[Path, str]] = Counter()

    def count(frame: FrameType, event: str, _) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
            calls[Path(code.co_filename), code.co_qualname] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def script_calls() -> Counter[tuple[Path, str]]:
    """The same of the page's scripts: the page is opened, a recorded run plays to its end, and a token is chosen."""
    with served(port=PORT), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script("localStorage.setItem('specviz.story', 'true')")
        devtools = page.context.new_cdp_session(page)
        for method in ("Debugger.enable", "Profiler.enable"):
            devtools.send(method)
        devtools.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
        replay(page)
        calls = Counter(dict(_covered(devtools)))
        browser.close()
    return calls


def replay(page: Page) -> None:
    page.goto(f"http://127.0.0.1:{PORT}")
    page.locator(".sv-play").focus()
    page.keyboard.press("End")
    page.locator("#race .sv-lane[data-lane=speculative] .sv-token[data-role=accepted]").first.click()
    page.locator(".sv-inspector-head").wait_for()  # drawn by a script that comes with the first token


def _covered(devtools: CDPSession) -> Iterator[tuple[tuple[Path, str], int]]:
    names = list(_files("page.js", ASSETS.resolve()))
    for script in devtools.send("Profiler.takePreciseCoverage")["result"]:
        source = devtools.send("Debugger.getScriptSource", {"scriptId": script["scriptId"]})["scriptSource"]
        modules = [(m.start(), ASSETS / m[2] if m[2] else names[int(m[1])]) for m in MODULE.finditer(source)]
        for function in script["functions"]:
            begin, calls = function["ranges"][0]["startOffset"], function["ranges"][0]["count"]
            file = next((file for start, file in reversed(modules) if start < begin), None)
            if file and calls and function["functionName"]:
                yield (file, f"{function['functionName']} {begin}"), calls


def summary(calls: Counter[tuple[Path, str]]) -> tuple[int, int, int]:
    """Files, functions with a name, and lines of these files."""
    files = {file for file, _ in calls}
    named = sum(not name.rpartition(".")[2].startswith("<") for _, name in calls)
    return len(files), named, sum(len(file.read_text("utf-8").splitlines()) for file in files)


def main() -> None:
    halves = [python_calls(), script_calls()]
    for half in halves:
        for file, functions in Counter(file for file, _ in half).items():
            print(f"{functions:4} {file.relative_to(PACKAGE.parent)}")
    both = [summary(half) for half in halves]
    python, scripts = (dict(zip(("files", "functions", "lines"), one, strict=True)) for one in both)
    print_figures({key: python[key] + scripts[key] for key in python} | {"python": python, "scripts": scripts})


if __name__ == "__main__":
    main()
