"""Luck and Sweep as a visitor uses them: run, stop, read, take a cell to Watch, be refused in a sentence."""

import csv

from playwright.sync_api import expect

from ..person import download, field, opened_panel, press, within_reach


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
    field(box, "K").fill("0")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("“K” is 0; it must be a whole number from 1 to 16")
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
