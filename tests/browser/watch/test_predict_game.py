"""Predict as a game, where a screen and a clock matter; what it asks and counts: tests/assets/watch/guesses.test.js."""

import re

import pytest
from playwright.sync_api import expect

from ..components import run

pytestmark = pytest.mark.browser


def ask(page):
    page.get_by_role("button", name="Predict", exact=True).click()


def asked(page):
    return page.locator(".sv-asked")


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
