"""What a person does on the page, as verbs."""

from base64 import b64encode
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect


def run(page: Page, prompt: str = "Once upon a time", **fields) -> None:
    """Set the fields, type the prompt, press Run, wait for the race of this prompt."""
    for name, value in fields.items():
        put(page, name, value)
    page.locator("#prompt textarea").fill(prompt)
    page.locator("#run").click()
    first = prompt.split(" ")[0]
    expect(page.locator("[data-live]")).to_have_count(0)  # what is decoded is drawn meanwhile
    expect(lane(page, "vanilla").locator("[data-role=prompt]").first).to_have_text(first)
    expect(page.locator("#run")).to_be_enabled()


def put(page: Page, name: str, value) -> None:
    field = within_reach(page, f"#{name} input[type=number]")
    field.fill(str(value))
    field.press("Tab")


def choose(page: Page, name: str, option: str) -> None:
    within_reach(page, f"#{name} input").click()
    page.locator(f"#{name} [role=option]", has_text=option).click()  # the list of another may be about to go


def within_reach(page: Page, selector: str) -> Locator:
    """A field, wherever it stands: the settings are unfolded if it is one of those, its menu is opened."""
    page.locator("#more > button").first.wait_for(state="attached")
    fold = page.locator("#more > button:not(.open)")
    if not page.locator(selector).count() and fold.count():
        more(page)
    return reach(page, selector)


def reach(page: Page, selector: str) -> Locator:
    """What stands in a menu, with its menu open."""
    menu = page.locator(".sv-menu", has=page.locator(selector))
    menu.first.or_(page.locator(selector).first).first.wait_for(state="attached")
    if menu.count() and not menu.is_visible():
        page.locator(f"#{menu.get_attribute('id').removesuffix('-menu')}").click()
    return page.locator(selector)


def speed(page: Page, word: str) -> None:
    page.get_by_label("Replay speed").select_option(label=word)


def more(page: Page) -> None:
    """Unfold the settings that most visitors leave alone, unless they are."""
    if page.locator("#more > button.open").count():
        return
    page.locator("#more > button").click()
    # its fields are made now, and take their first values a moment later than they are seen: faster than a hand is, slower than a test
    expect(page.locator("#confidence input[type=number]")).to_have_value("0")
    drawn(page, 10)


def save(page: Page, folder: Path, button: str = "save") -> Path:
    """Press Save, or another button that gives a file, and return the file, in `folder`."""
    expect(page.locator(f"#{button}")).to_be_enabled()
    return download(reach(page, f"#{button}"), folder)


def download(button: Locator, folder: Path) -> Path:
    with button.page.expect_download() as coming:
        button.click()
    path = folder / coming.value.suggested_filename
    coming.value.save_as(path)
    return path


def drag(page: Page, **files: bytes):
    """Drag files (name=bytes) from outside over the page, once it listens; what `let_go` then needs."""
    expect(page.locator(".sv-drop")).to_be_attached()
    carried = page.evaluate_handle(
        """files => {
          const carried = new DataTransfer();
          const bytes = (text) => Uint8Array.from(atob(text), c => c.charCodeAt(0));
          for (const [name, text] of Object.entries(files)) carried.items.add(new File([bytes(text)], name));
          return carried;
        }""",
        {name: b64encode(data).decode() for name, data in files.items()},
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": carried})
    page.dispatch_event("#prompt textarea", "dragover", {"dataTransfer": carried})
    return carried


def let_go(page: Page, carried) -> None:
    """Drop what is dragged, over the prompt's field, which must not take it."""
    page.dispatch_event("#prompt textarea", "drop", {"dataTransfer": carried})


def status(page: Page) -> Locator:
    return page.locator(".sv-status")


def lane(page: Page, name: str) -> Locator:
    return page.locator(f".sv-lane[data-lane={name}]")


def tokens(page: Page, role: str, name: str = "speculative") -> Locator:
    return lane(page, name).locator(f".sv-token[data-role={role}]")


def seek(page: Page, ms: float) -> None:
    page.locator(".sv-scrub").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input', {bubbles: true})) }", ms)


def roles(page: Page, name: str = "speculative") -> list[str]:
    return lane(page, name).locator(".sv-token").evaluate_all("list => list.map(e => e.dataset.role)")


def block(page: Page, index: int) -> Locator:
    """The tokens of one speculative round, in reading order; `index` counts from 0."""
    return lane(page, "speculative").locator(f".sv-token[aria-label$=', round {index + 1}']")


def learn(page: Page, address: str, chapter: int = 1) -> Locator:
    page.goto(f"{address}/?chapter={chapter}")
    expect(page.locator("#learn h2")).to_be_visible()
    return page.locator(".lrn-picture")


def in_sight(page: Page, *parts: str) -> None:
    """The first of each is in sight, as a whole."""
    for part in parts:
        expect(page.locator(part).first, part).to_be_in_viewport(ratio=0.99)


def drawn(page: Page, frames: int = 2) -> None:
    """Wait until what was changed is drawn: scripts hear of another size or scheme a frame later."""
    page.evaluate("n => new Promise((done) => { const on = () => (n-- ? requestAnimationFrame(on) : done()); on(); })", frames)


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled to the side."""
    drawn(page)
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def objections(page: Page, within: str | None = None) -> list:
    """What axe objects to: each rule, and the elements that break it."""
    violations = Axe().run(page, context=within).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in violations]


def opened_panel(page: Page, app: str, panel: str, **settings) -> Locator:
    query = "".join(f"&lab_{name}={value}" for name, value in settings.items())
    page.goto(f"{app}/?lab={panel}{query}")
    box = page.locator(f"#lab-{panel}")
    expect(box.locator("h2")).to_be_visible()
    return box


def field(box: Page | Locator, name: str) -> Locator:
    return box.get_by_label(name, exact=True)


def press(box: Page | Locator, name: str) -> None:
    box.get_by_role("button", name=name, exact=True).click()


@contextmanager
def late(page: Page, pattern: str):
    """Of what the page fetches, this comes only after what is done meanwhile."""
    waiting = []
    page.route(pattern, lambda route: waiting.append(route))
    yield
    assert waiting, f"nothing was fetched of {pattern}"
    for route in waiting:
        route.continue_()


def leave(page: Page) -> None:
    """Leave for good: the next visitor finds nothing of this one. A run whose last event comes now is kept no more."""
    for other in page.context.pages[1:]:  # they keep things in the same place
        other.close()
    page.unroute_all()
    page.evaluate(
        """() => {
          try { localStorage.clear(); sessionStorage.clear(); Storage.prototype.setItem = () => {}; } catch { /* a page of nobody's */ }
        }"""
    )
    page.goto("about:blank")
