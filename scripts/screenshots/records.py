"""What other engines recorded: a log, the difference of two scrapes, and the K that pays."""

import json

from playwright.sync_api import Page, expect

from specviz.picture.words import DECISION
from specviz.trace.records.read import loads
from specviz.trace.records.watched import line
from tests.trace.records.test_formats import later
from tests.trace.records.test_read import EXAMPLES, METRICS

from .page import ADDRESS, Pages, save


def records(pages: Pages) -> None:
    scrapes = [json.dumps(line(3.0 * i, loads(text.encode()))) for i, text in enumerate((METRICS, later(3)))]
    for width, theme in ((1440, "light"), (390, "dark")):
        with pages(width, theme) as page:
            page.goto(ADDRESS)
            opened(page, (EXAMPLES / "vllm_0.26_log.txt").read_bytes())
            save(page, f"log-{width}-{theme}")
            decided(page)
            save(page, f"decision-{width}-{theme}")
        with pages(width, theme) as page:
            page.goto(ADDRESS)
            opened(page, "\n".join(scrapes).encode())
            save(page, f"difference-{width}-{theme}")


def opened(page: Page, data: bytes) -> None:
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)  # the page listens
    page.set_input_files("input[type=file] >> nth=0", {"name": "record.txt", "mimeType": "text/plain", "buffer": data})
    expect(page.locator("#record h3").first).to_be_visible(timeout=60_000)
    page.locator("#record").evaluate("e => e.scrollIntoView({ block: 'start' })")


def decided(page: Page) -> None:
    """With the costs of a card: a row for each load."""
    panel = page.locator(".sv-decision")
    panel.locator("select").first.select_option("card")
    expect(panel.locator("tbody tr")).to_have_count(5)
    expect(panel).to_contain_text(DECISION["interval_is"])
    panel.evaluate("e => e.scrollIntoView({ block: 'start' })")
