"""A person runs a prompt and watches the race: as it is decoded, as it is replayed, and on its timeline."""

import json
import re

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.page import status

from ...fake_trace import fake_trace
from ...view import view
from ..components import run
from ..person import block, drawn, lane, objections, press, roles, seek, tokens
from ..person import run as run_on_app


def test_a_typed_prompt_is_continued_in_both_lanes_which_come_into_view_and_a_disturbed_run_is_timed_again(visit):
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
    run_on_app(visit, "busy machine")
    visit.locator("#prompt textarea").fill("quiet machine")
    again = visit.locator(".sv-run-again")  # a disturbed run is timed again
    again.focus()
    visit.keyboard.press("Enter")
    expect(visit.locator(".sv-verdict")).to_contain_text("×")
    expect(again).to_have_count(0)


def test_a_replay_works_out_the_looks_of_few_elements_a_frame(visit):
    """One rule that asked with :has() what is inside of Gradio's boxes made frames work out all of them: 20 a second, not 60."""
    run_on_app(visit, "My own little story", K=4)
    visit.locator(".sv-play").focus()
    visit.keyboard.press("Home")
    drawn(visit)
    browser = visit.context.browser
    browser.start_tracing(page=visit, categories=["devtools.timeline"])
    visit.keyboard.press("Space")
    visit.wait_for_function(
        "() => { const hand = document.querySelector('.sv-scrub'); return Number(hand.value) > hand.max / 8; }"
    )
    events = json.loads(browser.stop_tracing())["traceEvents"]
    looks = [one["args"]["elementCount"] for one in events if one["name"] == "UpdateLayoutTree" and "elementCount" in one["args"]]
    assert len(looks) >= 8 and max(looks) < visit.evaluate("document.querySelectorAll('*').length") / 5


def test_the_timeline_names_both_lanes_in_whole_on_a_phone(visit):
    visit.set_viewport_size({"width": 390, "height": 844})
    run_on_app(visit, "My own little story", K=4)
    visit.locator("#timeline svg text").first.wait_for(state="attached")
    names = visit.locator("#timeline svg text", has_text="a draft")
    left = "e => e.getBoundingClientRect().left - e.ownerSVGElement.getBoundingClientRect().left"
    assert [name.evaluate(left) >= 0 for name in names.all()] == [True, True]


def test_a_race_tells_by_size_line_and_colour_and_what_stands_below_stays(still):
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
    still.locator(".sv-play").focus()
    tops = "() => ['.sv-lanes', '.sv-play', '.sv-cache', '#timeline'].map(s => document.querySelector(s).offsetTop).join()"
    places = set()
    for key in ("End", "ArrowLeft", "Home", *["ArrowRight"] * 8):  # whatever is said of the caches
        still.keyboard.press(key)
        places.add(still.evaluate(tops))
    assert len(places) == 1
    for width in (390, 1440):
        still.set_viewport_size({"width": width, "height": 900})
        assert max(still.locator(".sv-positions tbody tr").evaluate_all("l => l.map(e => e.offsetHeight)")) < 40


def test_the_place_of_the_result_is_kept_while_the_replay_plays_and_the_next_question_comes_by_itself(moving):
    run(moving)
    height = lambda: moving.locator(".sv-moment").bounding_box()["height"]  # noqa: E731
    seek(moving, 100)
    expect(moving.locator(".sv-verdict")).to_be_hidden()
    before = height()
    lane(moving, "speculative").locator("h3").click()
    moving.keyboard.press("End")
    expect(moving.locator(".sv-verdict")).to_be_visible()
    expect(moving.locator(".sv-at")).to_be_hidden()
    assert height() == before
    press(moving, "Predict")
    question = moving.locator(".sv-asked")
    expect(question).to_contain_text("be accepted?")
    first = question.inner_text()
    moving.keyboard.press("a")
    expect(question).to_contain_text(re.compile("Right: |No: "))
    expect(moving.locator(".sv-score")).to_contain_text("of 1 ·")
    expect(question).to_contain_text("be accepted?")  # no hand did it
    assert question.inner_text() != first


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
    lines = """e => {
      const { lineHeight, clipPath } = getComputedStyle(e), clipped = parseFloat(clipPath.split(" ").at(-1)) || 0; // below the last line
      return [e.clientHeight - clipped, e.scrollTop].map((px) => px / parseFloat(lineHeight));
    }"""
    assert all(abs(x - round(x)) < 0.06 for x in box.evaluate(lines))  # no line is cut through its letters
    still.keyboard.press("Home")
    assert still.locator("body").evaluate("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_both_answers_of_predict_lie_under_the_thumb(still, scheme):
    still.emulate_media(color_scheme=scheme)
    still.set_viewport_size({"width": 390, "height": 844})
    run(still, K=4)
    press(still, "Predict")
    still.evaluate("scrollTo(0, 0)")
    for name in ("accept", "reject"):
        button = still.locator(f"[data-guess={name}]")
        expect(button).to_be_in_viewport(ratio=1)
        box = button.bounding_box()
        assert box["height"] >= 44 and box["y"] > 844 / 2
    assert objections(still, "#race") == []


def test_rounds_appear_as_they_are_decoded_and_the_replay_takes_their_place(visit, monkeypatch):
    for name in ("LEFT_SECONDS", "LINE_SECONDS"):  # every run counts as long, and every round is told
        monkeypatch.setattr(status, name, 0.0)
    visit.locator("#prompt textarea").fill("live once")
    visit.locator("#run").click()
    expect(tokens(visit, "accepted").first).to_be_visible()
    expect(tokens(visit, "rejected").first).to_be_visible()
    expect(lane(visit, "vanilla").locator(".sv-token")).to_have_count(97)  # and the prompt
    expect(visit.locator("#status")).to_contain_text("s left")
    expect(visit.locator("#status")).to_contain_text("96 of 96 tokens")
    expect(visit.locator("#race .sv-inspector")).to_have_count(0)
    expect(visit.locator("#save-picture")).to_be_hidden()  # there is no timeline yet
    visit.locator("#stop").click()
    expect(visit.locator("#race")).not_to_have_attribute("data-live", "")
    expect(lane(visit, "speculative").locator("[data-role=prompt]").first).to_have_text("live")


def rounds(prompt="Once upon a time", **settings):
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, **settings})
    return view(fake_trace(prompt, config=config, seed=config.seed + 3))["lanes"]["speculative"]["rounds"]


def linked(page):
    return page.locator(".sv-text [data-linked]")


def bar(page, index):
    return page.locator(f"#timeline [data-lane=speculative][data-series=verify][data-round='{index}']")


def point_at(page, index):
    """Bring the bar into view and the mouse over it; where that is."""
    bar(page, index).scroll_into_view_if_needed()
    box = bar(page, index).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)
    return x, y


def test_token_round_and_bar_are_linked_and_the_hand_of_the_replay_lies_on_the_timeline(visit):
    run_on_app(visit, K=4)
    expect(visit.locator(".sv-hand")).to_be_visible()
    second, seventh = rounds(K=4)[1], rounds(K=4)[6]
    block(visit, 1).first.hover()
    expect(linked(visit)).to_have_count(len(second["shown"]))
    band = visit.locator(".sv-band")
    expect(band).to_be_visible()
    whole = float(visit.locator(".sv-scrub").get_attribute("max"))
    box, plot = band.bounding_box(), visit.locator("#timeline .sv-overlay").bounding_box()
    middle = (second["start"] + second["end"]) / 2 / whole * plot["width"] + plot["x"]
    assert box["x"] + box["width"] / 2 == pytest.approx(middle, abs=3)
    assert box["y"] > plot["y"] + plot["height"] / 2 - 4  # the speculative lane is the lower row
    lane(visit, "vanilla").locator("h3").hover()
    expect(linked(visit)).to_have_count(0)

    visit.locator(".sv-play").focus()
    visit.keyboard.press("Home")
    visit.mouse.click(*point_at(visit, 6))  # which the replay has not reached: it is brought there
    assert float(visit.locator(".sv-scrub").input_value()) == pytest.approx(seventh["end"], abs=1e-3)
    hand, plot = visit.locator(".sv-hand").bounding_box(), visit.locator("#timeline .sv-overlay").bounding_box()
    assert hand["y"] == pytest.approx(plot["y"], abs=3) and hand["height"] == pytest.approx(plot["height"], abs=5)
    seek(visit, seventh["end"] + 100)
    assert visit.locator(".sv-hand").bounding_box()["x"] > hand["x"]
