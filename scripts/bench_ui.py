"""How fast the page answers a hand, from the app itself in Chromium: `make bench-ui`, on a quiet machine. Ends in one line of JSON.

first_motion_s    from opening the page to the first token of the bundled run that moves; the server is warm
longest_task_ms   the longest task of the main thread until then (Chromium tells those over 50 ms; 0: none was), the worst of the visits
inspect_ms        from a click on a token to the frame in which its inspector stands
replay_fps        frames a second while both lanes of a long run play; the less of real time and a fifth of it
scrub_ms          a step of the scrubber, from the end of that run to its start, until its frame is drawn
outside_requests  requests that left the app's own address, all along
smallest_projected_px the smallest letters of a projector of 1920 × 1080: Watch, every chapter, every panel
play_bottom_share  the lower edge of Play ÷ the screen's height, before any scrolling: the worst of four sizes from 1280 × 720 on
"""

import os
import statistics as st
from typing import Annotated

import typer
from playwright.sync_api import Browser, Page, expect, sync_playwright

from specviz.engine import machine
from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS

from .result import print_figures
from .server import served

PORT = 7898
WIDE = {"width": 1440, "height": 900}
SIZES = ((1280, 720), (1366, 768), (1440, 900), (1920, 1080))

WATCH_MOTION = """
window.tasks = [0];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask", buffered: true });
new MutationObserver((changes, observer) => {
  if (!changes.some((c) => c.attributeName === "data-role" && c.target.dataset.role)) return;
  window.firstMotion = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-role"], childList: false });
"""
# Two frames: in the first the change is drawn, the second begins when that is done.
PROJECTOR = {"width": 1920, "height": 1080}
SMALLEST = """() => {
  const root = document.querySelector("#race[data-projector], .lrn[data-projector]") ?? document.querySelector("#tabs");
  const sizes = [], texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (texts.nextNode()) {
    const node = texts.currentNode, parent = node.parentElement;
    range.selectNodeContents(node);
    const { width, height } = range.getBoundingClientRect(), seen = { opacityProperty: true, visibilityProperty: true };
    if (!node.textContent.trim() || width < 2 || height < 2 || parent.closest(".sv-unseen") || !parent.checkVisibility(seen)) continue;
    const { a, b } = parent.ownerSVGElement ? parent.getScreenCTM() : { a: 1, b: 0 };
    sizes.push(Number.parseFloat(getComputedStyle(parent).fontSize) * Math.hypot(a, b));
  }
  return Math.min(...sizes);
}"""
PLAY_SHARE = "() => document.querySelector('.sv-play').getBoundingClientRect().bottom / innerHeight"
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
INSPECT = """async (drawn) => {
  drawn = eval(drawn);
  const tokens = [...document.querySelectorAll("#race .sv-lane[data-lane=speculative] .sv-token[data-role]:not([data-role=''])")];
  const times = [];
  for (let i = 0; i < 40; i++) {
    const token = tokens[(i * 7919) % tokens.length], began = performance.now();
    token.click();
    document.querySelector(".sv-inspector").getBoundingClientRect();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - began);
    await drawn();
  }
  return times;
}"""
FRAMES = """async (seconds) => {
  const began = performance.now();
  let frames = 0, now = began;
  while (now - began < 1000 * seconds) {
    now = await new Promise(requestAnimationFrame);
    frames++;
  }
  return (1000 * frames) / (now - began);
}"""
SCRUB = """async () => {
  const scrub = document.querySelector(".sv-scrub"), most = Number(scrub.max), times = [];
  for (let i = 60; i >= 0; i--) {
    const began = performance.now();
    scrub.value = (most * i) / 60;
    scrub.dispatchEvent(new Event("input", { bubbles: true }));
    document.querySelector("#race").getBoundingClientRect();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - began);
  }
  return times;
}"""


def main(
    tokens: Annotated[int, typer.Option(help="Length of the run that is played.")] = 300,
    visits: Annotated[int, typer.Option(help="Times that the page is opened.")] = 5,
):
    """Measure and print; the last line is JSON."""
    expect.set_options(timeout=30_000)
    address, outside = f"http://127.0.0.1:{PORT}", []
    with served(port=PORT), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"])
        open_page(browser, address, outside).close()  # the first visit warms the server
        first, tasks = zip(*(first_motion(browser, address, outside) for _ in range(visits)), strict=True)
        page = open_page(browser, address, outside)
        long_run(page, tokens)
        inspect = page.evaluate(INSPECT, NEXT_FRAME)
        fps = min(frames(page, slow) for slow in (1, 5))
        scrub = page.evaluate(SCRUB)
        page.close()
        smallest, play_share = smallest_projected(browser, address, outside), play_bottom_share(browser, address, outside)
        browser.close()
    figures = {
        "first_motion_s": st.median(first),
        "longest_task_ms": max(tasks),
        "inspect_ms": st.median(inspect),
        "inspect_ms_p90": st.quantiles(inspect, n=10)[-1],
        "replay_fps": fps,
        "scrub_ms": st.median(scrub),
        "scrub_ms_p90": st.quantiles(scrub, n=10)[-1],
        "smallest_projected_px": smallest,
        "play_bottom_share": play_share,
        "outside_requests": len(outside),
    }
    print_figures(figures | {"tokens": tokens, "device": machine.describe_machine().device})


def open_page(browser: Browser, address: str, outside: list) -> Page:
    """Of somebody who has seen the story."""
    page = browser.new_page(viewport=WIDE)
    page.add_init_script("localStorage.setItem('specviz.story', 'true')")
    page.set_default_timeout(60_000)
    page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else outside.append(r.url))
    page.goto(address)
    return page


def first_motion(browser: Browser, address: str, outside: list) -> tuple[float, float]:
    """Seconds from the navigation to the first token that changes its role on the clock, and milliseconds of the longest task; nothing is
    cached, as for a new visitor."""
    with browser.new_page(viewport=WIDE) as page:
        page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else outside.append(r.url))
        page.add_init_script(WATCH_MOTION)
        page.goto(address, wait_until="commit")
        page.wait_for_function("window.firstMotion", timeout=60_000)
        return page.evaluate("window.firstMotion") / 1000, page.evaluate("Math.max(...tasks)")


def long_run(page: Page, tokens: int) -> None:
    page.locator("button", has_text="Settings").click()
    page.locator("#further").click()
    page.locator("#ignore-eos input").check()
    for name, value in ("length", tokens), ("temperature", 0.8):
        page.locator(f"#{name} input[type=number]").fill(str(value))
    page.locator("#run").click()
    page.wait_for_function(f"document.querySelectorAll('#race .sv-lane[data-lane=vanilla] .sv-token').length > {tokens}")
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    page.locator("#timeline svg").first.wait_for(state="attached")  # a disturbed run shows no times


def frames(page: Page, slow: int) -> float:
    """Frames a second over a replay `slow` times slower than real time."""
    page.locator(".sv-speed").select_option(str(slow))
    page.locator(".sv-play").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    seconds = slow * page.locator(".sv-scrub").evaluate("e => Number(e.max)") / 1000
    return page.evaluate(FRAMES, min(4.0, 0.9 * seconds))


def play_bottom_share(browser: Browser, address: str, outside: list) -> float:
    """Of the four sizes the worst."""
    shares = []
    for width, height in SIZES:
        page = open_page(browser, address, outside)
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".sv-play").wait_for()
        page.evaluate(NEXT_FRAME)
        shares.append(page.evaluate(PLAY_SHARE))
        page.close()
    return max(shares)


def smallest_projected(browser: Browser, address: str, outside: list) -> float:
    """Of all that is projected, px."""
    page, sizes = open_page(browser, address, outside), []
    page.set_viewport_size(PROJECTOR)
    places = ["", *(f"?chapter={n}" for n, _ in enumerate(CHAPTERS, 1)), *(f"?lab={panel.key}" for panel in PANELS)]
    for place in places:
        page.goto(f"{address}/{place}")
        page.locator(".sv-play, #lrn-title, .lab-panel h2").locator("visible=true").first.focus()
        projected = page.locator("body:is([data-sv-projector], [data-lrn-projector], [data-lab-projector])")
        while not projected.count():  # a tab that was projected is so again, a moment after it is opened
            page.keyboard.press("p")
            page.wait_for_timeout(300)
        page.evaluate(NEXT_FRAME)
        sizes.append(page.evaluate(SMALLEST))
    page.close()
    return min(sizes)


if __name__ == "__main__":
    typer.run(main)
