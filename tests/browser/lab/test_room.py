"""A class of thirty in one room, from the first phone to the end: three phones as browsers, the others by the questions that a phone puts."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from specviz.page.learn.words import PAGE

from ..conftest import launched
from ..learn.test_phones import ask, sit, vote
from ..person import fits, learn, opened_panel, press

CLASS, KEY = 30, "accept"


def test_thirty_phones_join_vote_close_and_come_back_and_the_teacher_too(watched, app, context, room_of, phone):
    learn(watched, app, 5)
    code = ask(watched, room_of)
    pupils = [phone(code, name, console=name != "Bo") for name in ("Ada", "Bo", "Cyd")]  # Bo is offline once
    seats = [sit(watched, app, code, f"Pupil {n}")["seat"] for n in range(CLASS - len(pupils))]
    for each in pupils:
        each.locator(".sv-choice").nth(2).click()
        expect(each.locator(".ph-poll")).to_contain_text("Your answer is in.")
    for n, seat in enumerate(seats):
        vote(watched, app, code, seat, KEY, n % 4)
    expect(watched.locator(".sv-phones")).to_contain_text("30 of 30 have answered.")

    closed = pupils[0].context.new_page()  # the phone was closed and is opened again, twice
    pupils[0].close()
    for _ in range(2):
        closed.goto(f"{app}/room/{code}")
        expect(closed.locator(".sv-choice").nth(2)).to_have_attribute("aria-pressed", "true")
    seat = seats[0]
    watched.request.post(f"{app}/room/{code}/leave", data={"seat": seat})
    assert watched.request.post(f"{app}/room/{code}/look", data={"seat": seat}).json()["here"] == CLASS

    pupils[1].context.set_offline(True)  # under a table
    pupils[1].locator(".sv-choice").nth(1).click()
    expect(pupils[1].locator(".ph-told")).to_have_text("The room does not answer. Trying again…")
    pupils[1].context.set_offline(False)
    expect(pupils[1].locator(".sv-choice").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(watched.locator(".sv-phones")).to_contain_text("30 of 30 have answered.")

    other = context.new_page()  # the teacher's tab was closed
    watched.goto("about:blank")
    learn(other, app, 5)
    expect(other.locator(".sv-phones")).to_contain_text("30 of 30 have answered.")
    press(other, "Show the answer")
    expect(other.locator(".sv-choice").nth(2)).to_have_attribute("data-state", "right")
    expect(closed.locator(".ph-poll")).to_contain_text("You were right. ")
    expect(closed.locator(".ph-poll")).to_contain_text("Wait here: the lesson goes on.")
    learn_next(other)
    expect(closed.get_by_label("What comes next?")).to_be_visible()  # what was asked ended with its chapter
    closed.get_by_label("What comes next?").fill("went home")
    closed.keyboard.press("Enter")
    panel = opened_panel(other, app, "classroom")
    expect(panel.locator(".ppl-count")).to_have_text("1 of 3 have guessed.")  # the others are silent
    assert fits(closed)
    press(panel, "End the room")
    press(panel, "End it for all")
    expect(closed.locator("h1")).to_have_text("This room is over.")
    closed.reload()  # and a wrong code says so at once
    expect(closed.locator("main")).to_contain_text("There is no such room")
    expect(closed.get_by_role("button", name="Join")).to_have_count(0)


def learn_next(page) -> None:
    page.locator("#learn").get_by_role("button", name="Next").click()


def test_the_step_of_the_room_ends_what_was_asked_and_the_panel_offers_to_end_it(watched, app, room_of, phone):
    learn(watched, app, 6)
    press(watched, "Lesson")
    code = ask(watched, room_of)
    pupil = phone(code, "Ada")
    expect(pupil.locator(".sv-choice").first).to_be_visible()
    watched.get_by_role("tab", name="Lab").click()  # not by the step
    watched.get_by_role("button", name="You are the draft").click()
    panel = watched.locator("#lab-classroom")
    panel.get_by_label("Who drafts").select_option("room")
    expect(panel.get_by_text("The phones are at a question of the lesson.")).to_be_visible()
    press(panel, "End the question")
    expect(pupil.get_by_label("What comes next?")).to_be_visible()
    watched.get_by_role("tab", name="Learn").click()
    press(watched, "Ask the phones")
    expect(pupil.locator(".sv-choice").first).to_be_visible()
    watched.locator(".lrn-chapters button", has_text="✎").click()
    expect(pupil.get_by_label("What comes next?")).to_be_visible()
    expect(panel.get_by_role("button", name="End the question")).to_be_hidden()


def test_copied_links_and_projectors_name_the_address_that_others_reach(watched, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    with launched(lan="192.0.2.7") as url:
        address = f"192.0.2.7:{urlsplit(url).port}"
        learn(watched, url.rstrip("/"), 5)
        press(watched, "Copy link")
        expect(watched.get_by_text(PAGE["copied"])).to_be_visible()
        assert watched.evaluate("navigator.clipboard.readText()") == f"http://{address}/?chapter=5"
        for key in ("learn", "classroom"):
            if key != "learn":
                opened_panel(watched, url.rstrip("/"), key)
            watched.keyboard.press("p")
            expect(watched.locator(".sv-address:visible")).to_have_text(address)
            press(watched, "Leave projector")
        watched.goto("about:blank")
