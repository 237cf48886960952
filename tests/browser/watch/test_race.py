"""A person runs a prompt and watches the race."""

import pytest
from playwright.sync_api import expect

from ..components import run
from ..conftest import opened
from ..person import block, lane, roles, seek, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def test_a_typed_prompt_is_continued_in_both_lanes_which_come_into_view(visit):
    visit.set_viewport_size({"width": 1000, "height": 500})
    run_on_app(visit, "My own little story", K=4)
    for name in ("vanilla", "speculative"):
        expect(tokens(visit, "prompt", name)).to_have_text(["My", "own", "little", "story"])
        expect(lane(visit, name).locator(".sv-counter")).to_contain_text("tokens 96")
    assert set(roles(visit, "vanilla")) == {"prompt", "plain"}
    assert set(roles(visit)) == {"prompt", "accepted", "rejected", "unexamined", "corrected", "bonus"}
    assert visit.evaluate("scrollY") > 0
    expect(lane(visit, "vanilla").locator("h3")).to_be_in_viewport(ratio=0.99)
    visit.locator("#prompt textarea").press("Home")  # keys that are typed do not move the replay
    visit.locator("#prompt textarea").press(" ")
    assert "" not in roles(visit)
    expect(visit.locator("#prompt textarea")).to_have_value(" My own little story")


def test_a_race_tells_by_size_line_and_colour(still):
    run(still, K=4)
    assert still.locator(".sv-verdict strong").evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 40
    assert "line-through" in tokens(still, "rejected").first.evaluate("e => getComputedStyle(e).textDecorationLine")
    looks = []
    for t in (1.0, 3.0, 20.0):  # the first block is drafted, checked, decided
        seek(still, t)
        look = "e => { const s = getComputedStyle(e); return [s.backgroundColor, s.outlineStyle] }"
        looks.append(block(still, 0).first.evaluate(look))
    assert len({str(look) for look in looks}) == 3
    assert [look[1] for look in looks[:2]] == ["dashed", "solid"]  # not by colour alone


def test_a_replay_rests_while_the_next_run_is_timed(watched, app):
    moving = opened(watched, app)
    run_on_app(moving)
    expect(moving.locator(".sv-play")).to_have_text("Pause")
    moving.locator("#prompt textarea").fill("slow story")
    moving.locator("#run").click()
    expect(moving.locator(".sv-play")).to_have_text("Play")
    moving.locator("#stop").click()
    expect(lane(moving, "vanilla").locator("[data-role=prompt]").first).to_have_text("slow")


def test_the_place_of_the_result_is_kept_while_the_replay_plays(moving):
    run(moving)
    height = lambda: moving.locator(".sv-moment").bounding_box()["height"]  # noqa: E731
    seek(moving, 100)
    expect(moving.locator(".sv-verdict")).to_be_hidden()
    before = height()
    lane(moving, "vanilla").locator("h3").click()
    moving.keyboard.press("End")
    expect(moving.locator(".sv-verdict")).to_be_visible()
    expect(moving.locator(".sv-at")).to_be_hidden()
    assert height() == before


def test_a_long_text_scrolls_inside_its_lane(still):
    run(still, length=400)
    box = lane(still, "speculative").locator(".sv-text")
    assert box.evaluate("e => e.scrollHeight > e.clientHeight && e.scrollTop === 0")  # at the end: from its top
    assert box.evaluate("e => getComputedStyle(e).maskImage") == "none"  # no line is faded
    seek(still, float(still.locator(".sv-scrub").get_attribute("max")) * 0.2)
    assert box.evaluate("e => e.scrollTop > 0")  # the newest token is in sight
    newest = lane(still, "speculative").locator(".sv-token:not([data-role=''])").last.bounding_box()
    frame = box.bounding_box()
    assert frame["y"] <= newest["y"] and newest["y"] + newest["height"] <= frame["y"] + frame["height"] + 1
    line = box.evaluate(
        "e => [e.clientHeight / parseFloat(getComputedStyle(e).lineHeight), e.scrollTop / parseFloat(getComputedStyle(e).lineHeight)]"
    )
    assert all(abs(x - round(x)) < 0.06 for x in line)  # no line is cut through its letters
    still.keyboard.press("Home")
    assert still.locator("body").evaluate("() => document.documentElement.scrollWidth <= innerWidth")
