"""Where the app is, how large its pages are, and where a picture of one goes."""

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page, expect

from ..server import ROOT

BUILD, DOCS = ROOT / "build/screenshots", ROOT / "docs/screenshots"
FOLDER = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else BUILD
PORT = 7899
ADDRESS = f"http://127.0.0.1:{PORT}"
PROMPT = "Once upon a time, there was a little dog named"
SIZES = {390: 844, 768: 1024, 1440: 900, 1920: 1080}
LOOKS = ((1440, "light"), (390, "dark"))

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
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)


def rejected(page: Page) -> None:
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=rejected]").first.click()


def save(what: Page | Locator, name: str) -> None:
    """As a PNG with 256 colours: a fifth of the size, and a screen shows few more."""
    Image.open(io.BytesIO(what.screenshot())).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        FOLDER / f"{name}.png", optimize=True
    )
