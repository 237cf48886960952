"""Pictures of the app in Chromium, in build/screenshots/: `make screenshots`, on a quiet machine.

watch-{width}-{theme}.png      a run, with a rejected token in the inspector
learn-{chapter}.png, lab-{panel}.png    the chapters and the panels as they open, all of them also dark on a phone
race.webp                      the animated picture at the head of the README

The few that a page of docs/ or the README shows are in docs/screenshots/ too, and are replaced there.
"""

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS

from .server import ROOT, served

FOLDER, DOCS = ROOT / "build/screenshots", ROOT / "docs/screenshots"
PORT = 7899
ADDRESS = f"http://127.0.0.1:{PORT}"
SIZES = {390: 844, 1440: 900}
LOOKS = ((1440, "light", ""), (390, "dark", "-390-dark"))
FRAMES, FRAME_MS, PAUSE_MS = 64, 120, 2500  # frames, ms a frame, ms of the last one
OPENED = {  # an address, and what stands there once it is drawn
    **{f"learn-{n}": (f"?chapter={n}", ".lrn-chapter") for n, _ in enumerate(CHAPTERS, 1)},
    **{f"lab-{panel.key}": (f"?lab={panel.key}", f"#lab-{panel.key} h2") for panel in PANELS},
}


@contextmanager
def page_of(browser: Browser, width: int, theme: str, height: int = 0) -> Iterator[Page]:
    """Of somebody who has seen the story, wants no motion, and sees struck guesses at the end too."""
    with browser.new_page(viewport={"width": width, "height": height or SIZES[width]}, color_scheme=theme) as page:
        page.add_init_script("for (const name of ['story', 'struck']) localStorage.setItem(`specviz.${name}`, 'true')")
        page.emulate_media(reduced_motion="reduce", color_scheme=theme)
        page.set_default_timeout(60_000)
        yield page


def save(page: Page, name: str) -> None:
    """As a PNG with 256 colours: a fifth of the size, and a screen shows few more."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(FOLDER / f"{name}.png", optimize=True)


def watch(browser: Browser) -> None:
    for width, theme in product(SIZES, ("light", "dark")):
        with page_of(browser, width, theme) as page:
            page.goto(ADDRESS)
            page.locator(".sv-lane").first.evaluate("e => (e.dataset.before = 'the run')")
            page.locator("#run").click()  # a run may be over before anybody sees the button disabled
            expect(page.locator(".sv-lane[data-before]")).to_have_count(0, timeout=60_000)
            expect(page.locator("#run")).to_be_enabled(timeout=60_000)
            expect(page.locator("#timeline svg").first).to_be_visible(timeout=60_000)
            page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()
            page.evaluate("scrollTo(0, 0)")
            save(page, f"watch-{width}-{theme}")


def race(browser: Browser) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    with page_of(browser, 1000, "light", 640) as page:
        page.goto(ADDRESS)
        expect(page.locator(".sv-at")).to_contain_text("Press Play.", timeout=60_000)
        expect(page.locator("#timeline svg").first).to_be_visible(timeout=60_000)
        page.locator(".sv-race").evaluate("e => e.scrollIntoView()")
        shots = []
        for i in range(FRAMES + 1):
            page.locator(".sv-scrub").evaluate(
                "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input', { bubbles: true })); }", i / FRAMES
            )
            shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    waits = [FRAME_MS] * FRAMES + [PAUSE_MS]
    shots[0].save(FOLDER / "race.webp", save_all=True, append_images=shots[1:], duration=waits, loop=0, quality=70, method=6)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served(port=PORT), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None, args=["--no-sandbox", "--disable-gpu"])
        watch(browser)
        for (name, (address, drawn)), (width, theme, look) in product(OPENED.items(), LOOKS):
            with page_of(browser, width, theme) as page:
                page.goto(f"{ADDRESS}/{address}")
                expect(page.locator(drawn)).to_be_visible(timeout=60_000)
                page.wait_for_timeout(1500)  # a picture that moves stands still when motion is not wanted; its size may settle
                save(page, name + look)
        race(browser)
        browser.close()
    for picture in DOCS.iterdir():
        if (new_picture := FOLDER / picture.name).exists():
            shutil.copy(new_picture, picture)


if __name__ == "__main__":
    main()
