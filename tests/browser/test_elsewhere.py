"""A run elsewhere: in somebody else's Gradio app, in a notebook's cell, and as a file from a mail, without a server or a network."""

import re

import gradio as gr
import pytest
from playwright.sync_api import expect

import specviz
from specviz.config import ASSETS
from specviz.page.keep import recorded
from specviz.page.keep.recorded import load
from specviz.page.learn.chapters import CHAPTERS
from specviz.picture.frame import show
from specviz.picture.replay import BROWSER, handout

from ..fake_trace import fake_trace
from ..products import some
from .conftest import faultless
from .person import fits, lane, run, save, tokens


def app():
    with gr.Blocks() as demo:
        gr.Markdown("# Somebody else's app")
        race = specviz.Race(specviz.read(ASSETS / "traces" / "opening.jsonl.gz"))
        again = gr.Button("Another run", elem_id="again")
        again.click(lambda: load("hot"), None, race)
        chapter = specviz.Lesson(4)
        gr.Button("Another chapter", elem_id="turn").click(lambda: 6, None, chapter)
    return demo


def test_an_app_of_somebody_else_places_a_race_and_a_chapter_and_gives_them_others(page):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    demo = app()
    _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    page.goto(url)
    expect(lane(page, "speculative")).to_contain_text("Once upon a time", timeout=60_000)
    expect(page.locator(".sv-story")).to_have_count(0)  # nobody asked for one there
    page.locator(".sv-play").click()
    page.locator(".sv-lane[data-lane=speculative] [data-role=rejected]").first.click()
    expect(page.locator(".sv-inspector-head")).to_contain_text("rejected")
    expect(page.get_by_text("p and q at this position")).to_be_visible()
    prompt = load("hot").header.prompt[:20]
    page.locator("#again").click()
    expect(lane(page, "vanilla")).to_contain_text(prompt)
    article = page.locator("article.lrn-chapter")
    expect(article).to_contain_text("Chapter 4 of 12")
    expect(article.locator("h2")).to_have_text(CHAPTERS[3].title)
    expect(page.locator("#learn").get_by_role("button", name="Next")).to_have_count(0)  # it stands alone
    article.locator("+ footer summary").click()
    more, foot = page.evaluate("['.lrn-more', '.lrn-foot'].map(name => document.querySelector(name).offsetWidth)")
    assert more > foot / 2  # not in the column of a button that leads back
    article.locator(".sv-choice").nth(1).click()
    expect(article.locator(".lrn-why")).to_be_visible()
    page.locator("#turn").click()
    expect(article.locator("h2")).to_have_text(CHAPTERS[5].title)
    assert "chapter" not in page.url and page.evaluate("localStorage.getItem('specviz.answers')") is None
    demo.close(verbose=False)
    assert errors == []


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


def test_the_hand_out_that_is_saved_shows_the_same_run_as_the_page_and_replays_it(still, reading, tmp_path):
    run(still, "Handed out story", seed=4)
    tokens(still, "rejected").first.click()
    lanes = [lane(still, name).inner_text() for name in ("vanilla", "speculative")]
    numbers = [line for line in still.locator(".sv-numbers").inner_text().splitlines() if line]
    numbers.remove(BROWSER["plot_positions"])  # a file has no script of Plotly's to fetch
    page = reading(path=save(still, tmp_path, "handout"))
    assert [lane(page, name).inner_text() for name in ("vanilla", "speculative")] == lanes
    assert [line for line in page.locator(".sv-numbers").inner_text().splitlines() if line] == numbers
    expect(page.locator(".sv-numbers")).to_contain_text("seed 4")
    expect(page.locator(".sv-numbers")).to_contain_text("story-target (8.4 M)")
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    page.get_by_role("button", name=BROWSER["restart"]).click()
    expect(page.locator(".sv-lane[data-lane=speculative].sv-over")).to_be_visible()
    tokens(page, "rejected").first.click()
    expect(page.locator(".sv-sentence")).to_contain_text("is the correction, drawn from the residual")
    expect(page.locator(".sv-inspector .sv-bars").first).to_be_visible()


def test_it_follows_the_colours_the_width_and_the_paper_of_its_reader(reading):
    page = reading(fake_trace(verifier="threshold"))
    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(15, 20, 25)")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body")).to_have_css("background-color", ground)  # its script hears of the change after the change
    for width in (390, 1920):
        page.set_viewport_size({"width": width, "height": 844})
        assert fits(page), width
    page.set_viewport_size({"width": 718, "height": 844})  # a page of A4 between its margins
    page.emulate_media(media="print")
    for part in (".sv-verdict strong", ".sv-headline .sv-not-exact", ".sv-lane >> nth=1", ".sv-numbers"):
        expect(page.locator(part)).to_be_visible()
    for part in ("button:not(.sv-term, .sv-phase)", "input", ".sv-stepper", ".sv-keys"):
        assert page.locator(part).evaluate_all("l => l.filter(e => e.checkVisibility()).map(e => e.outerHTML)") == []
    assert fits(reading(recorded.load("tree"), width=320))


def test_where_the_system_sets_the_colours_what_colour_alone_tells_keeps_its_own(reading):
    page = reading(fake_trace(), forced_colors="active")
    tokens(page, "rejected").first.click()
    bars = ".sv-inspector .sv-fill", ".sv-numbers .sv-fill", ".sv-key", ".sv-u-track > *", ".sv-u-mark"
    filled = *bars, ".sv-node-keep", ".sv-node-u", ".sv-cell[data-state=held]", ".sv-meter-fill"
    pale = """l => l.filter(e => getComputedStyle(e, e.matches('.sv-key') ? '::before' : null).backgroundColor ===
        getComputedStyle(document.body).backgroundColor).map(e => `${e.className} ${e.dataset.series}`)"""
    bars = page.locator(".sv-chart-area").evaluate_all("all => all.map((e) => getComputedStyle(e).fill)")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") not in bars and len(set(bars)) == 3
    for parts in (*map(page.locator, filled), tokens(page, "accepted"), tokens(page, "corrected")):
        assert parts.count() and parts.evaluate_all(pale) == [], parts


def test_nothing_but_the_script_and_the_style_that_stand_in_it_is_allowed_and_none_that_came_in_runs(context, tmp_path):
    text = handout(fake_trace())
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    assert re.findall(r"(?:src|href|action)\s*=\s*[\"']|url\(|@import", text.split('<script type="application/json"')[0]) == []
    path = tmp_path / "changed.html"
    path.write_text(text.replace("</main>", "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'></main>"))
    page = context.new_page()
    page.goto(path.as_uri())
    expect(lane(page, "vanilla")).to_be_visible()
    assert page.evaluate("window.ran") is None


CHANGES = {"cancelled": 2, "temperature": 0.0, "K": 0, "verifier": "match", "drafter": "lookup", "observed": False}


@pytest.mark.parametrize("settings", some([*({name: value} for name, value in CHANGES.items()), {"cancelled": 0}]))
def test_every_kind_of_run_can_be_handed_out(reading, settings):
    page = reading(fake_trace(**settings))
    expect(lane(page, "vanilla")).to_contain_text("tokens/s")
    expect(page.locator("#timeline [data-round]").first).to_be_attached()


def test_ninety_six_tokens_are_less_than_one_and_a_half_megabytes():
    assert len(handout(fake_trace(max_new_tokens=96, K=8)).encode()) < 1_500_000
