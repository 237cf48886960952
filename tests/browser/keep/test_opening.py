"""A recorded run stands on the page before anything is pressed; others are opened from a list."""

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep.recorded import load
from specviz.trace.file import read

from ..person import choose, lane, more, put, run, save

pytestmark = pytest.mark.browser


def field(page, name):
    return page.locator(f"#{name} input").first


def test_a_recorded_run_stands_there_with_what_made_it_and_a_new_one_replaces_it(watched, opening, tmp_path):
    watched.emulate_media(reduced_motion="reduce")
    watched.goto(opening)
    header = load("opening").header
    expect(watched.locator("#prompt textarea")).to_have_value(header.prompt)
    expect(watched.locator("#timeline .bars .point").first).to_be_attached()
    assert watched.evaluate("scrollY") == 0
    assert read(save(watched, tmp_path)).header == header
    more(watched)
    expect(field(watched, "seed")).to_have_value(str(header.config.seed))
    expect(field(watched, "recorded")).to_have_value(words.RECORDED["opening"][0])
    expect(watched.locator(".sv-status")).to_contain_text(words.RECORDED_FIRST.format(device=header.machine.device))
    run(watched, "New story")
    expect(lane(watched, "vanilla")).to_contain_text("New story")


def test_a_recorded_run_is_shown_with_its_settings_and_what_was_typed_before_is_had_back(still, tmp_path):
    still.locator("#prompt textarea").fill("My own beginning")
    put(still, "K", 7)
    choose(still, "drafter", words.DRAFTERS["eagle"][0])
    for name in ("lookup", "hot"):  # looking at a second one loses nothing either
        choose(still, "recorded", words.RECORDED[name][0])
        expect(still.locator(".sv-status")).to_contain_text(words.RECORDED[name][1])
        expect(still.locator("#prompt textarea")).to_have_value(load(name).header.prompt)
        expect(field(still, "K")).to_have_value(str(load(name).header.config.K))
        assert read(save(still, tmp_path)) == load(name)
    still.locator("#back").click()
    expect(still.locator("#prompt textarea")).to_have_value("My own beginning")
    expect(field(still, "K")).to_have_value("7")
    expect(field(still, "drafter")).to_have_value(words.DRAFTERS["eagle"][0])
    expect(still.locator("#back")).to_have_count(0)
    expect(still.locator(".sv-settings-line")).to_contain_text("temperature 1.5")  # what is shown stays
    run(still, "New story")
    expect(field(still, "recorded")).to_have_value(words.RECORDED_NONE)
