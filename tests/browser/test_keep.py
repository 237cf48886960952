"""A person saves a run, opens it again or something else, looks at earlier ones, and sends a link to another."""

import json
import re

from playwright.sync_api import expect

from specviz.drafters import DRAFTERS
from specviz.page.keep.recorded import load
from specviz.picture.replay import handout
from specviz.trace.file import dumps, read
from specviz.words import page as words
from specviz.words import picture

from ..fake_trace import fake_trace
from ..trace.records.test_read import EXAMPLES, METRICS, TIMINGS, of
from ..view import call, csv_text
from .fake_engine import PUBLIC
from .person import choose, drag, lane, let_go, more, press, put, reach, run, save, status, tokens, within_reach

DATA = re.compile(r'(?<=id="sv-data">).*?(?=</script>)', re.DOTALL)


def give(page, path):
    with page.expect_file_chooser() as chooser:
        reach(page, "#open").click()
    chooser.value.set_files(path)


def handed_out(text):
    """A hand-out without its data, and these, with what a screen makes of the run."""
    data = json.loads(DATA.findall(text)[0])
    return DATA.sub("", text), {**data, "run": call("player/picture.js", "readPicture", json.dumps(data["run"]))}


def drawing(page):
    expect(page.locator("#timeline [data-round]").first).to_be_attached()
    return page.locator("#race").inner_text()


def test_a_run_is_saved_as_a_trace_a_table_and_a_picture_and_opened_as_it_was(still, tmp_path):
    for button in ("save", "handout", "rounds"):
        reach(still, f"#{button}").click()
        expect(still.locator(".sv-status")).to_have_text(words.NOTHING_TO_SAVE)
    expect(still.locator("#save-picture")).to_be_hidden()
    run(still, "Saved story", seed=2)
    race = drawing(still)
    table, path = save(still, tmp_path, "rounds"), save(still, tmp_path)
    assert path.suffix == ".jsonl" and read(path).header.prompt == "Saved story"
    assert table.suffix == ".csv" and table.read_bytes().decode() == csv_text(read(path))
    png = save(still, tmp_path, "save-picture").read_bytes()
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20], "big") == 2400
    expect(still.locator(".sv-status")).to_have_text(words.PICTURED)
    run(still, "Another story")
    give(still, path)
    expect(tokens(still, "prompt").first).to_have_text("Saved")
    expect(still.locator(".sv-status")).to_have_text(words.FILE_OPENED)
    assert drawing(still) == race
    assert save(still, tmp_path).read_bytes() == path.read_bytes()
    expect(still.locator(".sv-status")).to_have_text(words.RUN_SAVED)
    handed = save(still, tmp_path, "handout").read_text("utf-8")
    assert handed_out(handed) == handed_out(handout(read(path)))


def test_the_run_that_the_page_begins_with_and_one_of_the_visit_are_saved_as_they_were(quiet, opening, tmp_path):
    quiet.goto(opening)
    assert save(quiet, tmp_path).read_bytes() == dumps(load("opening"))
    choose(quiet, "recorded", words.RECORDED["lookup"][0])
    expect(status(quiet)).to_contain_text(words.RECORDED["lookup"][0])
    assert save(quiet, tmp_path).read_bytes() == dumps(load("lookup"))


NO_TRACES = {  # one after the other, so that each sentence is a new one
    b"garbage": "line 1: this is not a specviz trace",
    dumps(fake_trace("Sent")).replace(b"Sent", b"Bent"): "was changed after it was saved",
    b"": "this is not a specviz trace",
}


def test_a_file_is_opened_where_it_is_dropped_and_what_is_no_trace_is_refused_in_one_line(still, tmp_path, subtests):
    carried = drag(still, **{"homework.jsonl": dumps(fake_trace("Sent by hand <b>bold</b>", hostile=True))})
    cue = still.get_by_text(words.DROP["cue"])
    expect(cue).to_be_visible()
    still.dispatch_event("body", "dragleave", {"dataTransfer": carried})
    expect(cue).to_be_hidden()
    still.locator("#prompt textarea").fill("Kept prompt")
    let_go(still, drag(still, **{"homework.jsonl": dumps(fake_trace("Sent by hand <b>bold</b>", hostile=True))}))
    expect(cue).to_be_hidden()
    expect(tokens(still, "prompt").first).to_have_text("Sent")
    expect(still.locator("#race b")).to_have_count(0)
    path = tmp_path / "trace.jsonl"
    for data, says in NO_TRACES.items():
        with subtests.test(says=says):
            path.write_bytes(data)
            give(still, path)
            expect(still.locator(".sv-status")).to_contain_text(says)
    let_go(still, drag(still, one=dumps(fake_trace("One")), two=dumps(fake_trace("Two"))))
    expect(still.locator(".sv-status")).to_have_text(words.DROPPED)
    expect(lane(still, "vanilla")).to_contain_text("Sent")  # nothing is lost
    expect(still.locator(".sv-earlier")).to_be_hidden()
    expect(still.locator("#prompt textarea")).to_have_value("Kept prompt")


def test_a_record_that_is_dropped_takes_the_place_of_the_run_until_it_is_closed_or_something_is_run(still):
    run(still, "Before the record")
    panel = still.locator(".sv-record")
    let_go(still, drag(still, **{"server.log": (EXAMPLES / "vllm_0.26_log.txt").read_bytes()}))
    expect(panel.locator("h3")).to_have_text(picture.RECORD["title"].format(engine="vLLM"))
    for other in ("#race", "#timeline", "#save", "#handout", "#copy-link"):
        expect(still.locator(other)).not_to_be_visible()
    press(panel, picture.RECORD["close"])
    expect(still.locator("#race")).to_be_visible()
    expect(reach(still, "#save")).to_be_visible()
    let_go(still, drag(still, **{"metrics.json": (EXAMPLES / "vllm_completion_output_spec_decode_metrics.json").read_bytes()}))
    expect(panel.locator("h3")).to_have_text(picture.RECORD["title"].format(engine="vLLM"))
    expect(still.locator(".sv-status")).to_have_text(words.RECORD_OPENED.format(engine="vLLM"))
    expect(panel.locator("table").nth(1).locator("tbody tr").nth(2)).to_have_text("3" + "8 of 10" + "5" + "62.5 %" + "50.0 %")
    run(still, "After the record")
    expect(panel).to_have_count(0)


def test_what_is_no_record_is_refused_and_takes_no_place(still):
    let_go(still, drag(still, record=of(TIMINGS)))
    panel = still.locator(".sv-record")
    press(panel, picture.RECORD["close"])
    expect(panel).to_have_count(0)
    let_go(still, drag(still, record=of(TIMINGS).replace(b"12", b"-12")))
    expect(still.locator(".sv-status")).to_contain_text("draft_n is -12; it must be a whole number from 0")
    expect(panel).to_have_count(0)


def test_two_numbers_of_the_reader_say_which_k_pays(still):
    let_go(still, drag(still, **{"metrics.txt": METRICS.encode()}))
    panel = still.locator(".sv-decision")
    expect(panel.locator("table")).to_have_count(0)
    panel.get_by_label(picture.DECISION["c"]).fill("0.3")
    panel.get_by_label(picture.DECISION["v"]).fill("1.2")
    expect(panel.locator("tbody tr")).to_have_count(4)
    expect(panel.locator("tbody td").last).to_have_text(picture.DECISION["verdict_open"])  # 24 steps are few
    expect(panel).to_contain_text(picture.DECISION["next_acceptance"])
    panel.get_by_label(picture.DECISION["v"]).fill("2")
    expect(panel).to_contain_text(picture.DECISION["next_costs"])  # what a shorter block costs is known from too little now
    expect(panel.locator("code")).to_contain_text("num_speculative_tokens")
    panel.get_by_label(picture.DECISION["v"]).fill("0")
    expect(panel.locator("table")).to_have_count(0)


def test_five_numbers_of_another_engine_are_typed_and_answered_as_a_record_is(still):
    let_go(still, drag(still, report=b"Throughput: 812.4 tok/s\nAccept length: 4.21\n"))
    expect(still.locator(".sv-status")).to_contain_text(
        "read off five numbers: steps, drafted, accepted, K, accepted by position"
    )
    expect(still.locator(".sv-status")).to_contain_text(f"{words.SHARE}, {words.COUNTS}")
    reach(still, "#counts").click()
    panel = still.locator(".sv-record")
    expect(panel.locator("h3")).to_have_text(picture.RECORD["counts_title"])
    for name, value in (("steps", 400), ("drafted", 1200), ("accepted", 720), ("K", 3)):
        panel.get_by_label(picture.RECORD[name], exact=True).fill(str(value))
    panel.get_by_label(picture.RECORD["counts_positions"]).fill("300, 240, 180")
    press(panel, picture.RECORD["counts_show"])
    expect(panel.locator("h3")).to_have_text(picture.RECORD["title"].format(engine="another engine"))
    expect(panel.locator("table").first).to_contain_text("2.80")
    panel.get_by_label(picture.DECISION["c"]).fill("0.1")
    panel.get_by_label(picture.DECISION["v"]).fill("1.2")
    expect(panel.locator(".sv-decision tbody td").last).to_have_text(picture.DECISION["verdict_pays"])


WORD = words.HISTORY
TURNS = """() => {
  window.turns = 0; // how often Run was disabled or enabled
  new MutationObserver(() => window.turns++).observe(document.querySelector("#run"), { attributeFilter: ["disabled"] });
}"""


def rows(page):
    return page.locator("#history tr[data-id]")


def test_runs_are_lines_that_are_shown_again_by_keys_and_forgotten(still):
    expect(still.locator("#history")).to_contain_text(WORD["empty"])
    expect(still.locator("#history")).to_contain_text(WORD["goes"])  # where a prompt goes, and who keeps it
    run(still, "First story", K=2)
    first = lane(still, "speculative").inner_text()
    still.evaluate(TURNS)
    still.locator("#run").click()  # with the same settings it is the same line
    still.wait_for_function("() => window.turns > 1")  # Run is not disabled at once, and nothing else shows the end
    expect(still.locator("#run")).to_be_enabled()
    run(still, "Second story", K=5)
    expect(rows(still)).to_have_count(2)
    expect(rows(still).nth(0)).to_contain_text("Second story")
    expect(rows(still).nth(1).locator("[data-name=K]")).to_have_text("2")
    expect(rows(still).nth(1).locator("[data-name=speedup]")).to_contain_text("×")
    rows(still).nth(1).get_by_role("button").focus()
    still.keyboard.press("Enter")
    expect(lane(still, "vanilla")).to_contain_text("First story")
    assert lane(still, "speculative").inner_text() == first
    expect(lane(still, "vanilla")).to_be_in_viewport()
    expect(still.locator(".sv-status")).to_have_text(words.RUN_SHOWN)
    expect(within_reach(still, "#K input[type=number]")).to_have_value("5")  # looking back changes no setting
    press(still, WORD["clear"])
    press(still, WORD["clear_no"])
    expect(rows(still)).to_have_count(2)
    press(still, WORD["clear"])
    press(still, WORD["clear_yes"])
    expect(rows(still)).to_have_count(0)
    assert still.evaluate("Object.keys(localStorage).filter(name => name.startsWith('specviz'))") == []
    expect(lane(still, "vanilla")).to_contain_text("First story")


def test_a_reload_keeps_prompt_settings_and_runs_a_link_is_stronger_and_another_visitor_sees_nothing(still, app, browser):
    run(still, "First private story", K=6)
    run(still, "Second private story", K=6)
    expect(rows(still)).to_have_count(2)
    still.reload()
    expect(still.locator("#prompt textarea")).to_have_value("Second private story")
    expect(within_reach(still, "#K input[type=number]")).to_have_value("6")
    expect(still.locator(".sv-status")).to_contain_text(words.SETTINGS_KEPT)
    expect(rows(still)).to_have_count(2)
    rows(still).nth(1).get_by_role("button").click()
    expect(lane(still, "vanilla")).to_contain_text("First private story")
    still.goto(f"{app}/?prompt=Linked+story")
    expect(still.locator("#prompt textarea")).to_have_value("Linked story")
    expect(within_reach(still, "#K input[type=number]")).not_to_have_value("6")
    with browser.new_context() as theirs:
        other = theirs.new_page()
        other.goto(app)
        expect(other.locator("#history")).to_contain_text(WORD["empty"])
        expect(other.locator("#history")).not_to_contain_text("private")


def test_a_line_says_where_a_run_that_was_not_decoded_here_comes_from(still):
    run(still, "Own story", K=2)
    expect(rows(still)).to_have_count(1)
    let_go(still, drag(still, trace=dumps(fake_trace("Sent"))))
    expect(rows(still).first).to_contain_text(WORD["file"])
    choose(still, "recorded", words.RECORDED["code"][0])
    expect(rows(still)).to_have_count(3)
    expect(rows(still).first).to_contain_text(WORD["recorded"])


def test_what_a_browser_kept_is_read_as_strictly_as_a_file_from_anybody(still):
    still.evaluate(
        """() => {
          localStorage['specviz.runs'] = JSON.stringify(
            [{ id: 'a', source: 'run', data: 'bm90aGluZw==' }, 7, { id: 'b', source: '<b>', data: '' }]);
          localStorage['specviz.settings'] = JSON.stringify('K=99&prompt=Still+here&recorded=code&unknown=1');
          localStorage['specviz.answers'] = '{';
        }"""
    )
    still.reload()
    expect(still.locator("#prompt textarea")).to_have_value("Still here")
    expect(still.locator(".sv-status")).to_contain_text("“Drafted tokens, K” is 99")
    expect(rows(still)).to_have_count(0)
    run(still, "It still runs", K=4)
    expect(rows(still)).to_have_count(1)
    still.evaluate('localStorage[\'specviz.runs\'] = localStorage[\'specviz.runs\'].replace(/"id":"\\w+"/, \'"id":"older"\')')
    still.reload()  # a run that an older page kept under another name has its line
    expect(rows(still)).to_contain_text("It still runs")
    expect(rows(still).locator("[data-name=speedup]")).to_contain_text("×")


FIELDS = {"K": "6", "temperature": "0.5", "top-p": "0.9", "length": "33", "seed": "12"}


def value(page, name):
    return page.locator(f"#{name} input").first


def copied(page) -> str:
    page.evaluate("navigator.clipboard.writeText('')")
    reach(page, "#copy-link").click()
    while not (link := page.evaluate("navigator.clipboard.readText()")):
        page.wait_for_timeout(20)
    return link


def test_a_link_to_models_offers_what_drafts_for_them(watched, app):
    watched.goto(f"{app}/?models={PUBLIC.replace('+', '%2B').replace(' ', '+')}&drafter=lookup")
    expect(status(watched)).to_contain_text(words.LINK_READ["press"])  # not decoded: its models would be fetched first
    more(watched)
    expect(value(watched, "drafter")).to_have_value(DRAFTERS["lookup"].label)
    value(watched, "drafter").click()
    expect(watched.locator("[role=option]")).to_have_count(2)


def test_the_link_that_is_copied_brings_another_person_to_the_same_settings(still, app, context, engine):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, wanted in FIELDS.items():
        put(still, name, wanted)
    choose(still, "drafter", DRAFTERS["lookup"].label)
    more(still)
    choose(still, "verifier", "match")
    still.locator("#ignore-eos input").check()
    still.locator("#prompt textarea").fill('Ünïcode & "quotes"?\n#second line + more')
    address = copied(still)
    expect(still.locator(".sv-said")).to_have_text(words.LINK["copied"])
    assert address.startswith(app) and "top_k" not in address and "models" not in address
    other = context.new_page()
    other.goto(address)
    expect(status(other)).to_contain_text(words.LINK_READ["press"])
    other.locator("#run").click()
    expect(other.locator(".sv-lane").first).to_contain_text("Ünïcode")  # who sent it saw this run
    more(other)
    for name, wanted in FIELDS.items():
        expect(value(other, name)).to_have_value(wanted)
    expect(value(other, "drafter")).to_have_value(DRAFTERS["lookup"].label)
    expect(other.locator("#drafter-note")).to_have_text(DRAFTERS["lookup"].sentence)
    drafter, config = engine.asked_for('Ünïcode & "quotes"?\n#second line + more')
    assert drafter == "lookup"
    assert (config.K, config.temperature, config.top_p, config.max_new_tokens, config.seed) == (6, 0.5, 0.9, 33, 12)
    assert (config.verifier, config.ignore_eos) == ("match", True)


def test_a_recorded_run_is_shown_with_its_settings_linked_to_and_what_was_typed_before_is_had_back(still, context, tmp_path):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    still.locator("#prompt textarea").fill("My own beginning")
    put(still, "K", 7)
    choose(still, "drafter", DRAFTERS["eagle"].label)
    for name in ("lookup", "hot"):  # looking at a second one loses nothing either
        choose(still, "recorded", words.RECORDED[name][0])
        expect(status(still)).to_contain_text(words.RECORDED[name][1])
        expect(still.locator("#prompt textarea")).to_have_value(load(name).header.prompt)
        expect(value(still, "K")).to_have_value(str(load(name).header.config.K))
        assert read(save(still, tmp_path)) == load(name)
    assert "recorded=hot" in copied(still)
    still.locator("#back").click()
    expect(still.locator("#prompt textarea")).to_have_value("My own beginning")
    expect(value(still, "K")).to_have_value("7")
    expect(value(still, "drafter")).to_have_value(DRAFTERS["eagle"].label)
    expect(still.locator("#back")).to_have_count(0)
    expect(still.locator(".sv-settings-line")).to_contain_text("temperature 1.5")  # what is shown stays
    run(still, "Other")
    expect(value(still, "recorded")).to_have_value(words.RECORDED_NONE)
    assert "prompt=Other" in (link := copied(still)) and "recorded" not in link
