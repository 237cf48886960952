"""A run that takes long is drawn while it goes on, and replayed when it is done."""

import pytest
from playwright.sync_api import expect

from specviz.page.watch import pace

from ..person import lane, run, tokens


@pytest.fixture(autouse=True)
def long(monkeypatch):
    """Every run counts as long, and every round is told."""
    monkeypatch.setattr(pace, "LIVE", 0.0)
    monkeypatch.setattr(pace, "EVERY", 0.0)


def ask(page, prompt):
    page.locator("#prompt textarea").fill(prompt)
    page.locator("#run").click()


def test_rounds_appear_as_they_are_decoded_and_the_replay_takes_their_place(still):
    ask(still, "live once")
    expect(tokens(still, "accepted").first).to_be_visible()
    expect(tokens(still, "rejected").first).to_be_visible()
    assert lane(still, "vanilla").locator(".sv-token").count() == 96
    expect(still.locator("#status")).to_contain_text("s left")
    expect(still.locator("#status")).to_contain_text("96 of 96 tokens")
    expect(still.locator("#race .sv-inspector")).to_have_count(0)
    still.locator("#stop").click()
    expect(still.locator("#race")).not_to_have_attribute("data-live", "")
    expect(lane(still, "speculative").locator("[data-role=prompt]").first).to_have_text("live")


def test_the_run_before_comes_back_where_a_live_one_comes_to_nothing(still):
    run(still, "Once upon")
    ask(still, "live and broken")
    expect(lane(still, "vanilla").locator("[data-role=plain]").first).to_be_visible()
    expect(still.locator("#status")).to_contain_text("speculative: 96 of 96")  # nothing more will be told
    still.evaluate("() => document.dispatchEvent(new CustomEvent('specviz:status', { detail: 'error' }))")
    expect(lane(still, "vanilla").locator("[data-role=prompt]").first).to_have_text("Once")
    still.locator("#stop").click()


def test_what_a_live_run_tells_is_text_and_no_markup(still):
    told = "{ vanilla: { from: 0, spans: [['plain', ' <img src=x onerror=alert(1)>'], ['plain', '\\n']] } }"
    still.evaluate(f"() => document.dispatchEvent(new CustomEvent('specviz:live', {{ detail: {told} }}))")
    expect(tokens(still, "plain", "vanilla").first).to_have_text("<img src=x onerror=alert(1)>")
    assert still.locator("#race img").count() == 0
