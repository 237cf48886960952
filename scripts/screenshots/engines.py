"""What engines run: other rules, other engines' runs and records."""

from playwright.sync_api import Page, expect

from .page import ADDRESS, PROMPT, ROOT, THEMES, Pages, rejected, save

RULES = {"block": "verifier=block", "argmax": "drafting=argmax"}
RECORD = ROOT / "tests/trace/records/examples/vllm_completion_output_spec_decode_metrics.json"
TALL = 3000  # pixels: the inspector is seen whole


def engines(pages: Pages) -> None:
    for width in (1440, 390):
        for theme in THEMES:
            with pages(width, theme, TALL) as page:
                rules(page, f"{width}-{theme}")
    for width, theme in ((1440, "light"), (390, "dark")):
        with pages(width, theme) as page:
            others(page, f"{width}-{theme}")


def rules(page: Page, name: str) -> None:
    """A rejected token as each rule has it, and what was accepted at each position of a block."""
    for rule, query in RULES.items():
        page.goto(f"{ADDRESS}/?prompt={PROMPT}&temperature=1&K=4&{query}")
        expect(page.locator(".sv-settings-line")).to_contain_text(rule, timeout=60_000)  # a link is decoded on arrival
        rejected(page)
        save(page.locator(".sv-inspector"), f"rules-{rule}-{name}")
    save(page.locator(".sv-positions"), f"positions-{name}")


def others(page: Page, name: str) -> None:
    """vLLM's own rounds, and what it prints of them."""
    page.goto(f"{ADDRESS}/?recorded=vllm")
    expect(page.locator("#status")).to_contain_text("vLLM", timeout=60_000)
    rejected(page)
    page.locator(".sv-lane").first.evaluate("e => e.scrollIntoView({ block: 'center' })")
    save(page, f"vllm-{name}")
    page.set_input_files("input[type=file] >> nth=0", RECORD)
    expect(page.locator("#record h2, #record h3").first).to_be_visible(timeout=60_000)
    page.locator("#record").scroll_into_view_if_needed()
    save(page, f"record-{name}")
