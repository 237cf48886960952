"""The chapters of Learn."""

from playwright.sync_api import Page, expect

from .page import ADDRESS, Pages, save

CHAPTERS = range(1, 13)


def chapters(pages: Pages) -> None:
    for chapter in CHAPTERS:
        with pages(1440, "light") as page:
            learn(page, chapter, f"learn-{chapter}")
    for width, theme, name in ((1440, "light", "learn-11-h100"), (390, "dark", "learn-11-h100-390-dark")):
        with pages(width, theme) as page:
            learn(page, 11, name)
            page.get_by_role("button", name="Measured: NVIDIA H100").click()
            page.wait_for_timeout(1500)
            save(page, name)
    with pages(1440, "dark") as page:
        learn(page, 6, "learn-6-dark")
        learn(page, 6, "learn-6-projected", projected=True)
        learn(page, 12, "learn-12-dark")
    with pages(390, "light") as page:
        learn(page, 5, "learn-5-390")
        learn(page, 12, "learn-12-390")
    with pages(390, "dark") as page:
        learn(page, 12, "learn-12-390-dark")


def learn(page: Page, chapter: int, name: str, projected: bool = False) -> None:
    page.goto(f"{ADDRESS}/?chapter={chapter}")
    expect(page.locator(".lrn-chapter")).to_be_visible(timeout=60_000)
    if projected:
        page.keyboard.press("p")
    page.wait_for_timeout(1500)  # a picture that moves stands still when motion is not wanted; its size may settle
    save(page, name)
