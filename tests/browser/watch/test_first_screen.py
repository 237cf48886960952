"""Lanes, Play, the sentence of the moment and the four signs share one screen, and what is chosen moves none of them."""

import pytest
from playwright.sync_api import expect

from ...products import some
from ..person import drawn, in_sight, lane, more, run, tokens

SIZES = [(1280, 720), (1366, 768), (1440, 900), (1920, 1080)]
PLACES = """() => [...document.querySelectorAll(".sv-lane, .sv-lane .sv-text, .sv-play, .sv-legend > ul")].map((e) => {
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x, y, width, height];
})"""


@pytest.fixture
def opened(watched, opening):
    """The page as it is served, at a size, with nothing chosen."""

    def open_(width, height):
        watched.set_viewport_size({"width": width, "height": height})
        watched.goto(opening)
        watched.evaluate("sessionStorage.setItem('specviz.inspecting /', 'null')")
        watched.evaluate(
            "['steps', 'legend', 'teach', 'struck'].forEach((name) => { localStorage[`specviz.${name}`] = 'null'; })"
        )
        watched.reload()
        expect(watched.locator(".sv-at")).to_contain_text("Press Play.")
        drawn(watched)
        return watched

    return open_


@pytest.mark.parametrize("size", some(SIZES, (1280, 720)), ids=str)
def test_lanes_play_sentence_and_signs_are_in_sight_also_with_settings_unfolded(opened, size):
    page = opened(*size)
    parts = (".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]", ".sv-play", ".sv-at", ".sv-legend > ul")
    in_sight(page, "#run", *parts)
    lines = "e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
    assert lane(page, "speculative").locator(".sv-text").evaluate(lines) >= 4
    more(page)
    drawn(page)
    in_sight(page, *parts, "#K", "#temperature", "#length", "#drafter", "#further", "#share")
    before = page.evaluate(PLACES)
    page.locator("#further").click()
    in_sight(page, "#seed", "#verifier", "#grammar")
    assert page.evaluate(PLACES) == before


@pytest.mark.parametrize("size", some(SIZES, (1280, 720)), ids=str)
def test_a_chosen_token_moves_no_lane_and_its_inspector_lies_over_no_numbers(opened, size):
    page = opened(*size)
    before = page.evaluate(PLACES)
    token = tokens(page, "accepted").first
    token.click()
    box = page.locator(".sv-inspector")
    expect(box.locator(".sv-sentence")).to_be_visible()
    assert page.evaluate(PLACES) == before
    in_sight(page, ".sv-inspector .sv-bars", ".sv-inspector .sv-sentence", ".sv-play")
    expect(token).to_be_in_viewport(ratio=0.99)
    for y in range(0, 1600, 200):
        page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", y)
        above, below = box.bounding_box(), page.locator(".sv-numbers").bounding_box()
        assert above["y"] + above["height"] <= below["y"]


def test_on_a_phone_lanes_and_play_are_in_sight_from_run_on_and_a_chosen_token_stays(opened):
    page = opened(390, 844)
    both = (".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]")
    in_sight(page, *both, ".sv-play")
    page.locator("#prompt textarea").fill("slow story")
    page.locator("#run").click()
    expect(tokens(page, "prompt").first).to_have_text("slow story")
    in_sight(page, *both)
    page.locator("#stop").click()
    run(page)
    page.keyboard.press("End")
    token = tokens(page, "accepted").first
    token.click()
    expect(page.locator(".sv-caption p")).to_be_visible()
    drawn(page, 40)
    expect(token).to_be_in_viewport(ratio=0.99)


def test_on_a_phone_what_is_typed_moves_run_no_more_than_a_line_that_wraps(watched, app):
    watched.set_viewport_size({"width": 390, "height": 844})
    watched.goto(app)
    expect(watched.locator(".sv-invitation")).to_be_visible()
    prompt, button = watched.locator("#prompt textarea"), watched.locator("#run")
    expect(button).to_be_visible()
    drawn(watched)
    before = button.bounding_box()
    for text in ("O", "Once upon a time", ""):  # with nothing typed stands a hint of two lines
        prompt.fill(text)
        drawn(watched)
        assert button.bounding_box() == before, text
