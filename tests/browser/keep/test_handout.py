"""A hand-out is opened from a mail: a file, no server, no network."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page.keep import recorded
from specviz.picture import words
from specviz.picture.handout import handout
from tests.fake_trace import fake_trace

from ...products import some
from ..person import fits, lane, run, save, tokens


def test_the_hand_out_that_is_saved_shows_the_same_run_as_the_page_and_replays_it(still, reading, tmp_path):
    run(still, "Handed out story", seed=4)
    tokens(still, "rejected").first.click()
    lanes = [lane(still, name).inner_text() for name in ("vanilla", "speculative")]
    numbers = [line for line in still.locator(".sv-numbers").inner_text().splitlines() if line]
    numbers.remove(words.BROWSER["plot_positions"])  # a file has no script of Plotly's to fetch
    page = reading(path=save(still, tmp_path, "handout"))
    assert [lane(page, name).inner_text() for name in ("vanilla", "speculative")] == lanes
    assert [line for line in page.locator(".sv-numbers").inner_text().splitlines() if line] == numbers
    expect(page.locator(".sv-numbers")).to_contain_text("seed 4")
    expect(page.locator(".sv-numbers")).to_contain_text("story-target (8.4 M)")
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    page.get_by_role("button", name=words.BROWSER["restart"]).click()
    expect(page.locator(".sv-lane[data-lane=speculative].sv-over")).to_be_visible()
    tokens(page, "rejected").first.click()
    expect(page.locator(".sv-sentence")).to_contain_text("takes its place, drawn from the residual")
    expect(page.locator(".sv-inspector .sv-bars").first).to_be_visible()


def test_it_follows_the_colours_the_width_and_the_paper_of_its_reader(reading):
    page = reading(fake_trace(verifier="threshold"))
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(15, 20, 25)")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_css("background-color", ground)  # its script hears of the change after the change
    for width in (390, 1920):
        page.set_viewport_size({"width": width, "height": 844})
        assert fits(page), width
    page.set_viewport_size({"width": 718, "height": 844})  # a page of A4 between its margins
    page.emulate_media(media="print")
    for part in (".sv-verdict strong", ".sv-headline .sv-not-exact", ".sv-lane >> nth=1", ".sv-numbers"):
        expect(page.locator(part)).to_be_visible()
    for part in ("button:not(.sv-term, .sv-phase)", "input", ".sv-stepper", ".sv-keys"):
        assert page.locator(part).evaluate_all("l => l.filter(e => e.checkVisibility()).map(e => e.outerHTML)") == []
    assert fits(reading(recorded.load("tree"), width=320))


def test_where_the_system_sets_the_colours_what_colour_alone_tells_keeps_its_own(reading):
    page = reading(fake_trace(), forced_colors="active")
    tokens(page, "rejected").first.click()
    bars = ".sv-inspector .sv-fill", ".sv-numbers .sv-fill", ".sv-key", ".sv-u-track > *", ".sv-u-mark"
    filled = *bars, ".sv-node-keep", ".sv-node-u", ".sv-cell[data-state=held]", ".sv-meter-fill"
    pale = """l => l.filter(e => getComputedStyle(e, e.matches('.sv-key') ? '::before' : null).backgroundColor ===
        getComputedStyle(document.body).backgroundColor).map(e => `${e.className} ${e.dataset.series}`)"""
    bars = page.locator(".sv-chart-area").evaluate_all("all => all.map((e) => getComputedStyle(e).fill)")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") not in bars and len(set(bars)) == 3
    for parts in (*map(page.locator, filled), tokens(page, "accepted"), tokens(page, "corrected")):
        assert parts.count() and parts.evaluate_all(pale) == [], parts


def test_nothing_but_the_script_and_the_style_that_stand_in_it_is_allowed_and_none_that_came_in_runs(context, tmp_path):
    text = handout(fake_trace())
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    assert re.findall(r"(?:src|href|action)\s*=\s*[\"']|url\(|@import", text.split('<script type="application/json"')[0]) == []
    path = tmp_path / "changed.html"
    path.write_text(text.replace("</main>", "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'></main>"))
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
