"""A person steps through a round: draft, verify, decide, emit; and sees what the caches hold meanwhile."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from specviz.config import DecodeConfig
from specviz.picture.view import picture
from specviz.trace.events import Round
from tests.fake_trace import fake_trace

from ..components import run, show
from ..person import block, lane, seek, speed, tokens
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def rounds(prompt="Once upon a time", **settings):
    """The rounds of the run that the engine answers with."""
    config = DecodeConfig(**{"temperature": 0.8, "max_new_tokens": 96, **settings})
    return picture(fake_trace(prompt, config=config, seed=config.seed + 3))["lanes"]["speculative"]["rounds"]


def told(page):
    return page.locator(".sv-at")


def phase(page):
    return page.locator(".sv-phase[aria-pressed=true]")


def begin(page):
    page.locator(".sv-play").focus()
    page.keyboard.press("Home")


def test_a_round_is_drafted_then_lit_at_once_then_decided_from_left_to_right_then_corrected(still):
    run(still, K=4)
    r = next(r for r in rounds(K=4) if [d["verdict"] for d in r["drafted"]][:2] == ["accepted", "rejected"])
    spans = block(still, r["index"])
    drafted, decided = (
        [s[key] for s in r["shown"] if s["drafted"] is not None and s["role"] != "unexamined"] for key in ("at", "decided")
    )
    look = "l => l.map(e => e.dataset.role + (e.dataset.phase ? '/' + e.dataset.phase : ''))"

    seek(still, (drafted[0] + drafted[1]) / 2)
    assert spans.evaluate_all(look) == ["drafted", "", "", "", ""]
    seek(still, (r["drafted_at"] + max(drafted)) / 2 if len(drafted) == 4 else r["drafted_at"] - 1e-3)
    assert spans.evaluate_all(look) == ["drafted"] * 4 + [""]
    seek(still, (r["drafted_at"] + r["verified_at"]) / 2)
    assert spans.evaluate_all(look) == ["drafted/verify"] * 4 + [""]
    seek(still, (decided[0] + decided[1]) / 2)
    assert spans.evaluate_all(look) == ["accepted"] + ["drafted/verify"] * 3 + [""]
    seek(still, (decided[1] + r["decided_at"]) / 2)
    assert spans.evaluate_all(look) == ["accepted", "rejected", "unexamined", "unexamined", ""]
    seek(still, r["end"])
    assert spans.evaluate_all(look) == ["accepted", "rejected", "unexamined", "unexamined", "corrected"]


def test_the_lit_block_looks_unlike_ghosts_and_unlike_what_is_decided(still):
    run(still, K=4)
    first, second = rounds(K=4)[:2]
    looks = []
    for t in (first["drafted_at"] - 1e-3, first["verified_at"], second["end"]):
        seek(still, t)
        looks.append(
            block(still, 0).first.evaluate("e => { const s = getComputedStyle(e); return [s.backgroundColor, s.outlineStyle] }")
        )
    assert len({str(look) for look in looks}) == 3
    assert [look[1] for look in looks[:2]] == ["dashed", "solid"]  # not by colour alone


def test_the_keys_go_from_step_to_step_and_a_line_says_where_the_replay_stands(still):
    run(still, K=4)
    begin(still)
    expect(told(still)).to_have_text("round 1 · draft: 0 of 4 tokens drafted")
    seen, first = [], rounds(K=4)[0]
    examined = [d for d in first["drafted"] if d["verdict"] != "unexamined"]
    for key in ("Shift+ArrowRight", ".", *["Shift+ArrowRight"] * len(examined), ".", "."):
        still.keyboard.press(key)
        seen.append(told(still).inner_text())
    assert seen[:2] == ["round 1 · draft: 4 of 4 tokens drafted", "round 1 · verify: one target pass checks 4 tokens"]
    for line, d in zip(seen[2:], examined, strict=False):
        assert line.startswith("round 1 · decide: ") and line.endswith(f"is {d['verdict']}")
    out = r"round 1 · emit: (all 4 accepted and a bonus: the text grows by 5|\d accepted, one corrected: the text grows by \d)$"
    assert re.match(out, seen[-2])
    assert seen[-1] == "round 2 · draft: 4 of 4 tokens drafted"
    for key, back in (("Shift+ArrowLeft", seen[-2]), (",", seen[-3])):
        still.keyboard.press(key)
        expect(told(still)).to_have_text(back)
    expect(phase(still)).to_have_text("decide")


def test_the_buttons_step_rounds_and_phases_and_jump_to_a_phase_of_the_round(still):
    run(still, K=4)
    begin(still)
    scrub, third = still.locator(".sv-scrub"), rounds(K=4)[2]
    for _ in range(3):
        still.get_by_role("button", name="one round on").click()
    assert float(scrub.input_value()) == pytest.approx(third["end"], abs=1e-3)
    expect(still.locator(".sv-step-name")).to_contain_text("round 3 of")
    still.get_by_role("button", name="verify", exact=True).click()
    expect(told(still)).to_have_text("round 3 · verify: one target pass checks 4 tokens")
    assert float(scrub.input_value()) == pytest.approx(third["verified_at"], abs=1e-3)
    still.get_by_role("button", name="one step on").click()
    expect(phase(still)).to_have_text("decide")
    still.get_by_role("button", name="one step back").click()
    still.get_by_role("button", name="one step back").click()
    expect(phase(still)).to_have_text("draft")
    still.get_by_role("button", name="one round back").click()
    expect(still.locator(".sv-step-name")).to_contain_text("round 2 of")


def test_no_step_asks_the_server_for_anything(still, listen):
    run(still)
    asked = []
    listen("request", lambda request: asked.append(request.url))
    begin(still)
    for key in ("ArrowRight", "Shift+ArrowRight", ".", ",", "End", "Home"):
        still.keyboard.press(key)
    tokens(still, "prompt").first.hover()
    assert asked == []


def test_shift_and_arrows_step_also_while_a_token_has_the_focus(still):
    run(still, K=4)
    tokens(still, "accepted").first.click()
    before = told(still).inner_text()
    still.keyboard.press("Shift+ArrowLeft")
    expect(told(still)).not_to_have_text(before)
    expect(tokens(still, "accepted").first).to_be_focused()


OWN_CLOCK = """() => { let beat = 0, frames = new Map(), id = 0; performance.now = () => beat;
    window.requestAnimationFrame = f => { frames.set(++id, f); return id; };
    window.cancelAnimationFrame = id => frames.delete(id);
    window.pass = ms => { const due = [...frames.values()]; frames.clear(); beat += ms; due.forEach(f => f(beat)); }; }"""


def test_step_by_step_play_and_the_arrows_stop_at_the_same_steps_and_each_holds_equally_long(still):
    run(still, K=4)
    speed(still, "step by step")
    expect(still.locator(".sv-takes")).to_have_text("not to scale: 1.2 s for each step")
    first = rounds(K=4)[0]
    verdicts = [s["decided"] for s in first["shown"] if s["role"] in ("accepted", "rejected")]
    ghosts = [s["at"] for s in first["shown"] if s["drafted"] is not None]
    steps = [max(ghosts), first["verified_at"], *verdicts, first["end"]]
    scrub = still.locator(".sv-scrub")
    begin(still)
    walked = []
    for _ in steps:
        still.keyboard.press("ArrowRight")
        walked.append((float(scrub.input_value()), told(still).inner_text()))
    assert [t for t, _ in walked] == pytest.approx(steps, abs=2e-3)
    begin(still)
    still.evaluate(OWN_CLOCK)  # the browser's clock is ours
    still.keyboard.press(" ")
    expect(still.locator(".sv-play")).to_have_text("Pause")
    for step, line in walked:
        for held in (500, 700):  # the step is there after the first of them, and still after the second
            still.evaluate(f"window.pass({held})")
            assert float(scrub.input_value()) == pytest.approx(step, abs=2e-3)
            assert told(still).inner_text() == line
    still.keyboard.press(" ")
    expect(still.locator(".sv-play")).to_have_text("Play")


def test_the_inspector_follows_the_steps_and_tells_of_no_more_than_has_happened(still):
    run(still, K=4)
    r = next(r for r in rounds(K=4) if [d["verdict"] for d in r["drafted"]][:2] == ["accepted", "rejected"])
    box, d = still.locator(".sv-inspector"), r["drafted"][1]
    speed(still, "step by step")
    seek(still, r["start"] + 1e-3)
    step = lambda: still.keyboard.press(".")  # noqa: E731
    still.locator(".sv-play").focus()

    step()  # drafted: q alone
    expect(box).to_contain_text(f"round {r['index'] + 1}, draft token 4 of 4")
    expect(box.locator(".sv-role")).to_have_text("◌ drafted")
    expect(still.locator(".sv-node[data-look=drafted]")).to_have_count(4)
    expect(still.locator(".sv-node[data-at='2'] .sv-node-pq")).to_have_text(re.compile("^q "))
    expect(box.locator(".sv-bars, .sv-u, .sv-beta, .sv-round-facts")).to_have_count(0)
    step()  # checked: p too, and no u
    expect(box).to_contain_text("draft token 1 of 4")
    expect(box.locator(".sv-u-mark")).to_have_text("u is not drawn yet")
    expect(box.locator("[data-series=p].sv-fill").first).to_be_attached()
    step()
    expect(box.locator(".sv-role")).to_have_text("✓ accepted")
    step()  # decided: u and the verdict, nothing in its place yet
    expect(box.locator(".sv-role")).to_have_text("✗ rejected")
    expect(box.locator(".sv-u-mark")).to_have_text(f"u = {d['u']:.3f}")
    expect(box).not_to_contain_text("takes its place")
    expect(box.locator(".sv-landed, .sv-round-facts")).to_have_count(0)
    step()  # out: what replaces it, from the residual
    expect(box.locator(".sv-role")).to_have_text("↻ corrected")
    expect(box.locator(".sv-landed")).to_be_attached()
    expect(still.locator(".sv-at")).to_contain_text("one corrected")
    expect(box.locator(".sv-round-facts")).to_contain_text("after the rollback")


def test_a_token_that_was_chosen_is_not_shown_before_it_is_there(still):
    run(still, K=4)
    rejected = tokens(still, "rejected").last
    rejected.click()
    begin(still)
    expect(still.locator(".sv-inspector")).to_contain_text("does not exist yet")
    expect(still.locator(".sv-inspector .sv-bars")).to_have_count(0)
    still.keyboard.press("End")
    expect(still.locator(".sv-inspector .sv-role")).to_have_text("✗ rejected")


def test_a_speed_stays_chosen_for_the_runs_that_follow(still):
    run(still, K=4)
    speed(still, "1/5")
    run(still, "Another story", K=4)
    expect(still.locator(".sv-speed")).to_have_value("5")


def test_step_by_step_chosen_at_the_end_begins_at_the_beginning(still):
    run(still, K=4)
    speed(still, "step by step")
    expect(told(still)).to_have_text("round 1 · draft: 0 of 4 tokens drafted")
    still.keyboard.press("ArrowRight")
    expect(told(still)).to_have_text("round 1 · draft: 4 of 4 tokens drafted")


def test_a_replay_that_goes_step_by_step_stops_for_whoever_chooses_a_token(moving):
    """The next step would choose another."""
    run(moving, K=4)
    speed(moving, "step by step")
    begin(moving)
    moving.keyboard.press("Space")
    expect(moving.locator(".sv-play")).to_have_text("Pause")
    tokens(moving, "accepted").first.click()
    expect(moving.locator(".sv-play")).to_have_text("Play")
    expect(moving.locator(".sv-inspector .sv-sentence")).to_contain_text("is accepted")
    expect(tokens(moving, "accepted").first).to_have_attribute("aria-pressed", "true")


def test_step_by_step_plays_to_the_end_of_both_lanes(still):
    run(still, length=4, K=2)
    speed(still, "step by step")
    begin(still)
    still.evaluate(OWN_CLOCK)
    still.keyboard.press(" ")
    for _ in range(20):  # more than there are steps
        still.evaluate("window.pass(1200)")
    for name in ("vanilla", "speculative"):
        expect(lane(still, name).locator(".sv-done")).to_have_text("ended: length limit")
    expect(still.locator(".sv-play")).to_have_text("Play")


def test_a_greedy_round_is_not_said_to_draw_a_u(still):
    run(still, K=3, temperature=0)
    begin(still)
    expect(told(still)).to_contain_text("round 1 · draft")
    for _ in range(3):
        still.keyboard.press(".")
    expect(told(still)).to_contain_text("the target's")
    expect(told(still)).not_to_contain_text("u =")


def test_without_drafts_a_round_has_a_pass_and_a_token_and_no_more(still):
    run(still, K=0, length=6)
    begin(still)
    still.keyboard.press(".")
    expect(told(still)).to_have_text("round 1 · verify: nothing drafted, one token per pass")
    expect(still.locator(".sv-phase[data-phase=draft]")).to_have_attribute("aria-disabled", "true")
    still.keyboard.press(".")
    expect(told(still)).to_have_text("round 1 · emit: the text grows by one token")


# ---- the caches ----


def cells(page, model):
    row = page.locator(f".sv-cache-row[data-model={model}]")
    states = row.locator(".sv-cell").evaluate_all("l => l.map(e => e.dataset.state)")
    return row.locator(".sv-cache-counts").inner_text(), {state: states.count(state) for state in set(states) if state}


def test_the_caches_grow_and_roll_back_phase_by_phase(still):
    run(still, K=4)
    r = next(r for r in rounds(K=4) if [d["verdict"] for d in r["drafted"]][1] == "rejected")
    before, peak, after = (r["target_cache"][name] for name in ("before", "peak", "after"))
    gone = peak - after
    seek(still, r["drafted_at"] - 1e-3)
    assert cells(still, "target")[0] == f"{before}"
    assert cells(still, "draft") == (f"{before} → {peak}", {"held": min(before, 20 - 5), "appended": 5})
    seek(still, r["verified_at"])
    assert cells(still, "target") == (f"{before} → {peak}", {"held": min(before, 20 - 5), "appended": 5})
    expect(still.locator(".sv-cache > p")).to_have_text(
        "The pass appended 5 positions: the last token of the text, then the block."
    )
    seek(still, r["end"])
    shown = cells(still, "target")
    assert shown == (f"{before} → {peak} → {after}", {"held": min(before, 20 - 5), "appended": 5 - gone, "rolled": gone})
    expect(still.locator(".sv-cache > p")).to_contain_text(f"{gone} position")
    expect(still.locator(".sv-round > summary h4")).to_contain_text(f"Round {r['index'] + 1}:")


def test_what_stands_below_the_caches_does_not_move_with_what_is_said_of_them(still):
    run(still, K=4)
    begin(still)
    places = []
    for _ in range(8):
        still.keyboard.press("ArrowRight")
        places.append(still.locator("#timeline").evaluate("e => e.offsetTop"))
    assert len(set(places)) == 1


def test_the_last_token_that_the_draft_never_read_is_drawn_and_explained(still):
    """As the engine's own drafts do: after full acceptance the draft holds one position less than the target."""
    trace = fake_trace("Once upon a time", K=3, max_new_tokens=31)
    lacking = [
        replace(
            e,
            draft_cache=replace(
                e.draft_cache, peak=e.target_cache.peak - 1, after=min(e.target_cache.peak - 1, e.target_cache.after)
            ),
        )
        if isinstance(e, Round)
        else e
        for e in trace.speculative
    ]
    whole = next(e for e in lacking if isinstance(e, Round) and len(e.emitted) == 4)
    show(still, replace(trace, speculative=tuple(lacking)))
    block(still, whole.index).first.click()  # the round of the chosen token
    expect(still.locator(".sv-round > summary h4")).to_contain_text(f"Round {whole.index + 1}:")
    assert cells(still, "draft")[1]["missing"] == 1
    assert "missing" not in cells(still, "target")[1]
    expect(still.locator(".sv-cache > p")).to_contain_text("The draft lacks the last accepted token")
    last = lacking[-2]  # one token is left: nothing is drafted, so what the draft lacks it never proposed
    assert not last.drafted
    block(still, last.index).first.click()
    expect(still.locator(".sv-round > summary h4")).to_contain_text(f"Round {last.index + 1}:")
    expect(still.locator(".sv-cache > p")).to_contain_text("it drafted nothing here")
    expect(still.locator(".sv-cache > p")).not_to_contain_text("proposed")


def test_a_long_cache_shows_its_end_and_says_how_many_more_there_are(still):
    run(still, length=96)
    assert still.locator(".sv-cache-row[data-model=target] .sv-cell").count() == 20
    more = int(re.search(r"(\d+) more", still.locator(".sv-cache-more").first.inner_text())[1])
    peak = max(int(n) for n in cells(still, "target")[0].split(" → "))
    assert more + 20 == peak
    still.set_viewport_size({"width": 390, "height": 844})
    begin(still)
    still.keyboard.press("End")
    assert still.locator(".sv-cache").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_drafter_without_a_cache_has_no_row(still):
    run(still, drafter="lookup")
    expect(still.locator(".sv-cache-row[data-model=target]")).to_be_visible()
    expect(still.locator(".sv-cache-row[data-model=draft]")).to_be_hidden()


def test_a_head_that_forgets_what_it_made_of_its_own_features_is_told_how_far_behind_it_is(still):
    """As EAGLE and multi-token heads are after all of a block stayed."""
    trace = fake_trace("Eagle story", drafter="eagle", K=3)
    behind = [
        replace(e, draft_cache=replace(e.draft_cache, after=e.target_cache.after - 2))
        if isinstance(e, Round) and e.draft_cache
        else e
        for e in trace.speculative
    ]
    whole = next(e for e in behind if isinstance(e, Round) and e.emitted[-1].role == "bonus")
    show(still, replace(trace, speculative=tuple(behind)))
    block(still, whole.index).first.click()
    expect(still.locator(".sv-round > summary h4")).to_contain_text(f"Round {whole.index + 1}:")
    expect(still.locator(".sv-cache > p")).to_contain_text(
        "Nothing is rolled back: the whole block was accepted. The draft is 2 tokens behind"
    )


def test_whoever_chooses_a_speed_by_hand_goes_on_with_the_arrows_of_the_player(still):
    run(still, K=4)
    still.locator(".sv-speed").dispatch_event("pointerdown")
    speed(still, "step by step")
    expect(still.locator(".sv-play")).to_be_focused()
    still.keyboard.press("Home")
    for _ in range(2):
        before = float(still.locator(".sv-scrub").input_value())
        still.keyboard.press("ArrowRight")
        assert float(still.locator(".sv-scrub").input_value()) > before
    expect(still.locator(".sv-speed")).to_have_value("step")
    still.locator(".sv-speed").focus()  # by keys the choice keeps its own arrows
    still.keyboard.press("ArrowLeft")
    expect(still.locator(".sv-speed")).to_be_focused()
    expect(still.locator(".sv-speed")).to_have_value("100")


# ---- token, round and bar ----


def linked(page):
    return page.locator(".sv-text [data-linked]")


def test_pointing_at_a_token_marks_its_round_in_the_text_and_on_the_timeline(visit):
    run_on_app(visit, K=4)
    expect(visit.locator("#timeline .bars .point").first).to_be_attached()
    second = rounds(K=4)[1]
    block(visit, 1).first.hover()
    expect(linked(visit)).to_have_count(len(second["shown"]))
    band = visit.locator(".sv-band")
    expect(band).to_be_visible()
    plot = visit.locator("#timeline .nsewdrag").bounding_box()
    whole = float(visit.locator(".sv-scrub").get_attribute("max"))
    box = band.bounding_box()
    middle = (second["start"] + second["end"]) / 2 / whole * plot["width"] + plot["x"]
    assert box["x"] + box["width"] / 2 == pytest.approx(middle, abs=3)
    assert box["y"] > plot["y"] + plot["height"] / 2 - 4  # the speculative lane is the lower row
    lane(visit, "vanilla").locator("h3").hover()
    expect(linked(visit)).to_have_count(0)


def test_a_token_with_the_focus_marks_its_round_too(still):
    run(still, K=4)
    block(still, 2).first.focus()
    expect(linked(still)).to_have_count(len(rounds(K=4)[2]["shown"]))
    still.locator("#prompt textarea").focus()
    expect(linked(still)).to_have_count(0)


def bar(page, index):
    """The bar of the target's pass of a speculative round."""
    vanilla = 96
    return page.locator("#timeline .trace.bars").nth(1).locator(".point").nth(vanilla + index)


def point_at(page, index):
    """Bring the bar into view and the mouse over it; where that is."""
    bar(page, index).scroll_into_view_if_needed()
    box = bar(page, index).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)
    return x, y


def test_pointing_at_a_bar_marks_the_tokens_of_its_round_and_a_click_chooses_the_one_that_decided_it(visit):
    run_on_app(visit, K=4)
    expect(bar(visit, 0)).to_be_attached()
    r = next(r for r in rounds(K=4) if r["residual"])
    x, y = point_at(visit, r["index"])
    expect(linked(visit)).to_have_count(len(r["shown"]))
    visit.mouse.click(x, y)
    chosen = lane(visit, "speculative").locator("[aria-pressed=true]")
    expect(chosen).to_have_attribute("data-role", "rejected")
    expect(visit.locator(".sv-inspector")).to_contain_text(f"round {r['index'] + 1}, draft token")


def test_a_click_on_a_bar_that_the_replay_has_not_reached_brings_it_there(visit):
    run_on_app(visit, K=4)
    expect(bar(visit, 0)).to_be_attached()
    r = rounds(K=4)[6]
    begin(visit)
    visit.mouse.click(*point_at(visit, 6))
    assert float(visit.locator(".sv-scrub").input_value()) == pytest.approx(r["end"], abs=1e-3)
    hand, plot = visit.locator(".sv-hand").bounding_box(), visit.locator("#timeline .nsewdrag").bounding_box()
    assert hand["y"] == pytest.approx(plot["y"], abs=3) and hand["height"] == pytest.approx(plot["height"], abs=5)
    expect(lane(visit, "speculative").locator("[aria-pressed=true]")).to_be_visible()


def test_the_next_run_s_timeline_is_linked_as_well(visit):
    run_on_app(visit, "First story")
    expect(bar(visit, 0)).to_be_attached()
    run_on_app(visit, "Second story", K=4)
    expect(visit.locator(".sv-hand")).to_be_attached()
    block(visit, 0).first.hover()
    expect(visit.locator(".sv-band")).to_be_visible()
    block(visit, 0).first.click()
    expect(visit.locator(".sv-band")).to_be_visible()
