"""A person looks at earlier runs of this visit."""

from playwright.sync_api import expect

from specviz.page import words
from specviz.trace.file import dumps
from tests.fake_trace import fake_trace

from ..person import choose, drag, lane, let_go, press, run, within_reach

WORD = words.HISTORY
TURNS = """() => {
  window.turns = 0; // how often Run was disabled or enabled
  new MutationObserver(() => window.turns++).observe(document.querySelector("#run"), { attributeFilter: ["disabled"] });
}"""


def rows(page):
    return page.locator("#history tr[data-id]")


def test_runs_are_lines_that_are_shown_again_by_keys_and_forgotten(still):
    expect(still.locator("#history")).to_contain_text(WORD["empty"])
    run(still, "First story", K=2)
    first = lane(still, "speculative").inner_text()
    still.evaluate(TURNS)
    still.locator("#run").click()  # with the same settings it is the same line
    still.wait_for_function("() => window.turns > 1")  # Run is not disabled at once, and nothing else shows the end
    expect(still.locator("#run")).to_be_enabled()
    run(still, "Second story", K=5)
    expect(rows(still)).to_have_count(2)
    expect(rows(still).nth(0)).to_contain_text("Second story")
    expect(rows(still).nth(1).locator("[data-name=K]")).to_have_text("2")
    expect(rows(still).nth(1).locator("[data-name=speedup]")).to_contain_text("×")
    rows(still).nth(1).get_by_role("button").focus()
    still.keyboard.press("Enter")
    expect(lane(still, "vanilla")).to_contain_text("First story")
    assert lane(still, "speculative").inner_text() == first
    expect(lane(still, "vanilla")).to_be_in_viewport()
    expect(still.locator(".sv-status")).to_have_text(words.RUN_SHOWN)
    expect(within_reach(still, "#K input[type=number]")).to_have_value("5")  # looking back changes no setting
    press(still, WORD["clear"])
    press(still, WORD["clear_no"])
    expect(rows(still)).to_have_count(2)
    press(still, WORD["clear"])
    press(still, WORD["clear_yes"])
    expect(rows(still)).to_have_count(0)
    assert still.evaluate("Object.keys(localStorage).filter(name => name.startsWith('specviz'))") == []
    expect(lane(still, "vanilla")).to_contain_text("First story")


def test_a_reload_keeps_prompt_settings_and_runs_a_link_is_stronger_and_another_visitor_sees_nothing(still, app, browser):
    run(still, "First private story", K=6)
    run(still, "Second private story", K=6)
    expect(rows(still)).to_have_count(2)
    still.reload()
    expect(still.locator("#prompt textarea")).to_have_value("Second private story")
    expect(within_reach(still, "#K input[type=number]")).to_have_value("6")
    expect(still.locator(".sv-status")).to_contain_text(words.SETTINGS_KEPT)
    expect(rows(still)).to_have_count(2)
    rows(still).nth(1).get_by_role("button").click()
    expect(lane(still, "vanilla")).to_contain_text("First private story")
    still.goto(f"{app}/?prompt=Linked+story")
    expect(still.locator("#prompt textarea")).to_have_value("Linked story")
    expect(within_reach(still, "#K input[type=number]")).not_to_have_value("6")
    with browser.new_context() as theirs:
        other = theirs.new_page()
        other.goto(app)
        expect(other.locator("#history")).to_contain_text(WORD["empty"])
        expect(other.locator("#history")).not_to_contain_text("private")


def test_a_line_says_where_a_run_that_was_not_decoded_here_comes_from(still):
    run(still, "Own story", K=2)
    expect(rows(still)).to_have_count(1)
    let_go(still, drag(still, trace=dumps(fake_trace("Sent"))))
    expect(rows(still).first).to_contain_text(WORD["file"])
    choose(still, "recorded", words.RECORDED["code"][0])
    expect(rows(still)).to_have_count(3)
    expect(rows(still).first).to_contain_text(WORD["recorded"])


def test_what_a_browser_kept_is_read_as_strictly_as_a_file_from_anybody(still):
    still.evaluate(
        """() => {
          localStorage['specviz.runs'] = JSON.stringify([{ id: 'a', source: 'run', data: 'bm90aGluZw==' }, 7, { id: 'b', source: '<b>', data: '' }]);
          localStorage['specviz.settings'] = JSON.stringify('K=99&prompt=Still+here&recorded=code&unknown=1');
          localStorage['specviz.answers'] = '{';
        }"""
    )
    still.reload()
    expect(still.locator("#prompt textarea")).to_have_value("Still here")
    expect(still.locator(".sv-status")).to_contain_text("“Drafted tokens, K” is 99")
    expect(rows(still)).to_have_count(0)
    run(still, "It still runs", K=4)
    expect(rows(still)).to_have_count(1)
    still.evaluate('localStorage[\'specviz.runs\'] = localStorage[\'specviz.runs\'].replace(/"id":"\\w+"/, \'"id":"older"\')')
    still.reload()  # a run that an older page kept under another name has its line
    expect(rows(still)).to_contain_text("It still runs")
    expect(rows(still).locator("[data-name=speedup]")).to_contain_text("×")
