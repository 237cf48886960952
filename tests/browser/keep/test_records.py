"""A person opens what another engine recorded: the panel comes, says what it holds, goes when something is run."""

from playwright.sync_api import expect

from specviz.page import words
from specviz.picture.words import DECISION, RECORD
from tests.trace.records.test_read import EXAMPLES, METRICS, TIMINGS, of

from ..person import drag, let_go, press, reach, run


def test_a_record_that_is_dropped_takes_the_place_of_the_run_until_it_is_closed_or_something_is_run(still):
    run(still, "Before the record")
    panel = still.locator(".sv-record")
    let_go(still, drag(still, **{"server.log": (EXAMPLES / "vllm_0.26_log.txt").read_bytes()}))
    expect(panel.locator("h3")).to_have_text(RECORD["title"].format(engine="vLLM"))
    for other in ("#race", "#timeline", "#save", "#handout", "#copy-link"):
        expect(still.locator(other)).not_to_be_visible()
    press(panel, RECORD["close"])
    expect(still.locator("#race")).to_be_visible()
    expect(reach(still, "#save")).to_be_visible()
    let_go(still, drag(still, **{"metrics.json": (EXAMPLES / "vllm_completion_output_spec_decode_metrics.json").read_bytes()}))
    expect(panel.locator("h3")).to_have_text(RECORD["title"].format(engine="vLLM"))
    expect(still.locator(".sv-status")).to_have_text(words.RECORD_OPENED.format(engine="vLLM"))
    expect(panel.locator("table").nth(1).locator("tbody tr").nth(2)).to_have_text("3" + "8 of 10" + "5" + "62.5 %" + "50.0 %")
    run(still, "After the record")
    expect(panel).to_have_count(0)


def test_what_is_no_record_is_refused_and_takes_no_place(still):
    let_go(still, drag(still, record=of(TIMINGS)))
    panel = still.locator(".sv-record")
    expect(still.locator("#save")).to_be_disabled()  # it is no run
    press(panel, RECORD["close"])
    expect(panel).to_have_count(0)
    let_go(still, drag(still, record=of(TIMINGS).replace(b"12", b"-12")))
    expect(still.locator(".sv-status")).to_contain_text("draft_n is -12; it must be a whole number from 0")
    expect(panel).to_have_count(0)


def test_two_numbers_of_the_reader_say_which_k_pays(still):
    let_go(still, drag(still, **{"metrics.txt": METRICS.encode()}))
    panel = still.locator(".sv-decision")
    expect(panel.locator("table")).to_have_count(0)
    panel.get_by_label(DECISION["c"]).fill("0.3")
    panel.get_by_label(DECISION["v"]).fill("1.2")
    expect(panel.locator("tbody tr")).to_have_count(4)
    expect(panel.locator("tbody td").last).to_have_text(DECISION["verdict_open"])  # 24 steps are few
    expect(panel).to_contain_text(DECISION["next_acceptance"])
    panel.get_by_label(DECISION["v"]).fill("2")
    expect(panel).to_contain_text(DECISION["next_costs"])  # what a shorter block costs is known from too little now
    expect(panel.locator("code")).to_contain_text("num_speculative_tokens")
    panel.get_by_label(DECISION["v"]).fill("0")
    expect(panel.locator("table")).to_have_count(0)


def test_five_numbers_of_another_engine_are_typed_and_answered_as_a_record_is(still):
    let_go(still, drag(still, report=b"Throughput: 812.4 tok/s\nAccept length: 4.21\n"))
    expect(still.locator(".sv-status")).to_contain_text(
        "read off five numbers: steps, drafted, accepted, K, accepted by position"
    )
    expect(still.locator(".sv-status")).to_contain_text(f"{words.SHARE}, {words.COUNTS}")
    reach(still, "#counts").click()
    panel = still.locator(".sv-record")
    expect(panel.locator("h3")).to_have_text(RECORD["counts_title"])
    for name, value in (("steps", 400), ("drafted", 1200), ("accepted", 1201), ("K", 3)):
        panel.get_by_label(RECORD[name], exact=True).fill(str(value))
    press(panel, RECORD["counts_show"])
    refusal = words.COUNTS_REFUSED.format(error="accepted must be a whole number from 0 to 1200 (drafted), found 1201")
    expect(still.locator(".sv-status")).to_have_text(refusal)
    panel.get_by_label(RECORD["accepted"], exact=True).fill("720")
    panel.get_by_label(RECORD["counts_positions"]).fill("300, 240, 180")
    press(panel, RECORD["counts_show"])
    expect(panel.locator("h3")).to_have_text(RECORD["title"].format(engine="another engine"))
    expect(panel.locator("table").first).to_contain_text("2.80")
    panel.get_by_label(DECISION["c"]).fill("0.1")
    panel.get_by_label(DECISION["v"]).fill("1.2")
    expect(panel.locator(".sv-decision tbody td").last).to_have_text(DECISION["verdict_pays"])
    press(panel, RECORD["close"])
    reach(still, "#counts").click()  # the same once more, as one line
    panel.get_by_label(RECORD["counts_line"]).fill(
        '{"steps": 400, "drafted": 1200, "accepted": 720, "K": 3, "accepted_by_position": [300, 240, 180]}'
    )
    press(panel, RECORD["counts_show"])
    expect(panel.locator("h3")).to_have_text(RECORD["title"].format(engine="another engine"))
