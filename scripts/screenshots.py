"""Pictures of the app in Chromium, in build/screenshots/: `make screenshots`, on a quiet machine.

python -m scripts.screenshots [folder [story|watch|learn|lab|engines|race ...]]

story-{beat}-{width}-{theme}.png   the story of the first visit beat by beat, and the screen that follows
watch-{width}-{theme}.png      the first screen after a run, at four widths
inspector-{width}-{theme}.png  a rejected token
learn-{chapter}.png            the chapters; some of them also dark, on a phone, and as projected
lab-{panel}.png                the panels of the Lab after what they do by default
rules-{rule}-{width}-{theme}.png, positions-…   a token under block verification and drafted by argmax; acceptance by position
vllm-{width}-{theme}.png       a race of vLLM's
race.webp                      the animated picture at the head of the README

The few that a page of docs/ or the README shows are in docs/screenshots/ too, and are replaced there.
"""

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect, sync_playwright

from .server import ROOT, served

BUILD, DOCS = ROOT / "build/screenshots", ROOT / "docs/screenshots"
FOLDER = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else BUILD
PORT = 7899
ADDRESS = f"http://127.0.0.1:{PORT}"
PROMPT = "Once upon a time, there was a little dog named"
SIZES = {390: 844, 768: 1024, 1440: 900, 1920: 1080}
LOOKS = ((1440, "light"), (390, "dark"))
THEMES = ("light", "dark")
FORGOTTEN = "localStorage.removeItem('specviz.story')"
FRAMES, FRAME_MS, PAUSE_MS, ANIMATED = 64, 120, 2500, (1000, 640)  # frames, ms a frame, ms of the last one, pixels
RULES = {"block": "verifier=block", "argmax": "drafting=argmax"}
TALL = 3000  # pixels: the inspector is seen whole
MEASURED = "Measured: NVIDIA H100"
PICTURES = [  # chapter, width, theme, what is done there, how it is named
    *((chapter, 1440, "light", "", "") for chapter in range(1, 13)),
    (11, 1440, "light", MEASURED, "-h100"), (11, 390, "dark", MEASURED, "-h100-390-dark"),
    (6, 1440, "dark", "", "-dark"), (6, 1440, "dark", "p", "-projected"), (12, 1440, "dark", "", "-dark"),
    (5, 390, "light", "", "-390"), (12, 390, "light", "", "-390"), (12, 390, "dark", "", "-390-dark"),
]  # fmt: skip
PANELS = ("mistakes&lab_rule=resample", "luck", "sweep", "load", "classroom")  # as the address asks for them
MOST_MS = 240_000  # that a panel takes on a busy machine

Pages = Callable[..., AbstractContextManager[Page]]
"""A new page of a width, a theme and, if it is another than the width's own, a height."""


def each(pages: Pages, looks: Iterable[tuple[int, str]] = LOOKS, height: int | None = None) -> Iterator[tuple[Page, str]]:
    """A page for each width and theme, and how a picture of it is named."""
    for width, theme in looks:
        with pages(width, theme, height) as page:
            yield page, f"{width}-{theme}"


def run(page: Page) -> None:
    """Press Run and wait for all that is drawn of it. A run may be over before anybody sees the button disabled."""
    page.locator(".sv-lane").first.evaluate("e => (e.dataset.before = 'the run')")
    page.locator("#run").click()
    expect(page.locator(".sv-lane[data-before]")).to_have_count(0, timeout=60_000)
    expect(page.locator("#run")).to_be_enabled(timeout=60_000)
    expect(page.locator("#timeline svg").first).to_be_visible(timeout=60_000)


def rejected(page: Page) -> None:
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()


def save(what: Page | Locator, name: str) -> None:
    """As a PNG with 256 colours: a fifth of the size, and a screen shows few more."""
    Image.open(io.BytesIO(what.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )


def story(pages: Pages) -> None:
    """story-{beat}-….png, from 1; story-end-….png is the screen that it gives way to."""
    for page, name in each(pages, product((390, 1440), THEMES)):
        page.emulate_media(reduced_motion="no-preference")
        page.add_init_script(FORGOTTEN)
        page.goto(ADDRESS)
        expect(page.locator(".sv-story")).to_be_visible(timeout=60_000)
        page.keyboard.press("Space")
        for _ in range(9):  # to its beginning, however far it went
            page.keyboard.press("ArrowLeft")
        over = page.locator(".sv-story[data-over]")
        beat = 0
        while not over.count():
            page.keyboard.press("ArrowRight")
            beat += 1
            save(page, f"story-{beat}-{name}")
        page.keyboard.press("Escape")
        expect(page.locator(".sv-story")).to_have_count(0)
        save(page, f"story-end-{name}")


def watch(pages: Pages) -> None:
    """Run a prompt, show the race, then a rejected token's inspector."""
    for page, name in each(pages, product(SIZES, THEMES)):
        page.goto(ADDRESS)
        page.locator("#prompt textarea").fill(PROMPT)
        run(page)
        rejected(page)
        page.evaluate("scrollTo(0, 0)")
        save(page, f"watch-{name}")
        if name.startswith(("390", "1440")):
            page.locator(".sv-inspector .sv-sentence").evaluate("e => e.scrollIntoView({ block: 'center' })")
            page.locator(".sv-bars").first.scroll_into_view_if_needed()
            save(page, f"inspector-{name}")


def chapters(pages: Pages) -> None:
    for chapter, width, theme, action, name in PICTURES:
        with pages(width, theme) as page:
            page.goto(f"{ADDRESS}/?chapter={chapter}")
            expect(page.locator(".lrn-chapter")).to_be_visible(timeout=60_000)
            if action == MEASURED:
                page.get_by_role("button", name=MEASURED).click()
            elif action:
                page.keyboard.press(action)
            page.wait_for_timeout(1500)  # a picture that moves stands still when motion is not wanted; its size may settle
            save(page, f"learn-{chapter}{name}")


def lab(pages: Pages) -> None:
    """The panels of the Lab, once they have found something."""
    for address in PANELS:
        panel = address.partition("&")[0]
        with pages(1440, "light") as page:
            page.goto(f"{ADDRESS}/?lab={address}")
            box = page.locator(f"#lab-{panel}")
            expect(box.locator("h2")).to_be_visible(timeout=60_000)
            run = box.get_by_role("button", name="Measure here", exact=True)
            if panel in ("luck", "sweep"):
                run.click()
                expect(run).to_be_disabled(timeout=60_000)
                expect(run).to_be_enabled(timeout=MOST_MS)
            elif panel == "classroom":
                page.get_by_label("What comes next?").fill("Max. He")
                page.get_by_role("button", name="Verify", exact=True).click()
                expect(box.locator(".ppl-token").first).to_be_visible(timeout=60_000)
            expect(box.locator("svg").first).to_be_visible(timeout=60_000)
            page.evaluate("document.activeElement.blur()")
            page.wait_for_timeout(500)  # its size may settle
            save(page, f"lab-{panel}")


def engines(pages: Pages) -> None:
    """A rejected token as each rule has it, and what was accepted at each position of a block; vLLM's own rounds."""
    for page, name in each(pages, product((1440, 390), THEMES), TALL):
        for rule, query in RULES.items():
            page.goto(f"{ADDRESS}/?prompt={PROMPT}&temperature=1&K=4&{query}")
            expect(page.locator(".sv-settings-line")).to_contain_text(rule, timeout=60_000)  # a link is decoded on arrival
            rejected(page)
            save(page.locator(".sv-inspector"), f"rules-{rule}-{name}")
        save(page.locator(".sv-positions"), f"positions-{name}")
    for page, name in each(pages):
        page.goto(f"{ADDRESS}/?recorded=vllm")
        expect(page.locator("#status")).to_contain_text("vLLM", timeout=60_000)
        rejected(page)
        page.locator(".sv-lane").first.evaluate("e => e.scrollIntoView({ block: 'center' })")
        save(page, f"vllm-{name}")


def race(pages: Pages) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    with pages(ANIMATED[0], "light", ANIMATED[1]) as page:
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

        @contextmanager
        def page(width: int, theme: str, height: int | None = None) -> Iterator[Page]:
            new = browser.new_page(viewport={"width": width, "height": height or SIZES[width]}, color_scheme=theme)
            new.add_init_script("localStorage.setItem('specviz.story', 'true')")  # the story was told
            new.emulate_media(reduced_motion="reduce", color_scheme=theme)
            yield new
            new.close()

        parts = {"story": story, "watch": watch, "learn": chapters, "lab": lab, "engines": engines, "race": race}
        for part in sys.argv[2:] or parts:
            parts[part](page)
        browser.close()
    if FOLDER == BUILD:
        show()


def show() -> None:
    """Replace the pictures that a page shows by those just made."""
    for picture in DOCS.iterdir():
        if (new_picture := FOLDER / picture.name).exists():
            shutil.copy(new_picture, picture)


if __name__ == "__main__":
    main()
