"""You are the draft: the game at the story's end and in the chapter Guess. The fake engine keeps a word without a z. What
it asks and says of each answer: tests/assets/play/game.test.js."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.words import GAME

from ..person import fits, in_sight, objections, press


def opened(page):
    """The game at the end of the story."""
    expect(page.locator(".sv-story")).to_be_visible()
    expect(page.get_by_role("button", name="Be the draft")).to_be_hidden()  # the end comes first
    page.keyboard.press("Space")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    press(page, "Be the draft")
    expect(page.locator(".sv-game-field")).to_be_focused()
    return page


def guess(page, word: str, *roles: str, says: str) -> None:
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    expect(page.locator(".sv-game[data-stage=told]")).to_be_visible()
    expect(page.locator(".sv-game-told")).to_have_text(GAME[says])
    assert page.locator(".sv-game .sv-token").evaluate_all("all => all.map((e) => e.dataset.role)") == list(roles)


def test_the_end_of_the_story_leads_to_three_words_of_ones_own_by_keys_alone(newcomer):
    page = opened(newcomer())
    expect(page.locator(".sv-game-told")).to_have_text(GAME["ask"])
    expect(page.locator(".sv-game")).to_contain_text(GAME["texts"][0])
    guess(page, "sky", "accepted", "bonus", says="kept")
    expect(page.locator(".sv-game-score")).to_have_text("You: 1 · Small model: 0")
    expect(page.locator(".sv-game .sv-bar-row[data-marked]")).to_contain_text("sky (your word)")
    page.keyboard.press("Enter")  # the next sentence
    guess(page, "zoo", "rejected", "corrected", says="struck")
    page.keyboard.press("Enter")
    guess(page, "longzz", "accepted", "rejected", "corrected", says="part")  # two tokens
    page.keyboard.press("Enter")
    expect(page.locator(".sv-game-told")).to_have_text("You: 1 of 3 kept. The small model as draft: 0 of 3.")
    page.keyboard.press("Escape")
    expect(page.locator(".sv-story")).to_have_count(0)
    expect(page.locator("#prompt textarea")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_it_is_in_sight_and_axe_finds_nothing(newcomer, scheme):
    page = opened(newcomer(width=390, height=844, color_scheme=scheme, reduced_motion="reduce"))
    in_sight(page, ".sv-game-told", ".sv-game-field", ".sv-game [type=submit]")
    guess(page, "zoo", "rejected", "corrected", says="struck")
    assert fits(page)
    assert objections(page) == []


def test_the_chapter_of_the_idea_begins_with_the_same_game(newcomer):
    page = newcomer("?chapter=1")
    act = page.locator(".lrn-picture .sv-game")
    expect(act).to_be_visible(timeout=90_000)  # the first visitor of Learn waits until its pictures are made
    act.locator(".sv-game-field").click()
    for word in ("sky", "dog", "leg"):
        guess(page, word, "accepted", "bonus", says="kept")
        expect(page.locator(".lrn-chapter[data-chapter=guess]")).to_be_visible()  # no key of the lesson was heard
        page.keyboard.press("Enter")
    press(act, "Guess longer texts in the Lab")
    expect(page.locator("#lab-classroom h2")).to_be_visible()
