"""Predict as a game: the next question comes by itself, and ten answers come to a result that can be shared."""

import re

import pytest
from playwright.sync_api import expect

from ..components import run
from .test_predict import ask, asked, drafted

pytestmark = pytest.mark.browser


def right_key(d) -> str:
    return "a" if d["verdict"] == "accepted" else "r"


def play(page, answers: int, key=right_key) -> None:
    """So many answers, each once it is asked for."""
    for d in drafted()[:answers]:
        expect(page.locator("[data-guess=accept]")).to_be_visible()
        page.keyboard.press(key(d))
        expect(page.locator("[data-guess=accept]")).to_be_hidden()
        if page.locator(".sv-learnt").is_hidden():
            page.get_by_role("button", name="Go on").click()


def test_the_next_question_comes_by_itself_where_motion_is_wanted(moving):
    run(moving, K=4)
    ask(moving)
    expect(asked(moving)).to_contain_text("be accepted?")
    before = asked(moving).inner_text()
    moving.keyboard.press("a")
    expect(asked(moving)).to_contain_text(re.compile("Right: |No: "))
    expect(moving.locator(".sv-score")).to_contain_text("of 1 ·")
    expect(asked(moving)).to_contain_text("be accepted?")  # no hand did it
    assert asked(moving).inner_text() != before


def test_ten_answers_come_to_points_a_streak_and_what_they_say_of_alpha(still):
    run(still, K=4)
    ask(still)
    play(still, 10)
    kept = sum(d["verdict"] == "accepted" for d in drafted()[:10])
    likelier = sum((d["ratio"] >= 0.5) == (d["verdict"] == "accepted") for d in drafted()[:10])
    learnt = still.locator(".sv-learnt")
    expect(learnt).to_contain_text("10 of 10 right, 10 in a row.")
    expect(learnt).to_contain_text(f"accepted {kept} of these 10 drafted tokens")
    expect(learnt).to_contain_text(f"Always the likelier answer: {likelier} of 10.")
    still.context.grant_permissions(["clipboard-read", "clipboard-write"])
    still.get_by_role("button", name="Share the result").click()
    expect(asked(still)).to_contain_text("copied")
    assert f"accepted {kept} of the 10 drafted tokens" in still.evaluate("navigator.clipboard.readText()")
    still.get_by_role("button", name="Go on").click()  # the game goes on, and counts on
    expect(learnt).to_be_hidden()
    expect(still.locator(".sv-score")).to_have_text("Points: 10 of 10 · in a row: 10")


def test_where_nothing_may_be_copied_the_result_is_there_to_read(still):
    run(still, K=4)
    ask(still)
    play(still, 10, key=lambda d: "a")
    still.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    still.get_by_role("button", name="Share the result").click()
    expect(asked(still)).to_contain_text("verdicts of speculative decoding")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_both_answers_lie_under_the_thumb(still, scheme):
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    still.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    still.set_viewport_size({"width": 390, "height": 844})
    run(still, K=4)
    ask(still)
    still.evaluate("scrollTo(0, 0)")
    for name in ("accept", "reject"):
        button = still.locator(f"[data-guess={name}]")
        expect(button).to_be_in_viewport(ratio=1)
        box = button.bounding_box()
        assert box["height"] >= 44 and box["y"] > 844 / 2
    assert Axe().run(still, context="#race").response["violations"] == []
