"""A person copies a link and another one opens it."""

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep.recorded import load
from specviz.trace.file import read

from ..conftest import listening
from ..fake_engine import PUBLIC
from ..person import choose, more, put, reach, run, save

FIELDS = {"K": "6", "temperature": "0.5", "top-p": "0.9", "length": "33", "seed": "12"}


def value(page, name):
    return page.locator(f"#{name} input").first


def status(page):
    return page.locator(".sv-status")


def copied(page) -> str:
    """The link that Copy gives."""
    page.evaluate("navigator.clipboard.writeText('')")
    reach(page, "#copy-link").click()
    while not (link := page.evaluate("navigator.clipboard.readText()")):
        page.wait_for_timeout(20)
    return link


def test_a_link_to_models_offers_what_drafts_for_them(watched, app):
    watched.goto(f"{app}/?models={PUBLIC.replace('+', '%2B').replace(' ', '+')}&drafter=lookup")
    expect(status(watched)).to_contain_text(words.LINK_READ["press"])  # not decoded: its models would be fetched first
    more(watched)
    expect(value(watched, "drafter")).to_have_value(words.DRAFTERS["lookup"][0])
    value(watched, "drafter").click()
    expect(watched.locator("[role=option]")).to_have_count(2)


@pytest.mark.parametrize(("query", "trips"), [("?__theme=dark", 0), ("?K=4", 1)])
def test_only_an_address_with_settings_costs_a_trip_to_the_server(watched, app, query, trips):
    requests = []  # of an element of the page, not what Gradio requests at every load
    with listening(watched, request=lambda r: r.method == "POST" and '"event_data":{' in r.post_data and requests.append(r.url)):
        watched.goto(f"{app}/{query}")
        expect(watched.locator(".sv-invitation")).to_be_visible()
        if trips:
            expect(status(watched)).to_contain_text(words.LINK_READ["press"])  # thirty who open it start no thirty runs
        choose(watched, "drafter", words.DRAFTERS["lookup"][0])
        expect(watched.locator("#drafter-note")).to_have_text(words.DRAFTERS["lookup"][1])
    assert len(requests) == trips


def test_the_link_that_is_copied_brings_another_person_to_the_same_settings(still, app, context, engine):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    for name, wanted in FIELDS.items():
        put(still, name, wanted)
    choose(still, "drafter", words.DRAFTERS["lookup"][0])
    more(still)
    choose(still, "verifier", "match")
    still.locator("#ignore-eos input").check()
    still.locator("#prompt textarea").fill('Ünïcode & "quotes"?\n#second line + more')
    address = copied(still)
    expect(still.locator(".sv-said")).to_have_text(words.LINK["copied"])
    assert address.startswith(app) and "top_k" not in address and "models" not in address
    other = context.new_page()
    other.goto(address)
    expect(status(other)).to_contain_text(words.LINK_READ["press"])
    other.locator("#run").click()
    expect(other.locator(".sv-lane").first).to_contain_text("Ünïcode")  # who sent it saw this run
    more(other)
    for name, wanted in FIELDS.items():
        expect(value(other, name)).to_have_value(wanted)
    expect(value(other, "drafter")).to_have_value(words.DRAFTERS["lookup"][0])
    expect(other.locator("#drafter-note")).to_have_text(words.DRAFTERS["lookup"][1])
    drafter, config = engine.asked_for('Ünïcode & "quotes"?\n#second line + more')
    assert drafter == "lookup"
    assert (config.K, config.temperature, config.top_p, config.max_new_tokens, config.seed) == (6, 0.5, 0.9, 33, 12)
    assert (config.verifier, config.ignore_eos) == ("match", True)


def test_a_recorded_run_is_shown_with_its_settings_linked_to_and_what_was_typed_before_is_had_back(still, context, tmp_path):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    still.locator("#prompt textarea").fill("My own beginning")
    put(still, "K", 7)
    choose(still, "drafter", words.DRAFTERS["eagle"][0])
    for name in ("lookup", "hot"):  # looking at a second one loses nothing either
        choose(still, "recorded", words.RECORDED[name][0])
        expect(status(still)).to_contain_text(words.RECORDED[name][1])
        expect(still.locator("#prompt textarea")).to_have_value(load(name).header.prompt)
        expect(value(still, "K")).to_have_value(str(load(name).header.config.K))
        assert read(save(still, tmp_path)) == load(name)
    assert "recorded=hot" in copied(still)
    still.locator("#back").click()
    expect(still.locator("#prompt textarea")).to_have_value("My own beginning")
    expect(value(still, "K")).to_have_value("7")
    expect(value(still, "drafter")).to_have_value(words.DRAFTERS["eagle"][0])
    expect(still.locator("#back")).to_have_count(0)
    expect(still.locator(".sv-settings-line")).to_contain_text("temperature 1.5")  # what is shown stays
    run(still, "Other")
    expect(value(still, "recorded")).to_have_value(words.RECORDED_NONE)
    assert "prompt=Other" in (link := copied(still)) and "recorded" not in link
