"""The tab Learn as a class meets it: chapters that ask, move when they are asked to, and lead to Watch."""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.page.keep import recorded
from specviz.page.learn import words
from specviz.page.learn.chapter import COPY, Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.chapters.alone import passes
from specviz.page.learn.chapters.busy import busy
from specviz.page.learn.ending import ending
from specviz.page.learn.lesson import excerpts, for_browser
from specviz.page.learn.path import stops
from specviz.page.words import DRAFTERS
from specviz.picture.glossary import TERMS
from tests.fake_trace import HOSTILE, fake_trace

from ...products import some
from ..components import served as mounted
from ..conftest import opened
from ..fake_engine import FakeEngine
from ..person import learn, more, moves
from ..test_page import CONTRAST

pytestmark = pytest.mark.browser
PAGE = for_browser()["page"]
LAST = len(CHAPTERS)
PLACE = {chapter.key: n for n, chapter in enumerate(CHAPTERS, 1)}
every = pytest.mark.parametrize("n", range(1, LAST + 1))
PICTURE = ".lrn-picture"


@pytest.fixture
def quiet(watched):
    """For a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    return watched


@contextmanager
def served(engine, load):
    """The address of an app with this engine, whose lessons are drawn from these runs."""
    from specviz.page.build import build, launch_settings

    blocks = build(engine, load=load)
    _, url, _ = blocks.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", **launch_settings())
    try:
        yield url.rstrip("/")
    finally:
        blocks.close(verbose=False)


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


def slide(page, box, value: float) -> None:
    box.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})) }", value)


# ---- opening, and going about ----


def test_the_tab_is_drawn_when_it_is_opened_and_watch_stays_as_it_was(quiet, app):
    opened(quiet, app)
    expect(quiet.locator(".lrn")).to_have_count(0)
    quiet.locator("#prompt textarea").fill("Half a thought")
    quiet.get_by_role("tab", name="Learn").click()
    expect(title(quiet)).to_have_text(CHAPTERS[0].title)
    expect(quiet).to_have_url(f"{app}/?chapter=1")
    quiet.get_by_role("tab", name="Watch").click()
    expect(quiet.locator("#prompt textarea")).to_have_value("Half a thought")
    expect(quiet).to_have_url(f"{app}/")


@every
def test_an_address_opens_its_chapter_at_its_beginning_with_its_sources(watched, components, n):
    learn(watched, components, n)
    chapter = CHAPTERS[n - 1]
    expect(title(watched)).to_have_text(chapter.title)
    expect(watched.locator(".lrn-chapters [aria-current]")).to_contain_text(str(n))
    assert watched.locator(".lrn-player input").input_value() == "0"  # there is something to read first
    assert watched.locator(".lrn-sources").inner_text().count("·") >= len(chapter.sources) - 1


@pytest.mark.parametrize("n", some(range(1, LAST + 1), 8))  # the same player plays the others
def test_the_picture_moves_when_it_is_asked_to(watched, components, n):
    learn(watched, components, n)
    button(watched, "Play").click()
    expect(button(watched, "Pause")).to_be_visible()
    moves(watched, PICTURE, moves(watched, PICTURE))


@every
def test_without_motion_a_picture_stands_at_its_end_and_can_be_stepped(quiet, components, n):
    learn(quiet, components, n)
    time = quiet.locator(".lrn-player input")
    expect(button(quiet, "Play again")).to_be_visible()
    assert time.input_value() == time.get_attribute("max")
    told = quiet.locator(".lrn-told").inner_text()
    button(quiet, "Step back").click()
    expect(quiet.locator(".lrn-told")).not_to_have_text(told)
    assert float(time.input_value()) < float(time.get_attribute("max"))
    button(quiet, "Step on").click()
    expect(quiet.locator(".lrn-told")).to_have_text(told)


@pytest.mark.parametrize("asked", some(["0", "99", "x", "5<b>", "%00"], "99", "5<b>"))
def test_an_address_without_such_a_chapter_opens_watch(quiet, app, asked):
    opened(quiet, f"{app}/?chapter={asked}")
    expect(quiet.get_by_role("tab", name="Watch")).to_have_attribute("aria-selected", "true")


def test_arrow_keys_turn_the_page_and_the_address_keeps_up(quiet, app):
    learn(quiet, app, 4)
    quiet.keyboard.press("ArrowRight")
    expect(title(quiet)).to_have_text(CHAPTERS[4].title)
    expect(quiet).to_have_url(f"{app}/?chapter=5")
    quiet.keyboard.press("ArrowLeft")
    quiet.keyboard.press("ArrowLeft")
    expect(title(quiet)).to_have_text(CHAPTERS[2].title)
    quiet.reload()
    expect(title(quiet)).to_have_text(CHAPTERS[2].title)


def test_arrow_keys_inside_a_control_are_the_controls(quiet, components):
    learn(quiet, components, PLACE["speed"])
    c = quiet.get_by_label("c, a draft step")
    button(quiet, PAGE["view_map"]).click()
    c.focus()
    before = float(c.input_value())
    quiet.keyboard.press("ArrowRight")
    assert float(c.input_value()) > before
    expect(quiet).to_have_url(f"{components}/?chapter={PLACE['speed']}")
    learn(quiet, components, PLACE["verify"])
    for key, at in (("ArrowRight", "1"), ("ArrowLeft", "0")):
        quiet.locator(".sv-node[tabindex='0']").focus()
        quiet.keyboard.press(key)
        expect(quiet.locator(f".sv-node[data-at='{at}']")).to_be_focused()


def test_while_a_dialog_is_open_no_key_is_the_lesson_s(quiet, components):
    learn(quiet, components, 5)
    quiet.keyboard.press("p")
    button(quiet, "Glossary").click()
    for key in ("ArrowRight", "n", "p"):
        quiet.keyboard.press(key)
    expect(title(quiet).first).to_have_text(CHAPTERS[4].title)
    expect(quiet.locator("dialog")).to_be_visible()
    quiet.keyboard.press("Escape")
    expect(quiet.locator("dialog")).to_have_count(0)
    expect(quiet.locator("#masthead")).to_be_hidden()  # still on the projector


def test_keys_of_a_chapter_do_nothing_in_watch(quiet, components):
    learn(quiet, components, 4)
    quiet.get_by_role("tab", name="Watch").click()
    quiet.locator("#masthead").click()
    for key in ("p", "n", "ArrowRight"):
        quiet.keyboard.press(key)
    expect(quiet.locator("#masthead")).to_be_visible()
    quiet.get_by_role("tab", name="Learn").click()
    expect(title(quiet)).to_have_text(CHAPTERS[3].title)


def test_the_bar_and_the_buttons_below_turn_the_page_too(quiet, components):
    learn(quiet, components, 1)
    expect(button(quiet, "Previous")).to_be_disabled()
    button(quiet, "Next").click()
    expect(title(quiet)).to_have_text(CHAPTERS[1].title)
    quiet.locator(".lrn-chapters button").nth(LAST - 1).click()
    expect(title(quiet)).to_have_text(CHAPTERS[-1].title)
    expect(quiet.locator(".lrn-chapters button").nth(LAST - 1)).to_be_focused()
    expect(button(quiet, "Next")).to_have_count(0)
    expect(button(quiet, "Finish")).to_be_visible()


def test_space_plays_and_pauses(watched, components):
    learn(watched, components, 7)
    expect(button(watched, "Play")).to_be_visible()
    watched.keyboard.press("Space")
    expect(button(watched, "Pause")).to_be_visible()
    watched.keyboard.press("Space")
    expect(button(watched, "Play")).to_be_visible()


def test_comma_and_full_stop_step_the_picture(quiet, components):
    learn(quiet, components, 5)
    told = quiet.locator(".lrn-told")
    last = told.inner_text()
    assert "the acceptance rate" in last
    quiet.keyboard.press(",")
    expect(told).to_contain_text("is not below p/q")
    quiet.keyboard.press(",")
    expect(told).to_contain_text("u is drawn")
    quiet.keyboard.press(",")
    expect(told).to_contain_text("the overlap β")
    for _ in range(3):
        quiet.keyboard.press(".")
    expect(told).to_have_text(last)


# ---- the question ----


@pytest.mark.parametrize("n", [n for n, chapter in enumerate(CHAPTERS, 1) if isinstance(chapter.question, Question)])
def test_a_prediction_is_answered_with_the_reason(quiet, components, n):
    learn(quiet, components, n)
    asked = CHAPTERS[n - 1].question
    wrong = (asked.right + 1) % len(asked.choices)
    why = quiet.locator(".lrn-why")
    expect(why).not_to_contain_text(asked.why)
    quiet.locator(".sv-choice").nth(wrong).focus()
    quiet.keyboard.press("Enter")
    expect(why).to_have_text(f"{PAGE['wrong']} {asked.why}")
    quiet.locator(".sv-choice").nth(asked.right).click()
    expect(why).to_have_text(f"{PAGE['right']} {asked.why}")
    expect(quiet.locator(".sv-choice[aria-pressed=true]")).to_contain_text(asked.choices[asked.right])
    quiet.keyboard.press("Shift+Tab")
    button(quiet, "Next" if n < LAST else "Previous").click()
    quiet.locator(".lrn-chapters button").nth(n - 1).click()
    expect(why).to_contain_text(asked.why)  # what was answered stays answered


def test_chapter_2_takes_a_number_and_measures_it(quiet, components, engine):
    learn(quiet, components, 2)
    why = quiet.locator(".lrn-why")
    expect(why).to_have_text(PAGE["guess_first"])
    field = quiet.locator(".lrn-question input")
    for wrong in ("0", "-3", "1000", ""):
        field.fill(wrong)
        field.press("Enter")
        expect(why).to_have_text(PAGE["guess_bounds"].format(most=99))
    field.fill("6")
    field.press("Enter")
    took = engine.blocks[8] / engine.blocks[1]
    expect(why).to_have_text(f"You said 6.00×, measured here: {took:.2f}×. {CHAPTERS[1].question.why}")
    expect(quiet.locator(".lrn-blocks .sv-fill[data-series=target]")).to_have_count(5 + len(passes()))
    button(quiet, "Next").click()
    button(quiet, "Previous").click()
    expect(field).to_have_value("6")
    expect(why).to_contain_text("You said 6.00×")


# ---- to Watch ----


@pytest.mark.parametrize("chapters", [CHAPTERS[::4], pytest.param(CHAPTERS, marks=pytest.mark.full)], ids=["some", "all"])
def test_try_it_sets_every_control_and_opens_watch(quiet, app, chapters):
    opened(quiet, app)
    more(quiet)
    for chapter in chapters:
        n = PLACE[chapter.key]
        quiet.locator("#seed input").fill("77")
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
        expect(quiet.locator(".sv-settings-line")).to_contain_text(f"K = {wanted['K']}")  # it runs
        expect(quiet.locator("#run")).to_be_enabled()
        if wanted["drafter"] in FakeEngine().drafters():
            expect(quiet.locator("#drafter input")).to_have_value(DRAFTERS[wanted["drafter"]][0])
        expect(quiet).to_have_url(f"{app}/")


def test_what_was_set_is_what_runs(quiet, app, engine):
    learn(quiet, app, PLACE["ways"])
    button(quiet, "Try it in Watch").click()
    expect(quiet.locator("#prompt textarea")).to_have_value(COPY)
    expect(quiet.locator(".sv-lane[data-lane=vanilla] [data-role=prompt]").first).to_have_text("Tim")
    prompt, drafter, config = engine.asked
    assert (prompt, drafter, config.K, config.temperature) == (COPY, "lookup", 6, 0)


# ---- projector and notes ----


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


def test_notes_are_in_a_window_of_their_own_and_follow_the_chapter_that_is_projected(quiet, components):
    learn(quiet, components, 6)
    quiet.keyboard.press("p")
    with quiet.expect_popup() as opening:
        quiet.keyboard.press("n")
    notes = opening.value
    sixth, seventh = CHAPTERS[5], CHAPTERS[6]
    expect(notes.locator("h2")).to_have_text(f"6 · {sixth.title}")
    for said in (*sixth.notes, *sixth.exercise.task, *sixth.exercise.key, sixth.question.why):
        expect(notes.get_by_text(said)).to_be_visible()
        expect(quiet.get_by_text(said)).to_have_count(0)  # never on the wall
    quiet.keyboard.press("ArrowRight")
    expect(notes.get_by_text(seventh.notes[0])).to_be_visible()
    notes.keyboard.press("ArrowLeft")
    expect(title(quiet)).to_have_text(sixth.title)
    expect(notes.get_by_text(sixth.notes[0])).to_be_visible()
    with notes.expect_event("close"):
        button(quiet, "Notes").click()


def test_after_the_last_chapter_five_questions_with_reasons_give_a_result_that_can_be_kept(quiet, components):
    learn(quiet, components, LAST)
    button(quiet, "Finish").click()
    dialog = quiet.get_by_role("dialog", name="What you can do now")
    assert dialog.locator(".lrn-able li").all_inner_texts() == [chapter.exercise.able[0] for chapter in CHAPTERS]
    expect(dialog.get_by_role("button", name="Keep the result")).to_be_disabled()
    asked = ending()["questions"]
    for one, question in zip(dialog.locator(".lrn-asked > li").all(), asked, strict=True):
        at = question["right"] if question is not asked[-1] else (question["right"] + 1) % len(question["choices"])
        one.locator(".sv-choice").nth(at).click()
        expect(one).to_contain_text(question["why"])
    expect(dialog).to_contain_text("4 of 5 right")
    with quiet.expect_download() as kept:
        dialog.get_by_role("button", name="Keep the result").click()
    text = kept.value.path().read_text("utf-8")
    assert "4 of 5 questions right" in text and CHAPTERS[0].exercise.able[0] in text
    assert all(href.startswith("https://") for href in dialog.locator("a").evaluate_all("all => all.map(a => a.href)"))
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    assert Axe().run(quiet).response["violations"] == []
    quiet.reload()
    button(quiet, "Finish").click()
    expect(dialog).to_contain_text("4 of 5 right")  # this browser keeps it


def test_where_no_window_may_open_that_is_said(quiet, components):
    learn(quiet, components, 2)
    quiet.evaluate("() => { window.open = () => null }")
    button(quiet, "Notes").click()
    expect(quiet.locator("#learn [role=alert]")).to_have_text(PAGE["notes_blocked"])
    button(quiet, "To print").click()
    expect(quiet.locator("#learn [role=alert]")).to_have_text(PAGE["pack_blocked"])
    expect(quiet.get_by_text(CHAPTERS[1].notes[0])).to_have_count(0)


def test_what_a_teacher_prints_opens_beside_the_page(quiet, app):
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


# ---- single chapters ----


def test_when_not_to_draft_is_told_batch_by_batch_and_then_by_arithmetic(watched, components):
    learn(watched, components, PLACE["busy"])
    batches, server = watched.locator(".lrn-busy").first, watched.locator(".lrn-server")
    expect(batches).to_be_visible()
    expect(server).to_be_hidden()
    [found, *others] = busy()
    button(watched, "Measured: CPU").click()
    sizes = batches.locator("thead th").all_inner_texts()[1:]
    assert sizes == [str(B) for B in found["batches"]]
    expect(batches.locator("tbody tr").first.locator("td span").first).to_have_text(
        f"{found['rows'][0]['best'][0]['speedup']:.2f}"
    )
    told = watched.locator(".lrn-told")
    expect(batches.locator("td[data-later]")).to_have_count(0)
    expect(told).to_contain_text("don't draft")  # as the answer to the question says
    for later in range(1, len(sizes)):  # back from the last batch, by the keys of a lesson
        watched.keyboard.press(",")
        expect(batches.locator("tbody tr").first.locator("td[data-later]")).to_have_count(later)
        expect(told).to_contain_text(f"{found['v'][len(sizes) - 1 - later]:.2f}")
    for other in others:  # a card that is not full at the last batch
        button(watched, "Measured: NVIDIA H100").click()
        expect(batches).to_be_hidden()
        best = other["rows"][other["spoken"]]["best"][-1]["speedup"]
        expect(told).to_contain_text(f"{best:.2f}×. That is less than for one text, but this machine is not full yet")
    button(watched, PAGE["server"]).click()
    expect(batches).to_be_hidden()
    expect(server.locator(".sv-bar-row")).to_have_count(3)
    expect(button(watched, PAGE["server"])).to_have_attribute("aria-pressed", "true")


def test_the_server_by_arithmetic_follows_its_sliders(quiet, components):
    learn(quiet, components, PLACE["busy"])
    result, room = quiet.locator(".lrn-server .lrn-here"), quiet.locator(".lrn-server > .sv-note").first
    slide(quiet, quiet.get_by_label(PAGE["server_texts"], exact=True), 9)
    slide(quiet, quiet.get_by_label(PAGE["server_context"], exact=True), 9)
    expect(result).to_contain_text("Don't draft: K = 0 is best. K = 1 would be 0.77 times as fast")
    slide(quiet, quiet.get_by_label(PAGE["server_texts"], exact=True), 0)
    expect(result).to_contain_text("Best K: 4, 1.9")
    expect(room).to_contain_text("The memory holds")
    slide(quiet, quiet.get_by_label(PAGE["server_context"], exact=True), 17)
    slide(quiet, quiet.get_by_label(PAGE["server_texts"], exact=True), 10)
    expect(result).to_contain_text("Don't draft: the memory holds")


def test_the_rules_follow_p_and_q_of_three_tokens_and_recorded_positions(quiet, components):
    learn(quiet, components, PLACE["engines"])
    button(quiet, PAGE["view_trio"]).click()
    trio, places = quiet.locator(".lrn-rules").nth(0), quiet.locator(".lrn-rules").nth(1)
    rows = trio.locator(".lrn-by-rule .sv-value")
    expect(rows).to_have_text(["0.80, most", "0.37", "0.30", "never"])
    slide(quiet, trio.get_by_label("p(a)"), 0.9)  # p(b) gives way
    expect(rows).to_have_text(["0.60", "0.49", "0.90, most", "always"])
    expect(trio.locator("output")).to_have_text(["0.90", "0.10", "0.50", "0.40"])
    said = quiet.locator(".lrn-told")
    expect(said).to_have_text(PAGE["by_hand"])  # the sentence of the moment is of other values
    slide(quiet, trio.get_by_label("q(a)"), 0.2)
    expect(trio.locator("output").first).to_have_text("0.90")  # and stays
    button(quiet, PAGE["on"]).click()
    expect(said).not_to_have_text(PAGE["by_hand"])
    button(quiet, PAGE["view_places"]).click()
    found = excerpts(recorded.load)["engines"]["recorded"]
    for i, place in enumerate(found["places"]):
        places.locator("label").nth(i).click()
        shown = places.locator(".lrn-by-rule .sv-value").all_inner_texts()
        wanted = [f"{place['chances'][rule]:.2f}" for rule in ("rejection", "match", "argmax")]
        assert [value.removesuffix(", most") for value in shown] == [*wanted, "always" if place["equal"] else "never"]


def test_on_a_phone_each_fact_of_a_drafter_keeps_the_name_of_its_column(quiet, components):
    quiet.set_viewport_size({"width": 390, "height": 844})
    learn(quiet, components, PLACE["ways"])
    row = quiet.locator(".lrn-ways tbody tr").first
    shown = row.locator("td").evaluate_all(
        "cells => cells.map(e => getComputedStyle(e, '::before').content.replaceAll('\"', ''))"
    )
    assert shown[1:] == [PAGE[name] for name in ("way_reads", "way_cost", "way_published")]


def test_at_one_position_the_slider_gives_chain_and_tree_the_same_number_of_guesses(quiet, components):
    learn(quiet, components, PLACE["ways"])
    button(quiet, PAGE["position_view"]).click()
    budget = quiet.locator(".lrn-guesses input[type=range]")
    given = quiet.locator(".lrn-guesses .sv-value")
    for at, position in enumerate(excerpts(recorded.load)["ways"]["shapes"]["positions"]):
        quiet.locator(".lrn-picture .sv-pick label").nth(at).click()
        for n in (1, 3, 8):
            slide(quiet, budget, n)
            pictures = quiet.locator(".lrn-guesses .sv-round")
            for kind, picture, value in zip(("chain", "tree"), pictures.all(), given.all(), strict=True):
                shown = picture.locator(".sv-node[data-look=lit]:not([data-at='0'])")
                expect(shown).to_have_count(n)
                kept = [position[kind][int(node.get_attribute("data-at")) - 1] for node in shown.all()]
                expect(value).to_contain_text(f"{tokens_of(position[kind], kept):.2f} tokens")
        called = pictures.locator("[role=tree]").evaluate_all("l => l.map(e => e.getAttribute('aria-label'))")
        deep = max(depth_of(position["tree"], guess) for guess in position["tree"])
        assert called == [f"Round 1: {what}, then one target pass" for what in ("8 guesses", f"a tree of 8 guesses, {deep} deep")]
    assert tokens_of(position["chain"], position["chain"]) > tokens_of(position["tree"], position["tree"])


def depth_of(guesses: list[dict], guess: dict) -> int:
    return 1 + (depth_of(guesses, guesses[guess["parent"]]) if guess["parent"] >= 0 else 0)


def tokens_of(guesses: list[dict], kept: list[dict]) -> float:
    """Of a round with the guesses `kept`, on average."""

    def chance(guess: dict) -> float:
        return guess["p"] * (chance(guesses[guess["parent"]]) if guess["parent"] >= 0 else 1.0)

    return 1 + sum(map(chance, kept))


def test_every_text_ends_at_the_line_and_misses_it_with_replacements_from_p(quiet, components):
    learn(quiet, components, PLACE["whole"])
    rows = quiet.locator(".lrn-texts .sv-bar-row")
    expect(rows).to_have_count(27)

    def misses() -> float:
        return rows.evaluate_all("""rows => Math.max(...rows.map(row => {
            const bars = [...row.querySelectorAll('.sv-fill')].reduce((sum, bar) => sum + parseFloat(bar.style.width), 0);
            return Math.abs(bars - parseFloat(row.querySelector('.lrn-p-line').style.left)) }))""")

    assert misses() < 0.001
    told = quiet.locator(".lrn-way-list").inner_text()
    *ways, whole = map(float, re.findall(r"0\.\d+", told))
    assert len(ways) == 7 and sum(ways) == pytest.approx(whole, abs=0.004)
    quiet.keyboard.press(",")
    assert misses() > 5
    expect(quiet.locator(".sv-bar-row[data-off]").first).to_be_visible()


def test_what_the_formula_takes_for_granted_is_drawn_beside_the_run(quiet, components):
    learn(quiet, components, PLACE["speed"])
    pair = excerpts(recorded.load)["speed"]
    alpha, K = pair["alpha"], pair["K"]
    formula = expected_speedup(expected_tokens(alpha, K), K, pair["c"], pair["v"])
    values = quiet.locator(".lrn-run .sv-value").all_inner_texts()
    for i in range(K):
        assert values[i] == f"formula {100 * alpha ** (i + 1):.1f} % · run {100 * pair['stayed'][i]:.1f} %"
    assert [value.split("×")[0] for value in values[K:]] == [f"{x:.2f}" for x in (formula, pair["predicted"], pair["speedup"])]
    assert values[-1].endswith(f"{pair['given']:.2f} tokens per round")


def test_passes_over_blocks_are_measured_and_drawn_to_scale(quiet, app, engine):
    learn(quiet, app, 2)
    expect(quiet.locator(".lrn-blocks .sv-fill[data-series=target]")).to_have_count(0)
    button(quiet, "Measure on this machine").click()
    bars = quiet.locator(".lrn-blocks .sv-fill[data-series=target]")
    expect(bars).to_have_count(5 + len(passes()))  # here, and a bar of each machine that was recorded
    expect(quiet.locator(".lrn-blocks")).to_contain_text("story-target on cpu, threads: 1, after 128 tokens")
    shares = [float(bar.evaluate("e => e.style.width").rstrip("%")) for bar in bars.all()]
    ratios = [ms / engine.blocks[1] for ms in engine.blocks.values()] + [one["ms"]["8"] / one["ms"]["1"] for one in passes()]
    assert shares == pytest.approx([100 * ratio / 16 for ratio in ratios], rel=1e-3)
    expect(quiet.locator(".lrn-blocks")).to_contain_text("2.00× · 8.00 ms")
    pace = "Over 16 tokens this machine does 20 billion operations per second. So the arithmetic of one token takes 25.0 % of its pass"
    expect(quiet.locator(".lrn-blocks")).to_contain_text(f"{pace}. A whole pass reads 10.0 GB per second on average")


def test_what_cannot_be_measured_says_so_and_can_be_tried_again(quiet, app, engine):
    engine.blocks, before = None, engine.blocks
    try:
        learn(quiet, app, 2)
        button(quiet, "Measure on this machine").click()
        expect(quiet.locator(".lrn-blocks")).to_contain_text("The measurement failed: RuntimeError: device is gone")
        expect(button(quiet, "Measure on this machine")).to_be_enabled()
    finally:
        engine.blocks = before


def test_a_u_of_ones_own_changes_the_verdict_exactly_at_p_over_q(quiet, components):
    learn(quiet, components, 5)
    found = excerpts(recorded.load)["accept"]["round"]["drafted"]
    quiet.keyboard.press(",")  # from α, of the whole run, back to the verdict
    last = next(d for d in found if d["verdict"] == "rejected")
    own, told = quiet.get_by_label("Your own u"), quiet.locator(".lrn-coin > p")
    moment = quiet.locator(".lrn-told").inner_text()
    edge = last["p"] / last["q"]
    slide(quiet, own, max(0.0, round(edge - 0.005, 3)))
    expect(told).to_contain_text("would be accepted")
    slide(quiet, own, round(edge + 0.005, 3))
    expect(told).to_contain_text("would be rejected")
    expect(quiet.locator(".lrn-told")).to_contain_text("your own choice")
    button(quiet, "Back to the recorded u").click()
    expect(told).to_have_text("")
    expect(quiet.locator(".lrn-told")).to_have_text(moment)
    expect(quiet.locator(".sv-u-mark")).to_contain_text(f"u = {last['u']:.3f}")


def test_draws_by_the_algorithm_come_near_p_and_are_the_same_at_each_visit(quiet, components):
    told = quiet.locator(".lrn-draws p")
    seen = []
    for _ in range(2):
        learn(quiet, components, 6)
        button(quiet, "Draw 200 times").click()
        expect(told).to_contain_text("Simulation, seed 1: 200 draws")
        seen.append(told.inner_text())
    assert seen[0] == seen[1]
    for n in (400, 600, 800, 1000):
        button(quiet, "Draw 200 more").click()
        expect(told).to_contain_text(f"{n:,} draws".replace(",", ""))
    law = excerpts(recorded.load)["residual"][1]
    right, wrong = map(
        float, re.search(r"p: ([\d.]+) with the residual, ([\d.]+) if replaced from p", told.inner_text()).groups()
    )
    assert right < 0.05 < wrong  # 3 standard deviations of the most uncertain share after 1000 draws
    kept = int(told.inner_text().split("draws, ")[1].split(" accepted")[0])
    assert abs(kept / 1000 - law["beta"]) < 0.05


def test_draws_asked_for_faster_than_they_fall_are_all_drawn_and_no_more(watched, components):
    learn(watched, components, 6)
    told = watched.locator(".lrn-draws p")
    press = watched.locator(".lrn-draws button")
    press.evaluate("button => { for (let i = 0; i < 3; i++) button.click() }")
    expect(told).to_contain_text("seed 1: 600 draws")
    before = told.inner_text()
    press.evaluate("button => button.click()")
    expect(told).to_contain_text("seed 1: 800 draws")
    assert before != told.inner_text()


def test_another_recorded_position_is_drawn_when_it_is_chosen(quiet, components):
    learn(quiet, components, 6)
    laws = excerpts(recorded.load)["residual"]
    before = quiet.locator(PICTURE).inner_text()
    quiet.locator(".lrn-picture .sv-pick label").first.click()
    expect(quiet.locator(PICTURE)).not_to_have_text(before)
    first = laws[0]["entries"][0]
    row = quiet.locator(".lrn-residual .sv-bar-row").first
    wrong = first["shared"] + (1 - laws[0]["beta"]) * first["p"]
    expect(row.locator(".sv-value")).to_have_text(f"p {first['p']:.3f} · from p {wrong:.3f}")
    expect(quiet.locator(".lrn-told")).to_contain_text("Drawn from p instead")
    button(quiet, "Step back").click()
    expect(row.locator(".sv-value")).to_contain_text(f"= {first['p']:.3f}")
    width = {
        series: float(row.locator(f"[data-series={series}]").evaluate("e => e.style.width").rstrip("%"))
        for series in ("shared", "residual")
    }
    line = float(row.locator(".lrn-p-line").evaluate("e => e.style.left").rstrip("%"))
    assert width["shared"] + width["residual"] == pytest.approx(line, abs=0.01)


def test_the_round_of_a_position_shows_the_rejected_token_and_then_what_the_residual_put_in_its_place(quiet, components):
    learn(quiet, components, 6)
    laws = excerpts(recorded.load)["residual"]
    for law, label in zip(laws, quiet.locator(".lrn-picture .sv-pick label").all(), strict=True):
        assert law["round"]["emitted"][-1]["role"] == "corrected"
        label.click()
        nodes = quiet.locator(".lrn-residual .sv-node:not([data-look=''])")
        looks = ["prompt", *(d["verdict"] for d in law["round"]["drafted"])]
        expect(nodes).to_have_count(len(looks) + 1)
        extra = quiet.locator(".lrn-residual .sv-node[data-at='-1']")
        expect(extra).to_have_attribute("data-look", "corrected")
        expect(extra).to_contain_text(law["round"]["emitted"][-1]["token"]["text"].strip())
        for _ in range(3):
            button(quiet, "Step back").click()
        expect(nodes).to_have_count(len(looks))
        rejected = next(i for i, d in enumerate(law["round"]["drafted"]) if d["verdict"] == "rejected")
        expect(quiet.locator(f".lrn-residual .sv-node[data-at='{rejected + 1}']")).to_have_attribute("data-look", "rejected")
        for _ in range(3):
            button(quiet, "Step on").click()


def test_the_map_is_the_formula_and_follows_its_sliders(quiet, components):
    learn(quiet, components, PLACE["speed"])
    button(quiet, PAGE["view_map"]).click()
    pair = excerpts(recorded.load)["speed"]
    cell = quiet.locator(".lrn-map tbody tr", has=quiet.locator("th", has_text="4")).first.locator("td").nth(7)  # K = 4, α = .8
    expect(quiet.locator(".lrn-map thead th").nth(8)).to_have_text(".8")

    def formula(c: float, v: float) -> str:
        at_four = 1 + (v - 1) * 4 / pair["K"]
        return f"{expected_speedup(expected_tokens(0.8, 4), 4, c, at_four):.2f}"

    expect(cell).to_have_text(formula(pair["c"], pair["v"]))
    mark = quiet.locator(".lrn-spot")  # of the pair itself: it is gone where the numbers under it are of another one
    expect(mark).to_have_css("opacity", "1")
    slide(quiet, quiet.get_by_label("c, a draft step"), 0.5)
    expect(mark).to_have_css("opacity", "0")
    expect(cell).to_have_text(formula(0.5, pair["v"]))
    slide(quiet, quiet.get_by_label("v, verifying"), 2)
    expect(cell).to_have_text(formula(0.5, 2))
    expect(quiet.locator(".lrn-map td[data-level=slower]").first).to_be_visible()
    scrub = quiet.locator(".lrn-player input")
    slide(quiet, scrub, scrub.input_value())  # also at the same moment the chapter's values come back with its sentence
    expect(cell).to_have_text(formula(pair["c"], pair["v"]))
    expect(quiet.locator(".lrn-told")).not_to_have_text(PAGE["by_hand"])
    slide(quiet, quiet.get_by_label("c, a draft step"), 0.5)
    button(quiet, "This pair").click()
    expect(cell).to_have_text(formula(pair["c"], pair["v"]))
    expect(quiet.locator(".lrn-here.lrn-own")).to_contain_text(f"c {pair['c']:.2f}, v {pair['v']:.2f}")


def test_every_round_of_the_run_falls_into_its_column(quiet, components):
    learn(quiet, components, 7)
    found = excerpts(recorded.load)["rounds"]
    given = [sum(s["role"] not in ("rejected", "unexamined") for s in spans) for spans in found["rounds"]]
    for n in range(1, found["K"] + 2):
        expect(quiet.locator(".lrn-stack").nth(n - 1).locator(".lrn-square[data-on]")).to_have_count(given.count(n))
    expect(quiet.locator(".lrn-told")).to_contain_text(f"{sum(given) / len(given):.2f} tokens per target pass")


def test_after_a_round_the_caches_are_drawn_as_the_run_has_them(quiet, components):
    learn(quiet, components, 7)
    found = excerpts(recorded.load)["rounds"]["drawn"]
    for r in (found[-1], found[-2]):
        expect(quiet.locator(".sv-round > summary h4")).to_contain_text(f"Round {r['index'] + 1}:")
        for model in ("target", "draft"):
            cache = r[f"{model}_cache"]
            steps = " → ".join(str(cache[key]) for key in ("before", "peak", "after"))
            expect(quiet.locator(f".sv-cache-row[data-model={model}] .sv-cache-counts")).to_have_text(steps)
            rolled = quiet.locator(f".sv-cache-row[data-model={model}] .sv-cell[data-state=rolled]:not([hidden])")
            assert rolled.count() == cache["peak"] - cache["after"]
        quiet.keyboard.press(",")
        quiet.keyboard.press(",") if r is found[-1] else None  # past the closing sentence


def test_a_page_that_cannot_measure_holds_a_guess_against_what_was_recorded(quiet):
    class Unmeasured(FakeEngine):
        block_times = property()  # as if it had none

    with served(Unmeasured(), recorded.load) as url:
        learn(quiet, url, 2)
        expect(quiet.locator(".lrn-blocks .sv-fill[data-series=target]")).to_have_count(0)
        answer(quiet, 2)
        ms = passes()[0]["ms"]
        expect(quiet.locator(".lrn-why")).to_contain_text(f"You said 4.00×, recorded: {ms['8'] / ms['1']:.2f}×.")
        expect(quiet.locator(".lrn-blocks .sv-fill[data-series=target]")).to_have_count(5 + len(passes()) - 1)
        expect(quiet.locator(".lrn-blocks")).to_contain_text("Recorded: this page does not measure")


def test_where_nothing_was_recorded_to_show_or_to_measure_with_the_words_still_stand(quiet):
    class Unmeasured(FakeEngine):
        block_times = property()  # as if it had none

    with served(Unmeasured(), lambda name: fake_trace(seed=4, temperature=0.0)) as url:
        learn(quiet, url, 2)
        expect(quiet.locator(".lrn-blocks")).to_contain_text("not measured yet")
        expect(button(quiet, "Measure on this machine")).to_have_count(0)
        quiet.goto(f"{url}/?chapter=5")
        expect(quiet.locator("#learn")).to_contain_text("No recorded run shows this yet.")
        quiet.keyboard.press("Space")
        quiet.keyboard.press(",")
        quiet.locator(".sv-choice").first.click()
        expect(quiet.locator(".lrn-why")).to_contain_text(CHAPTERS[4].question.why)
        quiet.locator("h2").click()
        quiet.keyboard.press("ArrowRight")
        expect(title(quiet)).to_have_text(CHAPTERS[5].title)


# ---- hostile text, themes, widths ----


STEPPED = """(back) => Array.from({ length: 12 }, () => {
  const said = document.querySelector(".lrn-stage").innerText;
  back.click();
  return said;
}).join()"""


def test_hostile_text_of_a_trace_is_only_text(quiet):
    runs = {
        name: fake_trace("hostile <img src=x> ${1+1} {{value}} {x}", seed=i, K=4, hostile=True)
        for i, name in enumerate(recorded.names())
    }
    with mounted(runs.get) as url:
        said = ""
        for n in range(1, LAST + 1):
            learn(quiet, url, n)
            said += button(quiet, "Step back").evaluate(STEPPED)
            assert quiet.locator("#learn :is(img, script, iframe, bdi b, .lrn-token > b)").count() == 0
            assert quiet.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert any(piece in said for piece in HOSTILE if "\u202e" not in piece)
        assert "\u202e" not in said


@pytest.mark.full  # test_axe_… measures contrast too
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_reads_in_both_themes(quiet, app, theme):
    quiet.goto(f"{app}/?chapter={PLACE['speed']}&__theme={theme}")
    expect(title(quiet)).to_be_visible()
    button(quiet, PAGE["view_map"]).click()
    quiet.locator(".sv-choice").last.click()
    for selector in (
        ".lrn-text",
        ".lrn-why",
        ".lrn-told",
        ".lrn-sources",
        ".lrn-try",
        ".lrn-predict",
        "#tabs [role=tab]",
        ".sv-choice[data-state=right]",
    ):
        assert quiet.locator(selector).first.evaluate(CONTRAST) >= 4.5, selector
    for cell in (".lrn-map td[data-level='6']", ".lrn-map td[data-level='3']", ".lrn-map td[data-level='0']"):
        if quiet.locator(cell).count():
            assert quiet.locator(cell).first.evaluate(CONTRAST) >= 4.5, cell


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_axe_has_nothing_to_object_to_in_any_chapter(quiet, app, theme):
    Axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe
    quiet.goto(f"{app}/?chapter=1&__theme={theme}")
    for n in range(1, LAST + 1):
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        answer(quiet, n)
        report = Axe().run(quiet, context="#learn")
        assert report.violations_count == 0, f"chapter {n}: {report.generate_report()}"


def outside(page) -> list[str]:
    """What stands out of the window to a side."""
    return page.evaluate("""() => [...document.querySelectorAll('#learn *')].filter(e => {
        const r = e.getBoundingClientRect();
        return r.width > 1 && (r.right > innerWidth + 1 || r.left < -1) && !e.closest('.sv-unseen') }).map(e => e.outerHTML.slice(0, 80))""")


@pytest.mark.parametrize("width", some([390, 768, 1440, 1920], 390))
def test_every_chapter_fits_its_width_and_on_a_laptop_its_height(quiet, app, width):
    quiet.set_viewport_size({"width": width, "height": 1080 if width == 1920 else 900})
    learn(quiet, app, 1)
    for n in range(1, LAST + 1):
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        expect(title(quiet)).to_have_text(CHAPTERS[n - 1].title)
        answer(quiet, n)
        assert quiet.evaluate("document.documentElement.scrollWidth <= innerWidth"), n
        assert outside(quiet) == [], n
        if width >= 1440:
            assert quiet.evaluate("document.documentElement.scrollHeight <= innerHeight"), n


def test_from_a_laptop_on_every_chapter_is_named_in_one_line_with_the_buttons(quiet, app):
    learn(quiet, app, 1)
    ends = "[...document.querySelectorAll('.lrn-chapters li, .lrn-toggles')].map(e => e.getBoundingClientRect().bottom)"
    for lesson in False, True:
        if lesson:
            quiet.get_by_role("button", name="Lesson").click()
        for width, height in (1440, 900), (1600, 950), (1920, 1080):
            quiet.set_viewport_size({"width": width, "height": height})
            assert all(name.is_visible() for name in quiet.locator(".lrn-chapters span").all())
            found = quiet.evaluate(ends)
            assert max(found) - min(found) < 20, (width, lesson)


@pytest.mark.parametrize("projected", some([False, True]), ids=["page", "projector"])
def test_on_a_small_screen_too_an_answered_chapter_needs_no_scrolling(quiet, app, projected):
    """1280 × 720, a projector's own size: the picture with its player, the answer and the way on are all in sight, in every view."""
    quiet.set_viewport_size({"width": 1280, "height": 720})
    learn(quiet, app, 1)
    if projected:
        quiet.keyboard.press("p")
    for n in range(1, LAST + 1):
        quiet.locator(".lrn-chapters button").nth(n - 1).click()
        expect(title(quiet)).to_have_text(CHAPTERS[n - 1].title)
        answer(quiet, n)
        views = quiet.locator(".lrn-views button")
        for view in range(max(1, views.count())):
            if views.count():
                views.nth(view).click()
            for needed in (".lrn-why", ".lrn-told", ".lrn-player", ".lrn-turn >> nth=1"):
                box = quiet.locator(needed).bounding_box()
                assert box["y"] >= 0 and box["y"] + box["height"] <= 720, (n, view, needed)
            assert outside(quiet) == [], n


# ---- exercises, the glossary, the lesson ----


def test_a_chapter_shows_its_exercise_and_hides_the_answers_until_they_are_asked_for(quiet, components):
    learn(quiet, components, PLACE["accept"])
    chapter = CHAPTERS[PLACE["accept"] - 1]
    box = quiet.locator(".sv-exercise")
    expect(box.get_by_text(chapter.exercise.task[0])).to_have_count(0)
    box.locator("summary").first.click()
    for task in chapter.exercise.task:
        expect(box.get_by_text(task)).to_be_visible()
    expect(box.get_by_text(chapter.exercise.key[0])).to_have_count(0)
    box.get_by_text(PAGE["show_answers"]).click()
    for key in chapter.exercise.key:
        expect(box.get_by_text(key)).to_be_visible()


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


def test_a_term_is_explained_once_in_a_chapter_and_what_a_model_wrote_is_never_one(quiet, components):
    for n in range(1, LAST + 1):
        learn(quiet, components, n)
        terms = quiet.locator(".lrn-text .sv-term").evaluate_all("all => all.map(e => e.dataset.term)")
        assert len(terms) == len(set(terms)), n
        expect(quiet.locator(".sv-chip .sv-term, .lrn-token .sv-term")).to_have_count(0)


def test_the_glossary_opens_over_the_chapter_with_every_term(quiet, components):
    learn(quiet, components, 1)
    button(quiet, PAGE["glossary"]).click()
    shown = quiet.get_by_role("dialog", name=PAGE["glossary"])
    assert shown.locator("dt").all_inner_texts() == [term.name for term in TERMS.values()]
    shown.get_by_role("button", name=PAGE["close"]).click()
    expect(shown).to_have_count(0)


def test_the_lesson_walks_its_stops_and_the_room_is_one_of_them(quiet, app):
    learn(quiet, app, 1)
    button(quiet, "Lesson").click()
    expect(quiet.locator(".lrn-chapters button")).to_have_count(len(stops()))
    for stop in stops()[1:4]:
        quiet.keyboard.press("ArrowRight")
        expect(title(quiet)).to_have_text(CHAPTERS[stop.chapter - 1].title)
    quiet.reload()  # the tab remembers that a lesson is on
    expect(title(quiet)).to_have_text(CHAPTERS[5].title)
    expect(button(quiet, "Lesson")).to_have_attribute("aria-pressed", "true")
    button(quiet, "Next").click()
    expect(quiet).to_have_url(re.compile(r"[?]lab=classroom"))
    expect(quiet.get_by_role("heading", name="You are the draft")).to_be_visible()
    quiet.get_by_role("tab", name="Learn").click()
    expect(title(quiet)).to_have_text(CHAPTERS[8].title)
    button(quiet, "Previous").click()
    expect(quiet).to_have_url(re.compile(r"[?]lab=classroom"))
    quiet.get_by_role("tab", name="Learn").click()
    button(quiet, "Lesson").click()
    expect(quiet.locator(".lrn-chapters button")).to_have_count(LAST)


def test_in_a_lesson_the_notes_say_what_is_done_in_these_minutes(quiet, components):
    learn(quiet, components, 6)
    button(quiet, "Lesson").click()
    with quiet.expect_popup() as opening:
        quiet.keyboard.press("n")
    notes, (*_, residual, room, _, _) = opening.value, stops()
    expect(notes.get_by_text(f"Minutes 22 to 31: {residual.what}")).to_be_visible()
    expect(notes.get_by_text(f"Minutes 31 to 39: {room.what}")).to_be_visible()


def test_a_students_sheet_opens_beside_the_page(quiet, app):
    learn(quiet, app, 1)
    with quiet.expect_popup() as opening:
        button(quiet, PAGE["sheet"]).click()
    expect(opening.value.get_by_text("Name Date")).to_be_visible()


ONE = re.compile(r"(?<![\d.,])1 (?:tokens|drafts|drafted tokens|draft steps|steps|texts|rounds|passes|positions|runs|seeds)\b")


@pytest.mark.parametrize("n", some(range(1, LAST + 1), 4, 9, 11))
def test_what_is_one_is_said_in_the_singular(quiet, components, n):
    learn(quiet, components, n)
    time = quiet.locator(".lrn-player input")
    while float(time.input_value()) > 0:
        assert ONE.search(quiet.locator("#learn").inner_text()) is None
        button(quiet, "Step back").click()


@pytest.mark.parametrize(("n", "view"), [(9, "In a run"), (11, "A server, by arithmetic")])
@pytest.mark.parametrize("width", some([390, 1280]))
def test_no_name_of_a_row_is_cut_where_rows_are_named_in_words(quiet, components, n, view, width):
    quiet.set_viewport_size({"width": width, "height": 844})
    learn(quiet, components, n)
    button(quiet, view).click()
    names = quiet.locator(".sv-bar-row .sv-bar-name")
    expect(names.first).to_be_visible()
    assert names.evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)") == []


def test_what_the_notes_say_when_they_are_alone_does_not_colour_a_chapter(quiet, components):
    picture = learn(quiet, components, 1)
    grounds = picture.evaluate(
        "e => [...e.querySelectorAll(':scope > div')].map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert set(grounds) == {"rgba(0, 0, 0, 0)"}
