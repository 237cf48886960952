"""Watch: the first twenty seconds of whoever comes for the first time, the page after a run at every width, and the run that opens it, animated."""

import io
from itertools import product

from PIL import Image
from playwright.sync_api import expect

from .page import ADDRESS, FOLDER, PROMPT, SIZES, Pages, each, rejected, run, save

FORGOTTEN = "localStorage.removeItem('specviz.story')"
THEMES = ("light", "dark")
FRAMES, FRAME_MS, PAUSE_MS, ANIMATED = 64, 120, 2500, (1000, 640)  # frames, ms a frame, ms of the last one, pixels


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


def race(pages: Pages) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    with pages(ANIMATED[0], "light", ANIMATED[1]) as page:
        page.goto(ADDRESS)
        expect(page.locator(".sv-at")).to_contain_text("Press Play.", timeout=60_000)
        expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
        page.locator(".sv-race").evaluate("e => e.scrollIntoView()")
        shots = []
        for i in range(FRAMES + 1):
            page.locator(".sv-scrub").evaluate(
                "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input', { bubbles: true })); }", i / FRAMES
            )
            shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    waits = [FRAME_MS] * FRAMES + [PAUSE_MS]
    shots[0].save(FOLDER / "race.webp", save_all=True, append_images=shots[1:], duration=waits, loop=0, quality=70, method=6)
