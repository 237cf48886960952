"""A person opens what another engine recorded: the panel comes, says what it holds, goes when something is run."""

import pytest
from playwright.sync_api import expect

from specviz.config import ASSETS
from specviz.page import words
from specviz.picture.words import DECISION, RECORD
from tests.trace.records.test_read import AIPERF, EXAMPLES, METRICS, TIMINGS, of

from ..person import drag, let_go, reach, run

pytestmark = pytest.mark.browser


def test_a_record_that_is_dropped_is_drawn_and_goes_with_the_next_run(still):
    panel = still.locator(".sv-record")
    let_go(still, drag(still, **{"metrics.json": (EXAMPLES / "vllm_completion_output_spec_decode_metrics.json").read_bytes()}))
    expect(panel.locator("h3")).to_have_text(RECORD["title"].format(engine="vLLM"))
    expect(still.locator(".sv-status")).to_have_text(words.RECORD_OPENED.format(engine="vLLM"))
    expect(panel.locator(".sv-record-step")).to_have_count(10)
    heights = panel.locator(".sv-record-step").evaluate_all(
        "all => all.map(e => [e.querySelector('.sv-record-kept'), e.querySelector('.sv-record-drafted')].map(n => n.getBoundingClientRect().height))"
    )
    assert [round(4 * kept / all) for kept, all in heights] == [3, 4, 4, 3, 2, 0, 2, 2, 0, 4]
    expect(panel.locator("table").nth(1).locator("tbody tr").nth(2)).to_have_text("3" + "8 of 10" + "5" + "62.5 %" + "50.0 %")
    expect(panel.get_by_label(RECORD["vanilla"])).to_have_count(0)  # no pace, no speedup
    expect(still.locator("#save")).to_be_disabled()  # it is no run
    run(still, "After the record")
    expect(panel).to_have_count(0)


def test_with_a_pace_a_speedup_is_asked_for_and_the_panel_is_closed_by_its_button(still):
    let_go(still, drag(still, record=of(AIPERF, AIPERF)))
    panel = still.locator(".sv-record")
    expect(panel.locator(".sv-bar-row")).to_have_count(10)
    panel.get_by_label(RECORD["vanilla"]).fill("41")
    expect(panel.locator(".sv-record-speedup")).to_contain_text("1.50×")
    expect(panel.locator(".sv-record-speedup")).not_to_contain_text(RECORD["speedup_slower"])
    panel.get_by_label(RECORD["vanilla"]).fill("82")
    expect(panel.locator(".sv-record-speedup")).to_contain_text(RECORD["speedup_slower"])
    panel.get_by_label(RECORD["vanilla"]).fill("-1")
    expect(panel.locator(".sv-record-speedup")).to_have_text("")
    panel.get_by_role("button", name=RECORD["close"]).click()
    expect(panel).to_have_count(0)
    let_go(still, drag(still, record=of(TIMINGS).replace(b"12", b"-12")))
    expect(still.locator(".sv-status")).to_contain_text("draft_n is -12; it must be a whole number from 0")
    expect(panel).to_have_count(0)


def test_under_a_record_nothing_of_another_run_is_shown_and_it_comes_back(still):
    run(still, "Before the record")
    let_go(still, drag(still, **{"server.log": (EXAMPLES / "vllm_0.26_log.txt").read_bytes()}))
    panel = still.locator(".sv-record")
    expect(panel.locator(".sv-chart-dot")).to_have_count(3)
    for other in ("#race", "#timeline", "#save", "#handout", "#copy-link"):
        expect(still.locator(other)).not_to_be_visible()
    panel.get_by_role("button", name=RECORD["close"]).click()
    expect(still.locator("#race")).to_be_visible()
    expect(reach(still, "#save")).to_be_visible()


def test_two_numbers_of_the_reader_or_a_card_say_which_k_pays(still):
    let_go(still, drag(still, **{"metrics.txt": METRICS.encode()}))
    panel = still.locator(".sv-decision")
    expect(panel.locator("table")).to_have_count(0)
    panel.get_by_label(DECISION["c"]).fill("0.3")
    panel.get_by_label(DECISION["v"]).fill("1.2")
    expect(panel.locator("tbody tr")).to_have_count(1)
    expect(panel.locator("tbody td").last).to_have_text(DECISION["verdict_open"])  # 24 steps are few
    expect(panel).to_contain_text(DECISION["next_acceptance"])
    panel.get_by_label(DECISION["v"]).fill("2")
    expect(panel).to_contain_text(DECISION["next_costs"])  # what a shorter block costs is known from too little now
    expect(panel.locator("code")).to_contain_text("num_speculative_tokens")
    panel.locator("select").first.select_option("card")
    expect(panel.locator("tbody tr")).to_have_count(5)
    panel.locator("select").first.select_option("file")
    expect(panel.locator("table")).to_have_count(0)
    panel.locator("input[type=file]").set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": b"{}"})
    expect(panel.get_by_role("alert")).to_have_text(DECISION["file_bad"])
    panel.locator("input[type=file]").set_input_files(str(ASSETS / "costs" / "nvidia-h100-80gb-hbm3.json"))
    expect(panel.locator("tbody tr")).to_have_count(7)
