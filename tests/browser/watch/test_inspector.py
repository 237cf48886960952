"""A person chooses a token and reads how it was decided."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.picture.view import picture
from specviz.trace.events import Round
from tests.fake_trace import fake_trace, reticent

from ...products import some
from ..components import run, show
from ..person import lane, seek, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser
BROKEN = ("undefined", "NaN", "null", "[object", "{", "Infinity")


def inspector(page):
    return page.locator(".sv-inspector")


def test_where_p_and_q_differ_by_rounding_alone_a_token_is_not_said_to_have_been_lucky(still):
    """As where the target drafts for itself: it has made p and q in passes of different lengths."""
    trace = fake_trace("Oracle story", drafter="oracle")
    rounded = [
        replace(
            e,
            drafted=tuple(
                replace(d, q=d.p * (1 + 3e-7), ratio=1 / (1 + 3e-7)) if d.verdict == "accepted" else d for d in e.drafted
            ),
        )
        if isinstance(e, Round)
        else e
        for e in trace.speculative
    ]
    show(still, replace(trace, speculative=tuple(rounded)))
    tokens(still, "accepted").first.click()
    expect(inspector(still).locator(".sv-sentence")).to_contain_text("so every u accepts it")


def test_a_rejected_token_shows_p_q_u_and_the_residual_with_what_was_drawn(still):
    run(still)
    trace = fake_trace("Once upon a time", config=DecodeConfig(temperature=0.8, max_new_tokens=96), seed=3)
    rounds = picture(trace)["lanes"]["speculative"]["rounds"]
    r, d = next((r, d) for r in rounds for d in r["drafted"] if d["verdict"] == "rejected")
    tokens(still, "rejected").first.click()
    box = inspector(still)
    expect(box.locator(".sv-sentence")).to_contain_text("is rejected")
    expect(box.locator(".sv-sentence")).to_contain_text(f"u = {d['u']:.3f}")
    expect(box.locator(".sv-u-mark")).to_have_text(f"u = {d['u']:.3f}")
    expect(box).to_contain_text(f"β = Σ min(p, q) = {d['position']['beta']:.3f}")
    expect(box.locator(".sv-fill[data-series=p]").first).to_be_visible()
    expect(box.locator(".sv-fill[data-series=q]").first).to_be_visible()
    expect(box.locator(".sv-fill[data-series=shared]").first).to_be_visible()
    expect(box.locator(".sv-landed")).to_have_text("↻ drawn")
    drawn = r["emitted"][-1]["token"]["text"].strip()
    expect(box.locator(".sv-bar-row[data-marked]", has=still.locator(".sv-landed"))).to_contain_text(drawn)


@pytest.mark.parametrize("size", some([(1440, 900), (1280, 720)], (1280, 720)), ids=str)
def test_on_a_wide_screen_token_sentence_and_bars_are_seen_at_once(still, size):
    still.set_viewport_size({"width": size[0], "height": size[1]})
    run(still, "Once upon a time, there was a little dog named")
    for i in (0, 2):
        token = tokens(still, "rejected").nth(i)
        token.click()
        box = inspector(still)
        for part in (
            token,
            still.locator(".sv-verdict"),
            box.locator(".sv-sentence"),
            box.locator(".sv-bars").first,
            box.locator(".sv-beta"),
            still.locator(".sv-play"),
        ):
            expect(part).to_be_in_viewport(ratio=0.99)
    still.locator(".sv-numbers").scroll_into_view_if_needed()
    expect(inspector(still).locator(".sv-sentence")).to_be_in_viewport()


def test_on_a_narrow_screen_the_sentence_stands_under_the_lanes_too_and_leads_to_p_and_q(still):
    still.set_viewport_size({"width": 900, "height": 700})
    run(still)
    tokens(still, "corrected").nth(2).click()
    caption = still.locator(".sv-caption")
    expect(caption).to_be_in_viewport()
    expect(caption.locator("p")).to_have_text(inspector(still).locator(".sv-sentence").inner_text())
    caption.locator("button.sv-button").click()
    expect(inspector(still).locator(".sv-bars").first).to_be_in_viewport()


def test_the_mark_of_u_lies_on_the_side_of_the_verdict(still):
    run(still)
    for role, below in (("rejected", False), ("accepted", True)):
        for i in range(6):
            tokens(still, role).nth(i).click()
            keep, mark = still.locator(".sv-u-keep").bounding_box(), still.locator(".sv-u-mark").bounding_box()
            assert (mark["x"] < keep["x"] + keep["width"]) == below


def test_a_token_after_a_rejection_is_said_to_be_thrown_away(still):
    run(still)
    tokens(still, "unexamined").first.click()
    expect(inspector(still)).to_contain_text("never examined")
    expect(inspector(still)).to_contain_text("for a text with the rejected token in it")
    expect(inspector(still)).to_contain_text("p(x)")
    expect(inspector(still).locator(".sv-u")).to_have_count(0)


def test_a_draft_token_left_when_the_run_ended_is_said_to_have_come_too_late(still):
    run(still, "inside a block it ends")
    tokens(still, "unexamined").last.click()
    expect(inspector(still)).to_contain_text("the run ended on a token before it")


def test_a_bonus_token_shows_p_alone_and_its_draw(still):
    run(still)
    tokens(still, "bonus").first.click()
    expect(inspector(still)).to_contain_text("is free")
    expect(inspector(still).locator(".sv-fill[data-series=q]")).to_have_count(0)
    expect(inspector(still).locator(".sv-fill[data-series=p]").first).to_be_visible()


def test_a_greedy_token_says_that_no_uniform_is_drawn(still):
    run(still, temperature=0)
    tokens(still, "accepted").first.click()
    expect(inspector(still)).to_contain_text("one-hot and no u is drawn")
    expect(inspector(still).locator(".sv-u")).to_have_count(0)


@pytest.mark.parametrize(
    "settings", some([{}, {"temperature": 0}, {"seed": 5, "K": 9, "length": 31}, {"K": 0}, {"prompt": "hostile day"}]), ids=str
)
def test_every_token_of_a_run_has_a_whole_sentence(still, settings):
    run(still, **settings)
    for name in ("vanilla", "speculative"):
        told = lane(still, name).evaluate(
            """lane => [...lane.querySelectorAll('.sv-token')].map(t => { t.click(); return document.querySelector('.sv-inspector').innerText; })"""
        )
        assert told
        for text in told:
            assert len(text.split()) > 8
            if settings.get("prompt") is None:
                assert not any(word in text for word in BROKEN), text


def test_the_match_verifier_has_sentences_of_its_own(still):
    run(still, verifier="match")
    tokens(still, "rejected").first.click()
    expect(inspector(still)).to_contain_text("drew its own token")
    tokens(still, "accepted").first.click()
    expect(inspector(still)).to_contain_text("it was the same")


def test_tokens_are_buttons_with_names_and_one_tab_stop_a_lane(still):
    run(still)
    token = tokens(still, "rejected").first
    assert token.get_attribute("role") == "button"
    assert "rejected, round" in token.get_attribute("aria-label")
    for name in ("vanilla", "speculative"):
        expect(lane(still, name).locator(".sv-token[tabindex='0']")).to_have_count(1)
        assert lane(still, name).locator(".sv-token:not([tabindex])").count() == 0


def test_a_focused_token_is_chosen_by_enter_and_arrows_choose_its_neighbours(still):
    run(still)
    token = tokens(still, "corrected").first
    still.keyboard.press("Tab")  # a ring is drawn for those who come by key
    token.focus()
    assert token.evaluate("e => getComputedStyle(e).outlineStyle") != "none"
    still.keyboard.press("Enter")
    expect(token).to_have_attribute("aria-pressed", "true")
    expect(inspector(still)).to_contain_text("replaces the rejected")
    still.keyboard.press("ArrowLeft")
    expect(token).to_have_attribute("aria-pressed", "false")
    expect(still.locator(".sv-text [aria-pressed=true]")).to_have_count(1)
    expect(still.locator(".sv-text [aria-pressed=true]")).to_be_focused()
    expect(still.locator(".sv-play")).to_have_text("Play")


def test_the_hint_says_what_the_keys_do_with_and_without_a_token_and_they_do_it(still):
    run(still)
    hint, play, scrub = still.locator(".sv-keys"), still.locator(".sv-play"), still.locator(".sv-scrub")
    tokens(still, "rejected").first.click()
    expect(hint).to_have_text("← → choose a token, Esc goes back to the player", use_inner_text=True)
    end = scrub.input_value()
    still.keyboard.press("ArrowRight")
    assert scrub.input_value() == end
    still.keyboard.press("Escape")
    expect(hint).to_have_text("Space plays, ← → a round, Shift ← → a step", use_inner_text=True)
    still.keyboard.press("ArrowLeft")
    assert float(scrub.input_value()) < float(end)
    tokens(still, "accepted").first.click()
    still.keyboard.press(" ")  # as a button's: it is chosen, and the replay stands
    expect(play).to_have_text("Play")
    still.keyboard.press("Escape")
    still.keyboard.press(" ")
    expect(play).to_have_text("Pause")


def test_a_token_that_the_replay_hides_hands_its_focus_to_one_that_is_shown(still):
    run(still)
    tokens(still, "corrected").last.click()
    seek(still, 30)
    for name in ("vanilla", "speculative"):
        stop = lane(still, name).locator(".sv-token[tabindex='0']")
        expect(stop).to_have_count(1)
        expect(stop).to_be_visible()
    expect(lane(still, "speculative").locator(".sv-token[tabindex='0']")).to_be_focused()


def test_the_match_verifier_is_not_told_that_beta_is_the_chance_to_stay(still):
    run(still, verifier="match")
    tokens(still, "rejected").first.click()
    expect(inspector(still).locator(".sv-beta")).to_contain_text("is the chance under the rejection rule. Under match")
    expect(inspector(still)).not_to_contain_text("chance to stay")
    expect(still.locator(".sv-numbers")).to_contain_text("α is what the rejection rule would have accepted")


def test_where_the_argmax_is_drafted_its_softmax_stands_beside_q_and_which_one_decides_is_said(still):
    run(still, drafting="argmax", adaptive=True, temperature=1)
    tokens(still, "accepted").first.click()
    box = inspector(still)
    marked = box.locator(".sv-bars:not(.sv-matrix) > [data-marked]")
    p, q, s = marked.locator(".sv-value").all_inner_texts()
    assert q == "1" and 0 < float(s) < 1
    expect(box.locator(".sv-fill[data-series=q]")).to_have_count(0)  # 1 or 0: no bar of it would say more
    expect(marked.locator(".sv-fill[data-series=s]")).to_be_visible()
    expect(box.locator(".sv-own")).to_contain_text("q is used: 1 for")
    expect(box.locator(".sv-beta")).to_contain_text(f"= {p} = p(x)")
    expect(box.locator(".sv-choice")).to_contain_text(
        "which promises most: 1.50×. Of the tokens tested lately about 75.0 % were accepted"
    )


def test_a_pick_at_temperature_0_is_not_said_to_be_drawn_from_a_residual(still):
    run(still, temperature=0, seed=4)
    tokens(still, "corrected").first.click()
    expect(inspector(still)).to_contain_text("the target's own pick")
    expect(inspector(still)).not_to_contain_text("esidual")
    expect(inspector(still).locator(".sv-landed")).to_have_count(0)


def test_a_plain_token_says_how_its_own_u_drew_it(still):
    run(still)
    tokens(still, "plain", "vanilla").nth(3).click()
    expect(inspector(still)).to_contain_text("in the order of the vocabulary")


def test_small_probabilities_keep_two_digits_and_their_columns_apart(still):
    run(still)
    shown = lane(still, "speculative").evaluate(
        """lane => [...lane.querySelectorAll('.sv-token')].flatMap(t => { t.click(); return [...document.querySelectorAll('.sv-inspector .sv-bar-row:not(.sv-bar-head)')]
            .map(row => [...row.querySelectorAll('.sv-value')].map(v => [v.textContent, v.scrollWidth <= v.clientWidth])) })"""
    )
    values = [value for row in shown for value in row]
    assert any(len(text) >= 7 for text, _ in values)
    assert [text for text, fits in values if not fits] == []
    assert not any("<" in text for text, _ in values)


def test_the_bars_have_an_axis(still):
    run(still)
    tokens(still, "rejected").first.click()
    ticks = inspector(still).locator(".sv-ticks").first.locator("span").all_inner_texts()
    assert ticks[0] == "0" and float(ticks[1]) == pytest.approx(float(ticks[2]) / 2)
    longest = max(
        inspector(still).locator(".sv-bars").first.locator(".sv-fill").evaluate_all("l => l.map(e => parseFloat(e.style.width))")
    )
    assert 0 < longest <= 100


def test_the_numbers_carry_the_settings_they_were_measured_with(still):
    run(still, verifier="match", seed=7, temperature=0.6, length=40, top_k=30, top_p=0.9)
    line = still.locator(".sv-settings-line")
    expect(line).to_contain_text(
        "drafter story-draft · K = 3 · temperature 0.6 · top-p 0.9 · top-k 30 · seed 7 · at most 40 tokens · match verifier"
    )
    run(still, seed=7, temperature=0)
    expect(line).to_contain_text("K = 3 · temperature 0 · seed 7")


def test_the_numbers_name_all_three_acceptances(still):
    run(still)
    numbers = still.locator(".sv-numbers")
    for words in (
        "accepted / drafted",
        "accepted / tested",
        "α, average of β",
        "tokens per target pass",
        "target pass",
        "draft",
        "rest",
    ):
        expect(numbers).to_contain_text(words)


def test_the_bars_are_saved_as_a_picture_that_holds_what_they_say_as_text(visit, tmp_path):
    run_on_app(visit, "hostile bars")
    tokens(visit, "rejected").first.click()
    with visit.expect_download() as download:
        visit.locator(".sv-save-bars").click()
    assert download.value.suggested_filename == "specviz-p-and-q.svg"
    download.value.save_as(tmp_path / "bars.svg")
    drawn = ElementTree.parse(tmp_path / "bars.svg").getroot()
    said = "".join(drawn.itertext())
    for row in visit.locator(".sv-inspector .sv-bars").first.locator(".sv-bar-name").all_inner_texts():
        assert row in said
    kinds = {node.tag.rpartition("}")[2] for node in drawn.iter()}
    assert kinds == {"svg", "rect", "text"}  # nothing of a token became markup
    assert sum(node.tag.endswith("rect") for node in drawn.iter()) > 5


def test_of_another_engines_run_the_page_names_what_is_not_recorded_and_guesses_nothing(still):
    show(still, reticent(fake_trace("Served story", seed=2)))
    who = still.locator(".sv-engine")
    expect(who.first).to_contain_text("Decoded by vLLM 0.32.0, not by specviz.")
    expect(who.last).to_contain_text("Not recorded by vLLM: p of drafted tokens, q of drafted tokens")
    for role, said in (
        ("accepted", "The u that decided is not recorded by vLLM."),
        ("rejected", "p and q were not recorded at this position."),
        ("bonus", "What drew it is not recorded by vLLM."),
        ("plain", "by the pass over the prompt. What drew it is not recorded by vLLM."),
    ):
        tokens(still, role).first.click()
        expect(inspector(still)).to_contain_text(said)
        assert not [word for word in BROKEN if word in inspector(still).inner_text()]
    expect(inspector(still)).to_contain_text("Sizes of caches are not recorded by vLLM.")
    numbers = still.locator(".sv-numbers").inner_text()
    assert "no c, no v and nothing to predict" in numbers and not [word for word in BROKEN if word in numbers]
