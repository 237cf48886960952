"""A class: at one keyboard, on phones in a teacher's room, and on the path of a lesson on a projector of 1280 × 720."""

import re
from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from specviz.page.classroom.rooms import OPEN
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import stops
from specviz.words import classroom as words
from specviz.words import learn as learn_words

from ..products import some
from .person import download, fits, in_sight, learn, objections, opened_panel, press
from .test_learn import LAST, answer, outside, title


def sit(page, app, code, name):
    """Another phone, without a screen: its seat."""
    return page.request.post(f"{app}/room/{code}/join", data={"name": name}).json()


def ask(page, room_of) -> str:
    """Put the question of a chapter to the phones: the code of the room that they join."""
    press(page, "Ask the phones")
    return room_of(page.locator(".sv-door:visible"))


def vote(page, app, code, seat, about, choice):
    return page.request.post(f"{app}/room/{code}/vote", data={"seat": seat, "about": about, "choice": choice}).json()


def test_a_class_votes_sees_the_answer_with_the_bars_and_guesses_in_the_same_room(watched, app, reachable_app, room_of, phone):
    learn(watched, reachable_app, 5)
    code = ask(watched, room_of)
    expect(watched.locator(".sv-qr img")).to_be_visible()
    large = watched.locator(".sv-qr img").bounding_box()["width"]
    phone = phone(code, "Ada")
    choices = phone.locator(".sv-choice")
    expect(choices).to_have_count(4)
    expect(phone).to_have_title("A question")
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
    expect(phone).to_have_title("You are the draft")
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
    other.locator("#learn").get_by_role("button", name="Next").click()
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


def test_copied_links_and_projectors_name_the_address_that_others_reach(watched, reachable_app, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    address = f"192.0.2.7:{urlsplit(reachable_app).port}"
    learn(watched, reachable_app, 5)
    press(watched, "Copy link")
    expect(watched.get_by_text(learn_words.PAGE["copied"])).to_be_visible()
    assert watched.evaluate("navigator.clipboard.readText()") == f"http://{address}/?chapter=5"
    for key in ("learn", "classroom"):
        if key != "learn":
            opened_panel(watched, reachable_app, key)
        watched.keyboard.press("p")
        expect(watched.locator(".sv-address:visible")).to_have_text(address)
        press(watched, "Leave projector")


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


def test_the_projected_code_covers_no_sentence(watched, reachable_app, room_of):
    watched.set_viewport_size({"width": 1366, "height": 768})
    panel = opened(watched, reachable_app, who="room", prompt="Once upon")
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
    for each, guess in zip(phones, ("went home", "zig"), strict=True):
        expect(each.locator(".ph-text")).to_have_text("Once upon")
        each.get_by_label("What comes next?").fill(guess)
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


HEIGHT = 720
TAUGHT = [stop.chapter for stop in stops() if stop.chapter]


def bottom(page, selector: str) -> float:
    return page.locator(selector).last.evaluate("e => e.getBoundingClientRect().bottom")


def all_in_sight(page, *needed: str) -> None:
    """Nothing of these is cut, by the window or by what scrolls inside it; the page itself need not be scrolled."""
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('.lrn'))")
    in_sight(page, *needed)
    for selector in needed:
        assert bottom(page, selector) <= HEIGHT, selector
    assert outside(page) == []


@pytest.fixture
def projected(watched, reachable_app):
    """The first stop of a lesson, on the projector, for a visitor who wants no motion."""
    watched.emulate_media(reduced_motion="reduce")
    watched.set_viewport_size({"width": 1280, "height": HEIGHT})
    learn(watched, reachable_app, 1)
    press(watched, "Lesson")
    watched.keyboard.press("p")
    expect(watched.get_by_role("button", name="Leave projector")).to_be_visible()
    return watched


def turned(page, chapter: int) -> None:
    page.locator(".lrn-chapters button", has_text=str(chapter)).first.click()
    expect(title(page)).to_have_text(CHAPTERS[chapter - 1].title)


def room_stop(page):
    page.locator(".lrn-chapters button", has_text="✎").click()
    panel = page.locator("#lab-classroom")
    expect(panel.locator("h2")).to_be_attached()
    return panel


NOTHING_OVER = """code => { const { x, y, width, height } = code.getBoundingClientRect();
  const shares = [...Array(19).keys()].map((n) => (n + 1) / 20);
  return shares.every((i) => shares.every((j) => document.elementFromPoint(x + i * width, y + j * height) === code)) }"""
PICTURE = (".lrn-told", ".lrn-player", ".lrn-foot")
QUESTION = (*PICTURE, ".lrn-question", ".sv-exercise summary")


def test_a_stop_is_in_sight_before_and_after_the_answer_and_its_exercise_scrolls_beside_the_picture(projected, subtests):
    for chapter in TAUGHT:
        with subtests.test(chapter=chapter):
            turned(projected, chapter)
            all_in_sight(projected, *QUESTION)
            answer(projected, chapter)
            all_in_sight(projected, *QUESTION, ".lrn-why")
            projected.locator(".sv-exercise summary").first.click()
            projected.locator(".sv-answers summary").click()
            all_in_sight(projected, *PICTURE)
            for line in projected.locator(".sv-exercise li").all():
                line.scroll_into_view_if_needed()
                expect(line).to_be_in_viewport(ratio=0.99)
            assert bottom(projected, ".sv-exercise li") <= projected.locator(".lrn-foot").bounding_box()["y"]
            all_in_sight(projected, *PICTURE)


@pytest.mark.parametrize("chapter", some(TAUGHT, TAUGHT[-1]))
def test_a_stop_is_in_sight_while_the_phones_come_in_vote_and_are_answered(projected, app, room_of, chapter):
    turned(projected, chapter)
    code = ask(projected, room_of)
    expect(projected.locator(".sv-qr img")).to_be_visible()
    all_in_sight(projected, *QUESTION, ".sv-qr img", ".sv-door")
    assert projected.locator(".sv-qr img").evaluate(NOTHING_OVER)  # else no phone reads it
    seat = sit(projected, app, code, "Ada")["seat"]
    vote(projected, app, code, seat, CHAPTERS[chapter - 1].key, 1)
    expect(projected.locator(".sv-phones")).to_contain_text("1 of 1 have answered.")
    all_in_sight(projected, *QUESTION, ".sv-qr img", ".sv-door")
    press(projected, "Show the answer")
    expect(projected.locator(".sv-choice[data-state=right]")).to_have_count(1)
    all_in_sight(projected, *QUESTION, ".lrn-why")


def test_the_stop_of_the_room_offers_one_and_its_result_is_in_sight_and_the_projector_goes_with_it_and_stays(
    projected, app, room_of
):
    turned(projected, 6)
    panel = room_stop(projected)
    for _ in range(2):  # also after a reload
        expect(panel.get_by_label("Who drafts")).to_have_value("room")
        expect(panel.get_by_role("button", name="Open a room")).to_be_in_viewport()
        expect(projected.get_by_role("button", name="Leave projector")).to_be_visible()
        projected.reload()
    press(panel, "Open a room")
    in_sight(projected, "#lab-classroom .sv-qr img")
    code = room_of(panel.locator(".sv-door"))
    guesses = {"Ada": " went zig", "Bo": " went home", "Cyd": " sat down"} | {f"Guest {n}": " went zig" for n in range(20)}
    for name, guess in guesses.items():
        seat = sit(projected, app, code, name)["seat"]
        projected.request.post(f"{app}/room/{code}/guess", data={"seat": seat, "round": 1, "words": guess})
    expect(panel.locator(".ppl-count")).to_have_text("23 of 23 have guessed.")
    verify = panel.get_by_role("button", name="Verify the room's draft")
    expect(verify).to_be_in_viewport(ratio=0.99)
    verify.click()
    expect(panel.locator(".ppl-token")).not_to_have_count(0)
    in_sight(projected, ".ppl-writing", ".ppl-token >> nth=-1", ".ppl-spread")
    press(projected, "Leave projector")
    projected.get_by_role("tab", name="Learn").click()
    expect(projected.locator(".lrn-chapters [aria-current]")).to_contain_text("9")  # on the path, after the room
    projected.reload()
    expect(title(projected)).to_be_visible()
    expect(projected.get_by_role("button", name="Leave projector")).to_have_count(0)


def test_the_stop_shows_the_room_of_the_lesson_also_where_the_panel_was_open_before(watched, app, room_of):
    """The link of that room, which only this machine reaches, has no code and says so until a phone is in."""
    watched.goto(f"{app}/?lab=classroom")
    who = watched.locator("#lab-classroom").get_by_label("Who drafts")
    expect(who).to_have_value("alone")
    watched.get_by_role("tab", name="Learn").click()
    press(watched, "Lesson")
    code = ask(watched, room_of)
    warning = watched.locator(".sv-phones").get_by_text(words.ROOM["room_local"])
    expect(warning).to_be_visible()
    expect(watched.locator(".sv-qr img")).to_have_count(0)
    sit(watched, app, code, "Ada")
    expect(warning).to_be_hidden()
    expect(room_stop(watched).locator(".sv-door")).to_contain_text(code)
    expect(who).to_have_value("room")


def test_the_lesson_walks_its_stops_by_keys_and_the_room_is_one_of_them(quiet, app):
    learn(quiet, app, 1)
    press(quiet, "Lesson")
    expect(quiet.locator(".lrn-chapters button")).to_have_count(len(stops()))
    for stop in stops()[1:4]:
        quiet.keyboard.press("ArrowRight")
        expect(title(quiet)).to_have_text(CHAPTERS[stop.chapter - 1].title)
    quiet.reload()  # the tab remembers that a lesson is on
    expect(title(quiet)).to_have_text(CHAPTERS[5].title)
    expect(quiet.get_by_role("button", name="Lesson", exact=True)).to_have_attribute("aria-pressed", "true")
    for way in ("Next", "Previous"):
        quiet.locator("#learn").get_by_role("button", name=way).click()
        expect(quiet).to_have_url(re.compile(r"[?]lab=classroom"))
        expect(quiet.get_by_role("heading", name="You are the draft")).to_be_visible()
        quiet.get_by_role("tab", name="Learn").click()
        expect(title(quiet)).to_have_text(CHAPTERS[8].title)
    press(quiet, "Lesson")
    expect(quiet.locator(".lrn-chapters button")).to_have_count(LAST)
