"""A person chooses how tokens are drafted."""

import pytest
from playwright.sync_api import expect

from specviz.page.words import DRAFTERS

from ...products import some
from ..components import run
from ..fake_engine import PUBLIC, FakeEngine
from ..person import choose, lane, more, put, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def note(page):
    return page.locator("#drafter-note")


def lane_note(page):
    return lane(page, "speculative").locator("header .sv-note")


def test_the_first_drafter_is_chosen_and_explained_before_anything_is_done(visit):
    more(visit)
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"][0])
    expect(note(visit)).to_have_text(DRAFTERS["small"][1])


def test_the_sentence_is_of_the_drafter_that_is_chosen_and_comes_without_a_trip_to_the_server(visit, listen):
    calls = []
    more(visit)
    visit.wait_for_function("performance.getEntriesByType('resource').some(e => e.name.includes('/run/predict'))")  # at the load
    listen("request", lambda r: calls.append(r.url) if r.method == "POST" else None)
    for key in ("eagle", "lookup"):
        choose(visit, "drafter", DRAFTERS[key][0])
        expect(note(visit)).to_have_text(DRAFTERS[key][1])
    assert calls == []


def test_a_drafter_without_words_is_shown_as_itself_and_runs(visit, engine):
    choose(visit, "drafter", "homemade")
    expect(note(visit)).to_be_empty()
    run_on_app(visit, "Made at home")
    assert engine.asked[:2] == ("Made at home", "homemade")


@pytest.mark.parametrize(
    "keys",
    some([FakeEngine().drafters()[1:3], FakeEngine().drafters()[:-1]]),
    ids=["some", "all"],
)
def test_the_drafter_that_is_chosen_runs(visit, engine, keys):
    for key in keys:
        choose(visit, "drafter", DRAFTERS[key][0])
        run_on_app(visit, f"Drafted-by-{key}")
        assert engine.asked[:2] == (f"Drafted-by-{key}", key)


@pytest.mark.parametrize(
    ("key", "says", "facts"),
    [
        ("small", "story-draft drafts 3 tokens, one target pass checks them all", "draft story-draft (0.9 M)"),
        ("lookup", "up to 3 tokens copied from the text", "drafts copied from the text, no model"),
        ("bigram", "a bigram table drafts 3 tokens", "bigram table story-bigram (12,345 counts), no model"),
        ("early-exit", "the first 2 of 8 layers draft 3 tokens", "target story-target (8.4 M), whose first 2 of 8 layers draft"),
        ("mtp", "heads on the target draft 3 tokens", "heads story-mtp (1.2 M more)"),
        ("eagle", "an EAGLE head drafts 3 tokens", "EAGLE head story-eagle (1.5 M more)"),
        ("block", "a block head drafts 3 tokens in one pass", "block head story-block (1.6 M more)"),
        ("oracle", "the target itself drafts 3 tokens", "target story-target (8.4 M), which drafts too"),
        ("random", "3 tokens drawn at random", "drafts drawn at random, no model"),
    ],
)
def test_the_words_are_of_the_drafter_that_ran(still, key, says, facts):
    run(still, f"Drafted by {key}", drafter=key)
    expect(lane_note(still)).to_contain_text(says)
    numbers = still.locator(".sv-numbers")
    expect(numbers).to_contain_text(facts)
    expect(numbers).not_to_contain_text("(0.0 M)")
    expect(numbers.get_by_text("draft passes")).to_have_count(0 if key in ("lookup", "bigram", "random") else 1)
    tokens(still, "corrected").first.click()
    cache = still.locator(".sv-round-facts")
    expect(cache).to_contain_text("Target cache:")
    if key in ("lookup", "bigram", "random", "early-exit"):
        expect(cache).not_to_contain_text("Draft cache")
    else:
        expect(cache).to_contain_text("Draft cache")


def test_confidence_and_adaptive_are_off_until_asked_for(visit, engine):
    run_on_app(visit, "As it comes")
    _, _, config = engine.asked
    assert (config.confidence, config.adaptive) == (0, False)
    more(visit)
    put(visit, "confidence", 0.35)
    visit.get_by_label("Adapt K to what was measured").check()
    run_on_app(visit, "Stopping early")
    prompt, _, config = engine.asked
    assert (prompt, config.confidence, config.adaptive) == ("Stopping early", 0.35, True)
    expect(lane_note(visit)).to_contain_text("story-draft drafts up to 3 tokens")


def test_what_a_rule_asks_for_is_there_while_the_rule_is_picked(visit, app, engine):
    visit.goto(f"{app}/?verifier=threshold&theta=0.8")
    expect(visit.locator(".sv-status")).not_to_have_attribute(
        "data-state", "linked"
    )  # the link was read; what it says of that is gone once its run is decoded
    more(visit)
    fields = {name: visit.locator(f"#{name} input[type=number]") for name in ("epsilon", "delta", "theta", "survival")}
    seen = lambda *names: [expect(field).to_be_visible(visible=name in names) for name, field in fields.items()]  # noqa: E731
    expect(fields["theta"]).to_have_value("0.8")
    seen("theta")
    choose(visit, "verifier", "typical")
    seen("epsilon", "delta")
    put(visit, "epsilon", 2)
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("“ε of typical acceptance” is 2; it must be a number from 0.0 to 1.0")
    choose(visit, "verifier", "rejection")
    seen()
    choose(visit, "verifier", "typical")
    seen("epsilon", "delta")
    expect(fields["epsilon"]).to_have_value("2")
    put(visit, "epsilon", 0.2)
    visit.get_by_label("Adapt K to what was measured").check()
    seen("epsilon", "delta", "survival")
    put(visit, "survival", 0.3)
    run_on_app(visit, "Typical")
    _, _, config = engine.asked
    assert (config.verifier, config.epsilon, config.theta, config.survival) == ("typical", 0.2, 0.5, 0.3)


def test_one_token_a_round_is_said_in_the_singular(still):
    run(still, K=1)
    expect(lane_note(still)).to_have_text("story-draft drafts one token, one target pass checks it")


def test_short_blocks_are_drawn_and_told_as_they_were(still):
    run(still, "Short blocks", K=4, drafter="lookup")
    expect(still.locator(".sv-undrafted")).to_contain_text("rounds nothing was drafted")
    expect(still.locator(".sv-numbers")).to_contain_text("drafted per round, average")
    second = lane(still, "speculative").locator(".sv-token[aria-label$='round 2']")
    expect(second).to_have_count(1)  # nothing was drafted: one plain token
    expect(second).to_have_attribute("data-role", "plain")
    second.click()
    box = still.locator(".sv-inspector")
    expect(box.locator(".sv-sentence")).to_contain_text("Nothing was drafted in this round")
    expect(box.locator(".sv-fill[data-series=q]")).to_have_count(0)
    expect(box.locator(".sv-fill[data-series=p]").first).to_be_visible()
    third = lane(still, "speculative").locator(".sv-token[aria-label$='round 3']").first
    third.click()
    expect(box).to_contain_text("round 3, draft token 1 of 1")


def test_every_token_of_short_blocks_has_a_whole_sentence(still):
    for temperature in (0.8, 0):
        run(still, f"At temperature {temperature}", temperature=temperature, drafter="lookup")
        told = lane(still, "speculative").evaluate(
            """lane => [...lane.querySelectorAll('.sv-token')].map(t => { t.click(); return document.querySelector('.sv-inspector').innerText; })"""
        )
        for text in told:
            assert len(text.split()) > 8
            assert not any(word in text for word in ("undefined", "NaN", "null", "[object", "{", "Infinity")), text


def test_a_vanilla_token_is_not_said_to_lack_a_draft(still):
    run(still, drafter="lookup")
    tokens(still, "plain", "vanilla").first.click()
    expect(still.locator(".sv-sentence")).to_contain_text("one whole pass of the target, one token")


def test_nothing_drafted_at_all_names_no_drafter(still):
    run(still, K=0)
    expect(lane_note(still)).to_have_text("K = 0: nothing is drafted")
    expect(still.locator(".sv-undrafted")).to_have_count(0)
    expect(still.locator(".sv-numbers")).not_to_contain_text("draft passes")
    expect(still.locator(".sv-numbers")).to_contain_text("target story-target (8.4 M) · float32")


def test_choosing_a_public_pair_says_what_it_needs_and_offers_what_can_draft_for_it(visit, engine):
    more(visit)
    choose(visit, "models", PUBLIC)
    expect(visit.locator("#models-note")).to_contain_text("3.7 GB of bfloat16 weights, licence Apache-2.0.")
    expect(visit.locator("#models-note")).to_contain_text("accept the licence")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["eagle"][0])
    expect(note(visit)).to_have_text(DRAFTERS["eagle"][1])
    choose(visit, "drafter", DRAFTERS["lookup"][0])
    run_on_app(visit, "Fetched")
    assert engine.asked[:2] == ("Fetched", "lookup")


def test_a_pair_that_cannot_be_fetched_is_one_line_and_the_bundled_models_go_on(visit):
    more(visit)
    choose(visit, "models", PUBLIC)
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["eagle"][0])
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("could not be fetched from the hub: no network")
    choose(visit, "models", "story")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"][0])
    run_on_app(visit, "Bundled again")
