"""The site: what the app shows, from files alone."""

import re

import pytest
from playwright.sync_api import expect

from specviz.page import words
from specviz.page.keep import recorded
from specviz.page.learn.chapters import CHAPTERS

from ...products import some
from ..conftest import RETURNING
from ..person import late, objections, reach
from .conftest import first_visit, says


def test_the_first_run_moves_before_anything_is_pressed(watched, site):
    watched.goto(site)
    expect(watched.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=accepted]").first).to_be_visible()
    says(watched, "A recorded run")
    assert watched.evaluate("scrollY") == 0


def test_a_menu_opens_at_the_first_press_however_late_the_first_run_is(browser, site):
    with first_visit(browser, site, service_workers="block") as page:
        page.add_init_script(RETURNING)
        with late(page, "**/*.jsonl*"):
            page.goto(site, wait_until="commit")
            expect(reach(page, ".sv-chip").first).to_be_visible()
            expect(page.locator(".sv-lane")).to_have_count(0)
        says(page, "A recorded run")
        expect(page.locator(".sv-chip").first).to_be_visible()


def test_every_recorded_run_is_shown_and_says_what_made_it(visit):
    page = visit()
    for name in recorded.names():
        reach(page, "#recorded").select_option(name)
        says(page, words.RECORDED[name][1][:40])
        header = recorded.load(name).header
        assert page.locator("#prompt textarea").input_value() == header.prompt
        assert page.locator("#seed input").input_value() == str(header.config.seed)


def test_every_chapter_opens_by_its_address_and_fills_in_watch(visit):
    page = visit("?chapter=1")
    for n, chapter in enumerate(CHAPTERS, 1):
        expect(page.locator("#lrn-title")).to_have_text(chapter.title)
        assert f"chapter={n}" in page.url
        if n < len(CHAPTERS):
            page.get_by_role("button", name="Next").click()
    page.goto(page.url.replace(f"chapter={n}", "chapter=5"))
    page.get_by_role("button", name="Try it in Watch").click()
    says(page, "Chapter 5 filled in")
    for key, value in CHAPTERS[4].settings.items():
        assert page.locator(f"#{key} :is(input, textarea, select)").input_value() == value


@pytest.mark.parametrize("name", some(["Student's sheet", "To print"]))
def test_sheets_open_in_a_tab_of_their_own_as_they_are_printed(visit, context, name):
    page = visit("?chapter=5")
    with context.expect_page() as opened:
        page.locator(".lrn-foot").get_by_role("button", name=name).click()
    sheet = opened.value
    expect(sheet.locator("h1").first).to_be_visible()
    assert sheet.evaluate("() => document.styleSheets.length") == 1


def test_a_link_fills_in_the_page_and_what_it_cannot_is_named(visit):
    page = visit("?prompt=A+fox&K=5&seed=9&length=0&colour=red")
    says(page, "Not all of the link was used")
    says(page, "“Length in tokens” is 0; it must be a whole number from 1 to 4096")
    assert page.locator("#prompt textarea").input_value() == "A fox"
    assert page.locator("#K input").input_value() == "5"
    page = visit("?recorded=hot")
    says(page, "Temperature 1.5")


def test_tabs_go_by_arrows_and_none_is_wider_than_a_phone_and_the_page_can_be_left_by_tab(watched, visit):
    watched.set_viewport_size({"width": 390, "height": 844})
    page = visit()
    page.locator("#watch-button").focus()
    pictures = {"watch": ".sv-lanes", "learn-tab": ".lrn-picture", "lab-tab": ".lab-picture svg"}
    for way, tab in (("Right", "learn-tab"), ("Left", "watch"), ("Left", "lab-tab"), ("Right", "watch")):
        page.keyboard.press(f"Arrow{way}")
        expect(page.locator(f"#{tab}-button")).to_be_focused()
        expect(page.locator(pictures[tab]).first).to_be_visible()
        page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#watch') !== null")
    expect(visit("?lab=load").locator("#lab-load svg").first).to_be_visible()  # which needs no server


@pytest.mark.parametrize("theme", some(["light", "dark"], "dark"))
def test_axe_has_nothing_to_object_to(visit, theme):
    page = visit(f"?theme={theme}")
    expect(page.locator(".sv-lanes")).to_be_visible()
    page.locator("#more").evaluate("node => { node.open = true }")
    for tab, picture in (("watch", ".sv-lanes"), ("learn-tab", ".lrn-picture"), ("lab-tab", ".lab-picture svg")):
        page.locator(f"#{tab}-button").click()
        expect(page.locator(picture).first).to_be_visible()
        assert objections(page) == []


@pytest.mark.parametrize("file", ["index.html", "embed.html"])
def test_the_policy_names_scripts_and_styles_by_their_hashes_and_no_other_address(folder, file):
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', (folder / file).read_text("utf-8"))
    sources_of = {name: set(sources) for name, *sources in (part.split() for part in policy.split(";"))}
    assert sources_of.pop("default-src") == sources_of.pop("base-uri") == sources_of.pop("form-action") == {"'none'"}
    scripts, styles = (sources_of.pop(f"{kind}-src") for kind in ("script", "style"))
    assert "'wasm-unsafe-eval'" in scripts and all(
        re.match("'sha256-", one) for one in (scripts | styles) - {"'wasm-unsafe-eval'"}
    )
    assert sources_of == {"connect-src": {"'self'"}, "worker-src": {"'self'"}, "img-src": {"'self'", "data:", "blob:"}}
