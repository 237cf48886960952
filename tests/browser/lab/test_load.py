"""Load and Your pair as a visitor uses them: sliders, a card, an own measurement, what is refused, a link that carries it all."""

import re

from playwright.sync_api import expect

from ..person import field, opened_panel, press


def test_load_says_where_drafting_stops_to_pay_by_measurement_and_by_formula(quiet, app):
    box = opened_panel(quiet, app, "load", source="formula", texts=9, context=9)
    sentence = box.locator(".lab-sentence")
    expect(sentence).to_contain_text("512 texts at once: do not draft, K = 0 is best")
    expect(box).to_contain_text("Calculated, not measured")
    texts = field(box, "Texts at once")
    texts.fill("0")
    expect(sentence).to_contain_text(re.compile(r"^1 text at once: K = [3-6] is best"))
    expect(quiet).to_have_url(re.compile("lab_texts=0"))
    expect(box.locator("tr[data-best]")).to_have_count(1)
    game = box.locator(".lab-budget")
    game.get_by_role("button", name="One position fewer for “The capital of France is”").press("Enter")
    expect(field(game, "By hand")).to_be_checked()
    expect(quiet).to_have_url(re.compile("lab_share=hand&lab_hand=2-2-1-2-2-2-2-2"))
    game.get_by_role("button", name="Verify").press("Enter")
    expect(game.locator("p[role=status]")).to_contain_text("15 of 16 positions are handed out. It brings")
    expect(game.locator("svg")).to_be_visible()
    field(box, "Passes").select_option("m0")
    expect(box).to_contain_text("measured on CPU")
    expect(field(box, "Positions of each")).to_be_disabled()
    field(box, "Passes").select_option("own")
    expect(box.locator(".lab-picture .lab-empty")).to_have_text("Nothing was measured here yet. Press “Measure here”.")
    expect(box.locator(".lab-numbers > .lab-stack > .sv-scroll table, .lab-pair svg")).to_have_count(0)
    expect(game).to_contain_text("Passes over eight texts were not measured here")
    press(box, "Measure here")
    expect(field(box, "Passes")).to_have_value("own")
    expect(box).to_contain_text("story-target with story-draft")


def test_a_pair_promises_an_interval_and_says_how_far_off_such_promises_are(quiet, app):
    box = opened_panel(quiet, app, "pair")
    expect(box.locator(".lab-sentence")).to_contain_text("Best K = 4")
    rows = box.locator("tbody tr")
    expect(rows.filter(has_text="Llama 2 70B, int4, alone")).to_contain_text("outside")
    expect(rows.filter(has_text="Llama 2 7B, bf16, alone")).to_contain_text("inside")
    alpha = field(box, "α, or chances by position")
    alpha.fill("1.7")
    alpha.press("Tab")
    expect(box.locator(".lab-told")).to_contain_text(
        "“α, or chances by position” is 1.7; it must be one or more numbers from 0 to 1"
    )
    alpha.fill("0.8 0.7 0.6")
    alpha.press("Tab")
    expect(box.locator(".lab-told")).to_be_empty()
    field(box, "Engine").select_option("eager")
    expect(box).to_contain_text("mostly launching its layers")
    field(box, "Draft").select_option("other")
    expect(field(box, "Draft: layers")).to_be_visible()
    assert "lab_engine=eager" in quiet.url
