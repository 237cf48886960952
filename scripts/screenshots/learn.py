"""The chapters of Learn."""

from playwright.sync_api import expect

from .page import ADDRESS, Pages, save

MEASURED = "Measured: NVIDIA H100"
PICTURES = [  # chapter, width, theme, what is done there, how it is named
    *((chapter, 1440, "light", "", "") for chapter in range(1, 13)),
    (11, 1440, "light", MEASURED, "-h100"), (11, 390, "dark", MEASURED, "-h100-390-dark"),
    (6, 1440, "dark", "", "-dark"), (6, 1440, "dark", "p", "-projected"), (12, 1440, "dark", "", "-dark"),
    (5, 390, "light", "", "-390"), (12, 390, "light", "", "-390"), (12, 390, "dark", "", "-390-dark"),
]  # fmt: skip


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
