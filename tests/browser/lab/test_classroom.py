"""A class at one keyboard, and a teacher with two phones, as they use the panel."""

from functools import partial

from playwright.sync_api import expect

from specviz.page.classroom.rooms import OPEN

from ..person import download, fits, opened_panel, press

HOSTILE = "<img src=/ onerror=x()>"
opened = partial(opened_panel, panel="classroom")


def test_a_class_types_sees_its_words_cut_and_each_token_decided_and_counted(watched, app, tmp_path):
    panel = opened(watched, app, prompt="Once upon")
    field = panel.get_by_label("What comes next?")
    field.fill("went zig away")
    expect(panel.locator(".ppl-cut .sv-chip-token")).to_have_text(["␣went", "␣zig", "␣away"])
    field.press("Enter")
    tokens = panel.locator(".ppl-token")
    expect(tokens).to_have_count(4)
    assert tokens.evaluate_all("all => all.map((e) => e.dataset.role)") == ["accepted", "rejected", "unexamined", "corrected"]
    expect(tokens.nth(1)).to_contain_text("u = 0.900 is not below p = 0.050")
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then")
    expect(panel.locator(".ppl-counts tbody tr")).to_contain_text(["Your guesses", "Small model", "homemade", "Prompt lookup"])
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    field.press("Enter")  # nothing is no guess
    expect(panel.locator(".lab-told")).to_have_text("Type at least one word: an empty guess is no draft.")
    field.fill("the end")
    field.press("Enter")
    expect(panel).to_contain_text("The target ended the text.")
    expect(field).to_be_disabled()
    handout = panel.get_by_role("button", name="Hand-out")
    text = download(handout, tmp_path).read_text("utf-8")
    assert "zig" in text and "<script" not in text
    assert "zig" in download(panel.get_by_role("button", name="CSV"), tmp_path).read_text("utf-8")
    panel.get_by_label("Who drafts").select_option("turns")
    expect(panel.get_by_label("Player A: what comes next?")).to_be_enabled()
    for player, word in (("A", "went"), ("B", "home")):
        panel.get_by_label(f"Player {player}: what comes next?").fill(word)
        press(panel, "Verify")
    expect(panel.get_by_label("Player A: what comes next?")).to_be_enabled()
    counts = panel.get_by_text("over the examined tokens").inner_text()
    assert "You have 2 of them" in counts and counts in download(handout, tmp_path).read_text("utf-8")  # both players' tokens


def test_the_projected_code_covers_no_sentence(watched, app, room_of):
    watched.set_viewport_size({"width": 1366, "height": 768})
    panel = opened(watched, app, who="room", prompt="Once upon")
    press(panel, "Open a room")
    room_of(panel.locator(".sv-door"))
    watched.keyboard.press("p")
    code = panel.locator(".sv-qr")
    expect(code.locator("img")).to_be_visible()
    expect(code).to_have_css("position", "fixed")
    left = code.bounding_box()["x"]
    ends = panel.locator(".lab-note:visible, .ppl-room").evaluate_all("all => all.map((e) => e.getBoundingClientRect().right)")
    assert len(ends) >= 3 and max(ends) <= left
    press(watched, "Leave projector")


def test_two_phones_guess_in_a_teachers_room(watched, app, room_of, phone, tmp_path):
    panel = opened(watched, app, who="room", prompt="Once upon")
    press(panel, "Open a room")
    code = room_of(panel.locator(".sv-door"))
    phones = [phone(code, name) for name in ("Mia", HOSTILE)]
    for each, words in zip(phones, ("went home", "zig"), strict=True):
        expect(each.locator(".ph-text")).to_have_text("Once upon")
        each.get_by_label("What comes next?").fill(words)
        each.keyboard.press("Enter")
        expect(each.locator(".ph-cut .sv-chip-token").first).to_be_visible()
    expect(panel.locator(".ppl-count")).to_have_text("2 of 2 have guessed.")
    expect(panel.locator(".ppl-names li")).to_have_text(["✓ Mia×", f"✓ {HOSTILE}×"])
    press(panel, "Verify the room's draft")
    spread = panel.locator(".ppl-spread").first
    expect(spread).to_contain_text("β = Σ min(p, q)")
    expect(spread.locator(".sv-bar-row")).to_contain_text(["␣went", "␣zig"])
    for each in phones:
        expect(each.locator(".ph-text")).to_contain_text("Once upon went home then")
        expect(each.locator(".ph-last")).to_contain_text("accepted")
    table = download(panel.get_by_role("button", name="Save votes and guesses"), tmp_path).read_text("utf-8")
    assert "round 1,Once upon, went home,1," in table and "Mia" not in table
    press(panel, "End the room")  # which is asked first, beside Verify as it stands
    expect(panel.get_by_role("alert")).to_have_text("It ends on all phones, 2 are in.End it for allGo on")
    press(panel, "Go on")
    expect(panel.get_by_role("button", name="End the room")).to_be_visible()
    press(panel, "End the room")
    press(panel, "End it for all")
    expect(phones[0].locator("h1")).to_have_text("This room is over.")
    assert fits(phones[0]) and fits(phones[1])


def test_a_teacher_who_reloads_the_page_or_closes_its_tab_is_back_in_the_room(watched, app, context, room_of):
    panel = opened(watched, app, who="room", prompt="Once upon")
    press(panel, "Open a room")
    code = room_of(panel.locator(".sv-door"))
    here = panel.locator(".sv-door").get_attribute("href")

    def phone(what, **values):
        return watched.request.post(f"{app}/room/{code}/{what}", data=values).json()

    seat = phone("join", name="Mia")["seat"]
    phone("guess", seat=seat, round=1, words=" went zig")
    panel.get_by_label("Temperature").select_option("1")
    press(panel, "Verify the room's draft")
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then")
    key = watched.evaluate("() => JSON.parse(localStorage.getItem('specviz.room /')).room.key")
    assert key not in here + watched.url
    watched.goto(app)  # also where the address has forgotten it
    expect(watched.locator(".sv-invitation")).to_be_visible()
    watched.get_by_role("tab", name="Lab").click()
    watched.get_by_role("button", name="You are the draft").click()
    expect(panel.locator(".sv-door")).to_have_attribute("href", here)
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then")
    expect(panel.locator(".ppl-round h3")).to_have_text("Round 1")
    expect(panel.get_by_label("Temperature")).to_have_value("1")
    phone("guess", seat=seat, round=2, words=" home")
    expect(panel.locator(".ppl-count")).to_have_text("1 of 1 have guessed.")
    press(panel, "Verify the room's draft")
    expect(panel.locator(".ppl-round h3")).to_have_text("Round 2")

    watched.goto(
        f"{app}/?lab=people&lab_who=alone&lab_prompt=There+was"
    )  # who asks for another thing gets it, by an old link too
    expect(panel.locator(".ppl-writing")).to_have_text("There was")
    opened(watched, app, who="room")
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then home then")

    other = context.new_page()  # the tab was closed: another one of the same browser finds the room
    again = opened(other, app)
    expect(again.locator(".sv-door")).to_have_attribute("href", here)
    expect(again.locator(".ppl-round h3")).to_have_text("Round 2")
    other.close()
    OPEN.close(OPEN.find(code))
    expect(panel.locator(".lab-told")).to_have_text("The room has ended: open another one.")
    expect(panel.get_by_role("button", name="Open a room")).to_be_visible()
    expect(panel.locator(".ppl-writing")).to_contain_text("Once upon went then home")
