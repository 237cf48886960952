"""The first visit: a story before any control, told once, of the run that the page opens with; and the game at its end.

The fake engine keeps a word without a z. What the game asks and says of each answer: tests/assets/play/game.test.js.
"""

import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from specviz.page.keep.recorded import load
from specviz.picture.replay import BROWSER
from specviz.words import classroom, picture

from ..products import some
from ..view import view
from .conftest import faultless
from .person import fits, in_sight, objections, press, speed


@pytest.fixture
def newcomer(browser, opening):
    """Open the page as it is served in a browser that was never here; nothing goes wrong on it."""
    with ExitStack() as visits:

        def come(query: str = "", width: int = 1440, height: int = 900, **media):
            context = visits.enter_context(browser.new_context(viewport={"width": width, "height": height}, **media))
            page = visits.enter_context(faultless(context.new_page()))
            page.goto(f"{opening}{query}")
            return page

        yield come


# `controls`: what a hand or the Tab key can act on, a lane's text as one; `words`: all that can be read, in fields and lanes too;
# `named`: the controls. Of what is in sight and nowhere cut off.
COUNT = """() => {
  const sees = (e) => !e.closest("[aria-hidden=true], .sv-unseen")
    && e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const within = (a, b) => a.bottom > b.top && a.top < b.bottom && a.right > b.left && a.left < b.right;
  const screen = { top: 0, left: 0, right: innerWidth, bottom: innerHeight };
  const shown = (box, e) => {
    const lane = e.closest(".sv-text");
    return box.width > 0 && box.height > 0 && within(box, screen) && (!lane || within(box, lane.getBoundingClientRect()));
  };
  const count = (text) => text.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
  const FIELDS = "input:not([type=range], [type=radio], [type=checkbox]), textarea, select";
  const here = (selector) => [...document.querySelectorAll(selector)].filter((e) => sees(e) && shown(e.getBoundingClientRect(), e));
  const controls = here(`a[href], button, input, select, textarea, summary, [role=tab], [role=slider], [tabindex="0"]`);
  let words = 0;
  for (const field of here(FIELDS)) words += count(field.selectedOptions?.[0]?.text ?? field.value);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const inside = node.parentElement;
    if (inside.closest("script, style, noscript, select, textarea") || !sees(inside)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    if ([...range.getClientRects()].some((box) => shown(box, inside))) words += count(node.textContent);
  }
  return { controls: controls.length, words, named: controls.map((e) => e.id || e.className || e.localName) };
}"""
# Layout shifts that follow no hand: share of the screen that moved × how far (web.dev/cls).
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifts.push(one.value);
  }).observe({ type: "layout-shift", buffered: false });
}"""
SPEEDUP = f"{view(load('opening'))['comparison']['speedup']:.1f}"


def sentence(page):
    return page.locator(".sv-story-said")


def go(page, key: str, times: int = 1) -> None:
    for _ in range(times):
        page.keyboard.press(key)


def test_the_first_visit_is_told_the_recorded_round_in_plain_words_and_the_runs_own_speedup(newcomer):
    page = newcomer()
    expect(page.locator(".sv-story")).to_be_visible()
    for hidden in ("#prompt", "#run", ".sv-play", ".sv-round", "#more"):
        expect(page.locator(hidden).first).to_be_hidden()
    go(page, "Space")  # it stands
    go(page, "ArrowLeft", 9)
    expect(sentence(page)).to_have_text(picture.STORY["story_first"].format(ahead=BROWSER["ahead_model"]))
    # the first rejection of the recorded run: with it all, where the target writes his
    for key in ("first", "types", "look", "kept", "struck", "replaced"):
        go(page, "ArrowRight")
        assert sentence(page).inner_text() == picture.STORY[f"story_{key}"].format(ahead=BROWSER["ahead_model"])
        assert not re.search(r"\b[upqK] ?=|α|β", page.locator(".sv-story").inner_text())
    words = page.locator(".sv-story-line .sv-token:not([data-final=prompt])")
    expect(words).to_have_text(["with", "it", "all", "his"])
    assert words.evaluate_all("all => all.map(e => e.dataset.role)") == ["accepted", "rejected", "unexamined", "corrected"]
    go(page, "ArrowRight", 2)
    expect(sentence(page)).to_have_text(f"The same target wrote both. {SPEEDUP} × as fast.")
    lanes = page.locator(".sv-story .sv-lane")
    for lane, text in zip(lanes.all(), ("Spot loved to play with his friends", "Spot had a big ball"), strict=True):
        expect(lane.locator(".sv-text")).to_contain_text(text)


def test_try_your_own_words_leads_to_the_prompt_symbols_come_with_a_token_and_the_next_visit_begins_there(newcomer):
    page = newcomer()
    press(page, "Try your own words")
    expect(page.locator(".sv-story")).to_have_count(0)
    expect(page.locator("#prompt textarea")).to_be_focused()
    expect(page.locator(".sv-play")).to_be_visible()
    for hidden in (".sv-inspector", ".sv-round", ".sv-caption"):
        expect(page.locator(hidden)).to_be_hidden()
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=drafted]").first.click()
    expect(page.locator(".sv-inspector")).to_contain_text("q = ")
    expect(page.locator(".sv-round")).to_be_visible()
    page.get_by_role("button", name="Close the inspector").click()
    expect(page.locator(".sv-inspector")).to_be_hidden()
    expect(page.locator(".sv-play")).to_be_focused()
    page.reload()
    expect(page.locator(".sv-play")).to_be_visible()
    expect(page.locator(".sv-story")).to_have_count(0)
    page.locator(".sv-lane[data-lane=speculative] .sv-token[data-role=drafted]").first.click()
    press(page, "In plain words")
    expect(sentence(page)).to_have_text(picture.STORY["story_first"].format(ahead=BROWSER["ahead_model"]))
    story, whole = (page.locator(part).bounding_box() for part in (".sv-story", "#race"))
    assert story["width"] == whole["width"]  # the inspector, which is open, takes no place beside it
    go(page, "Escape")
    expect(page.locator(".sv-story")).to_have_count(0)


@pytest.mark.parametrize("scheme", some(["light", "dark"]))
def test_on_a_phone_the_whole_story_with_its_buttons_is_in_sight(newcomer, scheme):
    page = newcomer(width=390, height=844, color_scheme=scheme)
    expect(page.locator(".sv-story")).to_be_visible()
    go(page, "Space")
    for _ in range(8):
        in_sight(page, ".sv-story-said", ".sv-story-bar button", ".sv-story-bar button >> nth=-1")
        assert fits(page)
        go(page, "ArrowRight")
    assert objections(page) == []


@pytest.mark.parametrize(("size", "most"), [((1440, 900), (18, 160)), ((390, 844), (14, 86))], ids=["laptop", "phone"])
def test_the_first_screen_has_few_controls_and_few_words_and_nothing_jumps_while_it_plays(newcomer, size, most):
    page = newcomer(width=size[0], height=size[1])
    expect(page.locator(".sv-story")).to_be_visible()
    screens = [page.evaluate(COUNT)]
    go(page, "Escape")
    page.evaluate("scrollTo(0, 0)")  # on a phone the prompt came into sight, below the race
    expect(page.locator(".sv-at")).to_contain_text("Press Play.")
    screens.append(page.evaluate(COUNT))
    for one in screens:
        assert one["controls"] <= most[0] and one["words"] <= most[1], one
    speed(page, "1/100")
    page.locator(".sv-play").click()
    page.wait_for_timeout(600)  # a shift soon after a press is laid to the hand
    page.evaluate(SHIFTS)
    expect(page.locator(".sv-verdict")).to_be_visible(timeout=60_000)
    assert page.evaluate("window.shifts.reduce((a, b) => a + b, 0)") <= 0.01


def opened(page):
    expect(page.locator(".sv-story")).to_be_visible()
    expect(page.get_by_role("button", name="Be the draft")).to_be_hidden()  # the end comes first
    page.keyboard.press("Space")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    press(page, "Be the draft")
    expect(page.locator(".sv-game-field")).to_be_focused()
    return page


def guess(page, word: str, *roles: str, says: str) -> None:
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    expect(page.locator(".sv-game[data-stage=told]")).to_be_visible()
    expect(page.locator(".sv-game-told")).to_have_text(classroom.GAME[says])
    assert page.locator(".sv-game .sv-token").evaluate_all("all => all.map((e) => e.dataset.role)") == list(roles)


def test_the_end_of_the_story_leads_to_three_words_of_ones_own_by_keys_alone(newcomer):
    page = opened(newcomer())
    expect(page.locator(".sv-game-told")).to_have_text(classroom.GAME["ask"])
    expect(page.locator(".sv-game")).to_contain_text(classroom.GAME["texts"][0])
    guess(page, "sky", "accepted", "bonus", says="kept")
    expect(page.locator(".sv-game-score")).to_have_text("You: 1 · Small model: 0")
    expect(page.locator(".sv-game .sv-bar-row[data-marked]")).to_contain_text("sky (your word)")
    page.keyboard.press("Enter")  # the next sentence
    guess(page, "zoo", "rejected", "corrected", says="struck")
    page.keyboard.press("Enter")
    guess(page, "longzz", "accepted", "rejected", "corrected", says="part")  # two tokens
    page.keyboard.press("Enter")
    expect(page.locator(".sv-game-told")).to_have_text("You: 1 of 3 kept. The small model as draft: 0 of 3.")
    page.keyboard.press("Escape")
    expect(page.locator(".sv-story")).to_have_count(0)
    expect(page.locator("#prompt textarea")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_it_is_in_sight_and_axe_finds_nothing(newcomer, scheme):
    page = opened(newcomer(width=390, height=844, color_scheme=scheme, reduced_motion="reduce"))
    in_sight(page, ".sv-game-told", ".sv-game-field", ".sv-game [type=submit]")
    guess(page, "zoo", "rejected", "corrected", says="struck")
    assert fits(page) and objections(page) == []


def test_the_chapter_of_the_idea_begins_with_the_same_game(newcomer):
    page = newcomer("?chapter=1")
    act = page.locator(".lrn-picture .sv-game")
    expect(act).to_be_visible(timeout=90_000)  # the first visitor of Learn waits until its pictures are made
    act.locator(".sv-game-field").click()
    for word in ("sky", "dog", "leg"):
        guess(page, word, "accepted", "bonus", says="kept")
        expect(page.locator(".lrn-chapter[data-chapter=guess]")).to_be_visible()  # no key of the lesson was heard
        page.keyboard.press("Enter")
    press(act, "Guess longer texts in the Lab")
    expect(page.locator("#lab-classroom h2")).to_be_visible()
