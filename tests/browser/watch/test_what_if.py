"""A person tries another u on the scale, by mouse and by key."""

import pytest
from playwright.sync_api import expect

from ...products import some
from ..components import run
from ..person import tokens

pytestmark = pytest.mark.browser


def handle(page):
    return page.get_by_role("slider", name="Try another u")


def test_the_handle_stands_on_the_scale_where_its_u_is_and_works_by_key(still):
    run(still)
    tokens(still, "rejected").first.click()
    track, slider = (still.locator(name).bounding_box() for name in (".sv-u-track", ".sv-try"))
    assert slider["y"] == pytest.approx(track["y"], abs=1) and slider["height"] == pytest.approx(track["height"], abs=1)
    still.mouse.click(track["x"] + track["width"] * 0.25, track["y"] + track["height"] / 2)
    assert float(handle(still).input_value()) == pytest.approx(0.25, abs=0.01)
    end = still.locator(".sv-scrub").input_value()
    for key, says in (("Home", "u = 0: accept"), ("End", "u = 0.999: reject")):
        still.keyboard.press(key)
        expect(handle(still)).to_have_attribute("aria-valuetext", says)
    assert still.locator(".sv-scrub").input_value() == end  # the replay stays where it is


@pytest.mark.parametrize("role", some(["rejected", "accepted"]))
def test_no_word_on_the_scale_is_crossed_by_a_mark(still, role):
    run(still)
    for i in range(min(10, tokens(still, role).count())):
        tokens(still, role).nth(i).click()
        for tried in (None, "0.02", "0.5", "0.97"):
            if tried:
                handle(still).fill(tried)
            crossed = still.locator(".sv-u-try").evaluate(CROSSED)
            assert crossed == [], (i, tried)


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
