"""The first twenty seconds of whoever comes for the first time: a still of each beat of the story, and the screen behind it."""

from playwright.sync_api import Page, expect

from .page import ADDRESS, THEMES, Pages, save

FORGOTTEN = "localStorage.removeItem('specviz.story')"


def story(pages: Pages) -> None:
    for width in (390, 1440):
        for theme in THEMES:
            with pages(width, theme) as page:
                photograph(page, f"{width}-{theme}")


def photograph(page: Page, name: str) -> None:
    """story-{beat}-{name}.png, from 1; story-end-{name}.png is the screen that it gives way to."""
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
