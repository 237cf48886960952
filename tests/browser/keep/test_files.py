"""A person saves the run that is shown, as a trace, a table or a picture, and opens it again, or something else."""

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.picture.rounds import csv_text
from specviz.trace.file import dumps, read
from tests.fake_trace import fake_trace

from ..person import drag, lane, let_go, reach, run, save, tokens

pytestmark = pytest.mark.browser


def give(page, path):
    with page.expect_file_chooser() as chooser:
        reach(page, "#open").click()
    chooser.value.set_files(path)


def drawing(page):
    expect(page.locator("#timeline .bars .point").first).to_be_attached()
    return page.locator("#race").inner_text()


def test_there_is_nothing_to_save_before_a_run_and_of_a_picture_the_page_says_so(still):
    for button in ("save", "rounds", "handout"):
        expect(still.locator(f"#{button}")).to_be_disabled()
    still.locator("#picture-png").click()
    expect(still.locator(".sv-status")).to_have_text(words.NO_PICTURE)


def test_the_rounds_are_saved_as_a_table_of_the_run_that_is_shown(still, tmp_path):
    run(still, "Tabled story", seed=2)
    drawing(still)
    table, trace = save(still, tmp_path, "rounds"), read(save(still, tmp_path))
    assert table.suffix == ".csv" and table.read_bytes().decode() == csv_text(trace)


def test_the_timeline_is_saved_as_a_picture_with_the_settings_in_it(still, tmp_path):
    run(still, "Pictured", seed=2)
    drawing(still)
    png = save(still, tmp_path, "picture-png").read_bytes()
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20], "big") == 2400
    svg = save(still, tmp_path, "picture-svg").read_text("utf-8")
    assert svg.startswith("<svg") and "drafter story-draft · K = 3" in svg and "speculative" in svg
    expect(still.locator(".sv-status")).to_have_text(words.PICTURED)


def test_a_run_that_was_saved_is_opened_as_the_same_picture(still, tmp_path):
    run(still, "Saved story", seed=4)
    shown = drawing(still)
    path = save(still, tmp_path)
    assert path.suffix == ".jsonl" and read(path).header.prompt == "Saved story"
    run(still, "Another story")
    give(still, path)
    expect(tokens(still, "prompt").first).to_have_text("Saved")
    expect(still.locator(".sv-status")).to_have_text(words.FILE_OPENED)
    assert drawing(still) == shown
    assert save(still, tmp_path).read_bytes() == path.read_bytes()


def test_a_file_that_somebody_sent_is_opened_before_any_run(still, tmp_path):
    path = tmp_path / "homework.jsonl"
    path.write_bytes(dumps(fake_trace("Sent by hand <b>bold</b>", hostile=True)))
    give(still, path)
    expect(tokens(still, "prompt").first).to_have_text("Sent")
    expect(still.locator("#race b")).to_have_count(0)
    expect(still.locator("#save")).to_be_enabled()


NO_TRACES = {  # one after the other, so that each sentence is a new one
    b"garbage": "line 1: this is not a specviz trace",
    dumps(fake_trace("Sent")).replace(b"Sent", b"Bent"): "was changed after it was saved",
    b"": "this is not a specviz trace",
}


def test_a_file_that_is_no_trace_is_refused_in_one_line_and_nothing_changes(still, tmp_path, subtests):
    run(still, "Kept story")
    path = tmp_path / "trace.jsonl"
    for data, says in NO_TRACES.items():
        with subtests.test(says=says):
            path.write_bytes(data)
            give(still, path)
            expect(still.locator(".sv-status")).to_contain_text(says)
            expect(lane(still, "vanilla")).to_contain_text("Kept story")
            expect(still.locator(".sv-earlier")).to_be_hidden()


def test_a_trace_that_is_dropped_anywhere_on_the_page_is_opened(still):
    run(still, "Kept story")
    carried = drag(still, **{"homework.jsonl": dumps(fake_trace("Dropped by hand"))})
    expect(still.get_by_text(words.DROP["cue"])).to_be_visible()
    let_go(still, carried)
    expect(still.get_by_text(words.DROP["cue"])).to_be_hidden()
    expect(tokens(still, "prompt").first).to_have_text("Dropped")
    expect(still.locator("#prompt textarea")).to_have_value("Kept story")


def test_something_else_that_is_dropped_is_refused_in_one_sentence_and_nothing_is_lost(still):
    run(still, "Kept story")
    let_go(still, drag(still, **{"holiday.jpg": b"\xff\xd8\xff"}))
    expect(still.locator(".sv-status")).to_contain_text("this is not a specviz trace")
    let_go(still, drag(still, one=dumps(fake_trace("One")), two=dumps(fake_trace("Two"))))
    expect(still.locator(".sv-status")).to_have_text(words.DROPPED)
    expect(lane(still, "vanilla")).to_contain_text("Kept story")
    expect(still.locator("#prompt textarea")).to_have_value("Kept story")


def test_a_drag_that_leaves_takes_the_cue_with_it(still):
    carried = drag(still, trace=b"")
    cue = still.get_by_text(words.DROP["cue"])
    expect(cue).to_be_visible()
    still.dispatch_event("body", "dragleave", {"dataTransfer": carried})
    expect(cue).to_be_hidden()
