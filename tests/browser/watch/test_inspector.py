"""A person chooses a token and reads how it was decided."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from ...products import some
from ..components import run
from ..person import lane, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def inspector(page):
    return page.locator(".sv-inspector")


@pytest.mark.parametrize("size", some([(1440, 900), (1280, 720)], (1280, 720)), ids=str)
def test_on_a_wide_screen_token_sentence_and_bars_are_seen_at_once(still, size):
    still.set_viewport_size({"width": size[0], "height": size[1]})
    run(still, "Once upon a time, there was a little dog named")
    for i in (0, 2):
        token = tokens(still, "rejected").nth(i)
        token.click()
        box = inspector(still)
        for part in (
            token,
            still.locator(".sv-verdict"),
            box.locator(".sv-sentence"),
            box.locator(".sv-bars").first,
            box.locator(".sv-beta"),
            still.locator(".sv-play"),
        ):
            expect(part).to_be_in_viewport(ratio=0.99)
    still.locator(".sv-numbers").scroll_into_view_if_needed()
    expect(inspector(still).locator(".sv-sentence")).to_be_in_viewport()


def test_on_a_narrow_screen_the_sentence_stands_under_the_lanes_too_and_leads_to_p_and_q(still):
    still.set_viewport_size({"width": 900, "height": 700})
    run(still)
    tokens(still, "corrected").nth(2).click()
    caption = still.locator(".sv-caption")
    expect(caption).to_be_in_viewport()
    expect(caption.locator("p")).to_have_text(inspector(still).locator(".sv-sentence").inner_text())
    caption.locator("button.sv-button").click()
    expect(inspector(still).locator(".sv-bars").first).to_be_in_viewport()


def test_the_mark_of_u_lies_on_the_side_of_the_verdict(still):
    run(still)
    for role, below in (("rejected", False), ("accepted", True)):
        for i in range(6):
            tokens(still, role).nth(i).click()
            keep, mark = still.locator(".sv-u-keep").bounding_box(), still.locator(".sv-u-mark").bounding_box()
            assert (mark["x"] < keep["x"] + keep["width"]) == below


def test_small_probabilities_keep_two_digits_and_their_columns_apart(still):
    run(still)
    shown = lane(still, "speculative").evaluate(
        """lane => [...lane.querySelectorAll('.sv-token')].flatMap(t => { t.click(); return [...document.querySelectorAll('.sv-inspector .sv-bar-row:not(.sv-bar-head)')]
            .map(row => [...row.querySelectorAll('.sv-value')].map(v => [v.textContent, v.scrollWidth <= v.clientWidth])) })"""
    )
    values = [value for row in shown for value in row]
    assert any(len(text) >= 7 for text, _ in values)
    assert [text for text, fits in values if not fits] == []
    assert not any("<" in text for text, _ in values)


def test_the_bars_are_saved_as_a_picture_that_holds_what_they_say_as_text(visit, tmp_path):
    run_on_app(visit, "hostile bars")
    tokens(visit, "rejected").first.click()
    with visit.expect_download() as download:
        visit.locator(".sv-save-bars").click()
    assert download.value.suggested_filename == "specviz-p-and-q.svg"
    download.value.save_as(tmp_path / "bars.svg")
    drawn = ElementTree.parse(tmp_path / "bars.svg").getroot()
    said = "".join(drawn.itertext()).replace("\N{NO-BREAK SPACE}", " ")
    for row in visit.locator(".sv-inspector .sv-bars").first.locator(".sv-bar-name").all_inner_texts():
        assert row in said
    kinds = {node.tag.rpartition("}")[2] for node in drawn.iter()}
    assert kinds == {"svg", "g", "line", "rect", "text"}  # nothing of a token became markup
    assert sum(node.tag.endswith("rect") for node in drawn.iter()) > 5
