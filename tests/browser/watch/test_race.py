"""A person runs a prompt and watches the race."""

import re

import pytest
from playwright.sync_api import expect

from specviz.picture.view import picture
from tests.fake_trace import fake_trace

from ..components import run
from ..conftest import opened
from ..person import lane, roles, seek, speed, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def test_a_typed_prompt_is_continued_in_both_lanes(visit):
    run_on_app(visit, "My own little story", K=4)
    for name in ("vanilla", "speculative"):
        expect(tokens(visit, "prompt", name)).to_have_text(["My", "own", "little", "story"])
        expect(lane(visit, name).locator(".sv-counter")).to_contain_text("tokens 96")
    assert set(roles(visit, "vanilla")) == {"prompt", "plain"}
    assert set(roles(visit)) == {"prompt", "accepted", "rejected", "unexamined", "corrected", "bonus"}


def test_rejected_tokens_stay_visible_and_struck_through(still):
    run(still)
    rejected = tokens(still, "rejected").first
    expect(rejected).to_be_visible()
    assert "line-through" in rejected.evaluate("e => getComputedStyle(e).textDecorationLine")


def test_the_speedup_is_large_and_is_the_one_of_the_trace(still):
    run(still, "Once upon a time", seed=4, length=40)
    from specviz.config import DecodeConfig

    config = DecodeConfig(temperature=0.8, max_new_tokens=40, seed=4)
    speedup = picture(fake_trace("Once upon a time", config=config, seed=7))["comparison"]["speedup"]
    strong = still.locator(".sv-verdict strong")
    expect(strong).to_have_text(f"{speedup:.2f}×")
    assert strong.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 40


def test_greedy_lanes_are_said_to_have_the_same_text(still):
    run(still, temperature=0)
    expect(still.locator(".sv-texts")).to_have_text("Both lanes wrote the same 96 tokens.")


def test_sampled_lanes_that_part_are_said_to_be_two_samples(still):
    run(still)
    expect(still.locator(".sv-texts")).to_contain_text("two samples of one distribution")


def test_the_replay_starts_by_itself_from_the_prompt_and_plays_to_the_end(moving):
    run(moving, length=40)  # some seconds of replay: it still plays when this looks
    button = moving.locator(".sv-play")
    expect(button).to_have_text("Pause")
    expect(lane(moving, "vanilla").locator(".sv-done")).to_have_text("ended: length limit")
    expect(button).to_have_text("Play")
    assert "" not in roles(moving)


def test_a_short_run_is_slowed_down_and_the_control_says_so(still):
    run(still, length=96)
    expect(still.get_by_label("Replay speed")).to_have_value("25")
    expect(still.locator(".sv-takes")).to_have_text(re.compile(r"^4\d\d ms shown in 1\d\.\d s$"))
    speed(still, "real time")
    expect(still.locator(".sv-takes")).to_have_text(re.compile(r"shown in 0\.4 s$"))


def test_a_run_of_more_than_a_second_is_shown_in_real_time(still):
    run(still, length=300)
    expect(still.get_by_label("Replay speed").locator("option:checked")).to_have_text("real time")
    expect(still.locator(".sv-takes")).to_have_text(re.compile(r"^1,?\d\d\d ms shown in 1\.\d s$"))


def test_draft_tokens_are_ghosts_until_the_round_is_decided(still):
    run(still, K=4)
    block = lane(still, "speculative").locator(".sv-token:not([data-role=prompt])")
    seek(still, 0.9)  # the first round drafts for about 1.7 ms: two of its four tokens are there
    assert block.evaluate_all("l => l.slice(0, 5).map(e => e.dataset.role)") == ["drafted", "drafted", "", "", ""]
    expect(block.nth(0)).to_be_visible()
    expect(block.nth(3)).to_be_hidden()
    seek(still, 3)  # the target is still checking
    assert block.evaluate_all("l => l.slice(0, 5).map(e => e.dataset.role)") == ["drafted"] * 4 + [""]
    seek(still, 7)
    assert "drafted" not in block.evaluate_all("l => l.slice(0, 5).map(e => e.dataset.role)")


def test_the_replay_shows_the_same_at_a_time_however_it_got_there(still):
    run(still)
    seek(still, 100)
    there = roles(still)
    assert "" in there and "accepted" in there
    for detour in (0, 400, 30, 250, 100):
        seek(still, detour)
    assert roles(still) == there


def test_keys_play_and_step(still):
    run(still)
    scrub = still.locator(".sv-scrub")
    still.locator("h1").click()
    still.keyboard.press("Home")
    assert float(scrub.input_value()) == 0 and set(roles(still)) == {"prompt", ""}
    still.keyboard.press("ArrowRight")
    first = float(scrub.input_value())
    expect(lane(still, "speculative").locator(".sv-counter")).to_contain_text("target passes 1")
    still.keyboard.press("ArrowRight")
    assert float(scrub.input_value()) > first
    still.keyboard.press("ArrowLeft")
    assert float(scrub.input_value()) == first
    still.keyboard.press("End")
    assert "" not in roles(still)
    still.keyboard.press(" ")
    expect(still.locator(".sv-play")).to_have_text("Pause")
    still.keyboard.press(" ")
    expect(still.locator(".sv-play")).to_have_text("Play")


def test_keys_typed_into_the_prompt_do_not_move_the_replay(visit):
    run_on_app(visit)
    visit.locator("#prompt textarea").press("Home")
    visit.locator("#prompt textarea").press(" ")
    assert "" not in roles(visit)
    expect(visit.locator("#prompt textarea")).to_have_value(" Once upon a time")


def test_a_replay_rests_while_the_next_run_is_timed(watched, app):
    moving = opened(watched, app)
    run_on_app(moving)
    expect(moving.locator(".sv-play")).to_have_text("Pause")
    moving.locator("#prompt textarea").fill("slow story")
    moving.locator("#run").click()
    expect(moving.locator(".sv-play")).to_have_text("Play")
    moving.locator("#stop").click()
    expect(lane(moving, "vanilla").locator("[data-role=prompt]").first).to_have_text("slow")


def test_no_motion_means_the_end_is_shown_at_once(still):
    run(still)
    expect(still.locator(".sv-play")).to_have_text("Play")
    assert "" not in roles(still)


def test_the_result_is_told_at_the_end_of_the_replay_and_its_place_is_kept(moving):
    run(moving)
    head, rate = moving.locator(".sv-headline"), lane(moving, "vanilla").locator(".sv-rate strong")
    seek(moving, 20)
    expect(rate).to_have_text("–")  # of so few tokens it would jump
    seek(moving, 100)
    expect(head.locator(".sv-verdict")).to_be_hidden()
    expect(moving.locator(".sv-at")).to_be_visible()
    height = moving.locator(".sv-moment").bounding_box()["height"]
    counter = lane(moving, "vanilla").locator(".sv-counter").inner_text()
    shown = int(re.search(r"tokens (\d+)", counter)[1])
    assert float(rate.inner_text()) == pytest.approx(shown / 0.1, rel=0.01)
    lane(moving, "vanilla").locator("h3").click()
    moving.keyboard.press("End")
    expect(head.locator(".sv-verdict")).to_be_visible()
    expect(moving.locator(".sv-at")).to_be_hidden()
    assert moving.locator(".sv-moment").bounding_box()["height"] == height
    told = moving.locator(".sv-numbers tr", has_text="tokens/s, decoding").locator("td").first.inner_text()
    assert float(rate.inner_text()) == round(float(told))


def test_what_was_rejected_can_be_hidden_and_the_plain_text_is_left(still):
    from specviz.config import DecodeConfig

    run(still)
    text = fake_trace("Once upon a time", config=DecodeConfig(temperature=0.8, max_new_tokens=96), seed=3).speculative[-1].text
    still.get_by_label("hide what was rejected").check()
    expect(tokens(still, "rejected").first).to_be_hidden()
    expect(tokens(still, "unexamined").first).to_be_hidden()
    shown = lane(still, "speculative").locator(".sv-text").inner_text().replace("↵", "").replace("⟨C3⟩", "")
    assert "".join(shown.split()) == "".join(("Once upon a time" + text).split())
    tokens(still, "corrected").first.click()
    for _ in range(6):
        still.keyboard.press("ArrowLeft")
    expect(lane(still, "speculative").locator("[aria-pressed=true]")).to_be_visible()
    still.get_by_label("hide what was rejected").uncheck()
    expect(tokens(still, "rejected").first).to_be_visible()


def test_the_timeline_is_drawn_with_the_hand_of_the_replay_on_it(visit):
    run_on_app(visit)
    expect(visit.locator("#timeline .bars .point").first).to_be_attached()
    seek(visit, 50)
    expect(visit.locator(".sv-hand")).to_be_visible()
    before = visit.locator(".sv-hand").bounding_box()["x"]
    seek(visit, 200)
    assert visit.locator(".sv-hand").bounding_box()["x"] > before


def test_nothing_drafted_runs_too(still):
    run(still, K=0)
    assert set(roles(still)) == {"prompt", "bonus"} or set(roles(still)) == {"prompt", "plain"}
    expect(lane(still, "speculative")).to_contain_text("nothing is drafted")


def test_a_second_run_replaces_the_first(visit):
    run_on_app(visit, "First story here")
    run_on_app(visit, "Second story here", seed=9)
    expect(visit.locator(".sv-lane")).to_have_count(2)
    expect(tokens(visit, "prompt").first).to_have_text("Second")


def test_a_run_that_was_asked_for_is_scrolled_into_view(visit):
    visit.set_viewport_size({"width": 1000, "height": 500})
    run_on_app(visit)
    assert visit.evaluate("scrollY") > 0
    expect(lane(visit, "vanilla").locator("h3")).to_be_in_viewport(ratio=0.99)


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
