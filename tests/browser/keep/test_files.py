"""A person saves the run that is shown, as a trace, a table or a picture, and opens it again, or something else."""

from playwright.sync_api import expect

from specviz.page import words
from specviz.trace.file import dumps, read
from tests.fake_trace import fake_trace
from tests.view import csv_text

from ..person import drag, lane, let_go, reach, run, save, tokens


def give(page, path):
    with page.expect_file_chooser() as chooser:
        reach(page, "#open").click()
    chooser.value.set_files(path)


def drawing(page):
    expect(page.locator("#timeline [data-round]").first).to_be_attached()
    return page.locator("#race").inner_text()


def test_a_run_is_saved_as_a_trace_a_table_and_a_picture_and_opened_as_it_was(still, tmp_path):
    for button in ("save", "handout"):
        expect(still.locator(f"#{button}")).to_be_disabled()
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
    expect(still.locator("#save")).to_be_enabled()
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
