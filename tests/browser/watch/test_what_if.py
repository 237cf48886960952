"""A person tries another u on the scale, and sees what was thrown away behind a rejection."""

import re

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.picture.view import picture
from tests.fake_trace import fake_trace

from ...products import some
from ..components import run
from ..person import block, tokens

pytestmark = pytest.mark.browser


def drafted(**settings):
    """(round, index in the block, draft token) of the run that the engine answers with."""
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, **settings})
    lane = picture(fake_trace("Once upon a time", config=config, seed=config.seed + 3))["lanes"]["speculative"]
    return [(r, i, d) for r in lane["rounds"] for i, d in enumerate(r["drafted"])]


def choose_token(page, found):
    r, i, _ = found
    block(page, r["index"]).nth(i).click()


def handle(page):
    return page.get_by_role("slider", name="Try another u")


def told(page):
    return page.locator(".sv-tried")


def test_a_smaller_u_would_have_kept_a_rejected_token_and_nothing_is_claimed_of_what_follows(still):
    run(still)
    found = next(x for x in drafted() if x[2]["verdict"] == "rejected" and x[2]["ratio"] > 0.05)
    choose_token(still, found)
    expect(told(still)).to_contain_text("What if u had been another number?")
    handle(still).fill("0.01")
    expect(told(still)).to_contain_text("u = 0.010: the verdict changes")
    expect(told(still)).to_contain_text("would be accepted")
    expect(told(still)).to_contain_text("never decoded")
    handle(still).fill("0.999")
    expect(told(still)).to_contain_text("still rejected")
    still.get_by_role("button", name="back to the real u").click()
    expect(told(still)).to_contain_text("What if u had been another number?")
    assert float(handle(still).input_value()) == pytest.approx(found[2]["u"], abs=6e-4)
    expect(handle(still)).to_be_focused()
    expect(still.locator(".sv-u-mark")).to_have_text(f"u = {found[2]['u']:.3f}")  # what was drawn stays marked


def test_a_larger_u_would_have_lost_a_lucky_token_and_those_behind_it(still):
    run(still, K=4)
    found = next(x for x in drafted(K=4) if x[2]["verdict"] == "accepted" and x[2]["ratio"] < 0.95 and x[1] < 2)
    choose_token(still, found)
    handle(still).fill("0.999")
    expect(told(still)).to_contain_text("the verdict changes")
    expect(told(still)).to_contain_text(f"the {3 - found[1]} drafted after it")
    expect(told(still)).to_contain_text("never decoded")


def test_no_u_loses_a_token_that_the_target_likes_at_least_as_much(still):
    run(still)
    choose_token(still, next(x for x in drafted() if x[2]["verdict"] == "accepted" and x[2]["ratio"] >= 1))
    handle(still).fill("0.999")
    expect(told(still)).to_contain_text("no u can reject")


def test_the_line_between_keep_and_reject_is_strict(still):
    run(still)
    found = next(x for x in drafted() if x[2]["verdict"] == "rejected" and 0.1 < x[2]["ratio"] < 0.9)
    choose_token(still, found)
    above = -(-found[2]["ratio"] * 1000 // 1) / 1000  # the first step that is not below p/q
    handle(still).fill(f"{above:.3f}")
    expect(told(still)).to_contain_text("still rejected")
    handle(still).press("ArrowLeft")
    expect(told(still)).to_contain_text("would be accepted")


def test_the_handle_works_by_key_and_says_its_value(still):
    run(still)
    choose_token(still, next(x for x in drafted() if x[2]["verdict"] == "rejected"))
    handle(still).focus()
    end = still.locator(".sv-scrub").input_value()
    still.keyboard.press("Home")
    assert handle(still).get_attribute("aria-valuetext") == "u = 0: accept"
    still.keyboard.press("End")
    assert handle(still).get_attribute("aria-valuetext") == "u = 0.999: reject"
    assert still.locator(".sv-scrub").input_value() == end  # the replay stays where it is


def test_the_handle_stands_on_the_scale_where_its_u_is(still):
    run(still)
    choose_token(still, next(x for x in drafted() if x[2]["verdict"] == "rejected"))
    track, slider = (still.locator(name).bounding_box() for name in (".sv-u-track", ".sv-try"))
    assert slider["y"] == pytest.approx(track["y"], abs=1) and slider["height"] == pytest.approx(track["height"], abs=1)
    still.mouse.click(track["x"] + track["width"] * 0.25, track["y"] + track["height"] / 2)
    assert float(handle(still).input_value()) == pytest.approx(0.25, abs=0.01)


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


def test_greedy_match_and_unexamined_tokens_have_no_handle(still):
    run(still)
    tokens(still, "unexamined").first.click()
    expect(handle(still)).to_have_count(0)
    run(still, temperature=0)
    tokens(still, "accepted").first.click()
    expect(handle(still)).to_have_count(0)
    run(still, verifier="match")
    tokens(still, "rejected").first.click()
    expect(handle(still)).to_have_count(0)


def test_what_stood_behind_a_rejected_token_is_shown_with_its_p_and_q(still):
    run(still, K=4)
    r, i, _ = next(x for x in drafted(K=4) if x[2]["verdict"] == "rejected" and x[1] < 2)
    block(still, r["index"]).nth(i).click()
    behind = still.locator(f".sv-node[data-at='{i + 2}']")
    expect(behind).to_have_attribute("data-look", "unexamined")
    expect(behind).to_contain_text(r["drafted"][i + 1]["token"]["text"].strip())
    expect(behind.locator(".sv-node-pq")).to_have_text(
        re.compile("^p\u202f(<\\.01|\\.\\d\\d|1\\.00|1|0) q\u202f(<\\.01|\\.\\d\\d|1\\.00|1)$")
    )
