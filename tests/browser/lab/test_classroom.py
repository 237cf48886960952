"""A class at one keyboard, and a teacher with two phones, as they use the panel."""

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.rooms import OPEN

pytestmark = pytest.mark.browser
PANEL = "#lab-classroom"
HOSTILE = "<img src=/ onerror=x()>"


def opened(page, app, **settings):
    asked = "".join(f"&lab_{name}={value}" for name, value in settings.items())
    page.goto(f"{app}/?lab=people{asked}")
    panel = page.locator(PANEL)
    expect(panel.locator("h2")).to_have_text("You are the draft")
    return panel


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
    with watched.expect_download() as download:
        panel.get_by_role("button", name="Hand-out").click()
    download.value.save_as(tmp_path / "handout.html")
    written = (tmp_path / "handout.html").read_text("utf-8")
    assert "zig" in written and "<script" not in written
    with watched.expect_download() as download:
        panel.get_by_role("button", name="CSV").click()
    panel.get_by_label("Who drafts").select_option("turns")
    expect(panel.get_by_label("Player A: what comes next?")).to_be_enabled()
    panel.get_by_label("Player A: what comes next?").fill("went")
    panel.get_by_role("button", name="Verify", exact=True).click()
    panel.get_by_label("Player B: what comes next?").fill("home")
    panel.get_by_role("button", name="Verify", exact=True).click()
    expect(panel.get_by_label("Player A: what comes next?")).to_be_enabled()
    counted = panel.get_by_text("over the examined tokens").inner_text()
    with watched.expect_download() as download:
        panel.get_by_role("button", name="Hand-out").click()
    download.value.save_as(tmp_path / "handout.html")
    assert "You have 2 of them" in counted and counted in (tmp_path / "handout.html").read_text("utf-8")  # both players' tokens


def test_two_phones_guess_in_a_teachers_room(watched, app, context):
    panel = opened(watched, app, who="room", prompt="Once upon")
    panel.get_by_role("button", name="Open a room").click()
    link = panel.locator(".ppl-link")
    expect(link).to_contain_text("/room/")
    path = link.get_attribute("href").split("/room/")[1]
    phones = [context.new_page() for _ in range(2)]
    wrong = []
    for phone, name in zip(phones, ("Mia", HOSTILE), strict=True):
        phone.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        phone.on("dialog", lambda dialog: (wrong.append("dialog"), dialog.dismiss()))
        phone.set_viewport_size({"width": 390, "height": 844})
        phone.goto(f"{app}/room/{path}")
        phone.get_by_label("Your name, if you like").fill(name)
        phone.get_by_role("button", name="Join").click()
        expect(phone.locator(".ph-text")).to_have_text("Once upon")
    for phone, words in zip(phones, ("went home", "zig"), strict=True):
        phone.get_by_label("What comes next?").fill(words)
        phone.keyboard.press("Enter")
        expect(phone.locator(".ph-cut .sv-chip-token").first).to_be_visible()
    expect(panel.locator(".ppl-count")).to_have_text("2 of 2 have guessed.")
    expect(panel.locator(".ppl-names li")).to_have_text(["✓ Mia×", f"✓ {HOSTILE}×"])
    panel.get_by_role("button", name="Verify the room's draft").click()
    spread = panel.locator(".ppl-spread").first
    expect(spread).to_contain_text("β = Σ min(p, q)")
    expect(spread.locator(".sv-bar-row")).to_contain_text(["␣went", "␣zig"])
    for phone in phones:
        expect(phone.locator(".ph-text")).to_contain_text("Once upon went home then")
        expect(phone.locator(".ph-last")).to_contain_text("accepted")
    panel.get_by_role("button", name="End the room").click()
    expect(phones[0].locator("h1")).to_have_text("This room is over.")
    for phone in phones:
        assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
        phone.close()
    assert wrong == []


def test_a_teacher_who_reloads_the_page_is_back_in_the_room_and_nobody_else_is(watched, app, context):
    panel = opened(watched, app, who="room", prompt="Once upon")
    panel.get_by_role("button", name="Open a room").click()
    link = panel.locator(".ppl-link")
    expect(link).to_contain_text("/room/")
    here, code = link.get_attribute("href"), link.get_attribute("href").split("/room/")[1]

    def phone(what, **sent):
        return watched.request.post(f"{app}/room/{code}/{what}", data=sent).json()

    seat = phone("join", name="Mia")["seat"]
    phone("guess", seat=seat, round=1, words=" went zig")
    panel.get_by_label("Temperature").select_option("1")
    panel.get_by_role("button", name="Verify the room's draft").click()
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then")
    key = watched.evaluate("() => JSON.parse(sessionStorage.getItem('specviz.room /')).room.key")
    assert key not in here + watched.url
    watched.goto(app)  # also where the address has forgotten it
    expect(watched.locator(".sv-invitation")).to_be_visible()
    panel = watched.locator(PANEL)
    watched.get_by_role("tab", name="Lab").click()
    watched.get_by_role("button", name="You are the draft").click()
    expect(panel.locator(".ppl-link")).to_have_attribute("href", here)
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then")
    expect(panel.locator(".ppl-round h3")).to_have_text("Round 1")
    expect(panel.get_by_label("Temperature")).to_have_value("1")
    phone("guess", seat=seat, round=2, words=" home")
    expect(panel.locator(".ppl-count")).to_have_text("1 of 1 have guessed.")
    panel.get_by_role("button", name="Verify the room's draft").click()
    expect(panel.locator(".ppl-round h3")).to_have_text("Round 2")

    elsewhere = opened(watched, app, who="alone", prompt="There was")  # who asks for another thing gets it
    expect(elsewhere.locator(".ppl-writing")).to_have_text("There was")
    panel = opened(watched, app, who="room")
    expect(panel.locator(".ppl-writing")).to_have_text("Once upon went then home then")

    other = context.new_page()  # of the same browser
    expect(opened(other, app, who="room").get_by_role("button", name="Open a room")).to_be_visible()
    OPEN.close(OPEN.find(code))
    expect(panel.locator(".lab-told")).to_have_text("The room has ended: open another one.")
    expect(panel.get_by_role("button", name="Open a room")).to_be_visible()
    expect(panel.locator(".ppl-writing")).to_contain_text("Once upon went then home")
