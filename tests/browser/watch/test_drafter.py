"""A person chooses how tokens are drafted."""

from playwright.sync_api import expect

from specviz.page.words import DRAFTERS

from ..conftest import listening
from ..fake_engine import PUBLIC
from ..person import choose, lane, more, put, run


def note(page):
    return page.locator("#drafter-note")


def test_a_drafter_and_a_public_pair_are_explained_without_a_trip_to_the_server_and_run(visit, engine):
    more(visit)
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"][0])
    expect(note(visit)).to_have_text(DRAFTERS["small"][1])
    calls = []
    visit.wait_for_function("performance.getEntriesByType('resource').some(e => e.name.includes('/run/predict'))")  # at the load
    with listening(visit, request=lambda r: r.method == "POST" and calls.append(r.url)):
        for key in ("eagle", "lookup"):
            choose(visit, "drafter", DRAFTERS[key][0])
            expect(note(visit)).to_have_text(DRAFTERS[key][1])
    assert calls == []
    run(visit, "Copied from above")
    assert engine.asked_for("Copied from above")[0] == "lookup"
    choose(visit, "drafter", "homemade")  # which has no words
    expect(note(visit)).to_be_empty()
    run(visit, "Made at home")
    assert engine.asked_for("Made at home")[0] == "homemade"
    choose(visit, "models", PUBLIC)  # a public pair says what it needs, and in one line that it cannot be fetched
    expect(visit.locator("#models-note")).to_contain_text("3.7 GB of bfloat16 weights, licence Apache-2.0.")
    expect(visit.locator("#models-note")).to_contain_text("accept the licence")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["eagle"][0])  # what can draft for it
    expect(note(visit)).to_have_text(DRAFTERS["eagle"][1])
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("could not be fetched from the hub: no network")
    choose(visit, "drafter", DRAFTERS["lookup"][0])
    run(visit, "Fetched")
    assert engine.asked_for("Fetched")[0] == "lookup"
    choose(visit, "models", "story")
    expect(visit.locator("#drafter input")).to_have_value(DRAFTERS["small"][0])
    run(visit, "Bundled again")


def test_what_a_rule_asks_for_is_there_while_the_rule_is_picked_and_what_is_set_runs(visit, app, engine):
    visit.goto(f"{app}/?verifier=threshold&theta=0.8&prompt=Threshold")
    expect(visit.locator(".sv-status")).to_contain_text("Press Run")
    visit.locator("#run").click()
    expect(lane(visit, "speculative")).to_be_visible()
    assert engine.asked_for("Threshold")[1].confidence == 0
    more(visit)
    visit.locator("#further").click()
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
    put(visit, "confidence", 0.35)
    seen("epsilon", "delta", "survival")
    put(visit, "survival", 0.3)
    run(visit, "Typical")
    _, config = engine.asked_for("Typical")
    assert (config.verifier, config.epsilon, config.theta) == ("typical", 0.2, 0.5)
    assert (config.survival, config.confidence) == (0.3, 0.35)
    expect(lane(visit, "speculative").locator("header .sv-note")).to_contain_text("story-draft drafts up to 3 tokens")
