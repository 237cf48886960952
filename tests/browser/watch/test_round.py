"""A person follows one round in its picture: as it grows, is lit, is decided, and what the caches keep of it. From a file, without a server."""

import itertools

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from specviz.page.keep import recorded
from specviz.picture import words
from specviz.picture.view import picture
from tests.fake_trace import fake_trace
from tests.fake_tree import tree_trace

from ...products import every, later
from ..person import block, seek, tokens

pytestmark = pytest.mark.browser
TREE = tree_trace("3-2-1-1", K=4, seed=31)
BIG = tree_trace("4-3-2-1", K=4, seed=5)


def rounds(trace) -> list[dict]:
    return picture(trace)["lanes"]["speculative"]["rounds"]


def looks(page: Page) -> list[str]:
    """Of the drafted tokens, in their order."""
    found = page.locator(".sv-node").evaluate_all("l => l.map(e => [Number(e.dataset.at), e.dataset.look])")
    return [look for at, look in sorted(found) if at > 0]


def walked(trace) -> dict:
    """A round in which a sibling is rejected before another one stays, and what is below that is rejected too."""
    for r in rounds(trace):
        kept = [d for d in r["drafted"] if d["verdict"] == "accepted"]
        first = [d for d in r["drafted"] if d["depth"] == 1]
        if kept and first[0]["verdict"] == "rejected" and r["emitted"][-1]["role"] == "corrected":
            return r
    raise AssertionError("no such round")


def test_a_tree_grows_is_lit_at_once_and_is_decided_along_its_walk(reading):
    r = walked(TREE)
    page = reading(TREE)
    n = len(r["drafted"])
    levels = sorted({d["at"] for d in r["drafted"]})
    seek(page, (levels[0] + levels[1]) / 2)
    assert looks(page) == ["drafted" if d["depth"] == 1 else "" for d in r["drafted"]]
    seek(page, (r["drafted_at"] + r["verified_at"]) / 2)
    assert looks(page) == ["lit"] * n
    expect(page.locator(".sv-node[data-at='0']")).to_have_attribute("data-look", "lit")
    first = min(d["decided"] for d in r["drafted"])
    seek(page, first + 1e-3)
    assert looks(page) == ["rejected"] + ["lit"] * (n - 1)
    seek(page, r["end"])
    assert looks(page) == [d["verdict"] for d in r["drafted"]]
    expect(page.locator(".sv-node[data-at='-1']")).to_have_attribute("data-look", "corrected")
    expect(page.locator(".sv-node[data-at='-1']")).to_contain_text("residual")
    seek(page, (r["drafted_at"] + r["verified_at"]) / 2)
    assert looks(page) == ["lit"] * n, "the same on the way back"


def test_a_token_that_never_stood_in_the_text_is_chosen_in_the_picture(reading):
    r = walked(TREE)
    page = reading(TREE)
    seek(page, r["end"])
    page.locator(".sv-node[data-at='1']").click()
    expect(page.locator(".sv-node[data-at='1']")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".sv-inspector")).to_contain_text(f"round {r['index'] + 1}, draft token 1 of {len(r['drafted'])}")
    expect(page.locator(".sv-inspector .sv-u").first).to_be_visible()
    page.locator(".sv-node[data-at='-1']").click()
    expect(page.locator(".sv-inspector")).to_contain_text("corrected")


def test_whoever_steps_meets_every_verdict_also_of_siblings_that_are_not_in_the_text(reading):
    r = walked(TREE)
    page = reading(TREE)
    seek(page, r["verified_at"])
    page.locator(".sv-play").focus()
    page.keyboard.press(".")
    chosen = page.locator(".sv-node[aria-selected=true]")
    expect(chosen).to_have_attribute("data-at", "1")
    expect(chosen).to_have_attribute("data-look", "rejected")
    expect(page.locator(".sv-at")).to_contain_text("rejected")


def test_keys_lead_through_the_outline_and_say_whom_a_token_sees(reading):
    page = reading(TREE)
    r = walked(TREE)
    seek(page, r["end"])
    page.locator(".sv-node[data-at='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute("data-at", "1")
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute("aria-level", "3")
    seen = page.locator(".sv-node[data-seen]").evaluate_all("l => l.map(e => Number(e.dataset.at)).sort()")
    assert seen[:2] == [0, 1] and len(seen) == 3
    expect(page.locator(".sv-mask .sv-note")).to_contain_text("sees the text,")
    page.keyboard.press("Enter")
    expect(page.locator(".sv-node[aria-selected=true]")).to_have_attribute("aria-level", "3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("data-at", "1")
    before = page.locator(".sv-scrub").input_value()
    page.keyboard.press("End")
    assert page.locator(".sv-scrub").input_value() == before, "the player stands"


def test_space_opens_a_fold_and_chooses_a_token_and_the_replay_stands(reading):
    page = reading(TREE)
    seek(page, walked(TREE)["end"])
    for fold in (".sv-round", ".sv-mask", ".sv-timed"):
        seek(page, 1e9) if fold == ".sv-timed" else None  # said at the end
        was = page.locator(fold).evaluate("e => e.open")
        page.locator(f"{fold} > summary").focus()
        page.keyboard.press(" ")
        assert page.locator(fold).evaluate("e => e.open") != was, fold
        page.keyboard.press(" ")
    for token, chosen in (
        (tokens(page, "accepted").first, "aria-pressed"),
        (page.locator(".sv-node[data-at='2']"), "aria-selected"),
    ):
        token.focus()
        page.keyboard.press(" ")
        expect(token).to_have_attribute(chosen, "true")
    expect(page.locator(".sv-play")).to_have_text("Play")


def test_what_has_the_focus_keeps_it_in_the_next_round_and_a_fold_stays_as_it_was_left(reading):
    page = reading(TREE, width=900)
    seek(page, walked(TREE)["end"])
    title = page.locator(".sv-round > summary h4")
    places = (".sv-node[data-at='1']", ".sv-mask-box", ".sv-mask > summary", ".sv-caption .sv-button")
    for place in places:
        was = title.inner_text()
        page.locator(place).focus()
        page.keyboard.press(".")
        expect(title).not_to_have_text(was)
        expect(page.locator(place)).to_be_focused()
        page.keyboard.press(",")
    page.locator(".sv-node[data-at='-1']").focus()
    page.keyboard.press(".")  # nothing has come out of that round: the tree keeps the focus
    expect(page.locator(".sv-node[data-at='0']")).to_be_focused()
    page.locator(".sv-mask > summary").press("Enter")
    page.keyboard.press(",")
    expect(page.locator(".sv-mask-box")).to_be_hidden()
    tokens(page, "accepted").first.click()
    page.locator(".sv-caption .sv-button").focus()
    page.keyboard.press("Home")  # nothing to say of it, so no button
    expect(page.locator(".sv-play")).to_be_focused()


def test_a_row_of_the_mask_marks_its_token_and_whom_it_sees(reading):
    page = reading(TREE)
    r = walked(TREE)
    seek(page, r["end"])
    deep = next(i for i, d in enumerate(r["drafted"]) if d["depth"] == 3)
    page.locator(".sv-mask").scroll_into_view_if_needed()
    box = page.locator(".sv-mask-cells").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * (deep + 1.5) / (len(r["drafted"]) + 1))
    assert page.locator(".sv-node[data-seen]").count() == 4
    expect(page.locator(f".sv-node[data-at='{deep + 1}']")).to_have_attribute("data-seen", "")
    page.locator(".sv-mask-box").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator(f".sv-node[data-at='{deep}']")).to_have_attribute("data-seen", "")


def test_u_falls_on_p_over_q_and_no_verdict_is_told_before(reading):
    r = walked(TREE)
    page = reading(TREE)
    gauge = page.locator(".sv-node[data-at='1'] .sv-node-gauge")
    seek(page, r["drafted_at"] - 1e-3)
    expect(gauge).to_have_attribute("data-on", "")
    seek(page, r["verified_at"])
    expect(gauge).to_have_attribute("data-on", "limit")
    seek(page, (r["verified_at"] + r["drafted"][0]["decided"]) / 2)
    expect(gauge).to_have_attribute("data-on", "u")
    fall = float(gauge.evaluate("e => e.style.getPropertyValue('--fall')"))
    assert 0.4 < fall < 0.6
    page.get_by_label(words.BROWSER["ask"]).check()
    seek(page, (r["verified_at"] + r["drafted"][0]["decided"]) / 2)
    expect(gauge).to_have_attribute("data-on", "limit")
    shown = page.locator(".sv-node-gauge").evaluate_all("l => new Set(l.map(e => e.dataset.on)).size")
    assert shown == 1, "who will be tested is not told either"


def test_the_target_s_cache_gathers_the_rows_of_the_kept_path(reading):
    page = reading(TREE)
    r = walked(TREE)
    seek(page, r["verified_at"])
    appended = page.locator(".sv-cache-row[data-model=target] .sv-cell[data-state=appended]")
    assert appended.count() == len(r["drafted"]) + 1
    seek(page, r["end"])
    kept = [0, *(i + 1 for i, d in enumerate(r["drafted"]) if d["verdict"] == "accepted")]
    assert appended.count() == len(kept)
    shifts = appended.evaluate_all("l => l.map(e => Number(e.style.getPropertyValue('--shift')))")
    assert shifts == [place - at for place, at in enumerate(kept)]
    expect(page.locator(".sv-cache > p")).to_contain_text(f"The cache keeps the {len(kept)} positions of the accepted path")


def test_a_chain_is_the_same_picture_and_a_token_of_the_text_opens_its_round(reading):
    trace = fake_trace(K=4)
    page = reading(trace)
    r = next(r for r in rounds(trace) if r["emitted"][-1]["role"] == "corrected" and len(r["drafted"]) == 4)
    seek(page, r["end"])
    assert looks(page) == [d["verdict"] for d in r["drafted"]]
    seek(page, 1e9)
    tokens(page, "bonus").first.click()
    expect(page.locator(".sv-node[data-at='-1']")).to_have_attribute("data-look", "bonus")
    expect(page.locator(".sv-node[aria-selected=true]")).to_have_count(1)
    block(page, 0).first.click()
    expect(page.locator(".sv-round > summary h4")).to_contain_text("Round 1:")


def test_a_block_of_one_draft_pass_is_there_at_once_and_the_title_says_so(reading):
    trace = recorded.load("block")
    page = reading(trace)
    r = next(r for r in rounds(trace) if len(r["drafted"]) > 3)
    seek(page, (r["start"] + r["drafted_at"]) / 2 - 1e-3)
    assert looks(page) == [""] * len(r["drafted"])
    seek(page, (r["start"] + r["drafted_at"]) / 2 + 1e-3)
    assert looks(page) == ["drafted"] * len(r["drafted"])
    expect(page.locator(".sv-round > summary h4")).to_have_text(
        f"Round {r['index'] + 1}: {len(r['drafted'])} guesses from one draft pass, then one target pass"
    )


def test_in_a_narrow_box_q_stands_below_p_and_neither_is_cut(reading):
    trace = recorded.load("block")
    page = reading(trace, width=1280, height=800)
    seek(page, next(r for r in rounds(trace) if len(r["drafted"]) > 5)["end"] - 1e-3)
    inside = """e => [...e.children].filter(part => part.clientWidth).every(part => {
        const [box, own] = [e, part].map(x => x.getBoundingClientRect());
        return own.bottom <= box.bottom && own.top >= box.top && part.scrollWidth <= part.clientWidth;
    })"""
    for projected in (False, True):
        if projected:
            page.keyboard.press("p")
            expect(page.locator("#race[data-projector]")).to_be_visible()
        assert page.locator(".sv-node:not([data-look=''])").evaluate_all(f"l => l.map({inside})") == [True] * 8


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900), *later([(1280, 720)])])
def test_the_cells_of_sixty_tokens_are_gathered_side_by_side(reading, width, height):
    page = reading(BIG, width=width, height=height)
    if width == 390:
        page.locator(".sv-round > summary").click()
    if width == 1280:
        page.keyboard.press("p")
    for r in rounds(BIG):
        seek(page, r["end"])
        cells = page.locator(".sv-cache-row[data-model=target] .sv-cell:not([hidden])")
        found = cells.evaluate_all("l => l.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])")
        found.sort()
        assert len(found) >= len(r["drafted"]) + 1
        assert all(right <= left + 0.1 for (_, right), (left, _) in itertools.pairwise(found))
        assert page.locator(".sv-cache-counts").first.evaluate("e => e.scrollWidth <= e.clientWidth")


@every(scheme=["light", "dark"], width=[1440, 390])
def test_sixty_tokens_fit_their_places_and_axe_objects_to_nothing(reading, width, scheme):
    page = reading(BIG, width=width, color_scheme=scheme)
    r = max(rounds(BIG), key=lambda r: len(r["drafted"]))
    seek(page, r["end"])
    if width == 390:
        expect(page.locator(".sv-nodes")).to_be_hidden()
        page.locator(".sv-round > summary").click()
    boxes = page.locator(".sv-node:not([data-look=''])").evaluate_all("l => l.map(e => e.getBoundingClientRect().toJSON())")
    assert len(boxes) == len(r["drafted"]) + 2
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a["right"] <= b["left"] or b["right"] <= a["left"] or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page, context=".sv-round").response["violations"]
    assert not found, [(one["id"], one["nodes"][0]["html"][:120]) for one in found]


def test_a_window_that_grows_shows_more_of_the_caches_of_the_round_that_stands_there(reading):
    page = reading(fake_trace(K=4, seed=3), width=390, height=844)
    row = page.locator(".sv-cache-row[data-model=target]")
    seek(page, 10_000)
    cells = row.locator(".sv-cell:not([hidden])")
    expect(cells).to_have_count(10)
    states = row.locator(".sv-cell[data-state=rolled]").count()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(cells).to_have_count(20)
    assert row.locator(".sv-cell[data-state=rolled]").count() == states
