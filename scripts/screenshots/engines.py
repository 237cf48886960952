"""What engines run: other rules, other engines' runs and records; and how a server tells of a long run and of a queue."""

from contextlib import ExitStack

from playwright.sync_api import Page, expect

from .page import ADDRESS, PROMPT, ROOT, THEMES, Pages, rejected, run, save

RULES = {"block": "verifier=block", "argmax": "drafting=argmax"}
RECORD = ROOT / "tests/trace/records/examples/vllm_completion_output_spec_decode_metrics.json"
TALL = 3000  # pixels: the inspector is seen whole
LONG = 400  # tokens: a run of seconds


def engines(pages: Pages) -> None:
    for width in (1440, 390):
        for theme in THEMES:
            with pages(width, theme, TALL) as page:
                rules(page, f"{width}-{theme}")
    for width, theme in ((1440, "light"), (390, "dark")):
        with pages(width, theme) as page:
            others(page, f"{width}-{theme}")
        with ExitStack() as stack:
            crowd(*(stack.enter_context(pages(width, theme)) for _ in range(2)), f"{width}-{theme}")


def rules(page: Page, name: str) -> None:
    """A rejected token as each rule has it, and what was accepted at each position of a block."""
    for rule, query in RULES.items():
        page.goto(f"{ADDRESS}/?prompt={PROMPT}&temperature=1&K=4&{query}")
        expect(page.locator("#K input")).to_have_value("4")
        run(page)
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


def crowd(first: Page, second: Page, name: str) -> None:
    """Two visitors press Run: a long run is drawn as it is decoded, and the other one has a place."""
    for page in (first, second):
        page.goto(f"{ADDRESS}/?prompt={PROMPT}&length={LONG}&ignore_eos=1")
        expect(page.locator("#length input")).to_have_value(str(LONG))
    first.locator("#run").click()
    expect(first.locator("#race")).to_have_attribute("data-live", "", timeout=60_000)
    second.locator("#run").click()
    expect(second.locator("#status")).to_contain_text("before yours", timeout=60_000)
    save(second, f"queue-{name}")
    save(first, f"live-{name}")
    for page in (first, second):
        page.locator("#stop").click()
