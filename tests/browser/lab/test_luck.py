"""Luck and Sweep as a visitor uses them: run, stop, read, take a cell to Watch, be refused in a sentence."""

import csv

import pytest
from playwright.sync_api import expect

from ..person import within_reach

pytestmark = pytest.mark.browser


def opened(page, app, panel: str, query: str = ""):
    """A panel of the Lab, by its address."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{app}/?lab={panel}{query}")
    box = page.locator(f"#lab-{panel}")
    expect(box.locator("h2")).to_be_visible()
    return box


def field(box, word: str):
    return box.get_by_label(word, exact=True)


def test_luck_draws_a_dot_a_run_and_says_what_the_clock_makes(watched, app, tmp_path):
    box = opened(watched, app, "luck", "&lab_seeds=12&lab_prompt=Once")
    expect(field(box, "Seeds")).to_have_value("12")
    expect(field(box, "Second: Drafter")).to_be_hidden()
    expect(box).to_contain_text("Recorded, not measured now: fable on")
    expect(box.locator(".sv-chart-dot")).not_to_have_count(0)
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-sentence")).to_contain_text("12 seeds: the median speedup")
    expect(box.locator(".lab-sentence")).to_contain_text("of the spread is the clock")
    expect(box.locator(".sv-chart-dot")).to_have_count(
        3 * (12 + 12)
    )  # three pictures; the first seed's first run is in both rows
    expect(box.locator("tbody tr")).to_have_count(4)
    expect(box.get_by_text("Recorded, not measured now")).to_be_hidden()
    with watched.expect_download() as download:
        box.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "luck.csv")
    rows = list(csv.reader((tmp_path / "luck.csv").read_text("utf-8-sig").splitlines()))
    assert len(rows) == 1 + 23 and rows[0][0] == "setting"
    assert "lab_seeds=12" in watched.url

    field(box, "Compare with").select_option("yes")
    field(box, "Second: Drafter").select_option("random")
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-sentence")).to_contain_text("These 12 seeds show a difference")
    field(box, "Seeds").fill("1")
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-told")).to_contain_text("“Seeds” is 1; it must be a whole number from 2 to 100")


def test_a_sweep_is_stopped_kept_and_a_cell_of_it_set_in_watch(watched, app):
    box = opened(watched, app, "sweep", "&lab_prompt=slow+story&lab_drafters=small,random&lab_Ks=1,2,4,6,8")
    expect(box.locator(".lab-cell")).to_have_count(40)  # eight drafters at five K
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-cell")).to_have_count(9)
    box.get_by_role("button", name="Stop", exact=True).click()
    expect(box.locator(".lab-told")).to_contain_text("Stopped")
    expect(box.locator(".lab-cell")).to_have_count(9)
    expect(box.locator(".lab-sentence")).to_contain_text("Small model")
    cell = box.get_by_role("button", name="Small model, K = 6")
    cell.focus()
    expect(box.locator(".lab-read")).to_contain_text("quartiles")
    watched.keyboard.press("Enter")
    expect(watched.locator("#run")).to_be_visible()
    expect(within_reach(watched, "#K input[type=number]")).to_have_value("6")
    expect(watched.locator("#prompt textarea")).to_have_value("slow story")
    expect(watched.locator(".sv-status")).to_contain_text("press Run")
    watched.get_by_role("tab", name="Lab").click()
    field(box, "K").fill("0")
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-told")).to_contain_text("“K” is 0; it must be a whole number from 1 to 16")


def test_a_tree_shows_what_its_kind_asks_for_and_what_cannot_draft_it_is_refused_in_one_sentence(watched, app):
    box = opened(watched, app, "sweep", "&lab_Ks=2,17&lab_prompt=Once")
    children, nodes = field(box, "Children by depth, such as 3-2-1-1"), field(box, "Tokens in a dynamic tree, N")
    expect(children).to_be_hidden()
    field(box, "Tree of guesses").select_option("static")
    expect(children).to_be_visible()
    expect(nodes).to_be_hidden()
    field(box, "Tree of guesses").select_option("dynamic")
    expect(nodes).to_be_visible()
    expect(children).to_be_hidden()
    nodes.fill("65")
    field(box, "K").fill("2")
    box.get_by_role("button", name="Measure here", exact=True).click()
    expect(box.locator(".lab-told")).to_contain_text(
        "“Tokens in a dynamic tree, N” is 65; it must be a whole number from 1 to 64"
    )
    expect(box.locator(".lab-cell")).to_have_count(40)  # the recorded map stays
