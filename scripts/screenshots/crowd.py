"""What a server tells: of a queue, of a long run while it is decoded, of a GPU that is not to be had."""

from playwright.sync_api import Page, expect

from ..server import served
from .page import PORT, PROMPT, Pages, each, save

LONG = 400  # tokens: seconds, where passes are not compiled
ZERO = f"""
import sys
from types import ModuleType
from tests.test_zero import Platform, REFUSALS
platform, sys.modules["spaces"] = Platform(), ModuleType("spaces")
platform.before, sys.modules["spaces"].GPU = REFUSALS["quota"], platform.GPU
from specviz.page.serve import serve
from specviz.zero import ZeroEngine
sys.exit(serve(ZeroEngine, "127.0.0.1", {PORT + 2}))
"""


def crowd(pages: Pages) -> None:
    """On a server that is slow because its passes are PyTorch's, and on one that asks a platform for its GPU (tests/test_zero.py)."""
    with served(port=PORT + 1, SPECVIZ_FORWARD="torch"):
        for (first, name), (second, _) in zip(each(pages), each(pages), strict=True):
            two_at_once(first, second, name)
    with served("-c", ZERO, port=PORT + 2):
        for page, name in each(pages):
            page.goto(f"http://127.0.0.1:{PORT + 2}")
            page.locator("#run").click()
            expect(page.locator("#status")).to_contain_text("GPU time", timeout=60_000)
            save(page, f"quota-{name}")  # what the visitor reads, beside the run that the page opened with


def two_at_once(first: Page, second: Page, name: str) -> None:
    """A link is decoded on arrival. A long run is drawn as it is decoded, and the other one has a place."""
    first.goto(link := f"http://127.0.0.1:{PORT + 1}/?prompt={PROMPT}&K=16&length={LONG}&ignore_eos=1")
    expect(first.locator("[data-live]")).to_be_visible(timeout=60_000)
    expect(first.locator(".sv-lane[data-lane=speculative] .sv-token").nth(40)).to_be_visible(timeout=60_000)
    second.goto(link)
    first.locator(".sv-lane[data-lane=speculative]").scroll_into_view_if_needed()
    save(first, f"live-{name}")
    expect(second.locator("#status")).to_contain_text("before yours", timeout=60_000)
    save(second, f"queue-{name}")
    for page in (first, second):
        expect(page.locator("#run")).to_be_enabled(timeout=60_000)
