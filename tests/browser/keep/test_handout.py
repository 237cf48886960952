"""A hand-out is opened from a mail: a file, no server, no network."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page.keep import recorded
from specviz.picture import words
from specviz.picture.handout import handout
from tests.fake_trace import fake_trace

from ...products import some
from ..person import lane, run, save, tokens

pytestmark = pytest.mark.browser


def test_the_hand_out_that_is_saved_shows_the_same_run_as_the_page(still, reading, tmp_path):
    run(still, "Handed out story", seed=4)
    shown = [lane(still, name).inner_text() for name in ("vanilla", "speculative")]
    numbers = still.locator(".sv-numbers").inner_text()
    page = reading(path=save(still, tmp_path, "handout"))
    assert [lane(page, name).inner_text() for name in ("vanilla", "speculative")] == shown
    assert page.locator(".sv-numbers").inner_text() == numbers
    expect(page.locator(".sv-numbers")).to_contain_text("seed 4")
    expect(page.locator(".sv-numbers")).to_contain_text("story-target (8.4 M)")


def test_a_token_is_inspected_and_the_replay_plays(reading):
    page = reading(fake_trace(), reduced_motion="no-preference")
    page.get_by_role("button", name=words.BROWSER["restart"]).click()
    expect(page.locator(".sv-lane[data-lane=speculative].sv-over")).to_be_visible()
    tokens(page, "rejected").first.click()
    expect(page.locator(".sv-sentence")).to_contain_text("takes its place, drawn from the residual")
    expect(page.locator(".sv-inspector .sv-bars").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_colours_that_the_reader_prefers(reading, scheme):
    page = reading(fake_trace(), color_scheme=scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    level = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert level > 200 if scheme == "light" else level < 60


def test_where_the_system_sets_the_colours_what_colour_alone_tells_keeps_its_own(reading):
    page = reading(fake_trace(), forced_colors="active")
    tokens(page, "rejected").first.click()
    bars = ".sv-inspector .sv-fill", ".sv-numbers .sv-fill", ".sv-key", ".sv-u-track > *", ".sv-u-mark"
    drawn = *bars, ".sv-node-keep", ".sv-node-u", ".sv-cell[data-state=held]", ".sv-meter-fill"
    pale = """l => l.filter(e => getComputedStyle(e, e.matches('.sv-key') ? '::before' : null).backgroundColor ===
        getComputedStyle(document.body).backgroundColor).map(e => `${e.className} ${e.dataset.series}`)"""
    bars = page.locator(".sv-chart-area").evaluate_all("all => all.map((e) => getComputedStyle(e).fill)")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") not in bars and len(set(bars)) == 3
    for parts in (*map(page.locator, drawn), tokens(page, "accepted"), tokens(page, "corrected")):
        assert parts.count() and parts.evaluate_all(pale) == [], parts


def test_a_print_has_all_that_is_read_and_no_control(reading):
    page = reading(fake_trace(verifier="threshold"), width=718, media="print")  # a page of A4 between its margins
    for part in (".sv-verdict strong", ".sv-headline .sv-not-exact", ".sv-lane >> nth=1", ".sv-numbers"):
        expect(page.locator(part)).to_be_visible()
    for part in ("button:not(.sv-term, .sv-phase)", "input", ".sv-stepper", ".sv-keys"):
        assert page.locator(part).evaluate_all("l => l.filter(e => e.checkVisibility()).map(e => e.outerHTML)") == []


def test_nothing_but_the_script_and_the_style_that_stand_in_it_is_allowed(reading):
    page = reading(fake_trace())
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    text = handout(fake_trace())
    assert re.findall(r"(?:src|href|action)\s*=\s*[\"']|url\(|@import", text.split('<script type="application/json"')[0]) == []


def test_a_script_that_found_its_way_in_would_not_run(context, tmp_path):
    path = tmp_path / "changed.html"
    path.write_text(
        handout(fake_trace()).replace("</main>", "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'></main>")
    )
    page = context.new_page()
    page.goto(path.as_uri())
    expect(lane(page, "vanilla")).to_be_visible()
    assert page.evaluate("window.ran") is None


@pytest.mark.parametrize("settings", some([{"K": 0}, {"cancelled": 0}, {"cancelled": 2}, {"temperature": 0.0}, {"drafter": "lookup"}, {"verifier": "match"}, {"observed": False}]))  # fmt: skip
def test_every_kind_of_run_can_be_handed_out(reading, settings):
    page = reading(fake_trace(**settings))
    expect(lane(page, "vanilla")).to_contain_text("tokens/s")
    expect(page.locator("#timeline [data-round]").first).to_be_attached()


def test_ninety_six_tokens_are_less_than_one_and_a_half_megabytes():
    assert len(handout(fake_trace(max_new_tokens=96, K=8)).encode()) < 1_500_000


@pytest.mark.parametrize("width", [320, 390, 1920])
def test_it_needs_no_sideways_scrolling(reading, width):
    page = reading(recorded.load("tree") if width == 320 else fake_trace(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
