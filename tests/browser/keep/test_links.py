"""A person copies a link and another one opens it."""

import pytest
from playwright.sync_api import expect

from specviz.page import words

from ..fake_engine import PUBLIC
from ..person import choose, more, put, reach, run

pytestmark = pytest.mark.browser
FIELDS = {"K": "6", "temperature": "0.5", "top-p": "0.9", "length": "33", "seed": "12"}


def value(page, name):
    return page.locator(f"#{name} input").first


def status(page):
    return page.locator(".sv-status")


def test_a_link_to_models_offers_what_drafts_for_them(watched, app):
    watched.goto(f"{app}/?models={PUBLIC.replace('+', '%2B').replace(' ', '+')}&drafter=lookup")
    expect(status(watched)).to_have_text(words.LINK_READ)  # not decoded: its models would be fetched first
    more(watched)
    expect(value(watched, "drafter")).to_have_value(words.DRAFTERS["lookup"][0])
    value(watched, "drafter").click()
    expect(watched.locator("[role=option]")).to_have_count(2)


@pytest.mark.parametrize(("query", "trips"), [("?__theme=dark", 0), ("?K=4", 1)])
def test_only_an_address_with_settings_costs_a_trip_to_the_server(watched, app, query, trips, listen):
    asked = []  # what an element of the page asked, not what Gradio asks at every load
    listen("request", lambda r: asked.append(r.url) if r.method == "POST" and '"event_data":{' in r.post_data else None)
    watched.goto(f"{app}/{query}")
    expect(watched.locator(".sv-lane" if trips else ".sv-invitation").first).to_be_visible()
    choose(watched, "drafter", words.DRAFTERS["lookup"][0])
    expect(watched.locator("#drafter-note")).to_have_text(words.DRAFTERS["lookup"][1])
    assert len(asked) == trips


def test_the_link_that_is_copied_brings_another_person_to_the_same_settings(still, app, context, engine):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, wanted in FIELDS.items():
        put(still, name, wanted)
    choose(still, "drafter", words.DRAFTERS["lookup"][0])
    more(still)
    choose(still, "verifier", "match")
    still.locator("#adaptive input").check()
    still.locator("#prompt textarea").fill('Ünïcode & "quotes"?\n#second line + more')
    reach(still, "#copy-link").click()
    expect(still.locator(".sv-said")).to_have_text(words.LINK["copied"])
    address = still.evaluate("navigator.clipboard.readText()")
    assert address.startswith(app) and "top_k" not in address and "models" not in address
    other = context.new_page()
    other.goto(address)
    expect(other.locator(".sv-lane").first).to_contain_text("Ünïcode")  # who sent it saw this run
    more(other)
    for name, wanted in FIELDS.items():
        expect(value(other, name)).to_have_value(wanted)
    expect(value(other, "drafter")).to_have_value(words.DRAFTERS["lookup"][0])
    expect(other.locator("#drafter-note")).to_have_text(words.DRAFTERS["lookup"][1])
    prompt, drafter, config = engine.asked
    assert (prompt, drafter) == ('Ünïcode & "quotes"?\n#second line + more', "lookup")
    assert (config.K, config.temperature, config.top_p, config.max_new_tokens, config.seed) == (6, 0.5, 0.9, 33, 12)
    assert (config.verifier, config.adaptive) == ("match", True)


def test_a_recorded_run_is_part_of_the_link_until_another_run_is_shown(still, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(still, "recorded", words.RECORDED["code"][0])
    expect(status(still)).to_contain_text(words.RECORDED["code"][1])
    reach(still, "#copy-link").click()
    expect(still.locator(".sv-said")).not_to_be_empty()
    assert "recorded=code" in still.evaluate("navigator.clipboard.readText()")
    run(still, "Other")
    expect(value(still, "recorded")).to_have_value(words.RECORDED_NONE)
    still.evaluate("navigator.clipboard.writeText('')")
    reach(still, "#copy-link").click()
    while "prompt=Other" not in still.evaluate("navigator.clipboard.readText()"):
        still.wait_for_timeout(20)
    assert "recorded" not in still.evaluate("navigator.clipboard.readText()")
