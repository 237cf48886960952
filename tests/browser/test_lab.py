"""The Lab as a visitor uses it: run, stop, read, be refused in a sentence, take the numbers away or a cell to Watch."""

import csv
import re

import pytest
from playwright.sync_api import expect

from specviz.page.lab.panels import PANELS, load

from ..products import some
from .person import download, field, fits, objections, opened_panel, press, within_reach


@pytest.mark.parametrize("panel", [one.key for one in PANELS])
def test_axe_objects_to_nothing_in_a_panel(quiet, app, panel):
    opened_panel(quiet, app, panel)
    assert objections(quiet, f"#lab-{panel}") == []


def test_luck_draws_a_dot_a_run_and_says_what_the_clock_makes(quiet, app, tmp_path):
    box = opened_panel(quiet, app, "luck", seeds=12, prompt="Once")
    expect(field(box, "Seeds")).to_have_value("12")
    expect(field(box, "Second: Drafter")).to_be_hidden()
    expect(box).to_contain_text("Recorded, not measured now: fable on")
    expect(box.locator(".sv-chart-dot")).not_to_have_count(0)
    press(box, "Measure here")
    expect(box.locator(".lab-sentence")).to_contain_text("12 seeds: the median speedup")
    expect(box.locator(".lab-sentence")).to_contain_text("of the spread is the clock")
    dots = 3 * (12 + 12)  # three pictures; the first seed's first run is in both rows
    expect(box.locator(".sv-chart-dot")).to_have_count(dots)
    expect(box.locator("tbody tr")).to_have_count(4)
    expect(box.get_by_text("Recorded, not measured now")).to_be_hidden()
    table = download(box.get_by_role("button", name="CSV"), tmp_path)
    rows = list(csv.reader(table.read_text("utf-8-sig").splitlines()))
    assert len(rows) == 1 + 23 and rows[0][0] == "setting"
    assert "lab_seeds=12" in quiet.url

    field(box, "Compare with").select_option("yes")
    field(box, "Second: Drafter").select_option("random")
    press(box, "Measure here")
    expect(box.locator(".lab-sentence")).to_contain_text("These 12 seeds show a difference")
    field(box, "Seeds").fill("1")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("“Seeds” is 1; it must be a whole number from 2 to 100")


def test_a_sweep_is_stopped_a_cell_of_it_set_in_watch_and_what_cannot_run_is_refused_in_one_sentence(quiet, app):
    box = opened_panel(quiet, app, "sweep", prompt="slow+story", drafters="small,random", Ks="1,2,4,6,8")
    expect(box.locator(".lab-cell")).to_have_count(40)  # eight drafters at five K
    press(box, "Measure here")
    expect(box.locator(".lab-cell")).to_have_count(9)
    press(box, "Stop")
    expect(box.locator(".lab-told")).to_contain_text("Stopped")
    expect(box.locator(".lab-cell")).to_have_count(9)
    expect(box.locator(".lab-sentence")).to_contain_text("Small model")
    cell = box.get_by_role("button", name="Small model, K = 6")
    cell.focus()
    expect(box.locator(".lab-read")).to_contain_text("quartiles")
    quiet.keyboard.press("Enter")
    expect(quiet.locator("#run")).to_be_visible()
    expect(within_reach(quiet, "#K input[type=number]")).to_have_value("6")
    expect(quiet.locator("#prompt textarea")).to_have_value("slow story")
    expect(quiet.locator(".sv-status")).to_contain_text("press Run")
    quiet.get_by_role("tab", name="Lab").click()
    children, nodes = field(box, "Children by depth, such as 3-2-1-1"), field(box, "Tokens in a dynamic tree, N")
    expect(children).to_be_hidden()
    for kind, own, other in (("static", children, nodes), ("dynamic", nodes, children)):  # a tree shows what its kind needs
        field(box, "Tree of guesses").select_option(kind)
        expect(own).to_be_visible()
        expect(other).to_be_hidden()
    nodes.fill("65")
    field(box, "K").fill("2")
    press(box, "Measure here")
    says = "“Tokens in a dynamic tree, N” is 65; it must be a whole number from 1 to 64"
    expect(box.locator(".lab-told")).to_contain_text(says)
    expect(box.locator(".lab-cell")).to_have_count(9)  # what was measured stays


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


@pytest.mark.parametrize("key", ["luck", "load"])
def test_on_a_phone_a_table_moves_in_its_box_and_the_names_of_its_lines_stay(quiet, app, key):
    quiet.set_viewport_size({"width": 390, "height": 844})
    box = opened_panel(quiet, app, key).locator(".sv-scroll:has(> .lab-table)")
    ends = "e => ['th', 'td:last-child'].map((one) => e.querySelector(`tbody ${one}`).getBoundingClientRect().x)"
    (name, last), _ = box.evaluate(ends), box.evaluate("e => e.scrollBy(1000, 0)")
    moved_name, moved_last = box.evaluate(ends)
    assert moved_name == name and moved_last < last and fits(quiet)


def test_an_old_link_to_other_cards_opens_load_and_says_where_they_are(quiet, app):
    quiet.goto(f"{app}/?lab=pair&lab_engine=eager")
    box = quiet.locator("#lab-load")
    expect(box.locator(".lab-told")).to_have_text(load.PANEL.words["formerly"])
    expect(box.locator("svg").first).to_be_visible()


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
    choose(panel, "Rule", "? resample from p")
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
    expect(panel.get_by_text("Source: ")).to_be_hidden()
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
    choose(panel, "Rule", "? bonus from the wrong position")
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
    over = """l => l.filter(e => { const b = e.getBoundingClientRect(); return b.width && (b.right > 391 || b.left < -1) })
      .map(e => e.textContent)"""
    assert panel.locator(".sv-chart text, button, select").evaluate_all(over) == []
    panel.locator("h2").focus()
    quiet.keyboard.press("r")
    expect(panel.locator(".brk-verdict")).to_contain_text("2,000 draws")
    quiet.keyboard.press("p")
    expect(quiet.locator("#masthead")).to_be_hidden()
    quiet.keyboard.press("Escape")
    expect(quiet.locator("#masthead")).to_be_visible()
