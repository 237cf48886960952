"""Experiments of the Lab on the site: the visitor's own browser decodes."""

from playwright.sync_api import expect

from specviz.site.data import drafters

from ..person import field, opened_panel, press

LATE = 60_000  # ms: models are fetched first


def test_luck_runs_each_seed_in_the_browser_and_refuses_as_the_app_does(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "luck", seeds=4, length=12, drafter="lookup", prompt="one+two+one+two+one")
    expect(box).to_contain_text("The models for it come once")
    press(box, "Measure here")
    expect(box.locator(".lab-sentence")).to_contain_text("seeds", timeout=LATE)
    expect(box.locator("tbody tr")).to_have_count(4)
    field(box, "Seeds").fill("1")
    press(box, "Measure here")
    expect(box.locator(".lab-told")).to_contain_text("“Seeds” is 1; it must be a whole number from 2 to 100.")


def test_a_sweep_fills_its_map_is_stopped_and_a_cell_goes_to_watch(watched, site):
    box = opened_panel(
        watched, site.rstrip("/"), "sweep", drafters="lookup,random", Ks="1,2", turns=10, length=64, prompt="one+two+one+two"
    )
    expect(box.locator("input[type=checkbox]")).to_have_count(len(drafters()))  # none that only the app has
    cells = box.locator(".lab-cell")
    expect(cells.first).to_be_visible()
    recorded = cells.count()
    press(box, "Measure here")
    expect(cells).not_to_have_count(recorded, timeout=LATE)  # which stay until something is measured
    expect(cells.first).to_be_visible(timeout=LATE)
    press(box, "Stop")
    expect(box.locator(".lab-told")).to_contain_text("Stopped", timeout=LATE)
    box.locator(".lab-cell").first.click()
    expect(watched.locator("#watch")).to_be_visible()
    expect(watched.locator("#prompt textarea")).to_have_value("one two one two")
    expect(watched.locator("#drafter select")).to_have_value("lookup")


def test_a_link_to_a_panel_that_asks_for_what_only_the_app_has_says_so(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "luck", tree="static", drafter="mtp", verifier="match")
    expect(box.locator(".lab-told")).to_contain_text("only the app has “Tree of guesses”; only the app has “Multi-token heads”")
    expect(box.get_by_label("Rule").first.locator("option")).to_have_count(2)
    expect(box.get_by_text("Tree of guesses", exact=True)).to_have_count(0)
    expect(box.get_by_label("First: Drafter").locator("option")).to_have_count(len(drafters()))


def test_people_draft_at_one_keyboard_and_are_scored_in_the_browser(watched, site):
    box = opened_panel(watched, site.rstrip("/"), "classroom", prompt="Once+upon+a+time", temperature=0, who="room")
    expect(box.get_by_label("Who drafts").locator("option")).to_have_text(["One keyboard", "Two in turn"])
    guess = box.get_by_label("What comes next?")
    guess.fill("there was a king")
    expect(box.locator(".ppl-cut .sv-chip-token").first).to_have_text("␣there", timeout=LATE)
    guess.press("Enter")
    expect(box.locator(".ppl-round")).to_contain_text("the target would write", timeout=LATE)
    expect(box.locator(".ppl-counts tbody tr")).to_have_count(len(drafters()))  # people, and all but the oracle
    guess.press("Enter")
    expect(box.locator(".lab-told")).to_have_text("Type at least one word: an empty guess is no draft.")
