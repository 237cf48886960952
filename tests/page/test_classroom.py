"""A room is full, ends, and forgets as it says; what a browser or a phone sends is answered by JSON, or one sentence."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from specviz.page.classroom import rooms as of
from specviz.page.classroom.messages import BODY_BYTES, phone_page, routes
from specviz.page.classroom.rooms import Poll, RoomError, Rooms
from specviz.page.guard.shares import TRIES_SECONDS, WRONG_TRIES, client_address
from specviz.page.lab.panels.classroom import panel_functions
from specviz.page.queue import RunQueue
from specviz.trace.events import Token

from .. import loop
from ..browser.fake_engine import FakeEngine
from ..fakes import Clock

A, B = Token(1, " a"), Token(2, " b")
TEXT = [Token(0, "<|endoftext|>"), Token(7, "Once")]


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def rooms(clock):
    return Rooms(clock)


@pytest.fixture
def room(rooms):
    return rooms.begin("Once", TEXT)


def play(room, decide):
    async def decided(text, guesses):
        return decide(text, guesses)

    # another thread than that in which a round may be under way
    return ThreadPoolExecutor(1).submit(lambda: loop.run(room.play(decided))).result()


def played(text, guesses):
    return {"drafted": len(guesses)}, [A], None, lambda guess: [{"token": one} for one in guess]


def test_a_room_is_found_by_its_code_and_played_by_its_key(rooms, room):
    assert len(room.code) == 6 and set(room.code) <= set(of.LETTERS) and rooms.find(room.code.upper()) is room
    assert rooms.for_teacher(room.code, room.key) is room
    for code, key in ((room.code, "x"), (room.code, None), ("nobody", room.key), (None, room.key), (room.code, "é")):
        with pytest.raises(RoomError, match="no such room") as refused:
            rooms.for_teacher(code, key)
        assert refused.value.is_over


def test_a_room_ends_by_itself_in_an_hour_and_sooner_without_its_teacher(rooms, clock, room):
    for minute in range(59):
        clock.now = 60.0 * minute
        room.teacher_view()
    rooms.find(room.code)
    clock.now = of.ROOM_SECONDS
    with pytest.raises(RoomError, match="ended"):
        rooms.find(room.code)
    alone = rooms.begin("Once", TEXT)
    clock.now += of.TEACHER_SECONDS
    with pytest.raises(RoomError):
        rooms.find(alone.code)


def test_no_more_rooms_are_open_than_may_be_until_one_ends(rooms, clock):
    for _ in range(of.ROOMS):
        rooms.begin("Once", TEXT)
    with pytest.raises(RoomError, match=f"{of.ROOMS} rooms"):
        rooms.begin("Once", TEXT)
    clock.now = of.ROOM_SECONDS
    rooms.begin("Once", TEXT)


def test_a_whole_class_behind_one_address_is_in_one_room_and_one_more_is_told_that_it_is_full(room, come_from):
    come_from("10.0.0.1")
    seats = {room.join(f"n{i}") for i in range(of.SEATS)}
    assert len(seats) == of.SEATS == room.teacher_view()["here"] >= 40
    with pytest.raises(RoomError, match="full"):
        room.join("late")
    assert room.join("again", min(seats)) in seats  # who has a seat keeps it


def test_when_half_of_the_players_leave_their_guesses_stay_and_their_seats_are_free(room, clock):
    seats = [room.join() for _ in range(of.SEATS)]
    for seat in seats:
        room.guess(seat, 1, [A])
    for seat in seats[:10]:
        room.leave(seat)
    clock.now = of.PHONE_SECONDS
    for seat in seats[20:]:
        room.phone_view(seat)
    view = room.teacher_view()
    assert (view["here"], view["guessed"]) == (40, 40)  # whose guess counts is counted
    assert play(room, played) == {"drafted": 40, "round": 1} and room.join("new") not in seats
    with pytest.raises(RoomError, match="join again") as refused:
        room.phone_view(seats[0])  # the seat that went to the new one
    assert refused.value.seat


def test_a_phone_whose_screen_goes_dark_counts_as_long_as_its_vote_does(room, clock):
    seat, _ = room.join("Ada"), room.join("Bo")
    room.ask(of.Poll("accept", "?", ("a", "b")))
    room.vote(seat, "accept", 1)
    clock.now = of.PHONE_SECONDS
    view = room.teacher_view()
    assert (view["here"], view["poll"]["voted"], [one["name"] for one in view["names"]]) == (1, 1, ["Ada"])
    room.ask(None)
    assert room.teacher_view()["here"] == 0


def test_a_guess_counts_once_and_for_its_own_round(room):
    seat = room.join()
    room.guess(seat, 1, [A])
    room.guess(seat, 1, [B, A])
    assert room.phone_view(seat)["guess"] == (B, A) and room.teacher_view()["guessed"] == 1
    other = room.phone_view(room.join())  # is told how many have guessed, never what
    assert (other["guessed"], other["guess"]) == (1, ()) and A.text not in str(other)
    calls = []
    play(room, lambda text, guesses: (calls.append((text, guesses)), ({}, [A, B], None, list))[1])
    assert calls == [(TEXT, [(B, A)])]
    view = room.phone_view(seat)
    assert (view["round"], view["guess"], view["text"], view["last"]) == (2, (), "Once a b", {"round": 1})
    with pytest.raises(RoomError, match="closed"):
        room.guess(seat, 1, [A])


def test_a_round_is_played_once_at_a_time_one_that_fails_leaves_the_guesses_and_a_text_that_is_over_takes_none(room):
    seat = room.join()
    with pytest.raises(RoomError, match="Nobody has guessed"):
        play(room, played)
    room.guess(seat, 1, [A])

    def meddling(text, guesses):
        assert room.phone_view(seat)["playing"]
        with pytest.raises(RoomError, match="already"):
            play(room, played)
        with pytest.raises(RoomError, match="closed"):
            room.guess(seat, 1, [B])
        raise ValueError("the text is full")

    with pytest.raises(ValueError, match="full"):
        play(room, meddling)
    assert room.phone_view(seat)["guess"] == (A,) and not room.phone_view(seat)["playing"]
    assert play(room, played) == {"drafted": 1, "round": 1}
    room.guess(seat, 2, [A])
    play(room, lambda text, guesses: ({}, [A], "eos", list))
    for refused in (lambda: room.guess(seat, 3, [A]), lambda: play(room, played)):
        with pytest.raises(RoomError, match="over"):
            refused()


def test_a_name_is_plain_text_in_one_line_and_bounded_and_two_of_one_name_are_told_apart(room):
    assert of.clean_name(" Mia\u202e\n  K. ") == "Mia K." and of.clean_name(None) == of.clean_name(7) == ""
    with pytest.raises(RoomError, match="24 characters"):
        room.join("x" * 25)
    room.join("<script>alert(1)</script>"[:24])
    assert room.teacher_view()["names"] == [{"id": 1, "name": "<script>alert(1)</script", "guessed": False}]
    names = [room.phone_view(room.join(name))["name"] for name in ("Ada", "Ada", "ada", "Ada", "", "")]
    assert names == ["Ada", "Ada (2)", "ada", "Ada (3)", "", ""]


@pytest.fixture
def come_from():
    """Who asks from now on, until the test is over."""
    before = client_address.set(client_address.get())
    yield client_address.set
    client_address.reset(before)


def test_one_address_opens_its_share_of_rooms_and_leaves_the_others(rooms, come_from):
    come_from("10.0.0.1")
    first, *_ = [rooms.begin("Once", TEXT) for _ in range(of.ROOMS_EACH)]
    with pytest.raises(RoomError, match="open from your address"):
        rooms.begin("Once", TEXT)
    come_from("10.0.0.2")
    rooms.begin("Once", TEXT)
    rooms.close(first)
    come_from("10.0.0.1")
    rooms.begin("Once", TEXT)


def test_a_phone_that_is_closed_and_opened_again_is_the_same_seat_and_counts_once(room):
    seat, _ = room.join("Ada"), room.join("Bo")
    room.ask(question())
    for _ in range(3):
        room.vote(seat, "accept", 1)
        room.leave(seat)
        assert room.phone_view(seat)["poll"]["own"] == 1 and room.join("", seat) == seat
    view = room.teacher_view()
    assert (view["here"], view["poll"]["voted"], len(view["names"])) == (2, 1, 2)


def test_a_seat_that_was_silent_for_two_minutes_goes_to_whoever_comes_from_anywhere(room, clock, come_from):
    come_from("10.0.0.1")
    seats = [room.join() for _ in range(of.SEATS)]
    clock.now += of.SEAT_SECONDS - 1.0
    for seat in seats[1:]:
        room.phone_view(seat)
    come_from("10.0.0.2")
    with pytest.raises(RoomError, match="full"):
        room.join()
    clock.now += 1.0
    assert room.join() not in seats
    with pytest.raises(RoomError, match="join again"):
        room.phone_view(seats[0])


def test_who_left_makes_room_for_another_and_for_nobodys_second_vote(room):
    seats = [room.join() for _ in range(of.SEATS)]
    room.ask(question())
    for _ in range(of.SEATS):
        room.vote(seats[0], "accept", 1)
        room.leave(seats[0])
        seats[0] = room.join("back")
    assert len(seats) == room.teacher_view()["here"] and room.teacher_view()["poll"]["voted"] == 0


def test_codes_cannot_be_tried_by_the_thousand_and_who_sits_in_a_room_stays(rooms, room, clock, come_from):
    come_from("10.0.0.2")
    seat = room.join("Mia")
    come_from("10.0.0.1")
    for n in range(WRONG_TRIES):
        with pytest.raises(RoomError, match="no such room"):
            rooms.find(f"x{n}")
    for code in ("another", room.code):  # whether it is right is not said any more
        with pytest.raises(RoomError, match="Too many wrong codes"):
            rooms.find(code)
    assert rooms.find(room.code, seat) is room and rooms.for_teacher(room.code, room.key) is room
    come_from("10.0.0.2")
    assert rooms.find(room.code) is room
    come_from("10.0.0.1")
    clock.now += TRIES_SECONDS / WRONG_TRIES  # one more
    room.teacher_view()
    with pytest.raises(RoomError, match="no such room"):
        rooms.find("another")
    with pytest.raises(RoomError, match="Too many wrong codes"):
        rooms.find(room.code)
    clock.now += TRIES_SECONDS / WRONG_TRIES
    room.teacher_view()
    assert rooms.find(room.code) is room


def test_who_tries_codes_keeps_no_school_behind_the_same_address_out_of_its_own_room(rooms, come_from):
    come_from("10.0.0.1")
    own = rooms.begin("Once", [])
    come_from("10.0.0.9")
    elsewhere = rooms.begin("Once", [])
    come_from("10.0.0.1")
    elsewhere.join("Mia")  # the teacher is at home
    for n in range(3 * WRONG_TRIES):
        with pytest.raises(RoomError):
            rooms.find(f"x{n}")
    assert rooms.find(own.code) is own and rooms.find(elsewhere.code) is elsewhere


def question(about="accept"):
    return Poll(about, "How often?", ("never", "half"))


def test_a_question_is_put_to_all_phones_and_its_answer_comes_with_everybodys_votes(room):
    mia, tom = room.join("Mia"), room.join("Tom")
    assert room.phone_view(mia)["poll"] is None
    room.ask(question())
    room.vote(mia, "accept", 0)
    room.vote(mia, "accept", 1)
    room.vote(tom, "accept", 0)
    poll = room.phone_view(mia)["poll"]
    assert poll == {"about": "accept", "ask": "How often?", "choices": ("never", "half"), "own": 1}
    counted = {"voted": 2, "counts": [1, 1], "right": None}
    assert room.teacher_view()["poll"] == {"about": "accept", "choices": ("never", "half"), **counted}
    room.reveal(1, "Because.")
    answer = room.phone_view(tom)["poll"]
    assert (answer["own"], answer["right"], answer["counts"], answer["why"]) == (0, 1, [1, 1], "Because.")
    room.ask(None)
    assert room.phone_view(mia)["poll"] is room.teacher_view()["poll"] is None


def test_only_a_choice_of_the_open_question_is_a_vote(room):
    seat = room.join()
    with pytest.raises(RoomError, match="closed"):
        room.vote(seat, "accept", 0)
    room.ask(question())
    for choice in (2, -1, 0.0, True, "0", None):
        with pytest.raises(RoomError, match="not an answer"):
            room.vote(seat, "accept", choice)
    with pytest.raises(RoomError, match="closed"):
        room.vote(seat, "whole", 0)
    with pytest.raises(RoomError) as refused:
        room.vote("nobody", "accept", 0)
    assert refused.value.seat
    room.reveal(5, "")  # no choice of it: nothing is shown
    room.vote(seat, "accept", 0)
    room.reveal(0, "")
    with pytest.raises(RoomError, match="closed"):
        room.vote(seat, "accept", 1)


def test_what_was_voted_and_guessed_can_be_saved_without_names(room):
    mia, tom = room.join("Mia"), room.join("Tom")
    assert room.answers() == []
    room.ask(question())
    room.vote(mia, "accept", 1)
    room.reveal(1, "Because.")
    room.ask(None)
    for seat in (mia, tom):
        room.guess(seat, 1, [A, B])
    play(room, played)
    room.ask(question("whole"))
    ask = "How often?"
    assert room.answers() == [
        ("question", ask, "never", 0, False),
        ("question", ask, "half", 1, True),
        ("question", ask, "never", 0, None),
        ("question", ask, "half", 0, None),
        ("round 1", "Once", " a b", 2, None),
    ]


def test_a_name_that_the_teacher_takes_off_is_gone_with_its_vote_and_may_come_back(room):
    mia, tom = room.join("Mia"), room.join("Tom")
    room.ask(question())
    room.vote(mia, "accept", 0)
    [id] = [one["id"] for one in room.teacher_view()["names"] if one["name"] == "Mia"]
    room.remove(id)
    assert [one["name"] for one in room.teacher_view()["names"]] == ["Tom"] and room.teacher_view()["poll"]["voted"] == 0
    with pytest.raises(RoomError) as refused:
        room.phone_view(mia)
    assert refused.value.seat and not refused.value.is_over
    assert room.phone_view(room.join("Mia"))["name"] == "Mia" and room.phone_view(tom)
    room.remove("no number")


def test_those_who_are_in_stay_for_another_text(room):
    seat = room.join("Mia")
    room.guess(seat, 1, [A])
    play(room, played)
    assert room.phone_view(seat)["before"] == [{"token": A}]
    room.begin("There", TEXT)
    look = room.phone_view(seat)
    assert (look["text"], look["round"], look["last"], look["before"], look["name"]) == ("There", 1, None, (), "Mia")


@pytest.fixture
def ask(rooms):
    """The panel's functions by name, each answering with what its JSON says."""
    return lambda name, **message: json.loads(called(panel_functions(FakeEngine(), RunQueue(), rooms), name, message))


def called(functions, name, message):
    answer = next(function for function in functions if function.__name__ == name)(message)
    return loop.run(answer) if isawaitable(answer) else answer


@pytest.fixture
def phone(rooms):
    with TestClient(Starlette(routes=routes(FakeEngine(), rooms))) as client:
        yield lambda code, what, **message: client.post(f"/room/{code}/{what}", json=message).json()


HOW = {"temperature": 0.8, "seed": 0}


def ids(answer):
    return [token["id"] for token in answer["tokens"]]


def test_words_are_cut_and_scored_token_by_token_beside_the_drafters(ask):
    text = ids(ask("begin", prompt="Once"))
    assert [token["text"] for token in ask("pieces", words=" went zig")["tokens"]] == [" went", " zig"]
    played = ask("score", words=" went zig", text=text, **HOW)
    assert [each["verdict"] for each in played["drafted"]] == ["accepted", "rejected"]
    assert [each["role"] for each in played["emitted"]] == ["accepted", "corrected"] and played["emitted"][1]["chance"] == 0.6
    assert played["people"]["beta"] == pytest.approx(0.85) and played["others"][0]["name"] == "Small model"
    assert played["drafted"][0]["place"]["beta"] == pytest.approx(0.8) and played["ended"] is None
    assert played["greedy"] is False and ask("score", words=" went", text=text, temperature=0, seed=0)["greedy"] is True


@pytest.mark.parametrize(
    ("name", "message", "sentence"),
    [
        ("begin", {}, "needs a beginning"),
        ("begin", {"prompt": " "}, "needs a beginning"),
        ("begin", {"prompt": "x" * 2001}, "2001 characters; at most 2000"),
        ("begin", {"prompt": 7}, "needs a beginning"),
        ("pieces", {"words": "x" * 81}, "81 characters; at most 80"),
        ("pieces", {"words": "\ud800"}, "valid Unicode"),
        ("score", {"words": "", "text": [0], **HOW}, "at least one word"),
        ("score", {"words": " abcd" * 16 + "!!", "text": [0], **HOW}, "81 characters"),
        ("score", {"words": " a" * 17, "text": [0], **HOW}, "17 tokens; a block takes at most 16"),
        ("score", {"words": " a", "text": [], **HOW}, "no text yet"),
        ("score", {"words": " a", "text": [-1], **HOW}, "no text yet"),
        ("score", {"words": " a", "text": [True], **HOW}, "no text yet"),
        ("score", {"words": " a", "text": [0], "temperature": "hot", "seed": 0}, "temperature"),
        ("score", {"words": " a", "text": [0], "temperature": 1, "seed": -1}, "seed"),
        ("room_look", {"code": "abc", "key": "x", "shown": 0}, "no such room"),
        ("room_play", {"code": ["abc"]}, "no such room"),
        ("room_picture", {"link": "javascript:alert(1)"}, "link of a room"),
        ("room_picture", {"link": "ftp://["}, "link of a room"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(ask, name, message, sentence):
    error = ask(name, **message)["error"]
    assert sentence in error.lower() or sentence in error
    assert ("\n" not in error and error.endswith(".")) or name == "pieces"


def test_an_engine_that_cannot_score_says_so():
    [begin, *_] = panel_functions(object(), RunQueue(), Rooms())
    assert "Nobody can draft here" in json.loads(begin({"prompt": "Once"}))["error"]


def test_a_room_plays_a_round_of_what_phones_guessed(ask, phone, rooms):
    rooms.lan = ["192.168.1.5", "10.0.0.5"].pop
    room = ask("room_open", prompt="Once")
    assert (room["lan"], ask("room_open", prompt="Once")["lan"]) == ("10.0.0.5", "192.168.1.5")  # asked each time
    code, own = room["code"], {"code": room["code"], "key": room["key"]}
    seats = [phone(code, "join", name=name)["seat"] for name in ("Mia", "", "<b>Al")]
    for seat, words in zip(seats, (" went", " went", " zig"), strict=True):
        assert phone(code, "guess", seat=seat, round=1, words=words)["guess"][0]["text"] == words
    view = ask("room_look", **own)
    assert (view["here"], view["guessed"], view["names"][2]["name"]) == (3, 3, "<b>Al")
    played = ask("room_play", **own, **HOW)
    [first] = played["drafted"]
    shares = {each["token"]["text"]: round(each["q"], 2) for each in first["place"]["entries"]}
    assert shares == {" went": 0.67, " zig": 0.33, " then": 0}
    look = phone(code, "look", seat=seats[0])
    assert (look["round"], look["text"], look["guess"], look["last"]) == (2, "Once went then", [], played)
    [mine], [other] = (phone(code, "look", seat=seat)["before"] for seat in (seats[0], seats[2]))  # each sees its own p and q
    assert (mine["p"], round(mine["q"], 2), mine["passes"], mine["drafted"]) == (0.8, 0.67, True, True)
    assert (other["token"]["text"], round(other["q"], 2), other["u"], other["drafted"]) == (" zig", 0.33, mine["u"], False)
    assert other["passes"] == (other["u"] * other["q"] < other["p"])
    assert (played["round"], played["greedy"]) == (1, False)
    for known, rounds in ((0, [played]), (1, []), ("1", [played]), (True, [played]), (-1, [played]), (None, [played])):
        assert ask("room_look", **own, shown=known)["played"] == rounds
    for key in (seats[0], "", None):  # whoever has only the link sees nothing of it
        assert ask("room_look", code=code, key=key, shown=0)["gone"]
    ask("room_close", **own)
    assert phone(code, "look", seat=seats[0])["gone"]


def test_a_phone_is_told_in_one_sentence_what_is_wrong(ask, phone, rooms):
    code = ask("room_open", prompt="Once")["code"]
    seat = phone(code, "join")["seat"]
    for message, sentence in (
        ({"seat": seat, "round": 1, "words": ""}, "at least one word"),
        ({"seat": seat, "round": 1, "words": " a" * 17}, "at most 16"),
        ({"seat": seat, "round": 1, "words": "x" * 81}, "at most 80"),
        ({"seat": seat, "round": 2, "words": " a"}, "closed"),
        ({"seat": seat, "round": "1", "words": " a"}, "closed"),
        ({"seat": "x", "round": 1, "words": " a"}, "join again"),
        ({"seat": seat, "round": 1, "words": "x" * BODY_BYTES}, "too long"),
    ):
        assert sentence in phone(code, "guess", **message)["error"]


def test_the_page_of_a_phone_is_light_needs_nothing_else_and_knows_no_room_and_what_is_no_json_is_refused(rooms):
    with TestClient(Starlette(routes=routes(FakeEngine(), rooms))) as client:
        answer = client.get("/room/abcdef")
    assert answer.text == phone_page() and "abcdef" not in answer.text and not answer.cookies
    assert len(answer.content) < 28_000 and "http" not in answer.text.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "default-src 'none'" in answer.text
    with TestClient(Starlette(routes=routes(FakeEngine(), rooms))) as client:
        for message in (b"{", b"[" * 2000, b"\xff"):
            assert client.post("/room/abcdef/look", content=message).json()["error"]


def test_a_code_to_scan_is_drawn_of_the_link_where_what_draws_it_is_installed(ask):
    pytest.importorskip("segno", reason="what draws it is not installed here")
    assert ask("room_picture", link="http://192.168.1.5:7860/room/abcdef")["picture"].startswith("data:image/svg+xml")


def test_without_what_draws_it_there_is_no_code_to_scan(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "segno", None)
    assert ask("room_picture", link="http://192.168.1.5:7860/room/abcdef") == {"picture": None}
