"""A person follows one round in its picture in Chromium: what fits, what keeps the focus, what the mouse marks. From a file, without a server."""

import itertools

import pytest
from playwright.sync_api import expect

from specviz.page.keep import recorded
from tests.fake_tree import tree_trace
from tests.view import view

from ...products import every, later
from ..person import fits, objections, seek

TREE = tree_trace("3-2-1-1", K=4, seed=31)
BIG = tree_trace("4-3-2-1", K=4, seed=5)


def walked(trace) -> dict:
    """A round that ends in a correction below a token that stays, in a tree three levels deep."""
    return next(
        r
        for r in rounds(trace)
        if r["emitted"][-1]["role"] == "corrected"
        and r["drafted"][0]["verdict"] == "rejected"
        and any(d["verdict"] == "accepted" for d in r["drafted"])
    )


def rounds(trace) -> list[dict]:
    return view(trace)["lanes"]["speculative"]["rounds"]


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
        places = sorted(cells.evaluate_all("l => l.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])"))
        assert len(places) >= len(r["drafted"]) + 1
        assert all(right <= left + 0.1 for (_, right), (left, _) in itertools.pairwise(places))
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
    assert fits(page)
    assert objections(page, ".sv-round") == []
