"""A person opens a plot: Plotly's script comes with the first, and every value of the run can be read off it."""

import pytest
from playwright.sync_api import expect

from specviz.picture.words import BROWSER

from ..conftest import opened
from ..person import download, fits, objections, run, tokens

SHOWN = ".sv-plot .main-svg"


def plot(page, button: str = "Plot p and q"):
    """The plot of the chosen token, drawn."""
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.locator(SHOWN).first).to_be_visible()
    return page.get_by_role("dialog")


def choose(page, prompt: str = "Once upon a time"):
    run(page, prompt)
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
