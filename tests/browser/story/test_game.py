"""You are the draft: the game at the story's end and in the chapter Guess. The fake engine keeps a word without a z. What
it asks and says of each answer: tests/assets/play/game.test.js."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.words import GAME

pytestmark = pytest.mark.browser


def game(page):
    return page.locator(".sv-game")


def told(page):
    return page.locator(".sv-game-told")


def opened(page):
    """The game at the end of the story."""
    expect(page.locator(".sv-story")).to_be_visible()
    page.keyboard.press("Space")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Be the small model").click()
    expect(page.locator(".sv-game-field")).to_be_focused()
    return page


def guess(page, word: str) -> None:
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    expect(page.locator(".sv-game[data-stage=told]")).to_be_visible()


def roles(page) -> list[str]:
    return page.locator(".sv-game .sv-token").evaluate_all("all => all.map((e) => e.dataset.role)")


def test_the_end_of_the_story_leads_to_three_words_of_ones_own_by_keys_alone(newcomer):
    page = newcomer()
    expect(page.locator(".sv-story")).to_be_visible()
    expect(page.get_by_role("button", name="Be the small model")).to_be_hidden()  # the end comes first
    opened(page)
    expect(told(page)).to_have_text(GAME["ask"])
    expect(game(page)).to_contain_text(GAME["texts"][0])
    guess(page, "sky")
    expect(told(page)).to_have_text(GAME["kept"])
    assert roles(page) == ["accepted", "bonus"]
    expect(page.locator(".sv-game-score")).to_have_text("You: 1 · Small model: 0")
    own = page.locator(".sv-game .sv-bar-row[data-marked]")
    expect(own).to_contain_text("sky (your word)")
    expect(own).to_contain_text("80")
    page.keyboard.press("Enter")  # the next sentence
    guess(page, "zoo")
    expect(told(page)).to_have_text(GAME["struck"])
    assert roles(page) == ["rejected", "corrected"]
    page.keyboard.press("Enter")
    guess(page, "longzz")  # two tokens
    expect(told(page)).to_have_text(GAME["part"])
    assert roles(page) == ["accepted", "rejected", "corrected"]
    page.keyboard.press("Enter")
    expect(told(page)).to_have_text("You: 1 of 3 kept. The small model: 0 of 3.")
    page.keyboard.press("Enter")  # three other sentences
    expect(game(page)).to_contain_text(GAME["texts"][3])
    expect(page.locator(".sv-game-score")).to_have_text("You: 0 · Small model: 0")
    page.keyboard.press("Escape")
    expect(page.locator(".sv-story")).to_have_count(0)
    expect(page.locator("#prompt textarea")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_it_is_in_sight_and_axe_finds_nothing(newcomer, scheme):
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    page = newcomer(width=390, height=844, color_scheme=scheme, reduced_motion="reduce")
    opened(page)
    for part in (".sv-game-told", ".sv-game-field", ".sv-game [type=submit]"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    guess(page, "zoo")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert Axe().run(page).response["violations"] == []


def test_the_chapter_of_the_idea_ends_with_the_same_game(newcomer):
    page = newcomer("?chapter=1")
    act = page.locator(".lrn-act")
    expect(act).to_be_visible(timeout=90_000)  # the first visitor of Learn waits until its pictures are made
    act.locator(".sv-game-field").click()
    guess(page, "sky")
    expect(told(page)).to_have_text(GAME["kept"])
    expect(page.locator(".lrn-chapter[data-chapter=guess]")).to_be_visible()  # no key of the lesson was heard
    page.keyboard.press("Enter")
    for word in ("dog", "leg"):
        guess(page, word)
        page.keyboard.press("Enter")
    act.get_by_role("button", name="Guess longer texts in the Lab").click()
    expect(page.locator("#lab-classroom h2")).to_be_visible()
