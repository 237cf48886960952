"""The panels of the Lab, once they have found something."""

from playwright.sync_api import Locator, Page, expect

from .page import ADDRESS, PROMPT, Pages, save

PANELS = {  # what the address asks for beside the panel
    "mistakes": "&lab_rule=resample",
    "luck": "",
    "sweep": "",
    "load": "",
    "pair": "",
    "classroom": "",
}
MOST_MS = 240_000  # that a panel takes on a busy machine
ROOM = {" Max": 6, " Spot": 5, " Lily": 3, " the": 2, " Mittens": 2}  # what so many phones guess after PROMPT


def lab(pages: Pages) -> None:
    for panel in PANELS:
        with pages(1440, "light") as page:
            experiment(page, panel)
    with pages(390, "dark") as page:
        room(page)


def open_panel(page: Page, panel: str, query: str = "") -> Locator:
    page.goto(f"{ADDRESS}/?lab={panel}{query}")
    box = page.locator(f"#lab-{panel}")
    expect(box.locator("h2")).to_be_visible(timeout=60_000)
    return box


def experiment(page: Page, panel: str) -> None:
    """A panel of the Lab, once it has found something."""
    box = open_panel(page, panel, PANELS[panel])
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


def room(page: Page) -> None:
    """A round of a room of phones, as its teacher sees it."""
    box = open_panel(page, "classroom", f"&lab_who=room&lab_prompt={PROMPT}")
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
    save(page, "lab-classroom-390-dark")
