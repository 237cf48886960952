"""A recorded run stands on the page before anything is pressed; others are opened from a list."""

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep.recorded import load
from specviz.trace.file import read
from tests.fake_trace import fake_trace

from ..fake_engine import FakeEngine
from ..person import choose, lane, more, put, run, save, tokens

pytestmark = pytest.mark.browser


def test_a_recorded_run_is_shown_at_once_and_a_new_one_replaces_it(watched, tmp_path):
    from specviz.page.build import build, launch_settings

    blocks = build(FakeEngine(), opening=fake_trace("Recorded story"))
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    try:
        watched.emulate_media(reduced_motion="reduce")
        watched.goto(url)
        expect(tokens(watched, "prompt").first).to_have_text("Recorded")
        expect(watched.locator("#timeline .bars .point").first).to_be_attached()
        assert watched.evaluate("scrollY") == 0
        assert read(save(watched, tmp_path)).header.prompt == "Recorded story"
        run(watched, "New story")
        expect(lane(watched, "vanilla")).to_contain_text("New story")
    finally:
        blocks.close(verbose=False)


def field(page, name):
    return page.locator(f"#{name} input").first


def test_the_controls_say_what_made_the_run_that_stands_there_first(watched):
    from specviz.page.build import build, launch_settings

    blocks = build(FakeEngine(), opening=load("opening"))
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    try:
        watched.goto(url)
        header = load("opening").header
        expect(watched.locator("#prompt textarea")).to_have_value(header.prompt)
        more(watched)
        expect(field(watched, "seed")).to_have_value(str(header.config.seed))
        expect(field(watched, "recorded")).to_have_value(words.RECORDED["opening"][0])
        expect(watched.locator(".sv-status")).to_contain_text(words.RECORDED_FIRST.format(device=header.machine.device))
    finally:
        blocks.close(verbose=False)


def test_a_recorded_run_is_shown_with_its_settings_and_a_sentence(still, tmp_path):
    choose(still, "recorded", words.RECORDED["lookup"][0])
    expect(still.locator(".sv-status")).to_contain_text(words.RECORDED["lookup"][1])
    config = load("lookup").header.config
    more(still)
    expect(field(still, "K")).to_have_value(str(config.K))
    expect(field(still, "drafter")).to_have_value(words.DRAFTERS["lookup"][0])
    expect(still.locator("#prompt textarea")).to_have_value(load("lookup").header.prompt)
    assert read(save(still, tmp_path)) == load("lookup")
    expect(still.locator("#back")).to_have_count(0)


def test_what_was_typed_before_a_recorded_run_was_opened_is_had_back(still):
    still.locator("#prompt textarea").fill("My own beginning")
    put(still, "K", 7)
    choose(still, "drafter", words.DRAFTERS["eagle"][0])
    for name in ("code", "hot"):  # looking at a second one loses nothing either
        choose(still, "recorded", words.RECORDED[name][0])
        expect(still.locator("#prompt textarea")).to_have_value(load(name).header.prompt)
        expect(still.locator(".sv-status")).to_contain_text(words.RECORDED[name][1])
    still.locator("#back").click()
    expect(still.locator("#prompt textarea")).to_have_value("My own beginning")
    expect(field(still, "K")).to_have_value("7")
    expect(field(still, "drafter")).to_have_value(words.DRAFTERS["eagle"][0])
    expect(still.locator("#back")).to_have_count(0)
    expect(still.locator(".sv-settings-line")).to_contain_text("temperature 1.5")  # what is shown stays


def test_the_list_says_nothing_once_another_run_is_shown(still):
    choose(still, "recorded", words.RECORDED["code"][0])
    expect(lane(still, "vanilla")).to_contain_text("def")
    run(still, "New story")
    expect(field(still, "recorded")).to_have_value(words.RECORDED_NONE)
