"""What a browser or a phone may send, and what each is told: JSON, or one sentence about what was wrong."""

import json
import sys
from inspect import isawaitable

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from specviz.page.classroom import teacher
from specviz.page.classroom.join import BODY_BYTES, page, routes
from specviz.page.classroom.rooms import Rooms
from specviz.page.lab.panels.classroom import panel_functions
from specviz.page.queue import RunQueue

from ... import loop
from ...browser.fake_engine import FakeEngine


@pytest.fixture
def rooms():
    return Rooms()


@pytest.fixture
def ask(rooms):
    """The panel's functions by name, each answering with what its JSON says."""
    return lambda name, **message: json.loads(called(panel_functions(FakeEngine(), RunQueue(), rooms), name, message))


def called(functions, name, message):
    """The answer of the one of this name, a function or a coroutine."""
    answer = next(function for function in functions if function.__name__ == name)(message)
    return loop.run(answer) if isawaitable(answer) else answer


@pytest.fixture
def phone(rooms):
    """A phone that asks a room."""
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
        ("score", {"words": " abcd" * 16 + "!", "text": [0], **HOW}, "81 characters"),
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


def test_a_room_plays_a_round_of_what_phones_guessed(ask, phone):
    room = ask("room_open", prompt="Once")
    code, own = room["code"], {"code": room["code"], "key": room["key"]}
    seats = [phone(code, "join", name=name)["seat"] for name in ("Mia", "", "<b>Al")]
    for seat, words in zip(seats, (" went", " went", " zig"), strict=True):
        assert phone(code, "guess", seat=seat, round=1, words=words)["guess"][0]["text"] == words
    view = ask("room_look", **own)
    assert (view["here"], view["guessed"], view["names"][2]["name"]) == (3, 3, "<b>Al")
    played = ask("room_play", **own, **HOW)
    [first] = played["drafted"]
    assert {each["token"]["text"]: round(each["q"], 2) for each in first["place"]["entries"]} == {
        " went": 0.67,
        " zig": 0.33,
        " then": 0,
    }
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


def test_a_room_has_an_address_for_phones_where_other_machines_reach_the_server(ask, rooms, monkeypatch):
    monkeypatch.setattr(teacher, "own_address", lambda: "192.168.1.5")
    assert ask("room_open", prompt="Once")["lan"] == "192.168.1.5"
    rooms.reachable = False
    assert ask("room_open", prompt="Once")["lan"] is None


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


def test_what_is_no_json_is_refused(rooms):
    with TestClient(Starlette(routes=routes(FakeEngine(), rooms))) as client:
        for message in (b"{", b"[" * 2000, b"\xff"):
            assert client.post("/room/abcdef/look", content=message).json()["error"]


def test_the_page_of_a_phone_is_light_needs_nothing_else_and_knows_no_room(rooms):
    with TestClient(Starlette(routes=routes(FakeEngine(), rooms))) as client:
        answer = client.get("/room/abcdef")
    assert answer.text == page() and "abcdef" not in answer.text and not answer.cookies
    assert len(answer.content) < 24_600 and "http" not in answer.text.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert "default-src 'none'" in answer.text


def test_a_code_to_scan_is_drawn_of_the_link_where_what_draws_it_is_installed(ask):
    pytest.importorskip("segno", reason="what draws it is not installed here")
    assert ask("room_picture", link="http://192.168.1.5:7860/room/abcdef")["picture"].startswith("data:image/svg+xml")


def test_without_what_draws_it_there_is_no_code_to_scan(ask, monkeypatch):
    monkeypatch.setitem(sys.modules, "segno", None)
    assert ask("room_picture", link="http://192.168.1.5:7860/room/abcdef") == {"picture": None}
