"""A person saves the run that is shown and opens it again, or something else."""

import pytest
from playwright.sync_api import expect

from specviz.trace import dumps, read
from tests.fake_trace import fake_trace

from .person import lane, run, save, tokens

pytestmark = pytest.mark.browser


def give(page, path):
    with page.expect_file_chooser() as chooser:
        page.locator("#open").click()
    chooser.value.set_files(path)


def drawing(page):
    expect(page.locator("#timeline .bars .point").first).to_be_attached()
    return page.locator("#race").inner_text()


def test_there_is_nothing_to_save_before_a_run(still):
    expect(still.locator("#save")).to_be_disabled()


def test_a_run_that_was_saved_is_opened_as_the_same_picture(still, tmp_path):
    run(still, "Saved story", seed=4)
    shown = drawing(still)
    path = save(still, tmp_path)
    assert path.suffix == ".jsonl" and read(path).header.prompt == "Saved story"
    run(still, "Another story")
    give(still, path)
    expect(tokens(still, "prompt").first).to_have_text("Saved")
    expect(still.locator(".sv-status")).to_have_text("")
    assert drawing(still) == shown
    assert save(still, tmp_path).read_bytes() == path.read_bytes()


def test_a_file_that_somebody_sent_is_opened_before_any_run(still, tmp_path):
    path = tmp_path / "homework.jsonl"
    path.write_bytes(dumps(fake_trace("Sent by hand <b>bold</b>", hostile=True)))
    give(still, path)
    expect(tokens(still, "prompt").first).to_have_text("Sent")
    expect(still.locator("#race b")).to_have_count(0)
    expect(still.locator("#save")).to_be_enabled()


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"garbage", "line 1: this is not a specviz trace"), (b"", "this is not a specviz trace"), (b"\xff" * 100, "not a specviz trace"), (None, "was changed after it was written")],
)  # fmt: skip
def test_a_file_that_is_no_trace_is_refused_in_one_line_and_nothing_changes(still, tmp_path, data, says):
    run(still, "Kept story")
    path = tmp_path / "trace.jsonl"
    path.write_bytes(dumps(fake_trace("Sent")).replace(b"Sent", b"Bent") if data is None else data)
    give(still, path)
    expect(still.locator(".sv-status")).to_contain_text(says)
    expect(lane(still, "vanilla")).to_contain_text("Kept story")
    expect(still.locator(".sv-earlier")).to_be_hidden()
