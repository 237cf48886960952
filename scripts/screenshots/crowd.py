"""What a server tells: of a queue, of a long run while it is decoded, of a GPU that is not to be had."""

from contextlib import ExitStack

from playwright.sync_api import Page, expect

from .page import PORT, PROMPT, Pages, save, served

LOOKS = ((1440, "light"), (390, "dark"))
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
    with served(port=PORT + 1, SPECVIZ_FORWARD="torch", GRADIO_SERVER_PORT=str(PORT + 1)) as address:
        for width, theme in LOOKS:
            with ExitStack() as stack:
                two_at_once(address, *(stack.enter_context(pages(width, theme)) for _ in range(2)), f"{width}-{theme}")
    with served("-c", ZERO, port=PORT + 2) as address:
        for width, theme in LOOKS:
            with pages(width, theme) as page:
                no_gpu(address, page, f"{width}-{theme}")


def two_at_once(address: str, first: Page, second: Page, name: str) -> None:
    """A link is decoded on arrival. A long run is drawn as it is decoded, and the other one has a place."""
    first.goto(link := f"{address}/?prompt={PROMPT}&K=16&length={LONG}&ignore_eos=1")
    expect(first.locator("[data-live]")).to_be_visible(timeout=60_000)
    expect(first.locator(".sv-lane[data-lane=speculative] .sv-token").nth(40)).to_be_visible(timeout=60_000)
    second.goto(link)
    first.locator(".sv-lane[data-lane=speculative]").scroll_into_view_if_needed()
    save(first, f"live-{name}")
    expect(second.locator("#status")).to_contain_text("before yours", timeout=60_000)
    save(second, f"queue-{name}")
    for page in (first, second):
        expect(page.locator("#run")).to_be_enabled(timeout=60_000)


def no_gpu(address: str, page: Page, name: str) -> None:
    """The platform refuses: what the visitor reads, beside the run that the page opened with."""
    page.goto(address)
    page.locator("#run").click()
    expect(page.locator("#status")).to_contain_text("GPU time", timeout=60_000)
    save(page, f"quota-{name}")
