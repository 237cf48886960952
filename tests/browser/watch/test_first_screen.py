"""What stands on one screen of a laptop, a projector and a phone, when the page opens and when a token is chosen."""

import pytest
from playwright.sync_api import expect

from specviz.page.keep.recorded import load
from specviz.trace.file import read
from specviz.words import page as words

from ...fake_trace import tree_trace
from ...products import every, some
from ..components import run as run_component
from ..components import show
from ..conftest import faultless
from ..person import drawn, fits, in_sight, lane, more, press, reach, run, save, tokens

SIZES = [(1280, 720), (1366, 768), (1440, 900), (1920, 1080)]
PLACES = """() => [...document.querySelectorAll(".sv-lane, .sv-lane .sv-text, .sv-play, .sv-legend > ul")].map((e) => {
  const { x, y, width, height } = e.getBoundingClientRect();
  return [x, y, width, height];
})"""


@pytest.fixture
def opened(watched, opening):
    """The page as it is served, at a size, with nothing chosen."""

    def open_(width, height):
        watched.set_viewport_size({"width": width, "height": height})
        watched.goto(opening)
        watched.evaluate("sessionStorage.setItem('specviz.inspecting /', 'null')")
        watched.evaluate("['steps', 'legend', 'teach', 'struck'].forEach((n) => { localStorage[`specviz.${n}`] = 'null'; })")
        watched.reload()
        expect(watched.locator(".sv-at")).to_contain_text("Press Play.")
        drawn(watched)
        return watched

    return open_


@pytest.mark.parametrize("size", some(SIZES, (1280, 720)), ids=str)
def test_lanes_play_sentence_and_signs_are_in_sight_also_with_settings_unfolded(opened, size):
    page = opened(*size)
    parts = (".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]", ".sv-play", ".sv-at", ".sv-legend > ul")
    in_sight(page, "#run", *parts)
    lines = "e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
    assert lane(page, "speculative").locator(".sv-text").evaluate(lines) >= 4
    more(page)
    drawn(page)
    in_sight(page, *parts, "#K", "#temperature", "#length", "#drafter", "#further", "#share")
    before = page.evaluate(PLACES)
    page.locator("#further").click()
    in_sight(page, "#seed", "#verifier", "#grammar")
    assert page.evaluate(PLACES) == before


@pytest.mark.parametrize("size", some(SIZES, (1280, 720)), ids=str)
def test_a_chosen_token_moves_no_lane_and_its_inspector_lies_over_no_numbers(opened, size):
    page = opened(*size)
    before = page.evaluate(PLACES)
    token = tokens(page, "accepted").first
    token.click()
    box = page.locator(".sv-inspector")
    expect(box.locator(".sv-sentence")).to_be_visible()
    assert page.evaluate(PLACES) == before
    in_sight(page, *(f".sv-inspector .sv-{part}" for part in ("bars", "sentence", "beta")), ".sv-play")
    expect(token).to_be_in_viewport(ratio=0.99)
    for y in range(0, 1600, 200):
        page.evaluate("y => scrollTo({ top: y, behavior: 'instant' })", y)
        above, below = box.bounding_box(), page.locator(".sv-numbers").bounding_box()
        assert above["y"] + above["height"] <= below["y"]


def test_on_a_phone_lanes_and_play_are_in_sight_from_run_on_and_a_chosen_token_stays(opened):
    page = opened(390, 844)
    both = (".sv-lane[data-lane=vanilla]", ".sv-lane[data-lane=speculative]")
    in_sight(page, *both, ".sv-play")
    page.locator("#prompt textarea").fill("slow story")
    page.locator("#run").click()
    expect(tokens(page, "prompt").first).to_have_text("slow story")
    in_sight(page, *both)
    for end in ("document.body.scrollHeight", "0"):  # what the run does is in sight wherever the page is scrolled
        page.evaluate(f"scrollTo(0, {end})")
        expect(page.locator("#status p").first).to_be_in_viewport()
    page.locator("#stop").click()
    run(page)
    page.keyboard.press("End")
    token = tokens(page, "accepted").first
    token.click()
    expect(page.locator(".sv-caption p")).to_be_visible()
    drawn(page, 40)
    expect(token).to_be_in_viewport(ratio=0.99)


def test_on_a_phone_what_is_typed_moves_run_no_more_than_a_line_that_wraps(watched, app):
    watched.set_viewport_size({"width": 390, "height": 844})
    watched.goto(app)
    expect(watched.locator(".sv-invitation")).to_be_visible()
    prompt, button = watched.locator("#prompt textarea"), watched.locator("#run")
    expect(button).to_be_visible()
    drawn(watched)
    before = button.bounding_box()
    for text in ("O", "Once upon a time", ""):  # with nothing typed stands a hint of two lines
        prompt.fill(text)
        drawn(watched)
        assert button.bounding_box() == before, text


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
    struck = """() => [...document.querySelectorAll('#race .sv-chip-token, .sv-text .sv-token')].filter(e =>
      getComputedStyle(e).textDecorationLine.includes('line-through') && e.checkVisibility({ visibilityProperty: true })).length"""
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
    expect(page.locator(".sv-status")).to_contain_text(words.RECORDED_FIRST)
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


PARTS = """
    .sv-verdict .sv-lane[data-lane=vanilla] .sv-lane[data-lane=speculative] .sv-play .sv-stepper .sv-legend .sv-cache .sv-inspector
""".split()


@pytest.mark.parametrize("size", some([(1280, 720), (1920, 1080)]), ids=str)
def test_race_controls_legend_caches_and_a_token_are_seen_at_once(visit, size):
    run(visit, "Once upon a time, there was a little dog named")
    visit.set_viewport_size({"width": size[0], "height": size[1]})
    reach(visit, ".sv-project").click()
    drawn(visit)
    for role in ("rejected", "accepted", "corrected", "bonus"):
        tokens(visit, role).first.click()
        in_sight(visit, *PARTS)
        whole = "e => e.scrollHeight <= e.clientHeight + 1"
        assert visit.locator(".sv-inspector").evaluate(whole) and visit.locator("#race").evaluate(whole), role
    press(visit, "Predict")
    in_sight(visit, "[data-guess=accept]", ".sv-cache")


@every(size=[(1440, 900), (1920, 1080)], children=["8-7", "4-3-2-1"])
def test_sixty_four_tokens_of_a_tree_are_seen_at_once_and_can_be_read(still, children, size):
    show(still, tree_trace(children, K=children.count("-") + 1, seed=5))
    still.set_viewport_size({"width": size[0], "height": size[1]})
    still.locator("h1").click()
    still.keyboard.press("p")
    still.keyboard.press("Home")
    still.keyboard.press(".")
    expect(still.locator(".sv-node").nth(60)).to_be_attached()
    look = "l => l.map(e => [e.getBoundingClientRect().bottom, parseFloat(getComputedStyle(e).fontSize)])"
    bottoms, letters = zip(*still.locator(".sv-node").evaluate_all(look), strict=True)
    assert len(bottoms) >= 64 and max(bottoms) <= size[1] and min(letters) >= 12


def test_letters_grow_with_the_projector(still):
    run_component(still)
    still.locator("h1").click()
    still.keyboard.press("p")
    sizes = []
    for size in ((1280, 720), (1920, 1080)):
        still.set_viewport_size({"width": size[0], "height": size[1]})
        sizes.append(lane(still, "vanilla").locator(".sv-text").evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))
    assert sizes[1] > sizes[0] * 1.3
