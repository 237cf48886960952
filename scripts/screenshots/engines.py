"""What engines run: other rules, other engines' runs and records; a log, the difference of two scrapes, and the K that pays."""

import json
from itertools import product

from playwright.sync_api import Page, expect

from specviz.picture.words import DECISION
from specviz.trace.records.read import loads
from specviz.trace.records.watched import saved_line
from tests.trace.records.test_formats import later
from tests.trace.records.test_read import EXAMPLES, METRICS

from .page import ADDRESS, PROMPT, Pages, each, rejected, save

RULES = {"block": "verifier=block", "argmax": "drafting=argmax"}
RECORD = EXAMPLES / "vllm_completion_output_spec_decode_metrics.json"
TALL = 3000  # pixels: the inspector is seen whole


def engines(pages: Pages) -> None:
    """A rejected token as each rule has it, and what was accepted at each position of a block; vLLM's own rounds, and what it prints of them."""
    for page, name in each(pages, product((1440, 390), ("light", "dark")), TALL):
        for rule, query in RULES.items():
            page.goto(f"{ADDRESS}/?prompt={PROMPT}&temperature=1&K=4&{query}")
            expect(page.locator(".sv-settings-line")).to_contain_text(rule, timeout=60_000)  # a link is decoded on arrival
            rejected(page)
            save(page.locator(".sv-inspector"), f"rules-{rule}-{name}")
        save(page.locator(".sv-positions"), f"positions-{name}")
    for page, name in each(pages):
        page.goto(f"{ADDRESS}/?recorded=vllm")
        expect(page.locator("#status")).to_contain_text("vLLM", timeout=60_000)
        rejected(page)
        page.locator(".sv-lane").first.evaluate("e => e.scrollIntoView({ block: 'center' })")
        save(page, f"vllm-{name}")
        page.set_input_files("input[type=file] >> nth=0", RECORD)
        expect(page.locator("#record h2, #record h3").first).to_be_visible(timeout=60_000)
        page.locator("#record").scroll_into_view_if_needed()
        save(page, f"record-{name}")


def records(pages: Pages) -> None:
    scrapes = [json.dumps(saved_line(3.0 * i, loads(text.encode()))) for i, text in enumerate((METRICS, later(3)))]
    for page, name in each(pages):
        page.goto(ADDRESS)
        open_record(page, (EXAMPLES / "vllm_0.26_log.txt").read_bytes())
        save(page, f"log-{name}")
        cost_decision(page)
        save(page, f"decision-{name}")
    for page, name in each(pages):
        page.goto(ADDRESS)
        open_record(page, "\n".join(scrapes).encode())
        save(page, f"difference-{name}")


def open_record(page: Page, data: bytes) -> None:
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)  # the page listens
    page.set_input_files("input[type=file] >> nth=0", {"name": "record.txt", "mimeType": "text/plain", "buffer": data})
    expect(page.locator("#record h3").first).to_be_visible(timeout=60_000)
    page.locator("#record").evaluate("e => e.scrollIntoView({ block: 'start' })")


def cost_decision(page: Page) -> None:
    """With the costs of a card: a row for each load."""
    panel = page.locator(".sv-decision")
    panel.locator("select").first.select_option("card")
    expect(panel.locator("tbody tr")).to_have_count(5)
    expect(panel).to_contain_text(DECISION["interval_is"])
    panel.evaluate("e => e.scrollIntoView({ block: 'start' })")
