"""Token, round and bar of the timeline are one, and the hand of the replay lies on it."""

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from tests.fake_trace import fake_trace
from tests.view import view

from ..person import block, lane, run, seek


def rounds(prompt="Once upon a time", **settings):
    """The rounds of the run that the engine answers with."""
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, **settings})
    return view(fake_trace(prompt, config=config, seed=config.seed + 3))["lanes"]["speculative"]["rounds"]


def linked(page):
    return page.locator(".sv-text [data-linked]")


def bar(page, index):
    """The bar of the target's pass of a speculative round."""
    return page.locator(f"#timeline [data-lane=speculative][data-series=verify][data-round='{index}']")


def point_at(page, index):
    """Bring the bar into view and the mouse over it; where that is."""
    bar(page, index).scroll_into_view_if_needed()
    box = bar(page, index).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)
    return x, y


def test_token_round_and_bar_are_linked_and_the_hand_of_the_replay_lies_on_the_timeline(visit):
    run(visit, "First story")
    expect(bar(visit, 0)).to_be_attached()
    run(visit, K=4)  # the timeline of another run is linked as well
    expect(visit.locator(".sv-hand")).to_be_visible()
    second, seventh = rounds(K=4)[1], rounds(K=4)[6]
    block(visit, 1).first.hover()
    expect(linked(visit)).to_have_count(len(second["shown"]))
    band = visit.locator(".sv-band")
    expect(band).to_be_visible()
    whole = float(visit.locator(".sv-scrub").get_attribute("max"))
    box, plot = band.bounding_box(), visit.locator("#timeline .sv-overlay").bounding_box()
    middle = (second["start"] + second["end"]) / 2 / whole * plot["width"] + plot["x"]
    assert box["x"] + box["width"] / 2 == pytest.approx(middle, abs=3)
    assert box["y"] > plot["y"] + plot["height"] / 2 - 4  # the speculative lane is the lower row
    lane(visit, "vanilla").locator("h3").hover()
    expect(linked(visit)).to_have_count(0)

    r = next(r for r in rounds(K=4) if r["residual"])
    x, y = point_at(visit, r["index"])
    expect(linked(visit)).to_have_count(len(r["shown"]))
    visit.mouse.click(x, y)  # the token that decided the round
    chosen = lane(visit, "speculative").locator("[aria-pressed=true]")
    expect(chosen).to_have_attribute("data-role", "rejected")
    expect(visit.locator(".sv-inspector")).to_contain_text(f"round {r['index'] + 1}, draft token")

    visit.locator(".sv-play").focus()
    visit.keyboard.press("Home")
    visit.mouse.click(*point_at(visit, 6))  # which the replay has not reached: it is brought there
    assert float(visit.locator(".sv-scrub").input_value()) == pytest.approx(seventh["end"], abs=1e-3)
    hand, plot = visit.locator(".sv-hand").bounding_box(), visit.locator("#timeline .sv-overlay").bounding_box()
    assert hand["y"] == pytest.approx(plot["y"], abs=3) and hand["height"] == pytest.approx(plot["height"], abs=5)
    expect(chosen).to_be_visible()
    seek(visit, seventh["end"] + 100)
    assert visit.locator(".sv-hand").bounding_box()["x"] > hand["x"]
