"""Break it as a person uses it: choose, draw, see where the distribution goes, take the numbers away."""

import json
import re

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.rooms import OPEN

from ...products import some

pytestmark = pytest.mark.browser


@pytest.fixture
def panel(quiet, app):
    quiet.goto(f"{app}/?lab=mistakes")
    return shown(quiet)


def shown(page):
    box = page.locator("#lab-mistakes")
    expect(box.locator(".brk-verdict")).to_contain_text("draws are")
    return box


def choose(box, name: str, option: str) -> None:
    box.get_by_label(name, exact=True).select_option(label=option)


def button(box, name: str):
    return box.get_by_role("button", name=name, exact=True)


def test_a_wrong_line_is_marked_and_its_law_stops_short_of_p(panel, quiet, app):
    said = panel.locator(".brk-verdict")
    expect(said).to_contain_text("this rule gives exactly p")
    expect(panel.locator(".brk-code [data-wrong]")).to_have_count(0)
    choose(panel, "Rule", "✗ resample from p")
    expect(said).to_contain_text("0.120 from p, and more draws do not help: a comes with 0.520 instead of 0.400.")
    expect(panel.locator(".brk-code [data-wrong]")).to_have_text(re.compile("chance.pick.p..*wrong: drawn from p"))
    for n in ("2,000", "3,000"):
        button(panel, "Draw 1,000 times").click()
        expect(said).to_contain_text(f"{n} draws")
    expect(said).to_contain_text("That is not luck (χ²")
    drawn = said.text_content()
    expect(quiet).to_have_url(re.compile("lab_rule=resample"))
    quiet.reload()  # the link is the address, and its seed draws the same
    panel = shown(quiet)
    for _ in range(2):
        button(panel, "Draw 1,000 times").click()
    expect(panel.locator(".brk-verdict")).to_have_text(drawn)


def test_a_class_says_of_a_rule_whether_it_is_exact_before_its_distribution_is_shown(panel, quiet, app, context):
    choose(panel, "Rule", "? a rule of your own")
    panel.get_by_text("Teach", exact=True).click()
    button(panel, "Ask the phones").click()
    said, door = panel.locator(".brk-verdict"), panel.locator(".sv-door")
    expect(said).to_be_hidden()  # while the class thinks
    expect(door).to_contain_text("/room/")
    code = door.inner_text().split("/room/")[1]
    choose(panel, "Begin with", "resample from p")
    accept = panel.get_by_label("Accept x with chance")
    accept.fill("min(1,p/q)" + "*min(1,1)" * 12)
    accept.press("Enter")
    expect(said).to_be_hidden()  # of the next rule too
    button(panel, "Ask the phones").click()
    expect(button(panel, "Show the answer")).to_be_visible()
    phone = context.new_page()
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(f"{app}/room/{code}")  # late: it is asked what is asked now
    phone.get_by_role("button", name="Join").click()
    expect(phone.get_by_role("heading", level=2)).to_contain_text("*min(1,1)”. Else it draws a token with weight “p”.")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    phone.get_by_role("button", name="Exact").click()
    expect(panel.locator(".brk-votes li").first).to_have_attribute("data-votes", "1")
    quiet.reload()
    expect(panel.locator(".brk-votes li").first).to_have_attribute("data-votes", "1")
    expect(said).to_be_hidden()
    button(panel, "Show the answer").click()
    expect(said).to_contain_text("a comes with 0.520 instead of 0.400.")
    expect(panel.locator(".brk-votes [data-state=right]")).to_contain_text("Biased")
    expect(phone.locator(".ph-poll")).to_contain_text("That was not it. The screen shows what the rule gives, beside p.")
    phone.close()
    OPEN.close(OPEN.find(code))


def test_a_million_is_drawn_until_stop_and_what_came_stays(panel, quiet):
    # a quick machine would be done before anybody could press Stop
    quiet.evaluate(
        "() => Object.assign(window, { requestAnimationFrame: (f) => setTimeout(f, 300), cancelAnimationFrame: clearTimeout })"
    )
    button(panel, "On to 1,000,000").click()
    expect(panel.get_by_role("progressbar")).to_be_visible()
    quiet.wait_for_function("() => /\\d{2,3},000 draws|1,000,000 draws/.test(document.querySelector('.brk-verdict').textContent)")
    button(panel, "Stop").click()
    expect(panel.get_by_role("progressbar")).to_be_hidden()
    stopped = panel.locator(".brk-verdict").text_content()
    assert int(re.search(r"([\d,]+) draws", stopped)[1].replace(",", "")) >= 10_000
    button(panel, "Draw 1,000 times").click()
    expect(panel.locator(".brk-verdict")).not_to_have_text(stopped)


def test_numbers_and_pictures_are_taken_away_without_a_server(panel, quiet, tmp_path):
    quiet.context.set_offline(True)
    choose(panel, "p and q", "Three-token language: whole texts, K = 2")
    choose(panel, "Rule", "✗ bonus from the wrong position")
    expect(panel.locator(".brk-verdict")).to_contain_text("0.168 from p")
    files = {}
    for kind in ("CSV", "SVG", "PNG"):
        with quiet.expect_download() as download:
            button(panel, kind).click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])
    rows = files["CSV"].read_text("utf-8-sig").splitlines()
    assert rows[0] == "outcome,p,this rule gives,came" and len(rows) == 28
    assert sum(int(row.split(",")[3]) for row in rows[1:]) == 1000
    drawn = files["SVG"].read_text("utf-8")
    assert drawn.startswith("<svg") and "var(" not in drawn and "aba" in drawn and "<script" not in drawn
    assert files["PNG"].read_bytes().startswith(b"\x89PNG") and files["PNG"].stat().st_size > 10_000
    assert json.dumps(quiet.evaluate("() => specvizLab.drawsPerSecond(50)")) > "0"


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_it_fits_a_phone_and_the_tab_is_used_by_keys(quiet, app, theme):
    quiet.set_viewport_size({"width": 390, "height": 844})
    quiet.goto(f"{app}/?lab=mistakes&lab_from=language&lab_rule=early&__theme={theme}")
    panel = shown(quiet)
    assert quiet.evaluate("document.documentElement.scrollWidth") <= 390
    over = "l => l.filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.right > 391 || b.left < -1) }).map(e => e.textContent)"
    assert panel.locator(".sv-chart text, button, select").evaluate_all(over) == []
    panel.locator("h2").focus()
    quiet.keyboard.press("r")
    expect(panel.locator(".brk-verdict")).to_contain_text("2,000 draws")
    quiet.keyboard.press("p")
    expect(quiet.locator("#masthead")).to_be_hidden()
    quiet.keyboard.press("Escape")
    expect(quiet.locator("#masthead")).to_be_visible()
