"""The first visit: a story before any control, told once, of the run that the page opens with."""

import re

import pytest
from playwright.sync_api import expect

from scripts.first_screen import count, shifts, watch_shifts
from specviz.page.keep.recorded import load
from specviz.picture.words import STORY
from tests.view import view

from ...products import some

pytestmark = pytest.mark.browser
SPEEDUP = f"{view(load('opening'))['comparison']['speedup']:.1f}"


def said(page):
    return page.locator(".sv-story-said")


def go(page, key: str, times: int = 1) -> None:
    for _ in range(times):
        page.keyboard.press(key)


def test_the_first_visit_is_told_the_recorded_round_in_plain_words_and_the_runs_own_speedup(newcomer):
    page = newcomer()
    expect(page.locator(".sv-story")).to_be_visible()
    for hidden in ("#prompt", "#run", ".sv-play", ".sv-round", "#more"):
        expect(page.locator(hidden).first).to_be_hidden()
    go(page, "Space")  # it stands
    go(page, "ArrowLeft", 9)
    expect(said(page)).to_have_text(STORY["story_first"])
    told = []
    for _ in range(6):
        go(page, "ArrowRight")
        told.append(said(page).inner_text())
        assert not re.search(r"\b[upqK] ?=|α|β", page.locator(".sv-story").inner_text())
    # the first rejection of the recorded run: with it all, where the target writes his
    assert told[1:] == [STORY[f"story_{key}"] for key in ("types", "look", "kept", "struck", "replaced")]
    words = page.locator(".sv-story-line .sv-token:not([data-final=prompt])")
    expect(words).to_have_text(["with", "it", "all", "his"])
    assert words.evaluate_all("all => all.map(e => e.dataset.role)") == ["accepted", "rejected", "unexamined", "corrected"]
    go(page, "ArrowRight", 2)
    expect(said(page)).to_have_text(f"The same model wrote both. {SPEEDUP} × as fast.")
    lanes = page.locator(".sv-story .sv-lane")
    for lane, text in zip(lanes.all(), ("Spot loved to play with his friends", "Spot had a big ball"), strict=True):
        expect(lane.locator(".sv-text")).to_contain_text(text)


def test_it_moves_by_itself_to_its_end_in_fifteen_to_twenty_five_seconds(newcomer):
    page = newcomer()
    page.wait_for_function("document.querySelector('.sv-story .sv-token[data-role=drafted]')")
    expect(page.locator(".sv-story[data-over]")).to_be_attached(timeout=90_000)
    expect(said(page)).to_contain_text(SPEEDUP)
    expect(page.get_by_role("button", name="Show me again")).to_be_visible()


def test_try_your_own_words_leads_to_the_prompt_symbols_come_with_a_token_and_the_next_visit_begins_there(newcomer):
    page = newcomer()
    page.get_by_role("button", name="Try your own words").click()
    expect(page.locator(".sv-story")).to_have_count(0)
    expect(page.locator("#prompt textarea")).to_be_focused()
    expect(page.locator(".sv-play")).to_be_visible()
    for hidden in (".sv-inspector", ".sv-round", ".sv-caption"):
        expect(page.locator(hidden)).to_be_hidden()
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=drafted]").first.click()
    expect(page.locator(".sv-inspector")).to_contain_text("q = ")
    expect(page.locator(".sv-round")).to_be_visible()
    page.get_by_role("button", name="Close the inspector").click()
    expect(page.locator(".sv-inspector")).to_be_hidden()
    expect(page.locator(".sv-play")).to_be_focused()
    page.reload()
    expect(page.locator(".sv-play")).to_be_visible()
    expect(page.locator(".sv-story")).to_have_count(0)
    page.get_by_role("button", name="In plain words").click()
    expect(said(page)).to_have_text(STORY["story_first"])
    go(page, "Escape")
    expect(page.locator(".sv-story")).to_have_count(0)


@pytest.mark.parametrize(
    "query", some(["?recorded=hot", "?prompt=Linked+story&K=2", "?chapter=5"], "?prompt=Linked+story&K=2", "?chapter=5")
)
def test_it_never_stands_before_what_a_link_names(newcomer, query):
    page = newcomer(query)
    shown = page.locator("#learn h2" if "chapter" in query else ".sv-lane").first
    expect(shown).to_be_visible(timeout=90_000)  # the first visitor of Learn waits until its pictures are made
    expect(page.locator(".sv-story")).to_have_count(0)


def test_who_wants_no_motion_steps_through_three_still_pictures(newcomer):
    page = newcomer(reduced_motion="reduce")
    expect(said(page)).to_have_text(STORY["story_first"])
    assert page.locator(".sv-story-bar > button").all_inner_texts() == ["Try your own words", "‹", "›"]
    page.get_by_role("button", name="On", exact=True).click()
    expect(said(page)).to_have_text(STORY["story_round"])
    expect(page.locator(".sv-story-line .sv-token[data-role=corrected]")).to_have_text("his")
    go(page, "ArrowRight")
    expect(said(page)).to_contain_text(SPEEDUP)
    go(page, "ArrowLeft", 2)
    expect(said(page)).to_have_text(STORY["story_first"])


@pytest.mark.parametrize("scheme", some(["light", "dark"]))
def test_on_a_phone_the_whole_story_with_its_buttons_is_in_sight(newcomer, scheme):
    page = newcomer(width=390, height=844, color_scheme=scheme)
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    expect(page.locator(".sv-story")).to_be_visible()
    go(page, "Space")
    for _ in range(8):
        for part in (".sv-story-said", ".sv-story-bar button >> nth=0", ".sv-story-bar button >> nth=-1"):
            expect(page.locator(part)).to_be_in_viewport(ratio=0.99)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        go(page, "ArrowRight")
    assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize(("size", "most"), [((1440, 900), (18, 120)), ((390, 844), (12, 70))], ids=["laptop", "phone"])
def test_the_first_screen_has_few_controls_and_few_words_and_nothing_jumps_while_it_plays(newcomer, size, most):
    page = newcomer(width=size[0], height=size[1])
    expect(page.locator(".sv-story")).to_be_visible()
    story = count(page)
    go(page, "Escape")
    page.evaluate("scrollTo(0, 0)")  # on a phone the prompt came into sight, below the race
    expect(page.locator(".sv-at")).to_contain_text("Press Play.")
    found = count(page)
    for one in story, found:
        assert one["controls"] <= most[0] and one["words"] <= most[1], one
    page.get_by_label("Replay speed").select_option(label="1/100")
    page.locator(".sv-play").click()
    page.wait_for_timeout(600)  # a shift soon after a press is laid to the hand
    watch_shifts(page)
    expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
    assert sum(shifts(page)) <= 0.01
