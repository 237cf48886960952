"""A run that takes long is drawn while it goes on, and replayed when it is done."""

import pytest
from playwright.sync_api import expect

from specviz.page.watch import pace

from ..person import lane, run, tokens


@pytest.fixture(autouse=True)
def long(monkeypatch):
    """Every run counts as long, and every round is told."""
    monkeypatch.setattr(pace, "LEFT_SECONDS", 0.0)
    monkeypatch.setattr(pace, "LINE_SECONDS", 0.0)


def ask(page, prompt):
    page.locator("#prompt textarea").fill(prompt)
    page.locator("#run").click()


def test_rounds_appear_as_they_are_decoded_and_the_replay_takes_their_place(visit):
    ask(visit, "live once")
    expect(tokens(visit, "accepted").first).to_be_visible()
    expect(tokens(visit, "rejected").first).to_be_visible()
    expect(lane(visit, "vanilla").locator(".sv-token")).to_have_count(97)  # and the prompt
    expect(visit.locator("#status")).to_contain_text("s left")
    expect(visit.locator("#status")).to_contain_text("96 of 96 tokens")
    expect(visit.locator("#race .sv-inspector")).to_have_count(0)
    expect(visit.locator("#save-picture")).to_be_hidden()  # there is no timeline yet
    visit.locator("#stop").click()
    expect(visit.locator("#race")).not_to_have_attribute("data-live", "")
    expect(lane(visit, "speculative").locator("[data-role=prompt]").first).to_have_text("live")


def test_the_run_before_comes_back_where_a_live_one_comes_to_nothing(visit):
    run(visit, "Once upon")
    ask(visit, "live and broken")
    expect(lane(visit, "vanilla").locator("[data-role=plain]").first).to_be_visible()
    expect(visit.locator("#status")).to_contain_text("With a draft: 96 of 96")  # nothing more will be told
    visit.evaluate("() => document.dispatchEvent(new CustomEvent('specviz:status', { detail: 'error' }))")
    expect(lane(visit, "vanilla").locator("[data-role=prompt]").first).to_have_text("Once")
    visit.locator("#stop").click()
    expect(visit.locator("#run")).to_be_enabled()  # who leaves at once takes the press along, and the run goes on
