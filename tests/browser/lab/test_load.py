"""Load as a visitor uses it: sliders, an own measurement, a link that carries it all."""

import re

from playwright.sync_api import expect

from specviz.page.lab.panels import load

from ..person import field, opened_panel, press


def test_load_says_where_drafting_stops_to_pay_by_what_was_measured(quiet, app):
    box = opened_panel(quiet, app, "load", source="m0", texts=6, alpha=0.3)
    sentence = box.locator(".lab-sentence")
    expect(sentence).to_contain_text("64 texts at once: do not draft, K = 0 is best")
    expect(box).to_contain_text("measured on CPU")
    texts = field(box, "Texts at once")
    texts.fill("0")
    expect(sentence).to_contain_text(re.compile(r"^1 text at once: K = 1 is best"))
    expect(quiet).to_have_url(re.compile("lab_texts=0"))
    expect(box.locator("tr[data-best]")).to_have_count(1)
    field(box, "Passes").select_option("own")
    expect(box.locator(".lab-picture .lab-empty")).to_have_text("Nothing was measured here yet. Press “Measure here”.")
    expect(box.locator(".lab-numbers table, .lab-pair svg")).to_have_count(0)
    press(box, "Measure here")
    expect(field(box, "Passes")).to_have_value("own")
    expect(box).to_contain_text("story-target with story-draft")


def test_an_old_link_to_other_cards_opens_load_and_says_where_they_are(quiet, app):
    quiet.goto(f"{app}/?lab=pair&lab_engine=eager")
    box = quiet.locator("#lab-load")
    expect(box.locator(".lab-told")).to_have_text(load.WORDS["formerly"])
    expect(box.locator("svg").first).to_be_visible()
