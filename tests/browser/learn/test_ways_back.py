"""A visitor goes between chapters and tabs, and back again as anywhere else on the web."""

import re

from playwright.sync_api import expect

from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapters import CHAPTERS

from ..person import learn, press


def number(page):
    return page.locator(".lrn-chapters [aria-current=page] b")


def test_back_and_forward_walk_chapters_and_tabs_and_watch_stays_as_it_was(still, app):
    panel = still.locator(".lab-panel:visible h2")
    expect(still.locator(".lrn")).to_have_count(0)
    assert still.evaluate("() => 'specvizLab' in window") is False
    still.locator("#prompt textarea").fill("Half a thought")
    press(still, "Begin with Learn")
    expect(number(still)).to_have_text("1")
    expect(still).to_have_url(f"{app}/?chapter=1")
    for n in ("2", "3"):
        still.keyboard.press("Tab")
        still.locator(".lrn-turn").last.click()
        expect(number(still)).to_have_text(n)
    still.get_by_role("tab", name="Lab").click()
    expect(panel).to_have_text(PANELS[0].title)
    expect(still).to_have_url(re.compile(f"lab={PANELS[0].key}"))
    assert "chapter" not in still.url
    expect(still.locator('.lab-box[id^="lab-"]:visible')).to_have_attribute("id", f"lab-{PANELS[0].key}")  # no other takes room
    for n in ("3", "2", "1"):
        still.go_back()
        expect(number(still)).to_have_text(n)
        expect(number(still)).to_be_visible()
    still.go_back()
    expect(still.locator("#run")).to_be_visible()
    expect(still).to_have_url(f"{app}/")
    expect(still.locator("#prompt textarea")).to_have_value("Half a thought")
    still.reload()  # then Learn was never open in this document
    expect(still.locator("#race .sv-invitation")).to_be_visible()
    for n in ("1", "2", "3"):
        still.go_forward()
        expect(number(still)).to_be_visible()
        expect(number(still)).to_have_text(n)
        expect(still).to_have_url(re.compile(f"chapter={n}"))
    still.go_forward()
    expect(panel).to_be_visible()
    still.get_by_role("button", name="Projector").press("Enter")
    still.set_viewport_size({"width": 1000, "height": 700})  # the bar is drawn anew
    expect(still.get_by_role("button", name="Leave projector")).to_be_focused()


def test_try_it_in_watch_leads_back_and_what_it_tried_is_not_kept_for_the_next_visit_though_it_was_run(still, app):
    still.locator("#prompt textarea").fill("Two birds")
    still.locator("#run").click()  # gradio may hear of the prompt no earlier
    still.wait_for_function("() => localStorage.getItem('specviz.settings') !== null")
    learn(still, app, 5)
    for way in ("the button", "the browser"):
        still.locator(".lrn-try").click()
        expect(still.locator("#run")).to_be_visible()
        if way == "the button":
            prompt = still.locator(".sv-lane[data-lane=speculative] [data-role=prompt]")
            expect(prompt.first).to_have_text(CHAPTERS[4].settings["prompt"].split(" ")[0])
            expect(still.locator("#run")).to_be_enabled()
            still.get_by_role("button", name="Back to chapter 5").click()
        else:
            expect(still).not_to_have_url(re.compile("chapter"))  # as soon as Watch is drawn: a driver can be faster
            still.go_back()
        expect(number(still)).to_be_visible()
        expect(number(still)).to_have_text("5")
    assert still.evaluate("localStorage.getItem('specviz.settings')") == '"prompt=Two+birds"'


def test_the_keys_of_a_tab_work_right_after_it_was_chosen(still):
    for tab, bar in (("Learn", ".lrn-toggles"), ("Lab", ".lab-bar")):
        still.get_by_role("tab", name=tab).click()
        expect(still.locator(bar).get_by_role("button", name="Projector", exact=True)).to_be_visible()
        still.keyboard.press("p")
        expect(still.locator(bar).get_by_role("button", name="Leave projector")).to_be_visible()
        still.keyboard.press("Escape")
