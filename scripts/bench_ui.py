"""How fast the page answers a hand, from the app itself in Chromium: `make bench-ui`, on a quiet machine. Ends in one line of JSON.

first_motion_s    from opening the page to the first token of the bundled run that moves; the server is warm
inspect_ms        from a click on a token to the frame in which its inspector stands
replay_fps        frames a second while both lanes of a long run play; the less of real time and a fifth of it
scrub_ms          a step of the scrubber, from the end of that run to its start, until its frame is drawn
outside_requests  requests that left the app's own address, all along
axe_violations    what axe-core objects to: light and dark, every tab, chapter and panel
first_screen_controls what a hand or the Tab key can act on, on the first screen at 1440 × 900 after the story; first_screen_words: all
                      that can be read there; both also _phone, at 390 × 844 (scripts/first_screen.py)
story_s           from the first visit's opening to the last sentence of the story, by itself
layout_shift      of everything while the bundled run plays, without a hand (CLS)
phone_race_bottom_px  on a phone of 390 × 844, opened and not scrolled: the lower edge of Play and of the lines at work in both lanes
"""

import json
import os
import statistics as st
from collections.abc import Callable
from typing import Annotated, Any

import typer
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts.first_screen import count, shifts, watch_shifts
from scripts.server import served
from specviz.engine import machine
from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS

PORT = 7898
WIDE = {"width": 1440, "height": 900}

WATCH_MOTION = """
new MutationObserver((changes, observer) => {
  if (!changes.some((c) => c.attributeName === "data-role" && c.target.dataset.role)) return;
  window.firstMotion = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-role"], childList: false });
"""
# Two frames: in the first the change is drawn, the second begins when that is done.
PHONE = {"width": 390, "height": 844}
RACE_BOTTOM = """() => {
  const active = (lane) => [...lane.querySelectorAll(".sv-token:not([data-role=''])")].at(-1);
  const parts = [document.querySelector(".sv-play"), ...[...document.querySelectorAll(".sv-lane")].map(active)];
  return Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)) + scrollY;
}"""
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
        first = [first_motion(browser, address, outside) for _ in range(visits)]
        page = open_page(browser, address, outside)
        long_run(page, tokens)
        inspect = page.evaluate(INSPECT, NEXT_FRAME)
        fps = min(frames(page, slow) for slow in (1, 5))
        scrub = page.evaluate(SCRUB)
        page.close()
        wrong_by_scheme = {scheme: violations_everywhere(browser, address, scheme, outside) for scheme in ("light", "dark")}
        bottom = on_settled_page(browser, address, outside, PHONE, lambda page: page.evaluate(RACE_BOTTOM))
        screens = {"": WIDE, "_phone": PHONE}
        screens = {name: on_settled_page(browser, address, outside, size, count) for name, size in screens.items()}
        story, shift = story_seconds(browser, address, outside), layout_shift(browser, address, outside)
        browser.close()
    for scheme, wrong in wrong_by_scheme.items():
        for place, message in wrong:
            print(f"axe, {scheme}, {place}: {message}")
    print(json.dumps({
        "first_motion_s": round(st.median(first), 2),
        "inspect_ms": round(st.median(inspect), 1),
        "inspect_ms_p90": round(st.quantiles(inspect, n=10)[-1], 1),
        "replay_fps": round(fps, 1),
        "scrub_ms": round(st.median(scrub), 1),
        "scrub_ms_p90": round(st.quantiles(scrub, n=10)[-1], 1),
        "phone_race_bottom_px": round(bottom),
        **{f"first_screen_{what}{name}": counts[what] for name, counts in screens.items() for what in ("controls", "words")},
        "story_s": round(story, 1),
        "layout_shift": round(shift, 4),
        "outside_requests": len(outside),
        "axe_violations": sum(map(len, wrong_by_scheme.values())),
        "tokens": tokens,
        "device": machine.describe_machine().device,
    }))  # fmt: skip


def open_page(browser: Browser, address: str, outside: list, scheme: str = "light", skip_story: bool = True) -> Page:
    """A page; `skip_story`: of somebody who has seen the story, else of a first visit."""
    page = browser.new_page(viewport=WIDE, color_scheme=scheme)
    if skip_story:
        page.add_init_script("localStorage.setItem('specviz.story', 'true')")
    page.set_default_timeout(60_000)
    page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else outside.append(r.url))
    page.goto(address)
    return page


def first_motion(browser: Browser, address: str, outside: list) -> float:
    """Seconds from the navigation to the first token that changes its role on the clock; nothing is cached, as for a new visitor."""
    with browser.new_page(viewport=WIDE) as page:
        page.on("request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else outside.append(r.url))
        page.add_init_script(WATCH_MOTION)
        page.goto(address, wait_until="commit")
        page.wait_for_function("window.firstMotion", timeout=60_000)
        return page.evaluate("window.firstMotion") / 1000


def long_run(page: Page, tokens: int) -> None:
    page.locator("button", has_text="Settings").click()
    page.locator("#ignore-eos input").check()
    for name, value in ("length", tokens), ("temperature", 0.8):
        page.locator(f"#{name} input[type=number]").fill(str(value))
    page.locator("#run").click()
    page.wait_for_function(f"document.querySelectorAll('#race .sv-lane[data-lane=vanilla] .sv-token').length > {tokens}")
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    page.locator("#timeline svg").first.wait_for(state="attached")  # a disturbed run shows no times


def on_settled_page(browser: Browser, address: str, outside: list, size: dict, measure: Callable[[Page], Any]) -> Any:
    """What `measure` gives of the page as it opens in a window of this size, half a second after it is there."""
    with open_page(browser, address, outside) as page:
        page.set_viewport_size(size)
        page.reload()
        expect(page.locator(".sv-play")).to_be_visible()
        page.wait_for_timeout(500)
        return measure(page)


def story_seconds(browser: Browser, address: str, outside: list) -> float:
    """Seconds of the page's own clock."""
    with open_page(browser, address, outside, skip_story=False) as page:
        page.locator(".sv-story[data-over]").wait_for(timeout=60_000)
        return page.evaluate("performance.now()") / 1000


def layout_shift(browser: Browser, address: str, outside: list) -> float:
    """The sum of the shifts from half a second after Play, since a shift soon after a press is laid to the hand."""
    with open_page(browser, address, outside) as page:
        ms = page.locator(".sv-scrub").evaluate("e => Number(e.max)")
        page.locator(".sv-speed").select_option(str(next((slow for slow in (100, 25, 5) if slow * ms < 20_000), 1)))
        page.locator(".sv-play").click()
        page.wait_for_timeout(600)
        watch_shifts(page)
        expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
        page.wait_for_timeout(500)
        return sum(shifts(page))


def frames(page: Page, slow: int) -> float:
    """Frames a second over a replay `slow` times slower than real time."""
    page.locator(".sv-speed").select_option(str(slow))
    page.locator(".sv-play").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    seconds = slow * page.locator(".sv-scrub").evaluate("e => Number(e.max)") / 1000
    return page.evaluate(FRAMES, min(4.0, 0.9 * seconds))


def violations(page: Page) -> list[str]:
    """What axe-core objects to on the page as it is, a line a rule."""
    from axe_playwright_python.sync_playwright import Axe

    objections = Axe().run(page).response["violations"]
    return [f"{v['id']} ({v['impact']}): {v['nodes'][0]['target']} and {len(v['nodes']) - 1} more" for v in objections]


def violations_everywhere(browser: Browser, address: str, scheme: str, outside: list) -> list[tuple[str, str]]:
    """(place, violation) on Watch as it opens and at the end of the run with all settings, in every chapter, every panel, on a phone."""
    page = open_page(browser, address, outside, scheme)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(address)
    page.locator("#timeline svg").first.wait_for(state="attached")
    problems = [("Watch, opened", problem) for problem in violations(page)]
    page.get_by_role("button", name="In plain words").click()
    problems += [("the story", problem) for problem in violations(page)]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Be the small model").click()
    expect(page.locator(".sv-game-field")).to_be_focused()
    problems += [("the game", problem) for problem in violations(page)]
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Predict", exact=True).click()
    problems += [("Predict", problem) for problem in violations(page)]
    page.get_by_role("button", name="Predict", exact=True).click()
    page.locator(".sv-lane .sv-token[data-role=drafted]").first.click()
    problems += [("Watch, a token chosen", problem) for problem in violations(page)]
    page.locator("button", has_text="Settings").click()
    page.locator(".sv-play").focus()
    page.keyboard.press("End")
    expect(page.locator(".sv-verdict")).to_be_visible()
    problems += [("Watch, at its end", problem) for problem in violations(page)]
    for n, _ in enumerate(CHAPTERS, 1):
        page.goto(f"{address}/?chapter={n}")
        expect(page.locator(".lrn-chapter")).to_be_visible()
        problems += [(f"chapter {n}", problem) for problem in violations(page)]
    for panel in PANELS:
        page.goto(f"{address}/?lab={panel.key}")
        expect(page.locator(f"#lab-{panel.key} h2")).to_be_visible()
        problems += [(f"Lab, {panel.key}", problem) for problem in violations(page)]
    page.goto(f"{address}/?chapter=1")
    page.locator(".lrn-teach summary").click()
    page.get_by_role("button", name="Lesson", exact=True).click()
    page.get_by_role("button", name="Ask the phones", exact=True).click()
    expect(page.locator(".sv-door:visible")).to_contain_text("/room/")
    problems += [("a question on the phones", problem) for problem in violations(page)]
    code = page.locator(".sv-door:visible").inner_text().split("/room/")[1]
    page.goto(f"{address}/room/{code}")
    page.get_by_role("button", name="Join").click()
    expect(page.locator(".ph-poll .sv-choice").first).to_be_visible()
    problems += [("a phone that is asked", problem) for problem in violations(page)]
    page.goto(f"{address}/room/nobody")
    problems += [("a phone", problem) for problem in violations(page)]
    page.close()
    return problems


if __name__ == "__main__":
    typer.run(main)
