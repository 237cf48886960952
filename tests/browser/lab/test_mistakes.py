"""Break it as a person uses it: choose, draw, see where the distribution goes, take the numbers away."""

import re

import pytest
from playwright.sync_api import expect

from ...products import some
from ..person import download, field, fits, opened_panel, press


@pytest.fixture
def panel(quiet, app):
    return with_draws(opened_panel(quiet, app, "mistakes"))


def with_draws(panel):
    expect(panel.locator(".brk-verdict")).to_contain_text("draws are")
    return panel


def choose(panel, name: str, option: str) -> None:
    field(panel, name).select_option(label=option)


def test_a_wrong_line_is_marked_and_its_law_stops_short_of_p(panel, quiet):
    verdict = panel.locator(".brk-verdict")
    expect(verdict).to_contain_text("this rule gives exactly p")
    expect(panel.locator(".brk-code [data-wrong]")).to_have_count(0)
    choose(panel, "Rule", "✗ resample from p")
    expect(verdict).to_contain_text("0.120 from p, and more draws do not help: a comes with 0.520 instead of 0.400.")
    expect(panel.locator(".brk-code [data-wrong]")).to_have_text(re.compile("chance.pick.p..*wrong: drawn from p"))
    for n in ("2,000", "3,000"):
        press(panel, "Draw 1,000 times")
        expect(verdict).to_contain_text(f"{n} draws")
    expect(verdict).to_contain_text("That is not luck (χ²")
    sentence = verdict.text_content()
    expect(quiet).to_have_url(re.compile("lab_rule=resample"))
    quiet.reload()  # the link is the address, and its seed draws the same
    with_draws(panel)
    for _ in range(2):
        press(panel, "Draw 1,000 times")
    expect(verdict).to_have_text(sentence)


def test_a_class_says_of_a_rule_whether_it_is_exact_before_its_distribution_is_shown(panel, quiet, room_of, phone):
    choose(panel, "Rule", "? a rule of your own")
    panel.get_by_text("Teach", exact=True).click()
    press(panel, "Ask the phones")
    verdict = panel.locator(".brk-verdict")
    expect(verdict).to_be_hidden()  # while the class thinks
    code = room_of(panel.locator(".sv-door"))
    choose(panel, "Begin with", "resample from p")
    accept = panel.get_by_label("Accept x with chance")
    accept.fill("min(1,p/q)" + "*min(1,1)" * 12)
    accept.press("Enter")
    expect(verdict).to_be_hidden()  # of the next rule too
    press(panel, "Ask the phones")
    expect(panel.get_by_role("button", name="Show the answer")).to_be_visible()
    phone = phone(code)  # late: it is asked what is asked now
    expect(phone.get_by_role("heading", level=2)).to_contain_text("*min(1,1)”. Else it draws a token with weight “p”.")
    assert fits(phone)
    press(phone, "Exact")
    expect(panel.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
    quiet.reload()
    expect(panel.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
    expect(verdict).to_be_hidden()
    press(panel, "Show the answer")
    expect(panel.locator(".brk-votes li").first).to_have_attribute("data-votes", "1")
    expect(verdict).to_contain_text("a comes with 0.520 instead of 0.400.")
    expect(panel.locator(".brk-votes [data-state=right]")).to_contain_text("Biased")
    expect(phone.locator(".ph-poll")).to_contain_text("That was not it. The screen shows what the rule gives, beside p.")


def test_a_million_is_drawn_until_stop_and_what_came_stays(panel, quiet):
    # a quick machine would be done before anybody could press Stop
    quiet.evaluate(
        "() => Object.assign(window, { requestAnimationFrame: (f) => setTimeout(f, 300), cancelAnimationFrame: clearTimeout })"
    )
    press(panel, "On to 1,000,000")
    expect(panel.get_by_role("progressbar")).to_be_visible()
    quiet.wait_for_function("() => /\\d{2,3},000 draws|1,000,000 draws/.test(document.querySelector('.brk-verdict').textContent)")
    press(panel, "Stop")
    expect(panel.get_by_role("progressbar")).to_be_hidden()
    stopped = panel.locator(".brk-verdict").text_content()
    assert int(re.search(r"([\d,]+) draws", stopped)[1].replace(",", "")) >= 10_000
    press(panel, "Draw 1,000 times")
    expect(panel.locator(".brk-verdict")).not_to_have_text(stopped)


def test_numbers_and_pictures_are_taken_away_without_a_server(panel, quiet, tmp_path):
    quiet.context.set_offline(True)
    choose(panel, "p and q", "Three-token language: whole texts, K = 2")
    choose(panel, "Rule", "✗ bonus from the wrong position")
    expect(panel.locator(".brk-verdict")).to_contain_text("0.168 from p")
    files = {kind: download(panel.get_by_role("button", name=kind), tmp_path) for kind in ("CSV", "PNG")}
    rows = files["CSV"].read_text("utf-8-sig").splitlines()
    assert rows[0] == "outcome,p,this rule gives,came" and len(rows) == 28
    assert sum(int(row.split(",")[3]) for row in rows[1:]) == 1000
    assert files["PNG"].read_bytes().startswith(b"\x89PNG") and files["PNG"].stat().st_size > 10_000


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_it_fits_a_phone_and_the_tab_is_used_by_keys(quiet, app, theme):
    quiet.set_viewport_size({"width": 390, "height": 844})
    quiet.emulate_media(color_scheme=theme)
    panel = with_draws(opened_panel(quiet, app, "mistakes", **{"from": "language"}, rule="early"))
    assert fits(quiet)
    over = "l => l.filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.right > 391 || b.left < -1) }).map(e => e.textContent)"
    assert panel.locator(".sv-chart text, button, select").evaluate_all(over) == []
    panel.locator("h2").focus()
    quiet.keyboard.press("r")
    expect(panel.locator(".brk-verdict")).to_contain_text("2,000 draws")
    quiet.keyboard.press("p")
    expect(quiet.locator("#masthead")).to_be_hidden()
    quiet.keyboard.press("Escape")
    expect(quiet.locator("#masthead")).to_be_visible()
