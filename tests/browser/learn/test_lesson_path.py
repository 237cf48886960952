"""A teacher walks the path of a lesson: from chapters to the room and on, by keys, on a projector, with a reload in the middle."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom import words
from specviz.page.classroom.rooms import OPEN

from ..person import learn
from .test_phones import code_of, sit
from .test_projected import projected, turned  # noqa: F401 (a fixture)

pytestmark = pytest.mark.browser


def room_stop(page):
    page.locator(".lrn-chapters button", has_text="✎").click()
    panel = page.locator("#lab-classroom")
    expect(panel.locator("h2")).to_be_attached()
    return panel


def test_the_stop_of_the_room_offers_a_room_and_the_projector_goes_with_it_and_stays(projected):  # noqa: F811
    turned(projected, 6)
    panel = room_stop(projected)
    expect(panel.get_by_label("Who drafts")).to_have_value("room")
    expect(panel.get_by_role("button", name="Open a room")).to_be_in_viewport()
    leave = projected.get_by_role("button", name="Leave projector")
    expect(leave).to_be_visible()
    projected.reload()
    expect(leave).to_be_visible()
    expect(panel.get_by_label("Who drafts")).to_have_value("room")
    leave.click()
    projected.get_by_role("tab", name="Learn").click()
    expect(projected.locator(".lrn-chapters [aria-current]")).to_contain_text("9")  # on the path, after the room
    projected.reload()
    expect(projected.get_by_role("button", name="Leave projector")).to_have_count(0)


def test_the_stop_shows_the_room_of_the_lesson_also_where_the_panel_was_open_before(watched, app):
    watched.goto(f"{app}/?lab=classroom")
    panel = watched.locator("#lab-classroom")
    expect(panel.get_by_label("Who drafts")).to_have_value("alone")
    watched.get_by_role("tab", name="Learn").click()
    watched.get_by_role("button", name="Lesson", exact=True).click()
    watched.get_by_role("button", name="Ask the phones").click()
    code = code_of(watched)
    try:
        room_stop(watched)
        expect(panel.locator(".ppl-link")).to_contain_text(code)
        expect(panel.get_by_label("Who drafts")).to_have_value("room")
    finally:
        OPEN.close(OPEN.find(code))


def test_a_link_that_only_this_machine_may_know_says_so_until_a_phone_is_in(watched, app):
    learn(watched, app, 4)
    watched.get_by_role("button", name="Ask the phones").click()
    code = code_of(watched)
    try:
        warned = watched.locator(".sv-phones").get_by_text(words.REACHED)
        expect(warned).to_be_visible()
        sit(watched, app, code, "Ada")
        expect(warned).to_be_hidden()
    finally:
        OPEN.close(OPEN.find(code))


def test_the_keys_of_a_tab_work_right_after_it_was_chosen(watched, app):
    watched.goto(app)
    for tab, bar in (("Learn", ".lrn-toggles"), ("Lab", ".lab-bar")):
        watched.get_by_role("tab", name=tab).click()
        expect(watched.locator(bar).get_by_role("button", name="Projector", exact=True)).to_be_visible()
        watched.keyboard.press("p")
        expect(watched.locator(bar).get_by_role("button", name="Leave projector")).to_be_visible()
        watched.keyboard.press("Escape")
