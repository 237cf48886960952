"""A visitor goes between chapters and tabs, and back again as anywhere else on the web."""

import re

import pytest
from playwright.sync_api import expect

from ..person import learn

pytestmark = pytest.mark.browser


def number(page):
    return page.locator(".lrn-chapters [aria-current=page] b")


def test_back_and_forward_walk_chapters_and_tabs(still, app):
    still.get_by_role("tab", name="Learn").click()
    expect(number(still)).to_have_text("1")
    expect(still).to_have_url(re.compile("chapter=1"))
    for n in ("2", "3"):
        still.keyboard.press("Tab")
        still.locator(".lrn-turn").last.click()
        expect(number(still)).to_have_text(n)
    still.go_back()
    expect(number(still)).to_have_text("2")
    still.go_back()
    still.go_back()
    expect(still.locator("#run")).to_be_visible()
    assert "chapter" not in still.url
    still.reload()  # then Learn was never open in this document
    expect(still.locator("#race .sv-invitation")).to_be_visible()
    still.go_forward()
    expect(number(still)).to_be_visible()
    expect(number(still)).to_have_text("1")
    still.go_forward()
    expect(number(still)).to_have_text("2")
    expect(still).to_have_url(re.compile("chapter=2"))


def test_try_it_in_watch_leads_back(still, app):
    learn(still, app, 5)
    for way in ("the button", "the browser"):
        still.locator(".lrn-try").click()
        expect(still.locator("#run")).to_be_visible()
        if way == "the button":
            still.get_by_role("button", name="Back to chapter 5").click()
        else:
            expect(still).not_to_have_url(re.compile("chapter"))  # as soon as Watch is drawn: a driver can be faster
            still.go_back()
        expect(number(still)).to_be_visible()
        expect(number(still)).to_have_text("5")


def test_a_first_visit_says_where_to_begin(still):
    still.get_by_role("button", name="Begin with Learn").click()
    expect(number(still)).to_have_text("1")


def test_what_a_chapter_tried_is_not_kept_for_the_next_visit_though_it_was_run(still, app):
    kept = "() => localStorage.getItem('specviz.settings')"
    still.locator("#prompt textarea").fill("Two birds")
    still.locator("#run").click()  # gradio may hear of the prompt no earlier
    still.wait_for_function("() => localStorage.getItem('specviz.settings') !== null")
    learn(still, app, 1)
    still.locator(".lrn-try").click()
    expect(still.locator(".sv-lane[data-lane=speculative] [data-role=prompt]").first).to_have_text("Once")
    expect(still.locator("#run")).to_be_enabled()
    assert still.evaluate(kept) == '"prompt=Two+birds"'
