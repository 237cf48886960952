"""The first ten seconds: what stands there when the page opens, on a laptop, a projector and a phone, and what the first press shows."""

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep.recorded import load
from specviz.trace.file import read

from ..products import some
from .conftest import faultless
from .person import drawn, fits, in_sight, reach, run, save, tokens

ACTIVE = """lane => {
  const text = lane.querySelector(".sv-text"), box = text.getBoundingClientRect();
  const cut = Number.parseFloat(text.style.clipPath.match(/0px 0px ([\\d.]+)px/)?.[1] ?? "0");
  const active = [...text.querySelectorAll(".sv-token:not([data-role=''])")].at(-1).getBoundingClientRect();
  const mask = getComputedStyle(text).maskImage;
  return { top: active.top - box.top, bottom: box.bottom - cut - active.bottom, at: active.bottom, faded: mask !== "none" };
}"""


@pytest.fixture
def folded(context):
    """A tab with the steps of a round folded, as whoever comes first has them."""
    with faultless(context.new_page()) as page:
        page.add_init_script("delete localStorage['specviz.steps']")
        yield page


def visit(page, opening, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(opening)
    expect(page.locator(".sv-at")).to_contain_text("Press Play.")
    return page


def active_lines(page):
    """As they are once what was changed has been drawn."""
    drawn(page)
    return [page.locator(f".sv-lane[data-lane={name}]").evaluate(ACTIVE) for name in ("vanilla", "speculative")]


@pytest.mark.parametrize("size", some([(1440, 900), (1280, 720), (390, 844)], (1280, 720)), ids=str)
def test_the_page_opens_before_a_rejection_with_play_in_sight_and_play_shows_it(folded, opening, size):
    page = visit(folded, opening, *size)
    assert page.evaluate("scrollY") == 0
    lead = page.get_by_role("button", name=words.BEGIN)  # who is new is led to Learn from above the settings
    assert lead.bounding_box()["y"] < page.locator("#run").bounding_box()["y"]
    expect(page.locator(".sv-at")).to_have_text("Press Play. The target rejects ␣it and writes ␣his.")
    in_sight(page, ".sv-play", ".sv-at", ".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]")
    expect(tokens(page, "drafted")).to_have_text(["with", "it", "all"])
    expect(tokens(page, "rejected")).to_have_count(0)
    struck = "() => [...document.querySelectorAll('#race .sv-chip-token, .sv-text .sv-token')].filter(e => getComputedStyle(e).textDecorationLine.includes('line-through') && e.checkVisibility({ visibilityProperty: true })).length"
    assert page.evaluate(struck) == 0
    page.locator(".sv-play").click()
    expect(tokens(page, "rejected")).to_have_text(["it"])
    expect(page.locator(".sv-at")).to_contain_text("rejected")
    assert all(line["top"] >= -1 and line["bottom"] >= -1 and not line["faded"] for line in active_lines(page))


def test_on_a_phone_both_lanes_and_play_fit_and_the_settings_follow(watched, opening):
    page = visit(watched, opening, 390, 844)
    below = page.locator(".sv-play").evaluate("e => e.getBoundingClientRect().bottom")
    assert max(below, *(line["at"] for line in active_lines(page))) <= 844
    vanilla, speculative = (page.locator(f".sv-lane[data-lane={name}]").bounding_box() for name in ("vanilla", "speculative"))
    assert vanilla["y"] + vanilla["height"] <= speculative["y"]
    assert page.locator("#prompt").bounding_box()["y"] > page.locator(".sv-play").bounding_box()["y"]
    assert page.locator("#prompt").bounding_box()["y"] < page.locator(".sv-inspector").bounding_box()["y"]
    assert fits(page)
    page.locator(".sv-play").focus()
    page.keyboard.press("End")  # keys work here too
    expect(page.locator(".sv-verdict")).to_be_visible()
    run(page, "New story")
    in_sight(page, ".sv-play", ".sv-lane[data-lane=vanilla]")


def test_projected_the_lanes_take_the_height_there_is(watched, opening):
    page = visit(watched, opening, 1280, 720)
    reach(page, ".sv-project").click()
    in_sight(page, ".sv-cache")
    assert 720 - page.locator(".sv-cache").evaluate("e => e.getBoundingClientRect().bottom") < 40
    page.get_by_label("Time in the replay").press("End")
    for moment in (0.3, 0.6, 0.9):
        page.locator(".sv-scrub").evaluate(
            "(e, share) => { e.value = e.max * share; e.dispatchEvent(new Event('input', { bubbles: true })) }", moment
        )
        assert all(line["top"] >= -1 and line["bottom"] >= -1 for line in active_lines(page)), moment
    page.reload()
    expect(page.get_by_role("button", name="Leave the projector")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("h1")).to_be_visible()
    page.reload()
    expect(page.locator("h1")).to_be_visible()


def test_a_recorded_run_stands_there_with_what_made_it_below_few_settings_and_a_new_one_replaces_it(watched, opening, tmp_path):
    page = visit(watched, opening, 1440, 900)
    header = load("opening").header
    in_sight(page, "#prompt", "#models", "#run")
    expect(page.locator("#prompt textarea")).to_have_value(header.prompt)
    expect(page.locator(".sv-status")).to_contain_text(words.RECORDED_FIRST.format(device=header.machine.device))
    assert read(save(page, tmp_path)).header == header
    expect(page.locator("#seed")).to_have_count(0)
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#seed input")).to_have_value(str(header.config.seed))
    expect(page.locator("#recorded input")).to_have_value(words.RECORDED["opening"][0])
    run(page, "New story")
    expect(page.locator("#temperature")).to_be_visible()
    page.reload()  # what is unfolded stays
    expect(page.locator("#temperature")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#temperature")).to_be_hidden()
    page.reload()
    expect(page.locator(".sv-at")).to_contain_text("Press Play.")
    expect(page.locator("#seed")).to_have_count(0)
    page.goto(f"{opening}?recorded=hot&K=1")  # with other settings it is decoded
    expect(page.locator(".sv-status")).to_contain_text("Press Run")
    page.locator("#run").click()
    expect(page.locator(".sv-settings-line")).to_contain_text("K = 1")
    expect(page.locator("#recorded input")).to_have_value(words.RECORDED_NONE)
