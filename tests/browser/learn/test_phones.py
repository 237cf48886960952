"""A chapter's question on the phones of a class: one room, votes as bars, the answer on the screen and on each phone."""

from playwright.sync_api import expect

from specviz.page.learn.chapters import CHAPTERS

from ..person import learn, objections, press


def sit(page, app, code, name):
    """Another phone, without a screen: its seat."""
    return page.request.post(f"{app}/room/{code}/join", data={"name": name}).json()


def ask(page, room_of) -> str:
    """Put the question of a chapter to the phones: the code of the room that they join."""
    press(page, "Ask the phones")
    return room_of(page.locator(".sv-door:visible"))


def vote(page, app, code, seat, about, choice):
    return page.request.post(f"{app}/room/{code}/vote", data={"seat": seat, "about": about, "choice": choice}).json()


def test_a_class_votes_sees_the_answer_with_the_bars_and_guesses_in_the_same_room(watched, app, room_of, phone):
    learn(watched, app, 5)
    code = ask(watched, room_of)
    expect(watched.locator(".sv-qr img")).to_be_visible()
    large = watched.locator(".sv-qr img").bounding_box()["width"]
    phone = phone(code, "Ada")
    choices = phone.locator(".sv-choice")
    expect(choices).to_have_count(4)
    expect(phone.locator("#ph-words")).to_be_hidden()
    assert objections(phone) == objections(watched) == []
    choices.nth(1).click()
    expect(phone.locator(".ph-poll")).to_contain_text("Your answer is in.")
    other = sit(watched, app, code, "Ada")
    assert other["name"] == "Ada (2)" and other["poll"]["choices"][2]
    vote(watched, app, code, other["seat"], "accept", 2)
    expect(watched.locator(".sv-phones")).to_contain_text("2 of 2 have answered.")
    bars = watched.locator(".sv-choice")
    expect(watched.locator("[data-votes]")).to_have_count(0)  # nobody follows the others
    assert watched.locator(".sv-qr img").bounding_box()["width"] == large  # others are still to come in
    watched.keyboard.press("q")
    expect(watched.locator(".sv-qr")).to_be_hidden()
    expect(watched.locator(".sv-door")).to_be_visible()
    watched.keyboard.press("q")
    expect(watched.locator(".sv-qr img")).to_be_visible()
    choices.nth(2).click()  # another mind, before the answer
    expect(choices.nth(2)).to_have_attribute("aria-pressed", "true")
    press(watched, "Show the answer")
    expect(watched.locator(".sv-qr")).to_be_hidden()
    expect(bars.nth(2)).to_have_attribute("data-votes", "2")
    expect(bars.nth(2)).to_have_attribute("data-state", "right")
    expect(phone.locator(".ph-poll")).to_contain_text("You were right.")
    expect(choices.nth(2)).to_contain_text("2")
    assert "closed" in vote(watched, app, code, other["seat"], "accept", 0)["error"]
    watched.reload()  # the room is found again
    expect(watched.get_by_role("button", name="End the question")).to_be_visible()
    press(watched, "End the question")
    expect(phone.get_by_label("What comes next?")).to_be_visible()
    watched.get_by_role("tab", name="Lab").click()
    watched.get_by_role("button", name="You are the draft").click()
    expect(watched.locator("#lab-classroom .sv-door")).to_contain_text(code)
    names = watched.locator("#lab-classroom .ppl-names li")
    expect(names.first).to_contain_text("Ada")
    phone.get_by_label("What comes next?").fill("went zig")
    phone.keyboard.press("Enter")
    press(watched, "Verify the room's draft")
    expect(phone.locator(".ph-own")).to_contain_text(["␣went was drafted and accepted", "␣zig was drafted and rejected"])
    press(watched, "Take Ada off the list")
    expect(phone.get_by_label("Your name, if you like")).to_be_visible()
    expect(phone.locator(".ph-told")).to_contain_text("Your seat is free again")


def test_an_estimate_is_voted_in_powers_of_two_and_answered_by_what_was_measured(watched, app, room_of):
    learn(watched, app, 2)
    code = ask(watched, room_of)
    seat = sit(watched, app, code, "Bo")
    assert seat["poll"]["choices"] == ["1 ×", "2 ×", "4 ×", "8 ×"]
    vote(watched, app, code, seat["seat"], "alone", 3)
    expect(watched.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
    press(watched, "Show the answer")
    expect(watched.locator(".lrn-voted .sv-choice").nth(3)).to_have_attribute("data-votes", "1")
    expect(watched.locator(".lrn-voted [data-state=right]")).to_have_count(1)


def test_projector_and_notes_come_back_after_a_reload_and_the_notes_say_when_they_are_alone(watched, app, context):
    learn(watched, app, 4)
    watched.keyboard.press("p")
    with context.expect_page() as opening:
        watched.keyboard.press("n")
    notes, fourth = opening.value, CHAPTERS[3]
    expect(notes.locator("h2")).to_have_text(f"4 · {fourth.title}")
    for sentence in (*fourth.notes, *fourth.exercise.task, *fourth.exercise.key, fourth.question.why):
        expect(notes.get_by_text(sentence)).to_be_visible()
        expect(watched.get_by_text(sentence)).to_have_count(0)  # never on the wall
    expect(watched.get_by_role("button", name="Leave projector")).to_be_visible()
    alone = "The page of the lesson is closed"
    expect(notes.get_by_text(alone)).to_be_hidden()
    watched.reload()
    expect(watched.get_by_role("button", name="Leave projector")).to_be_visible()
    expect(notes.get_by_text(alone)).to_be_hidden()
    watched.keyboard.press("ArrowRight")
    expect(notes.locator("h2")).to_contain_text("5 ·")
    expect(notes.get_by_text(CHAPTERS[4].notes[0])).to_be_visible()
    notes.keyboard.press("ArrowLeft")
    expect(watched.locator("#learn h2")).to_have_text(fourth.title)
    expect(notes.locator("h2")).to_contain_text("4 ·")
    watched.goto("about:blank")
    expect(notes.get_by_text(alone)).to_be_visible()
    learn(watched, app, 4)
    expect(notes.get_by_text(alone)).to_be_hidden()
    press(watched, "Leave projector")  # else the tab keeps it for the next test
    with notes.expect_event("close"):
        press(watched, "Notes")
    watched.goto(app)  # what the tab keeps is cleared from here, for the next visitor
