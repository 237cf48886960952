"""Experiments of the Lab on the site: the visitor's own browser decodes."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.words import GAME
from specviz.page.lab.panels.load import WORDS
from specviz.site.given import drafters

pytestmark = pytest.mark.browser
LATE = 60_000  # ms: models are fetched first


def opened(page, site, panel: str, **settings):
    asked = "".join(f"&lab_{name}={value}" for name, value in settings.items())
    page.goto(f"{site}?lab={panel}{asked}")
    box = page.locator(f"#lab-{panel}")
    expect(box.locator("h2")).to_be_visible()
    return box


def press(box, name: str) -> None:
    box.get_by_role("button", name=name, exact=True).click()


def test_luck_runs_each_seed_in_the_browser_and_refuses_as_the_app_does(watched, site):
    box = opened(watched, site, "luck", seeds=4, length=12, drafter="lookup", prompt="one+two+one+two+one")
    expect(box).to_contain_text("The models for it come once")
    press(box, "Measure here")
    expect(box.locator(".lab-sentence")).to_contain_text("seeds", timeout=LATE)
    expect(box.locator("tbody tr")).to_have_count(4)
    box.get_by_label("Seeds", exact=True).fill("1")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("“Seeds” is 1; it must be a whole number from 2 to 100.")


def test_a_sweep_fills_its_map_is_stopped_and_a_cell_goes_to_watch(watched, site):
    box = opened(watched, site, "sweep", drafters="lookup,random", Ks="1,2", turns=10, length=64, prompt="one+two+one+two")
    expect(box.locator("input[type=checkbox]")).to_have_count(len(drafters()))  # none that only a server has
    press(box, "Measure here")
    expect(box.locator(".lab-cell").first).to_be_visible(timeout=LATE)
    press(box, "Stop")
    expect(box.locator(".lab-told")).to_contain_text("Stopped", timeout=LATE)
    box.locator(".lab-cell").first.click()
    expect(watched.locator("#watch")).to_be_visible()
    expect(watched.locator("#prompt textarea")).to_have_value("one two one two")
    expect(watched.locator("#drafter select")).to_have_value("lookup")


def test_experiments_draft_trees_in_the_browser_and_refuse_who_cannot_before_anything_is_drawn(watched, site):
    box = opened(watched, site, "luck", seeds=2, length=8, drafter="small", K=2, tree="static", children="2-1", prompt="Once")
    expect(box.get_by_label("Tokens in a dynamic tree, N").first).to_be_hidden()
    press(box, "Measure here")
    expect(box.locator("tbody th").first).to_contain_text("tree 2-1", timeout=LATE)
    box = opened(
        watched,
        site,
        "sweep",
        drafters="lookup,random",
        Ks="2",
        turns=1,
        length=8,
        tree="static",
        children="2-1",
        prompt="a+b+a+b",
    )
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("This drafter drafts chains", timeout=LATE)
    expect(box.locator(".lab-cell")).to_have_count(0)
    box.get_by_label("Children by depth, such as 3-2-1-1").fill("9-9-9")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("a tree of at most 64 tokens; at K = 2 this one has 90")


def test_load_has_nothing_to_press_where_nothing_can_be_measured_and_says_where_it_can(watched, site):
    box = opened(watched, site, "load", source="own")
    expect(box.locator(".lab-picture .lab-empty")).to_have_text(WORDS["unmeasured_here"])
    expect(box.get_by_role("button", name="Measure here")).to_have_count(0)
    watched.keyboard.press("r")
    box.get_by_label("Passes").select_option("m0")
    expect(box.locator(".lab-sentence")).to_be_visible()
    press(box, "Verify")
    expect(box.locator(".lab-budget svg")).to_be_visible()


def test_people_draft_at_one_keyboard_and_are_scored_in_the_browser(watched, site):
    box = opened(watched, site, "classroom", prompt="Once+upon+a+time", temperature=0, who="room")
    expect(box.get_by_label("Who drafts").locator("option")).to_have_text(["One keyboard", "Two in turn"])
    field = box.get_by_label("What comes next?")
    field.fill("there was a king")
    expect(box.locator(".ppl-cut .sv-chip-token").first).to_have_text("␣there", timeout=LATE)
    field.press("Enter")
    expect(box.locator(".ppl-round")).to_contain_text("the target would write", timeout=LATE)
    expect(box.locator(".ppl-counts tbody tr")).to_have_count(len(drafters()))  # people, and all but the oracle
    field.press("Enter")
    expect(box.locator(".lab-told")).to_have_text("Type at least one word: an empty guess is no draft.")


def test_the_game_of_the_chapter_is_scored_in_the_browser_and_says_what_it_fetches(watched, site):
    watched.goto(f"{site}?chapter=1")
    act = watched.locator(".lrn-act")
    expect(act).to_contain_text("The models for it come once")
    act.locator(".sv-game-field").fill("sky")
    act.get_by_role("button", name="Check it").click()
    expect(act.locator(".sv-game-told")).to_have_text(GAME["kept"], timeout=LATE)
    expect(act.locator(".sv-bar-row").first).to_contain_text("sky (your word)")
    expect(act).not_to_contain_text("come once")  # they are here now
