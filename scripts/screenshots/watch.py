"""Watch after a run, at every width; and the recorded run that opens the page, animated."""

import io

from PIL import Image
from playwright.sync_api import Page, expect

from .page import ADDRESS, FOLDER, PROMPT, SIZES, THEMES, Pages, rejected, run, save

FRAMES, FRAME_MS, PAUSE_MS, ANIMATED = 64, 120, 2500, (1000, 640)  # frames, ms a frame, ms of the last one, pixels


def watch(pages: Pages) -> None:
    for width in SIZES:
        for theme in THEMES:
            with pages(width, theme) as page:
                photograph(page, width, theme)


def race(pages: Pages) -> None:
    with pages(ANIMATED[0], "light", ANIMATED[1]) as page:
        animate(page)


def photograph(page: Page, width: int, theme: str) -> None:
    """Run a prompt, show the race, then a rejected token's inspector."""
    page.goto(ADDRESS)
    page.locator("#prompt textarea").fill(PROMPT)
    run(page)
    rejected(page)
    page.evaluate("scrollTo(0, 0)")
    save(page, f"watch-{width}-{theme}")
    if width in (390, 1440):
        page.locator(".sv-inspector .sv-sentence").evaluate("e => e.scrollIntoView({ block: 'center' })")
        page.locator(".sv-bars").first.scroll_into_view_if_needed()
        save(page, f"inspector-{width}-{theme}")


def animate(page: Page) -> None:
    """The recorded run that opens the page, from its beginning to its end."""
    page.goto(ADDRESS)
    expect(page.locator(".sv-at")).to_contain_text("Press Play.", timeout=60_000)
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
