"""A class says whether a token stays before it sees it."""

import re

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.picture.view import picture
from tests.fake_trace import fake_trace

from ..components import run
from ..person import block, seek, tokens

pytestmark = pytest.mark.browser


def rounds(**settings):
    """The rounds of the run with these settings."""
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, "K": 4, **settings})
    return picture(fake_trace("Once upon a time", config=config, seed=config.seed + 3))["lanes"]["speculative"]["rounds"]


def drafted(**settings):
    """The tokens that are decided, in the order in which the replay decides them."""
    return [d for r in rounds(**settings) for d in r["drafted"] if d["verdict"] != "unexamined"]


def ask(page):
    page.get_by_label("hide verdicts, to predict them").check()


def asked(page):
    return page.locator(".sv-asked")


def test_each_token_is_asked_for_then_shown_and_the_score_counts_what_was_right(still):
    run(still, K=4)
    ask(still)
    inspector = still.locator(".sv-inspector")
    right = likelier = 0
    for n, d in enumerate(drafted()[:5], 1):
        kept = d["verdict"] == "accepted"
        expect(asked(still)).to_contain_text("be accepted?")
        expect(inspector.locator(".sv-role")).to_have_text("◌ drafted")
        expect(inspector.locator(".sv-u-mark")).to_have_text("u is not drawn yet")
        if n % 2:
            still.locator("[data-guess=accept]").click()
        else:
            still.keyboard.press("r")
        right += kept == bool(n % 2)
        likelier += (d["ratio"] >= 0.5) == kept
        expect(asked(still)).to_contain_text("Right" if kept == bool(n % 2) else "No:")
        expect(inspector.locator(".sv-role")).to_contain_text("accepted" if kept else "rejected")
        expect(still.locator(".sv-score")).to_have_text(
            f"You: {right} of {n} right. Always the likelier answer: {likelier} of {n}."
        )
        still.get_by_role("button", name="Go on").click()


def test_on_a_phone_the_question_comes_into_sight(still):
    still.set_viewport_size({"width": 390, "height": 560})
    run(still, K=4)
    ask(still)
    for _ in range(2):
        reject = still.locator("[data-guess=reject]")
        expect(reject).to_be_in_viewport(ratio=1)
        reject.click()
        still.evaluate("scrollTo(0, 0)")
        still.get_by_role("button", name="Go on").dispatch_event("click")  # a click of a hand would scroll there first


def test_a_replay_that_goes_on_from_just_before_a_question_shows_the_token_that_is_asked_about(still):
    run(still, K=4)
    ask(still)
    first = next(r for r in rounds() if [d["verdict"] for d in r["drafted"][:2]] == ["accepted", "accepted"])
    now, then = (s["decided"] for s in first["shown"][:2])
    seek(still, now + 0.2 * (then - now))
    expect(asked(still)).to_contain_text("be accepted?")
    still.locator(".sv-play").click()
    pressed = still.locator(".sv-lane[data-lane=speculative] [aria-pressed=true]")
    expect(pressed).to_have_attribute("data-role", "drafted")
    expect(still.locator(".sv-inspector .sv-role")).to_have_text("◌ drafted")


def test_nothing_of_a_verdict_is_seen_before_it_is_said(still):
    run(still, K=4)
    ask(still)
    for _ in range(3):
        expect(still.locator("[data-guess=accept]")).to_be_visible()
        now = still.locator(".sv-lane[data-lane=speculative] [aria-pressed=true]")
        expect(now).to_have_attribute("data-role", "drafted")
        expect(now).to_have_attribute("aria-label", re.compile(", drafted, "))
        expect(still.locator(".sv-inspector .sv-u-try input")).to_have_count(0)
        still.keyboard.press("a")
        expect(now).not_to_have_attribute("data-role", "drafted")
        expect(now).to_have_attribute("aria-label", re.compile(", (accepted|rejected), "))
        still.get_by_role("button", name="Go on").click()


def test_a_verdict_that_was_seen_first_is_no_prediction(still):
    run(still, K=4)
    ask(still)
    expect(asked(still)).to_contain_text("be accepted?")
    still.keyboard.press("ArrowRight")  # shows it without a word
    still.keyboard.press("ArrowLeft")
    expect(still.locator("[data-guess=accept]")).to_be_hidden()
    still.keyboard.press("a")
    expect(still.locator(".sv-score")).to_have_text("Keys: A accepts, R rejects.")


def test_where_p_alone_would_tell_it_is_hidden_too(still):
    run(still, K=4, temperature=0)
    ask(still)
    expect(asked(still)).to_contain_text("the target's own pick too?")
    expect(still.locator(".sv-inspector [data-series=p]")).to_have_count(0)
    still.locator("[data-guess=accept]").click()
    expect(still.locator(".sv-inspector .sv-role")).not_to_have_text("◌ drafted")


def test_the_next_run_waits_where_verdicts_differ_and_unticked_it_shows_all(still):
    run(still, K=4)
    ask(still)
    run(still, "Another story", K=4)
    expect(asked(still)).to_contain_text("be accepted?")
    now = still.locator(".sv-lane[data-lane=speculative] [aria-pressed=true]")
    expect(now).to_have_attribute("data-role", "drafted")
    own = block(still, int(now.get_attribute("aria-label").rpartition(" ")[2]) - 1)
    assert {"accepted", "rejected"} <= set(own.evaluate_all("all => all.map((e) => e.dataset.final)"))
    still.get_by_label("hide verdicts, to predict them").uncheck()
    expect(still.locator(".sv-predict")).to_be_hidden()
    still.locator(".sv-play").focus()
    still.keyboard.press("End")
    expect(tokens(still, "accepted").first).to_be_visible()


def test_where_nothing_is_drafted_nothing_is_asked_for(still):
    run(still, K=0)
    expect(still.locator("input[data-switch=ask]")).to_have_count(0)
