"""What a person does on the page, as verbs."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect


def run(page: Page, prompt: str = "Once upon a time", **fields) -> None:
    """Set the fields, type the prompt, press Run, wait for the race of this prompt."""
    for name, value in fields.items():
        put(page, name, value)
    page.locator("#prompt textarea").fill(prompt)
    page.locator("#run").click()
    first = prompt.split(" ")[0]
    expect(lane(page, "vanilla").locator("[data-role=prompt]").first).to_have_text(first)
    expect(page.locator("#run")).to_be_enabled()


def put(page: Page, name: str, value) -> None:
    field = page.locator(f"#{name} input[type=number]")
    field.fill(str(value))
    field.press("Tab")


def choose(page: Page, name: str, option: str) -> None:
    """Open a list and pick one of it by its words."""
    page.locator(f"#{name} input").click()
    page.locator("[role=option]", has_text=option).click()


def more(page: Page) -> None:
    """Unfold the settings that most visitors leave alone."""
    page.locator("button", has_text="More settings").click()


def save(page: Page, folder: Path) -> Path:
    """Press Save and return the file, in `folder`."""
    expect(page.locator("#save")).to_be_enabled()
    with page.expect_download() as download:
        page.locator("#save").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def lane(page: Page, name: str) -> Locator:
    return page.locator(f".sv-lane[data-lane={name}]")


def tokens(page: Page, role: str, name: str = "speculative") -> Locator:
    return lane(page, name).locator(f".sv-token[data-role={role}]")


def seek(page: Page, ms: float) -> None:
    """Drag the scrubber to a time."""
    page.locator(".sv-scrub").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input', {bubbles: true})) }", ms)


def roles(page: Page, name: str = "speculative") -> list[str]:
    return lane(page, name).locator(".sv-token").evaluate_all("list => list.map(e => e.dataset.role)")
