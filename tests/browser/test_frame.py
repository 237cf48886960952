"""A run in a notebook's cell, looked at: the page in its frame works, fits, follows the reader's theme and reaches nothing outside."""

import pytest
from playwright.sync_api import expect

from specviz.page.keep.recorded import load
from specviz.picture.frame import show
from tests.fake_trace import fake_trace

from ..products import some
from .conftest import faultless
from .person import fits, lane


@pytest.fixture
def cell(page):
    """Put a run into a page, as a notebook puts it into a cell → the frame's document, on which nothing goes wrong."""

    def put(trace, width=1100, figure=(), **media):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(**{"reduced_motion": "reduce", **media})
        page.goto("about:blank")
        page.set_content(f"<body style='margin: 0'>{show(trace, *figure)._repr_html_()}<p>the next cell</p>")
        frame = page.frame_locator("iframe")
        expect(frame.locator(f"[data-figure={figure[0]}]") if figure else lane(frame, "speculative")).to_be_visible()
        return frame

    with faultless(page, own=()):
        yield put


@pytest.mark.parametrize("width", some([360, 640, 1000, 1400]))
def test_both_lanes_are_seen_without_scrolling_whatever_the_width_of_the_cell(page, cell, width):
    frame = cell(load("opening"), width)
    height = page.locator("iframe").evaluate("element => element.clientHeight")
    for name in ("vanilla", "speculative"):
        assert frame.locator(f".sv-lane[data-lane={name}]").evaluate("e => e.getBoundingClientRect().bottom") <= height
    assert fits(page)
    assert frame.locator("body").evaluate("element => element.scrollWidth") <= width


def test_what_is_in_the_frame_has_no_origin_and_cannot_touch_the_notebook(page, cell):
    frame = cell(fake_trace())
    reach = """() => { try { return parent.document.title || "reached"; } catch (error) { return error.name; } }"""
    assert frame.locator("body").evaluate("() => self.origin") == "null"
    assert frame.locator("body").evaluate(reach) == "SecurityError"
    expect(page.locator("p")).to_have_text("the next cell")


@pytest.mark.parametrize(
    ("figure", "there", "gone"),
    [
        ("race", ".sv-lane", ".sv-inspector"),
        ("round", ".sv-round", ".sv-lane[data-lane=vanilla]"),
        ("inspector", ".sv-inspector", ".sv-lane"),
    ],
)
def test_one_figure_stands_alone_in_a_cell_as_high_as_it_is(page, cell, figure, there, gone):
    frame = cell(load("opening"), figure=(figure, 4))
    expect(frame.locator(there).first).to_be_visible()
    expect(frame.locator(gone).first).to_be_hidden()
    expect(frame.locator(".sv-handout > header")).to_be_hidden()
    frame.locator("main").evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    high = frame.locator("main").evaluate("e => Math.ceil(e.getBoundingClientRect().height)")
    expect(page.locator("iframe")).to_have_css("height", f"{high}px")
    part = ".sv-inspector" if figure == "inspector" else ".sv-lanes"
    assert frame.locator(part).bounding_box()["width"] > 1000  # of 1100: no column is left free
    if figure == "inspector":
        expect(frame.locator(".sv-inspector")).to_contain_text("round 4")
