"""The path of a lesson on a projector of 1280 × 720: what a class must see is in sight, and what it works on can be scrolled to."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.rooms import OPEN
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.path import stops

from ...products import some
from ..person import learn
from .test_learn import answer, outside
from .test_phones import code_of, sit, vote

pytestmark = pytest.mark.browser
HEIGHT = 720
TAUGHT = [stop.chapter for stop in stops() if stop.chapter]


def bottom(page, selector: str) -> float:
    return page.locator(selector).last.evaluate("e => e.getBoundingClientRect().bottom")


def all_in_sight(page, *needed: str) -> None:
    """Nothing of these is cut, by the window or by what scrolls inside it; the page itself need not be scrolled."""
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('.lrn'))")
    for selector in needed:
        expect(page.locator(selector).first, selector).to_be_in_viewport(ratio=0.99)
        assert bottom(page, selector) <= HEIGHT, selector
    assert outside(page) == []


@pytest.fixture
def projected(watched, app):
    """The first stop of a lesson, on the projector, for a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    watched.set_viewport_size({"width": 1280, "height": HEIGHT})
    learn(watched, app, 1)
    watched.locator("#learn").get_by_role("button", name="Lesson").click()
    watched.keyboard.press("p")
    expect(watched.get_by_role("button", name="Leave projector")).to_be_visible()
    yield watched


def turned(page, chapter: int) -> None:
    page.locator(".lrn-chapters button", has_text=str(chapter)).first.click()
    expect(page.locator("#learn h2")).to_have_text(CHAPTERS[chapter - 1].title)


NOTHING_OVER = """code => { const { x, y, width, height } = code.getBoundingClientRect(), shares = [...Array(19).keys()].map((n) => (n + 1) / 20);
  return shares.every((i) => shares.every((j) => document.elementFromPoint(x + i * width, y + j * height) === code)) }"""
STAND = (".lrn-told", ".lrn-player", ".lrn-foot")
ASKED = (*STAND, ".lrn-question", ".sv-exercise summary")


def test_a_stop_is_in_sight_before_and_after_the_answer_and_its_exercise_scrolls_beside_the_picture(projected, subtests):
    for chapter in TAUGHT:
        with subtests.test(chapter=chapter):
            turned(projected, chapter)
            all_in_sight(projected, *ASKED)
            answer(projected, chapter)
            all_in_sight(projected, *ASKED, ".lrn-why")
            projected.locator(".sv-exercise summary").first.click()
            projected.locator(".sv-answers summary").click()
            all_in_sight(projected, *STAND)
            for line in projected.locator(".sv-exercise li").all():
                line.scroll_into_view_if_needed()
                expect(line).to_be_in_viewport(ratio=0.99)
            assert bottom(projected, ".sv-exercise li") <= projected.locator(".lrn-foot").bounding_box()["y"]
            all_in_sight(projected, *STAND)


@pytest.mark.parametrize("chapter", some(TAUGHT, TAUGHT[-1]))
def test_a_stop_is_in_sight_while_the_phones_come_in_vote_and_are_answered(projected, app, chapter):
    turned(projected, chapter)
    projected.get_by_role("button", name="Ask the phones").click()
    code = code_of(projected)
    try:
        expect(projected.locator(".sv-qr img")).to_be_visible()
        all_in_sight(projected, *ASKED, ".sv-qr img", ".sv-door")
        assert projected.locator(".sv-qr img").evaluate(NOTHING_OVER)  # else no phone reads it
        seat = sit(projected, app, code, "Ada")["seat"]
        vote(projected, app, code, seat, CHAPTERS[chapter - 1].key, 1)
        expect(projected.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
        all_in_sight(projected, *ASKED, ".sv-qr img", ".sv-door")
        projected.get_by_role("button", name="Show the answer").click()
        expect(projected.locator(".sv-choice[data-state=right]")).to_have_count(1)
        all_in_sight(projected, *ASKED, ".lrn-why")
    finally:
        OPEN.close(OPEN.find(code))


def test_the_result_of_the_room_is_in_sight(projected, app):
    projected.locator(".lrn-chapters button", has_text="✎").click()
    panel = projected.locator("#lab-classroom")
    expect(panel.locator("h2")).to_be_visible()
    panel.get_by_role("button", name="Open a room").click()
    expect(panel.locator(".ppl-qr img")).to_be_in_viewport(ratio=0.99)
    code = panel.locator(".ppl-link").inner_text().split("/room/")[1]
    try:
        said = {"Ada": " went zig", "Bo": " went home", "Cyd": " sat down"} | {f"Guest {n}": " went zig" for n in range(20)}
        for name, words in said.items():
            seat = sit(projected, app, code, name)["seat"]
            projected.request.post(f"{app}/room/{code}/guess", data={"seat": seat, "round": 1, "words": words})
        expect(panel.locator(".ppl-count")).to_have_text("23 of 23 have guessed.")
        play = panel.get_by_role("button", name="Verify the room's draft")
        expect(play).to_be_in_viewport(ratio=0.99)
        play.click()
        expect(panel.locator(".ppl-token")).not_to_have_count(0)
        for result in (".ppl-writing", ".ppl-token >> nth=-1", ".ppl-spread >> nth=0"):
            expect(panel.locator(result)).to_be_in_viewport(ratio=0.99)
    finally:
        OPEN.close(OPEN.find(code))
