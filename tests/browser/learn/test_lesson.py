"""The path of a lesson on a projector of 1280 × 720: what a class must see is in sight, and what it works on can be scrolled to."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page.classroom import words
from specviz.page.classroom.rooms import OPEN
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import stops

from ...products import some
from ..person import in_sight, learn, press
from .test_learn import LAST, answer, outside, title
from .test_phones import ask, sit, vote

HEIGHT = 720
TAUGHT = [stop.chapter for stop in stops() if stop.chapter]


def bottom(page, selector: str) -> float:
    return page.locator(selector).last.evaluate("e => e.getBoundingClientRect().bottom")


def all_in_sight(page, *needed: str) -> None:
    """Nothing of these is cut, by the window or by what scrolls inside it; the page itself need not be scrolled."""
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('.lrn'))")
    in_sight(page, *needed)
    for selector in needed:
        assert bottom(page, selector) <= HEIGHT, selector
    assert outside(page) == []


@pytest.fixture
def projected(watched, app):
    """The first stop of a lesson, on the projector, for a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    watched.set_viewport_size({"width": 1280, "height": HEIGHT})
    learn(watched, app, 1)
    press(watched, "Lesson")
    watched.keyboard.press("p")
    expect(watched.get_by_role("button", name="Leave projector")).to_be_visible()
    return watched


def turned(page, chapter: int) -> None:
    page.locator(".lrn-chapters button", has_text=str(chapter)).first.click()
    expect(title(page)).to_have_text(CHAPTERS[chapter - 1].title)


def room_stop(page):
    page.locator(".lrn-chapters button", has_text="✎").click()
    panel = page.locator("#lab-classroom")
    expect(panel.locator("h2")).to_be_attached()
    return panel


NOTHING_OVER = """code => { const { x, y, width, height } = code.getBoundingClientRect(), shares = [...Array(19).keys()].map((n) => (n + 1) / 20);
  return shares.every((i) => shares.every((j) => document.elementFromPoint(x + i * width, y + j * height) === code)) }"""
PICTURE = (".lrn-told", ".lrn-player", ".lrn-foot")
QUESTION = (*PICTURE, ".lrn-question", ".sv-exercise summary")


def test_a_stop_is_in_sight_before_and_after_the_answer_and_its_exercise_scrolls_beside_the_picture(projected, subtests):
    for chapter in TAUGHT:
        with subtests.test(chapter=chapter):
            turned(projected, chapter)
            all_in_sight(projected, *QUESTION)
            answer(projected, chapter)
            all_in_sight(projected, *QUESTION, ".lrn-why")
            projected.locator(".sv-exercise summary").first.click()
            projected.locator(".sv-answers summary").click()
            all_in_sight(projected, *PICTURE)
            for line in projected.locator(".sv-exercise li").all():
                line.scroll_into_view_if_needed()
                expect(line).to_be_in_viewport(ratio=0.99)
            assert bottom(projected, ".sv-exercise li") <= projected.locator(".lrn-foot").bounding_box()["y"]
            all_in_sight(projected, *PICTURE)


@pytest.mark.parametrize("chapter", some(TAUGHT, TAUGHT[-1]))
def test_a_stop_is_in_sight_while_the_phones_come_in_vote_and_are_answered(projected, app, room_of, chapter):
    turned(projected, chapter)
    code = ask(projected, room_of)
    expect(projected.locator(".sv-qr img")).to_be_visible()
    all_in_sight(projected, *QUESTION, ".sv-qr img", ".sv-door")
    assert projected.locator(".sv-qr img").evaluate(NOTHING_OVER)  # else no phone reads it
    seat = sit(projected, app, code, "Ada")["seat"]
    vote(projected, app, code, seat, CHAPTERS[chapter - 1].key, 1)
    expect(projected.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
    all_in_sight(projected, *QUESTION, ".sv-qr img", ".sv-door")
    press(projected, "Show the answer")
    expect(projected.locator(".sv-choice[data-state=right]")).to_have_count(1)
    all_in_sight(projected, *QUESTION, ".lrn-why")


def test_the_stop_of_the_room_offers_one_and_its_result_is_in_sight_and_the_projector_goes_with_it_and_stays(
    projected, app, room_of
):
    turned(projected, 6)
    panel = room_stop(projected)
    for _ in range(2):  # also after a reload
        expect(panel.get_by_label("Who drafts")).to_have_value("room")
        expect(panel.get_by_role("button", name="Open a room")).to_be_in_viewport()
        expect(projected.get_by_role("button", name="Leave projector")).to_be_visible()
        projected.reload()
    press(panel, "Open a room")
    in_sight(projected, "#lab-classroom .sv-qr img")
    code = room_of(panel.locator(".sv-door"))
    guesses = {"Ada": " went zig", "Bo": " went home", "Cyd": " sat down"} | {f"Guest {n}": " went zig" for n in range(20)}
    for name, guess in guesses.items():
        seat = sit(projected, app, code, name)["seat"]
        projected.request.post(f"{app}/room/{code}/guess", data={"seat": seat, "round": 1, "words": guess})
    expect(panel.locator(".ppl-count")).to_have_text("23 of 23 have guessed.")
    verify = panel.get_by_role("button", name="Verify the room's draft")
    expect(verify).to_be_in_viewport(ratio=0.99)
    verify.click()
    expect(panel.locator(".ppl-token")).not_to_have_count(0)
    in_sight(projected, ".ppl-writing", ".ppl-token >> nth=-1", ".ppl-spread")
    press(projected, "Leave projector")
    projected.get_by_role("tab", name="Learn").click()
    expect(projected.locator(".lrn-chapters [aria-current]")).to_contain_text("9")  # on the path, after the room
    projected.reload()
    expect(title(projected)).to_be_visible()
    expect(projected.get_by_role("button", name="Leave projector")).to_have_count(0)


def test_the_stop_shows_the_room_of_the_lesson_also_where_the_panel_was_open_before(watched, app, room_of, monkeypatch):
    """The link of that room, which only this machine reaches, has no code and says so until a phone is in."""
    monkeypatch.setattr(OPEN, "reachable", False)
    watched.goto(f"{app}/?lab=classroom")
    who = watched.locator("#lab-classroom").get_by_label("Who drafts")
    expect(who).to_have_value("alone")
    watched.get_by_role("tab", name="Learn").click()
    press(watched, "Lesson")
    code = ask(watched, room_of)
    warning = watched.locator(".sv-phones").get_by_text(words.LOCAL)
    expect(warning).to_be_visible()
    expect(watched.locator(".sv-qr img")).to_have_count(0)
    sit(watched, app, code, "Ada")
    expect(warning).to_be_hidden()
    expect(room_stop(watched).locator(".sv-door")).to_contain_text(code)
    expect(who).to_have_value("room")


def test_the_lesson_walks_its_stops_by_keys_and_the_room_is_one_of_them(quiet, app):
    learn(quiet, app, 1)
    press(quiet, "Lesson")
    expect(quiet.locator(".lrn-chapters button")).to_have_count(len(stops()))
    for stop in stops()[1:4]:
        quiet.keyboard.press("ArrowRight")
        expect(title(quiet)).to_have_text(CHAPTERS[stop.chapter - 1].title)
    quiet.reload()  # the tab remembers that a lesson is on
    expect(title(quiet)).to_have_text(CHAPTERS[5].title)
    expect(quiet.get_by_role("button", name="Lesson", exact=True)).to_have_attribute("aria-pressed", "true")
    for way in ("Next", "Previous"):
        quiet.locator("#learn").get_by_role("button", name=way).click()
        expect(quiet).to_have_url(re.compile(r"[?]lab=classroom"))
        expect(quiet.get_by_role("heading", name="You are the draft")).to_be_visible()
        quiet.get_by_role("tab", name="Learn").click()
        expect(title(quiet)).to_have_text(CHAPTERS[8].title)
    press(quiet, "Lesson")
    expect(quiet.locator(".lrn-chapters button")).to_have_count(LAST)
