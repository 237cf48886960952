"""A person chooses a token and reads how it was decided."""

import pytest
from playwright.sync_api import expect

from ...products import some
from ..components import run
from ..person import in_sight, lane, tokens


def inspector(page):
    return page.locator(".sv-inspector")


@pytest.mark.parametrize("size", some([(1440, 900), (1280, 720)], (1280, 720)), ids=str)
def test_on_a_wide_screen_token_sentence_and_bars_are_seen_at_once(still, size):
    still.set_viewport_size({"width": size[0], "height": size[1]})
    run(still, "Once upon a time, there was a little dog named")
    for i in (0, 2):
        token = tokens(still, "rejected").nth(i)
        token.click()
        expect(token).to_be_in_viewport(ratio=0.99)
        in_sight(still, ".sv-verdict", *(f".sv-inspector .sv-{part}" for part in ("sentence", "bars", "beta")), ".sv-play")


def test_on_a_narrow_screen_the_sentence_stands_under_the_lanes_too_and_leads_to_p_and_q(still):
    still.set_viewport_size({"width": 900, "height": 700})
    run(still)
    tokens(still, "corrected").nth(2).click()
    caption = still.locator(".sv-caption")
    expect(caption).to_be_in_viewport()
    expect(caption.locator("p")).to_have_text(inspector(still).locator(".sv-sentence").inner_text())
    caption.locator("button.sv-button").click()
    expect(inspector(still).locator(".sv-bars").first).to_be_in_viewport()


def test_another_u_is_tried_on_the_scale_by_mouse_and_by_key(still):
    run(still)
    tokens(still, "rejected").first.click()
    handle = still.get_by_role("slider", name="Try another u")
    track, slider = (still.locator(name).bounding_box() for name in (".sv-u-track", ".sv-try"))
    assert slider["y"] == pytest.approx(track["y"], abs=1) and slider["height"] == pytest.approx(track["height"], abs=1)
    still.mouse.click(track["x"] + track["width"] * 0.25, track["y"] + track["height"] / 2)
    assert float(handle.input_value()) == pytest.approx(0.25, abs=0.01)
    end = still.locator(".sv-scrub").input_value()
    for key, says in (("Home", "u = 0: accept"), ("End", "u = 0.999: reject")):
        still.keyboard.press(key)
        expect(handle).to_have_attribute("aria-valuetext", says)
    assert still.locator(".sv-scrub").input_value() == end  # the replay stays where it is


@pytest.mark.parametrize(("role", "below"), [("rejected", False), ("accepted", True)])
def test_the_mark_of_u_lies_on_the_side_of_the_verdict_and_no_mark_crosses_a_word_of_the_scale(still, role, below):
    run(still)
    for i in range(min(10, tokens(still, role).count())):
        tokens(still, role).nth(i).click()
        keep, mark = still.locator(".sv-u-keep").bounding_box(), still.locator(".sv-u-mark").bounding_box()
        assert (mark["x"] < keep["x"] + keep["width"]) == below
        for tried in (None, "0.02", "0.5", "0.97"):
            if tried:
                still.get_by_role("slider", name="Try another u").fill(tried)
            assert still.locator(".sv-u-try").evaluate(CROSSED) == [], (i, tried)


CROSSED = """box => {
  const slider = box.querySelector('.sv-try'), at = slider.getBoundingClientRect();
  const thumb = at.left + 9 + (at.width - 18) * slider.value;
  const mark = box.querySelector('.sv-u-mark').getBoundingClientRect();
  const marks = [[mark.left, mark.right], [thumb - 8, thumb + 8]];
  return [...box.querySelectorAll('.sv-u-keep, .sv-u-reject')].flatMap(band => {
    if (band.dataset.side === 'none') return [];
    const range = document.createRange();
    range.selectNodeContents(band);
    const word = range.getBoundingClientRect();
    return marks.filter(([from, to]) => to > word.left && from < word.right).map(() => band.textContent);
  });
}"""


def test_small_probabilities_keep_two_digits_and_their_columns_apart(still):
    run(still)
    rows = lane(still, "speculative").evaluate(
        """lane => [...lane.querySelectorAll('.sv-token')].flatMap(t => { t.click(); return [...document.querySelectorAll('.sv-inspector .sv-bar-row:not(.sv-bar-head)')]
            .map(row => [...row.querySelectorAll('.sv-value')].map(v => [v.textContent, v.scrollWidth <= v.clientWidth])) })"""
    )
    values = [value for row in rows for value in row]
    assert any(len(text) >= 7 for text, _ in values)
    assert [text for text, fits in values if not fits] == []
    assert not any("<" in text for text, _ in values)
