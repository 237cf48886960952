"""The pictures of docs/screenshots/, from the app itself in Chromium: `make screenshots`, on a quiet machine.

python -m scripts.screenshots [folder [watch|learn|lab|race ...]]

watch-{width}-{theme}.png      the first screen after a run, at four widths
inspector-{width}-{theme}.png  a rejected token
learn-{chapter}.png            the chapters; one of them also dark, on a phone, and as projected
lab-{panel}.png                the panels of the Lab after what they do by default; a room of phones also dark, on a phone
race.webp                      the animated picture at the head of the README
"""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/screenshots"
ADDRESS = "http://127.0.0.1:7899"
PROMPT = "Once upon a time, there was a little dog named"
SIZES = {390: 844, 768: 1024, 1440: 900, 1920: 1080}
THEMES = ("light", "dark")
PANELS = {  # of the Lab: what the address asks for beside the panel
    "mistakes": "&lab_rule=resample",
    "luck": "",
    "sweep": "",
    "load": "",
    "pair": "",
    "people": "",
}
MOST_MS = 240_000  # that a panel of the Lab takes on a busy machine
ROOM = {" Max": 6, " Spot": 5, " Lily": 3, " the": 2, " Mittens": 2}  # what so many phones guess after PROMPT
CHAPTERS = range(1, 13)
FRAMES, FRAME_MS, PAUSE_MS, ANIMATED = 64, 120, 2500, (1000, 640)  # frames, ms a frame, ms of the last one, pixels

Pages = Callable[..., AbstractContextManager[Page]]
"""A new page of a width, a theme and, if it is another than the width's own, a height."""


def main() -> None:
    app = subprocess.Popen(
        [sys.executable, "app.py", "--port", ADDRESS.rpartition(":")[2]],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        next(line for line in app.stdout if "Running on" in line)
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"]
            )

            @contextmanager
            def page(width: int, theme: str, height: int | None = None) -> Iterator[Page]:
                new = browser.new_page(viewport={"width": width, "height": height or SIZES[width]}, color_scheme=theme)
                new.emulate_media(reduced_motion="reduce", color_scheme=theme)
                yield new
                new.close()

            parts = {"watch": watch, "learn": chapters, "lab": lab, "race": race}
            for part in sys.argv[2:] or parts:
                parts[part](page)
            browser.close()
    finally:
        app.terminate()
        app.wait()


def watch(pages: Pages) -> None:
    for width in SIZES:
        for theme in THEMES:
            with pages(width, theme) as page:
                photograph(page, width, theme)


def chapters(pages: Pages) -> None:
    for chapter in CHAPTERS:
        with pages(1440, "light") as page:
            learn(page, chapter, f"learn-{chapter}")
    with pages(1440, "dark") as page:
        learn(page, 6, "learn-6-dark")
        learn(page, 6, "learn-6-projected", projected=True)
    with pages(390, "light") as page:
        learn(page, 5, "learn-5-390")


def lab(pages: Pages) -> None:
    for panel in PANELS:
        with pages(1440, "light") as page:
            experiment(page, panel)
    with pages(390, "dark") as page:
        room(page)


def race(pages: Pages) -> None:
    with pages(ANIMATED[0], "light", ANIMATED[1]) as page:
        animate(page)


def photograph(page: Page, width: int, theme: str) -> None:
    """Run a prompt, show the race, then a rejected token's inspector."""
    page.goto(ADDRESS)
    page.locator("#prompt textarea").fill(PROMPT)
    page.locator("#run").click()
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    expect(page.locator("#save")).to_be_enabled()
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()
    page.evaluate("scrollTo(0, 0)")
    save(page, f"watch-{width}-{theme}")
    if width in (390, 1440):
        page.locator(".sv-inspector .sv-sentence").evaluate("e => e.scrollIntoView({ block: 'center' })")
        page.locator(".sv-bars").first.scroll_into_view_if_needed()
        save(page, f"inspector-{width}-{theme}")


def learn(page: Page, chapter: int, name: str, projected: bool = False) -> None:
    page.goto(f"{ADDRESS}/?chapter={chapter}")
    expect(page.locator(".lrn-chapter")).to_be_visible(timeout=60_000)
    if projected:
        page.keyboard.press("p")
    page.wait_for_timeout(1500)  # a picture that moves stands still when motion is not wanted; its size may settle
    save(page, name)


def opened(page: Page, panel: str, query: str = "") -> Locator:
    page.goto(f"{ADDRESS}/?lab={panel}{query}")
    box = page.locator(f"#lab-{panel}")
    expect(box.locator("h2")).to_be_visible(timeout=60_000)
    return box


def experiment(page: Page, panel: str) -> None:
    """A panel of the Lab, once it has found something."""
    box = opened(page, panel, PANELS[panel])
    run = box.get_by_role("button", name="Run", exact=True)
    if panel in ("luck", "sweep"):
        run.click()
        expect(run).to_be_disabled(timeout=60_000)
        expect(run).to_be_enabled(timeout=MOST_MS)
    elif panel == "people":
        page.get_by_label("What comes next?").fill("Max. He")
        page.get_by_role("button", name="Verify", exact=True).click()
        expect(box.locator(".ppl-token").first).to_be_visible(timeout=60_000)
    expect(box.locator("svg").first).to_be_visible(timeout=60_000)
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(500)  # its size may settle
    save(page, f"lab-{panel}")


def room(page: Page) -> None:
    """A round of a room of phones, as its teacher sees it."""
    box = opened(page, "people", f"&lab_who=room&lab_prompt={PROMPT}")
    box.get_by_role("button", name="Open a room").click()
    expect(link := box.locator(".ppl-link")).to_contain_text("/room/", timeout=60_000)
    at = f"{ADDRESS}/room/{link.text_content().rpartition('/')[2]}"
    for words in (words for words, phones in ROOM.items() for _ in range(phones)):
        seat = page.request.post(f"{at}/join", data={}).json()["seat"]
        page.request.post(f"{at}/guess", data={"seat": seat, "round": 1, "words": words})
    box.get_by_role("button", name="Verify the room's draft").click()
    expect(box.locator(".ppl-spread")).to_be_visible(timeout=60_000)
    box.locator(".ppl-round").evaluate("e => e.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(500)  # its size may settle
    save(page, "lab-people-390-dark")


def save(page: Page, name: str) -> None:
    """As a PNG of 256 colours: a fifth of the size, and a screen has few more."""
    Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )


def animate(page: Page) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    page.goto(ADDRESS)
    expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    race = page.locator(".sv-race")
    race.evaluate("e => e.scrollIntoView()")
    shots = []
    for i in range(FRAMES + 1):
        page.locator(".sv-scrub").evaluate(
            "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input', { bubbles: true })); }", i / FRAMES
        )
        shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    waits = [FRAME_MS] * FRAMES + [PAUSE_MS]
    shots[0].save(FOLDER / "race.webp", save_all=True, append_images=shots[1:], duration=waits, loop=0, quality=70, method=6)


if __name__ == "__main__":
    main()
