"""The Lab's frame as a visitor meets it: opened when it is asked for, found again by its address, left by Back."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page.lab.panels import PANELS

pytestmark = pytest.mark.browser


def title(page):
    return page.locator(".lab-panel:visible h2")


def test_the_lab_comes_when_its_tab_is_opened_and_back_leads_through_the_tabs(still, app):
    assert still.evaluate("() => 'specvizLab' in window") is False
    still.get_by_role("tab", name="Lab").click()
    expect(title(still)).to_have_text(PANELS[0].title)
    expect(still).to_have_url(re.compile(f"lab={PANELS[0].key}"))
    expect(still.locator('.lab-box[id^="lab-"]:visible')).to_have_attribute("id", f"lab-{PANELS[0].key}")  # no other takes room
    still.get_by_role("tab", name="Learn").click()
    expect(still.locator("#learn h2")).to_be_visible()
    expect(still).to_have_url(re.compile("chapter=1"))
    assert "lab=" not in still.url
    still.go_back()
    expect(title(still)).to_have_text(PANELS[0].title)
    still.go_back()
    expect(still.locator("#run")).to_be_visible()
    assert "lab" not in still.url and "chapter" not in still.url
    still.go_forward()
    expect(title(still)).to_be_visible()
    still.get_by_role("button", name="Projector").press("Enter")
    still.set_viewport_size({"width": 1000, "height": 700})  # the bar is drawn anew
    expect(still.get_by_role("button", name="Leave projector")).to_be_focused()
