"""The tab Learn as a class meets it: chapters that ask, move when they are asked to, are printed, lead to Watch and back."""

import re

import pytest
from playwright.sync_api import expect

from specviz.drafters import DRAFTERS
from specviz.page.lab.panels import PANELS
from specviz.page.learn.chapter import Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import ending, excerpts, for_browser
from specviz.page.learn.pack import pack, sheet
from specviz.picture.replay import TERMS
from specviz.words import learn as words

from ..fake_trace import fake_trace
from ..products import later, some
from .conftest import opened
from .fake_engine import FakeEngine
from .person import download, fits, learn, more, objections, press, tokens, within_reach

PAGE = for_browser()["page"]
LAST = len(CHAPTERS)
PLACE = {chapter.key: n for n, chapter in enumerate(CHAPTERS, 1)}


def title(page):
    return page.locator("#learn h2")


def button(page, name: str):
    return page.locator("#learn").get_by_role("button", name=name)


def answer(page, n: int) -> None:
    """Choose something, or say a number, so that the answer is there."""
    if isinstance(CHAPTERS[n - 1].question, Question):
        page.locator(".sv-choice").first.click()
    else:
        page.locator(".lrn-question input").fill("4")
        page.locator(".lrn-guessed").click()
        expect(page.locator(".lrn-why strong")).to_be_visible()


@pytest.mark.parametrize("chapters", [CHAPTERS[::4], pytest.param(CHAPTERS, marks=pytest.mark.full)], ids=["some", "all"])
def test_try_it_sets_every_control_opens_watch_and_runs(quiet, app, engine, chapters):
    quiet.set_viewport_size({"width": 1366, "height": 768})
    opened(quiet, app)
    more(quiet)
    for chapter in chapters:
        n = PLACE[chapter.key]
        within_reach(quiet, "#seed input").fill("77")
        quiet.get_by_role("tab", name="Learn").click()
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        button(quiet, "Try it in Watch").click()
        wanted = chapter.settings
        expect(quiet.locator("#prompt textarea")).to_be_visible()
        expect(quiet.locator("#prompt textarea")).to_have_value(wanted["prompt"])
        for name in ("K", "temperature", "length"):
            expect(quiet.locator(f"#{name} input[type=number]")).to_have_value(wanted[name])
        expect(quiet.locator("#seed input")).to_have_value("0")
        expect(quiet.locator(".sv-status")).to_contain_text(f"Back to chapter {n}")
        settings = f"K = {wanted['K']} · temperature {wanted['temperature']} ·"
        expect(quiet.locator(".sv-settings-line")).to_contain_text(settings)  # it ran: those of the chapter before are others
        expect(quiet.locator("#run")).to_be_enabled()
        expect(quiet.locator(".sv-inspector-head")).to_have_count(0)  # both lanes are seen
        tokens(quiet, "plain", "vanilla").first.click()
        expect(quiet.locator(".sv-inspector-head")).to_be_visible()
        if wanted["drafter"] in FakeEngine().drafters():
            expect(quiet.locator("#drafter input")).to_have_value(DRAFTERS[wanted["drafter"]][0])
            assert engine.asked_for(wanted["prompt"])[0] == wanted["drafter"]
        expect(quiet).to_have_url(f"{app}/")


def test_projector_mode_is_large_and_alone_and_escape_leaves_it(quiet, components):
    quiet.set_viewport_size({"width": 1440, "height": 900})
    learn(quiet, components, 5)
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    before = quiet.locator(".lrn-text").first.evaluate(size)
    quiet.keyboard.press("p")
    expect(quiet.locator("#masthead")).to_be_hidden()
    expect(quiet.get_by_role("tab", name="Watch")).to_be_hidden()
    assert quiet.locator(".lrn-text").first.evaluate(size) > 1.1 * before
    quiet.keyboard.press("ArrowRight")
    expect(title(quiet)).to_have_text(CHAPTERS[5].title)
    quiet.keyboard.press("Escape")
    expect(quiet.locator("#masthead")).to_be_visible()
    button(quiet, "Projector").press("Enter")
    expect(quiet.locator("#masthead")).to_be_hidden()
    expect(button(quiet, "Leave projector")).to_be_focused()
    quiet.keyboard.press("Enter")
    expect(quiet.locator("#masthead")).to_be_visible()
    expect(button(quiet, "Projector")).to_be_focused()
    button(quiet, "Lesson").press("Enter")
    expect(button(quiet, "Lesson")).to_be_focused()


def test_a_number_in_the_bar_has_its_chapters_short_name_for_the_ear_and_for_keys(quiet, components):
    quiet.set_viewport_size({"width": 1280, "height": 800})
    learn(quiet, components, 1)
    second, third = (quiet.get_by_role("button", name=f"{i} {CHAPTERS[i - 1].short}", exact=True) for i in (2, 3))
    second.press("Tab")
    expect(third).to_be_focused()
    assert [one.locator("span").bounding_box()["height"] > 12 for one in (second, third)] == [False, True]


def test_after_the_last_chapter_five_questions_with_reasons_give_a_result_that_can_be_kept(quiet, components, tmp_path):
    learn(quiet, components, LAST)
    button(quiet, "Finish").click()
    dialog = quiet.get_by_role("dialog", name="What you can do now")
    assert dialog.locator(".lrn-able li").all_inner_texts() == [chapter.exercise.able[0] for chapter in CHAPTERS]
    expect(dialog.get_by_role("button", name="Keep the result")).to_be_disabled()
    questions = ending()["questions"]
    for one, question in zip(dialog.locator(".lrn-asked > li").all(), questions, strict=True):
        at = question["right"] if question is not questions[-1] else (question["right"] + 1) % len(question["choices"])
        one.locator(".sv-choice").nth(at).click()
        expect(one).to_contain_text(question["why"])
    expect(dialog).to_contain_text("4 of 5 right")
    text = download(dialog.get_by_role("button", name="Keep the result"), tmp_path).read_text("utf-8")
    assert "4 of 5 questions right" in text and CHAPTERS[0].exercise.able[0] in text
    assert all(href.startswith("https://") for href in dialog.locator("a").evaluate_all("all => all.map(a => a.href)"))
    assert objections(quiet) == []
    quiet.reload()
    button(quiet, "Finish").click()
    expect(dialog).to_contain_text("4 of 5 right")  # this browser keeps it


def test_what_a_teacher_and_a_student_print_opens_beside_the_page(quiet, app):
    learn(quiet, app, 1)
    quiet.evaluate(  # whatever the server takes, the tab is there when the click is over: later a browser would block it
        """() => { const open = window.open; window.opened = [];
        window.open = (...how) => { window.opened.push(window.clicking); return open(...how) };
        addEventListener("click", () => { window.clicking = true; setTimeout(() => { window.clicking = false }) }, true) }"""
    )
    with quiet.expect_popup() as opening:
        button(quiet, "To print").click()
    assert quiet.evaluate("window.opened") == [True]
    pack = opening.value
    expect(pack.get_by_role("heading", name=words.PRINTED["definitions"])).to_be_visible()
    expect(pack.get_by_role("heading", name=CHAPTERS[-1].title)).to_have_count(3)  # a work sheet, its key, the table of engines
    with quiet.expect_popup() as opening:
        button(quiet, PAGE["sheet"]).click()
    expect(opening.value.get_by_text("Name Date")).to_be_visible()


def outside(page) -> list[str]:
    return page.evaluate("""() => [...document.querySelectorAll('#learn *')].filter(e => {
        const r = e.getBoundingClientRect();
        return r.width > 1 && (r.right > innerWidth + 1 || r.left < -1) && !e.closest('.sv-unseen')
      }).map(e => e.outerHTML.slice(0, 80))""")


@pytest.mark.parametrize("width", some([390, 768, 1440, 1920], 390))
def test_every_chapter_fits_its_width_and_on_a_laptop_its_height(quiet, app, width):
    quiet.set_viewport_size({"width": width, "height": 1080 if width == 1920 else 900})
    learn(quiet, app, 1)
    for n in range(1, LAST + 1):
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        expect(title(quiet)).to_have_text(CHAPTERS[n - 1].title)
        answer(quiet, n)
        assert fits(quiet), n
        assert outside(quiet) == [], n
        if width >= 1440:
            way_on = quiet.locator(".lrn-turn >> nth=1").bounding_box()  # under that of the first chapter is a game
            assert way_on["y"] + way_on["height"] <= quiet.viewport_size["height"], n


@pytest.mark.parametrize(
    ("theme", "projected", "asks_axe"), [("dark", False, 4), *later([("dark", False, 1), ("light", True, 1)])]
)
def test_on_a_small_screen_too_an_answered_chapter_needs_no_scrolling_and_axe_objects_to_nothing(
    quiet, app, theme, projected, asks_axe
):
    """1280 × 720, a projector's own size: the picture with its player, the answer and the way on are all in sight, in every view. Axe is
    asked of each chapter whose number `asks_axe` divides."""
    quiet.set_viewport_size({"width": 1280, "height": 720})
    quiet.goto(f"{app}/?chapter=1&__theme={theme}")
    expect(title(quiet)).to_be_visible()
    if projected:
        quiet.keyboard.press("p")
    for n in range(1, LAST + 1):
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        expect(title(quiet)).to_have_text(CHAPTERS[n - 1].title)
        answer(quiet, n)
        assert n % asks_axe or objections(quiet, "#learn") == [], n
        views = quiet.locator(".lrn-views button")
        for nth in range(max(1, views.count())):
            if views.count():
                views.nth(nth).click()
            for needed in (".lrn-words .lrn-why", ".lrn-told", ".lrn-player", ".lrn-turn >> nth=1"):
                box = quiet.locator(needed).bounding_box()
                assert box["y"] >= 0 and box["y"] + box["height"] <= 720, (n, nth, needed)
            assert outside(quiet) == [], n


def test_on_a_phone_each_fact_keeps_the_name_of_its_column_and_no_name_of_a_row_is_cut(quiet, components):
    quiet.set_viewport_size({"width": 390, "height": 844})
    learn(quiet, components, PLACE["ways"])
    cells = quiet.locator(".lrn-ways tbody tr").first.locator("td")
    columns = cells.evaluate_all("all => all.map(e => getComputedStyle(e, '::before').content.replaceAll('\"', ''))")
    assert columns[1:] == [PAGE[name] for name in ("way_reads", "way_cost", "way_published")]
    for width in (390, 1280):
        quiet.set_viewport_size({"width": width, "height": 844})
        for n, view in ((9, "In a run"), (11, "Calculated: a server")):
            learn(quiet, components, n)
            button(quiet, view).click()
            names = quiet.locator(".sv-bar-row .sv-bar-name")
            expect(names.first).to_be_visible()
            cut = "all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
            assert names.evaluate_all(cut) == [], (width, n)


def meaning(page):
    return page.locator(".sv-meaning")


def test_a_term_says_what_it_means_on_hover_on_focus_and_on_a_tap(quiet, components):
    learn(quiet, components, PLACE["accept"])
    alpha = quiet.locator(".lrn-text .sv-term", has_text="α")
    alpha.hover()
    expect(meaning(quiet)).to_have_text(f"α {TERMS['alpha'].says}")
    quiet.locator("h2").first.hover()
    expect(meaning(quiet)).to_be_hidden()
    alpha.focus()
    expect(meaning(quiet)).to_be_visible()
    assert alpha.get_attribute("aria-describedby") == meaning(quiet).get_attribute("id")
    quiet.keyboard.press("Escape")
    expect(meaning(quiet)).to_be_hidden()
    beta = quiet.locator(".lrn-text .sv-term", has_text="β")
    beta.dispatch_event("click")  # a finger
    expect(meaning(quiet)).to_contain_text(TERMS["beta"].says)
    box, at = meaning(quiet).bounding_box(), beta.bounding_box()
    assert box["y"] >= at["y"] + at["height"] and box["x"] >= 0


def test_what_the_notes_say_when_they_are_alone_does_not_colour_a_chapter(quiet, components):
    picture = learn(quiet, components, 1)
    grounds = picture.locator("> div").evaluate_all("all => all.map((each) => getComputedStyle(each).backgroundColor)")
    assert set(grounds) == {"rgba(0, 0, 0, 0)"}


def number(page):
    return page.locator(".lrn-chapters [aria-current=page] b")


def test_back_and_forward_walk_chapters_and_tabs_and_watch_stays_as_it_was(still, app):
    panel = still.locator(".lab-panel:visible h2")
    expect(still.locator(".lrn")).to_have_count(0)
    assert still.evaluate("() => 'specvizLab' in window") is False
    still.locator("#prompt textarea").fill("Half a thought")
    press(still, "Begin with Learn")
    expect(number(still)).to_have_text("1")
    expect(still).to_have_url(f"{app}/?chapter=1")
    for n in ("2", "3"):
        still.keyboard.press("Tab")
        still.locator(".lrn-turn").last.click()
        expect(number(still)).to_have_text(n)
    still.get_by_role("tab", name="Lab").click()
    expect(panel).to_have_text(PANELS[0].title)
    expect(still).to_have_url(re.compile(f"lab={PANELS[0].key}"))
    assert "chapter" not in still.url
    expect(still.locator('.lab-box[id^="lab-"]:visible')).to_have_attribute("id", f"lab-{PANELS[0].key}")  # no other takes room
    for n in ("3", "2", "1"):
        still.go_back()
        expect(number(still)).to_have_text(n)
        expect(number(still)).to_be_visible()
    still.go_back()
    expect(still.locator("#run")).to_be_visible()
    expect(still).to_have_url(f"{app}/")
    expect(still.locator("#prompt textarea")).to_have_value("Half a thought")
    still.reload()  # then Learn was never open in this document
    expect(still.locator("#race .sv-invitation")).to_be_visible()
    for n in ("1", "2", "3"):
        still.go_forward()
        expect(number(still)).to_be_visible()
        expect(number(still)).to_have_text(n)
        expect(still).to_have_url(re.compile(f"chapter={n}"))
    still.go_forward()
    expect(panel).to_be_visible()
    still.get_by_role("button", name="Projector").press("Enter")
    still.set_viewport_size({"width": 1000, "height": 700})  # the bar is drawn anew
    expect(still.get_by_role("button", name="Leave projector")).to_be_focused()


def test_try_it_in_watch_leads_back_and_what_it_tried_is_not_kept_for_the_next_visit_though_it_was_run(still, app):
    still.locator("#prompt textarea").fill("Two birds")
    still.locator("#run").click()  # gradio may hear of the prompt no earlier
    still.wait_for_function("() => localStorage.getItem('specviz.settings') !== null")
    learn(still, app, 5)
    for way in ("the button", "the browser"):
        still.locator(".lrn-try").click()
        expect(still.locator("#run")).to_be_visible()
        if way == "the button":
            prompt = still.locator(".sv-lane[data-lane=speculative] [data-role=prompt]")
            expect(prompt.first).to_have_text(CHAPTERS[4].settings["prompt"].split(" ")[0])
            expect(still.locator("#run")).to_be_enabled()
            still.get_by_role("button", name="Back to chapter 5").click()
        else:
            expect(still).not_to_have_url(re.compile("chapter"))  # as soon as Watch is drawn: a driver can be faster
            still.go_back()
        expect(number(still)).to_be_visible()
        expect(number(still)).to_have_text("5")
    assert still.evaluate("localStorage.getItem('specviz.settings')") == '"prompt=Two+birds"'


def test_the_keys_of_a_tab_work_right_after_it_was_chosen(still):
    for tab, bar in (("Learn", ".lrn-toggles"), ("Lab", ".lab-bar")):
        still.get_by_role("tab", name=tab).click()
        expect(still.locator(bar).get_by_role("button", name="Projector", exact=True)).to_be_visible()
        still.keyboard.press("p")
        expect(still.locator(bar).get_by_role("button", name="Leave projector")).to_be_visible()
        still.keyboard.press("Escape")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_students_sheet_is_two_pages_and_the_pack_has_a_page_for_each_work_sheet(page, paper):
    def pages(html):
        page.set_content(html)
        return len(re.findall(rb"/Type */Page\b", page.pdf(format=paper)))

    assert pages(sheet(excerpts())) == 2 and pages(pack(excerpts())) <= 24


def test_bars_are_printed_with_their_colours(reading):
    page = reading(fake_trace())
    page.locator(".sv-token[data-role=accepted]").first.click()
    bars = page.locator(".sv-bars .sv-fill")
    assert bars.count()
    assert set(bars.evaluate_all("all => all.map((bar) => getComputedStyle(bar).printColorAdjust)")) == {"exact"}
