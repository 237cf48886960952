"""A person chooses a token and reads how it was decided: in the inspector, in the picture of its round, in a plot."""

import itertools

import pytest
from playwright.sync_api import expect

from specviz.page.keep import recorded
from specviz.picture.replay import BROWSER

from ...fake_trace import tree_trace
from ...products import every, later
from ...view import view
from ..components import run
from ..conftest import opened
from ..person import download, fits, lane, objections, seek, tokens
from ..person import run as run_on_app


def inspector(page):
    return page.locator(".sv-inspector")


def test_on_a_narrow_screen_the_sentence_stands_under_the_lanes_too_and_leads_to_p_and_q(still):
    still.set_viewport_size({"width": 900, "height": 700})
    run(still)
    tokens(still, "corrected").nth(2).click()
    caption = still.locator(".sv-caption")
    expect(caption).to_be_in_viewport()
    expect(caption.locator("p")).to_have_text(inspector(still).locator(".sv-sentence").inner_text())
    caption.locator("button.sv-button").click()
    expect(inspector(still).locator(".sv-bars").first).to_be_in_viewport()


def test_another_u_is_tried_on_the_scale_by_mouse_and_by_key(still):
    run(still)
    tokens(still, "rejected").first.click()
    handle = still.get_by_role("slider", name="Try another u")
    track, slider = (still.locator(name).bounding_box() for name in (".sv-u-track", ".sv-try"))
    assert slider["y"] == pytest.approx(track["y"], abs=1) and slider["height"] == pytest.approx(track["height"], abs=1)
    still.mouse.click(track["x"] + track["width"] * 0.25, track["y"] + track["height"] / 2)
    assert float(handle.input_value()) == pytest.approx(0.25, abs=0.01)
    end = still.locator(".sv-scrub").input_value()
    for key, says in (("Home", "u = 0: accept"), ("End", "u = 0.999: reject")):
        still.keyboard.press(key)
        expect(handle).to_have_attribute("aria-valuetext", says)
    assert still.locator(".sv-scrub").input_value() == end  # the replay stays where it is


@pytest.mark.parametrize(("role", "below"), [("rejected", False), ("accepted", True)])
def test_the_mark_of_u_lies_on_the_side_of_the_verdict_and_no_mark_crosses_a_word_of_the_scale(still, role, below):
    run(still)
    for i in range(min(10, tokens(still, role).count())):
        tokens(still, role).nth(i).click()
        keep, mark = still.locator(".sv-u-keep").bounding_box(), still.locator(".sv-u-mark").bounding_box()
        assert (mark["x"] < keep["x"] + keep["width"]) == below
        for tried in (None, "0.02", "0.5", "0.97"):
            if tried:
                still.get_by_role("slider", name="Try another u").fill(tried)
            assert still.locator(".sv-u-try").evaluate(CROSSED) == [], (i, tried)


CROSSED = """box => {
  const slider = box.querySelector('.sv-try'), at = slider.getBoundingClientRect();
  const thumb = at.left + 9 + (at.width - 18) * slider.value;
  const mark = box.querySelector('.sv-u-mark').getBoundingClientRect();
  const marks = [[mark.left, mark.right], [thumb - 8, thumb + 8]];
  return [...box.querySelectorAll('.sv-u-keep, .sv-u-reject')].flatMap(band => {
    if (band.dataset.side === 'none') return [];
    const range = document.createRange();
    range.selectNodeContents(band);
    const word = range.getBoundingClientRect();
    return marks.filter(([from, to]) => to > word.left && from < word.right).map(() => band.textContent);
  });
}"""


def test_small_probabilities_keep_two_digits_and_their_columns_apart(still):
    run(still)
    rows = lane(still, "speculative").evaluate(
        """lane => [...lane.querySelectorAll('.sv-token')].flatMap(t => { t.click();
            return [...document.querySelectorAll('.sv-inspector .sv-bar-row:not(.sv-bar-head)')]
            .map(row => [...row.querySelectorAll('.sv-value')].map(v => [v.textContent, v.scrollWidth <= v.clientWidth])) })"""
    )
    values = [value for row in rows for value in row]
    assert any(len(text) >= 7 for text, _ in values) and [text for text, fits in values if not fits] == []
    assert not any("<" in text for text, _ in values)


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
    assert fits(page) and objections(page, ".sv-round") == []


SHOWN = ".sv-plot .main-svg"


def plot(page, button: str = "Plot p and q"):
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(SHOWN).first).to_be_visible()
    return page.get_by_role("dialog")


def choose(page, prompt: str = "Once upon a time"):
    run_on_app(page, prompt)
    tokens(page, "rejected").first.click()


def test_plotlys_script_is_asked_for_once_and_only_when_a_plot_is_opened(visit):
    asked = []
    visit.on("request", lambda request: asked.append(request.url))
    visit.reload()
    choose(visit)
    expect(visit.locator(".sv-inspector .sv-bars").first).to_be_visible()
    visit.keyboard.press("End")
    assert not [url for url in asked if "plotly" in url.lower()]
    plot(visit)
    visit.keyboard.press("Escape")
    plot(visit, "Plot acceptance")
    assert len([url for url in asked if "plotly" in url.lower()]) == 1


def test_the_plot_holds_exact_values_zooms_and_is_logarithmic_when_that_is_pressed(visit):
    choose(visit)
    dialog = plot(visit)
    dialog.locator(".bars .point").first.hover(force=True)
    label = dialog.locator(".hovertext")
    expect(label).to_contain_text("p = 0.")
    shown = visit.locator(".sv-inspector .sv-bars .sv-bar-row .sv-value").nth(2).inner_text()
    exact = label.text_content().split("p = ")[1].split("q")[0]
    assert float(exact) == pytest.approx(float(shown), rel=0.01) and len(exact) >= len(shown)
    ends = "() => document.querySelector('.sv-plot-figure').layout.xaxis.range"
    whole = visit.evaluate(ends)
    area = dialog.locator(".nsewdrag").bounding_box()
    visit.mouse.move(area["x"] + area["width"] * 0.1, area["y"] + 10)
    visit.mouse.down()
    visit.mouse.move(area["x"] + area["width"] * 0.5, area["y"] + area["height"] - 10, steps=5)
    visit.mouse.up()
    visit.wait_for_function(f"({ends})()[1] < {whole[1]}")
    toggle = dialog.get_by_role("button", name="Logarithmic")
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "true")
    visit.wait_for_function("document.querySelector('.sv-plot-figure').layout.xaxis.type === 'log'")


def test_a_plot_is_worked_by_keys_gives_its_picture_and_sends_nothing(visit, tmp_path):
    choose(visit)
    button = visit.get_by_role("button", name="Plot p and q", exact=True)
    button.focus()
    visit.keyboard.press("Enter")
    expect(visit.locator(SHOWN).first).to_be_visible()
    names = visit.locator(".modebar-btn").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert names == ["Download plot as a PNG", "Zoom", "Pan", "Zoom in", "Zoom out", "Reset axes"]
    visit.get_by_role("button", name="Logarithmic").focus()
    visit.keyboard.press("Tab")
    assert visit.evaluate("document.activeElement.ariaLabel") == "Download plot as a PNG"
    path = download(visit.get_by_role("button", name="Download plot as a PNG"), tmp_path)
    assert path.name == "specviz-p-and-q.png" and path.read_bytes().startswith(b"\x89PNG")
    assert objections(visit, ".sv-plot") == []
    visit.keyboard.press("Escape")
    expect(visit.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()


def test_tokens_of_anybody_stand_in_a_plot_letter_by_letter(visit):
    choose(visit, "hostile bars")
    dialog = plot(visit)
    # a text without its signs: what a label shows of a long one ends in …
    names = visit.locator(".sv-inspector .sv-bars").first.locator(".sv-bar-name").all_inner_texts()
    labels = [text.replace("\N{NO-BREAK SPACE}", " ") for text in dialog.locator(".ytick text").all_text_contents()]
    named = [name for name in names if name and name != BROWSER["rest"]]
    assert any("<" in name for name in named)
    for name in named[1:]:
        assert any(label == name or name.startswith(label.removesuffix("…")) for label in labels), (name, labels)
    assert dialog.locator("img, script, iframe, svg a, [onerror], .ytick tspan").count() == 0
    dialog.locator(".bars .point").first.hover(force=True)
    expect(dialog.locator(".hovertext")).to_be_attached()
    assert dialog.locator(".hovertext a, .hovertext [style*='bold'], .hovertext [style*='italic']").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_plot_fits_a_phone_in_the_colours_of_the_page(quiet, app, scheme):
    quiet.emulate_media(color_scheme=scheme)
    quiet.set_viewport_size({"width": 390, "height": 844})
    visit = opened(quiet, app)  # at its size: a page that has just become narrow still moves under a press
    choose(visit)
    for name in ("Plot p and q", "Plot acceptance"):
        dialog = plot(visit, name)
        assert dialog.evaluate("e => e.scrollWidth <= e.clientWidth") and fits(visit)
        ground = dialog.locator(".main-svg").first.evaluate("e => getComputedStyle(e).backgroundColor")
        assert ground == dialog.evaluate("e => getComputedStyle(e).backgroundColor")
        visit.keyboard.press("Escape")


def test_a_plot_that_does_not_come_says_so_and_comes_with_the_next_press(visit):
    choose(visit)
    visit.route("**/plotly.js", lambda route: route.fulfill(body=""))
    visit.get_by_role("button", name="Plot p and q", exact=True).click()
    expect(visit.get_by_role("dialog")).to_contain_text(BROWSER["plot_lost"])
    visit.keyboard.press("Escape")
    visit.unroute("**/plotly.js")
    plot(visit)
