"""A person reads the numbers of a run, opens what they mean, and is told why it was fast or slow."""

import re

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.picture.view import picture
from specviz.picture.words import BROWSER
from tests.fake_trace import fake_trace
from tests.fake_tree import tree_trace

from ...products import some
from ..components import run, show
from ..person import run as run_on_app
from ..person import speed

pytestmark = pytest.mark.browser
FIGURES = ("f_speedup", "f_per_forward", "a_drafted", "a_tested", "a_alpha", "f_c", "f_v", "f_predicted", "f_best", "f_texts")
BROKEN = ("undefined", "NaN", "null", "[object", "{", "Infinity")


def shown(**settings):
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, **settings})
    return picture(fake_trace("Once upon a time", config=config, seed=config.seed + 3))


def figure(page, key):
    return page.locator(f".sv-figure[data-figure={key}]")


def value(page, key):
    return figure(page, key).locator("strong")


def test_each_figure_is_the_one_of_the_trace(still):
    run(still, K=4)
    told = shown(K=4)
    account, numbers = told["account"], told["lanes"]["speculative"]["numbers"]
    expect(value(still, "f_speedup")).to_have_text(f"{told['comparison']['speedup']:.2f}×")
    expect(value(still, "f_per_forward")).to_have_text(f"{numbers['tokens_per_forward']:.2f}")
    expect(value(still, "a_drafted")).to_have_text(f"{100 * numbers['accepted_of_drafted']:.1f} %")
    expect(value(still, "a_tested")).to_have_text(f"{100 * numbers['accepted_of_tested']:.1f} %")
    expect(value(still, "a_alpha")).to_have_text(f"{100 * numbers['alpha']:.1f} %")
    expect(value(still, "f_c")).to_have_text(f"{account['c']:.2f}")
    expect(value(still, "f_v")).to_have_text(f"{account['v']:.2f}")
    expect(value(still, "f_predicted")).to_have_text(f"{account['predicted']:.2f}×")
    expect(value(still, "f_best")).to_have_text(f"K = {account['best_K']}")
    at = told["comparison"]["common"] + 1
    expect(value(still, "f_texts")).to_have_text(f"differ from token {at} on")
    expect(still.locator(".sv-why")).to_contain_text(f"{account['why']['tokens']:.2f} tokens")


@pytest.mark.parametrize("by", ["mouse", "key", "touch"])
def test_every_figure_says_what_it_is_when_asked_by_mouse_key_or_touch(still, by):
    run(still)
    assert still.locator(".sv-figure").evaluate_all("l => l.map(e => e.dataset.figure)") == list(FIGURES)
    for key in FIGURES:
        said = figure(still, key).locator("p")
        expect(said).to_be_hidden()
        summary = figure(still, key).locator("summary")
        if by == "mouse":
            summary.click()
        elif by == "key":
            summary.focus()
            still.keyboard.press("Enter")
        else:
            summary.dispatch_event("click")  # what a tap ends in
        expect(said).to_be_visible()
        text = said.inner_text()
        assert len(text.split()) > 5 and not any(word in text for word in BROKEN), text


def test_the_two_tokens_at_which_the_texts_part_are_named(still):
    run(still)
    figure(still, "f_texts").locator("summary").click()
    said = figure(still, "f_texts").locator("p")
    for token in shown()["comparison"]["parted"]:
        expect(said).to_contain_text(token["text"].strip())
    run(still, temperature=0)
    expect(value(still, "f_texts")).to_have_text("identical")


def test_where_greedy_lanes_part_the_logits_of_both_tokens_are_told(still):
    run(still, "parts here")
    for logit in ("7.1250", "7.1240", "7.1234", "7.1249"):
        expect(still.locator(".sv-texts")).to_contain_text(logit)


def test_what_recording_graphs_took_is_told_apart_and_why_a_run_is_slower_than_its_device_allows(still):
    run(still)
    expect(still.locator(".sv-captured, .sv-eager, .sv-device")).to_have_count(0)
    run(still, "graphs on a device")
    expect(still.locator(".sv-captured")).to_contain_text("800 ms")
    expect(still.locator(".sv-eager")).to_have_text("Slower than this device allows: no memory for <b>a graph</b>.")
    expect(still.locator(".sv-device")).to_have_text("On this device: the driver is <b>too old</b>.")


def test_a_run_of_trees_tells_the_best_tree_and_beside_it_the_best_chain(still):
    trace = tree_trace("3-2-1-1", K=4, tokens=60)
    show(still, trace)
    account = picture(trace)["account"]
    tree, chain = account["best_tree"], account["best_chain"]
    expect(value(still, "f_c")).to_have_text(f"{account['c']:.2f}")
    expect(value(still, "f_v")).to_have_text(f"{account['v']:.2f}")
    expect(value(still, "f_predicted")).to_have_text(f"{account['predicted']:.2f}×")
    expect(value(still, "f_tree")).to_have_text(f"{tree['nodes']} tokens")
    figure(still, "f_tree").locator("summary").click()
    words = f"best tree has {tree['nodes']} tokens in {tree['levels']} levels: {tree['speedup']:.2f}×. The best chain has K = {chain['nodes']}: "
    expect(figure(still, "f_tree").locator("p")).to_contain_text(words)
    expect(figure(still, "f_best")).to_have_count(0)
    expect(still.locator(".sv-why")).to_have_text(BROWSER["missing_tree"])


def test_without_drafts_the_prices_are_said_to_be_missing_and_why(still):
    run(still, K=0)
    expect(still.locator(".sv-verdict")).to_contain_text(BROWSER["kind_alike"])
    expect(still.locator(".sv-verdict")).to_have_attribute("data-kind", "alike")
    expect(still.locator(".sv-why")).to_have_text(BROWSER["missing_zero"])
    for key in ("f_c", "f_v", "f_predicted", "f_best"):
        expect(value(still, key)).to_have_text("–")
        figure(still, key).locator("summary").click()
        expect(figure(still, key).locator("p")).to_have_text(BROWSER["missing_zero"])
    assert not any(word in still.locator(".sv-numbers").inner_text() for word in BROKEN)


def test_a_lane_that_was_stopped_before_it_began_leaves_the_prices_out(visit):
    visit.locator("#prompt textarea").fill("slow story")
    visit.locator("#run").click()
    expect(visit.locator(".sv-status")).to_contain_text("vanilla: 24")
    visit.locator("#stop").click()
    expect(visit.locator(".sv-why")).to_have_text(BROWSER["missing_lane"])
    expect(value(visit, "f_speedup")).to_have_text("–")
    assert not any(word in visit.locator(".sv-numbers").inner_text() for word in BROKEN)


@pytest.mark.parametrize(("K", "says"), [(4, "Faster: a round writes"), (1, "tokens")])
def test_why_the_run_was_as_fast_as_it_was_stands_above_the_figures(still, K, says):
    run(still, K=K)
    why = still.locator(".sv-why")
    expect(why).to_contain_text(says)
    expect(why).to_contain_text("It takes as long as")
    assert why.bounding_box()["y"] < figure(still, "f_speedup").bounding_box()["y"]


@pytest.mark.parametrize("drafter", some(["lookup", "mtp", "eagle", "oracle", "random"]))
def test_every_drafter_gets_whole_sentences(still, drafter):
    run(still, f"Drafted by {drafter}", drafter=drafter)
    still.locator(".sv-figure summary").evaluate_all("l => l.forEach(e => e.click())")
    text = still.locator(".sv-numbers").inner_text()
    assert "The main limit is" in text
    assert not any(word in text for word in BROKEN), text


@pytest.mark.parametrize("width", [390, 1440])
def test_acceptance_by_position_is_a_table_with_one_line_for_each_position(still, width):
    still.set_viewport_size({"width": width, "height": 900})
    run(still, K=4)
    rows = still.locator(".sv-positions tbody tr")
    cells = rows.evaluate_all("l => l.map(row => [...row.cells].map(cell => cell.textContent))")
    by_position = shown(K=4)["lanes"]["speculative"]["numbers"]["by_position"]
    assert [row[:3] for row in cells] == [
        [str(at["position"]), f"{at['reached']} of {at['drafted']}", str(at["accepted"])] for at in by_position
    ]
    assert max(rows.evaluate_all("l => l.map(e => e.offsetHeight)")) < 40


CAUSAL = re.compile(r"\b(because|faster|slower|holds it back|costs only|no clear difference|reached)\b", re.IGNORECASE)


def test_a_speedup_stands_with_its_interval_and_says_what_was_timed_and_how_often(still):
    run(still)
    told = shown()["comparison"]
    expect(still.locator(".sv-verdict")).to_contain_text(f"{told['low']:.2f}–{told['high']:.2f}")
    expect(still.locator(".sv-timed p")).to_be_hidden()
    still.locator(".sv-timed summary").click()
    expect(still.locator(".sv-timed p")).to_contain_text("Each lane ran once.")
    expect(still.locator(".sv-timed p")).to_contain_text(BROWSER["luck"])
    run(still, "often repeated")
    still.locator(".sv-timed summary").click()
    expect(still.locator(".sv-timed p")).to_contain_text("Both lanes ran 7 times alternately")
    assert not any(word in still.locator(".sv-facts").inner_text() for word in BROKEN)


def test_beside_a_disturbed_run_stand_its_counts_a_warning_and_no_cause(still):
    run(still, "busy machine", K=4)
    head, facts = still.locator(".sv-headline"), still.locator(".sv-facts")
    config = DecodeConfig(K=4, temperature=0.8, max_new_tokens=96)
    made = picture(fake_trace("busy machine", config=config, seed=3))
    per_pass = made["lanes"]["speculative"]["numbers"]["tokens_per_forward"]
    expect(head.locator(".sv-verdict strong")).to_have_text(f"{per_pass:.2f}")
    expect(facts).to_contain_text(BROWSER["disturbed"])
    for time in (".sv-rate", ".sv-clock"):
        expect(still.locator(time)).to_have_count(0)
    expect(still.locator("#timeline")).to_be_hidden()
    speed(still, "1/25")
    expect(still.locator(".sv-takes")).to_have_text(BROWSER["takes_busy"])
    assert "ms" not in still.locator(".sv-scrub").get_attribute("aria-valuetext")
    expect(still.locator(".sv-inspector")).to_contain_text("Target cache")
    expect(still.locator(".sv-inspector")).not_to_contain_text("This round:")
    expect(facts).to_contain_text("The speculative lane ran on a processor for 60.0 % of its time.")
    expect(still.locator(".sv-why")).to_have_text(BROWSER["missing_disturbed"])
    for key in ("f_c", "f_v", "f_predicted", "f_best"):
        expect(value(still, key)).to_have_text("–")
    still.locator(".sv-figure summary").evaluate_all("l => l.forEach(e => e.click())")
    said = (
        head.inner_text() + facts.inner_text() + still.locator(".sv-why").inner_text() + still.locator(".sv-figures").inner_text()
    )
    assert not CAUSAL.search(said.replace(BROWSER["missing_disturbed"], "")), said
    assert not any(word in said for word in BROKEN)


def test_one_button_times_a_disturbed_run_again(visit):
    run_on_app(visit, "busy machine")
    visit.locator("#prompt textarea").fill("quiet machine")
    again = visit.locator(".sv-run-again")
    again.focus()
    visit.keyboard.press("Enter")
    expect(visit.locator(".sv-verdict")).to_contain_text("×")
    expect(again).to_have_count(0)
