"""A class sees the race on a projector: alone on the screen, with one token inspected, nothing to scroll to."""

import pytest
from playwright.sync_api import expect

from tests.fake_tree import tree_trace

from ...products import every, some
from ..components import run, show
from ..person import drawn, in_sight, lane, press, reach, tokens
from ..person import run as run_on_app

PARTS = (".sv-verdict", ".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]", ".sv-play", ".sv-stepper", ".sv-legend",
         ".sv-cache", ".sv-inspector")  # fmt: skip


@pytest.mark.parametrize("size", some([(1280, 720), (1920, 1080)]), ids=str)
def test_race_controls_legend_caches_and_a_token_are_seen_at_once(visit, size):
    run_on_app(visit, "Once upon a time, there was a little dog named")
    visit.set_viewport_size({"width": size[0], "height": size[1]})
    reach(visit, ".sv-project").click()
    drawn(visit)
    for role in ("rejected", "accepted", "corrected", "bonus"):
        tokens(visit, role).first.click()
        in_sight(visit, *PARTS)
        whole = "e => e.scrollHeight <= e.clientHeight + 1"
        assert visit.locator(".sv-inspector").evaluate(whole) and visit.locator("#race").evaluate(whole), role
    press(visit, "Predict")
    in_sight(visit, "[data-guess=accept]", ".sv-cache")


@every(size=[(1440, 900), (1920, 1080)], children=["8-7", "4-3-2-1"])
def test_sixty_four_tokens_of_a_tree_are_seen_at_once_and_can_be_read(still, children, size):
    show(still, tree_trace(children, K=children.count("-") + 1, seed=5))
    still.set_viewport_size({"width": size[0], "height": size[1]})
    still.locator("h1").click()
    still.keyboard.press("p")
    still.keyboard.press("Home")
    still.keyboard.press(".")
    expect(still.locator(".sv-node").nth(60)).to_be_attached()
    look = "l => l.map(e => [e.getBoundingClientRect().bottom, parseFloat(getComputedStyle(e).fontSize)])"
    bottoms, letters = zip(*still.locator(".sv-node").evaluate_all(look), strict=True)
    assert len(bottoms) >= 64 and max(bottoms) <= size[1] and min(letters) >= 12


def test_letters_grow_with_the_projector(still):
    run(still)
    still.locator("h1").click()
    still.keyboard.press("p")
    sizes = []
    for size in ((1280, 720), (1920, 1080)):
        still.set_viewport_size({"width": size[0], "height": size[1]})
        sizes.append(lane(still, "vanilla").locator(".sv-text").evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))
    assert sizes[1] > sizes[0] * 1.3
