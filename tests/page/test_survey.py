"""A class answers the same questions before and after a lesson, and nobody is told who answered what."""

import pytest

from specviz.page.classroom.rooms import Poll, RoomError, Rooms
from specviz.trace.events import Token

QUESTIONS = (("Why?", ("a", "b", "unsure")), ("How often?", ("never", "always", "unsure")))


@pytest.fixture
def room():
    return Rooms(lambda: 0.0).begin("Once", [Token(7, "Once")])


def answer(room, seat, now, *choices):
    for question, choice in enumerate(choices):
        room.answer(seat, now, question, choice)


def test_phones_are_asked_all_questions_and_told_only_their_own_answers(room):
    mia, tom = room.join("Mia"), room.join("Tom")
    assert room.look(mia)["survey"] is None and room.watch()["survey"] == {"now": None, "done": 0, "given": 0}
    room.survey("before", QUESTIONS)
    answer(room, mia, "before", 0, 1)
    room.answer(mia, "before", 0, 2)  # another mind
    room.answer(tom, "before", 1, 0)
    asked = room.look(tom)["survey"]
    assert asked["questions"][0] == {"ask": "Why?", "choices": ("a", "b", "unsure")}
    assert (asked["now"], asked["own"], room.look(mia)["survey"]["own"]) == ("before", [None, 0], [2, 1])
    assert room.watch()["survey"] == {"now": "before", "done": 1, "given": 4}


def test_the_two_sheets_of_a_phone_stay_together_without_a_name_and_in_no_order_of_coming(room):
    mia, tom, ada = (room.join(name) for name in ("Mia", "Tom", "Ada"))
    room.survey("before", QUESTIONS)
    answer(room, mia, "before", 1, 1)
    answer(room, tom, "before", 0, 0)
    room.survey("after", QUESTIONS)
    answer(room, ada, "after", 2, 2)
    answer(room, mia, "after", 0, 1)
    room.survey(None, QUESTIONS)
    rows = [{"before": [0, 0], "after": None}, {"before": [1, 1], "after": [0, 1]}, {"before": None, "after": [2, 2]}]
    assert sorted(map(str, room.answers())) == sorted(map(str, rows))
    assert room.answers() == sorted(room.answers(), key=str)
    assert room.look(mia)["survey"] is None


@pytest.mark.parametrize(
    ("now", "question", "choice"),
    [("after", 0, 0), (None, 0, 0), ("before", 2, 0), ("before", 0, 3), ("before", 0, True), ("before", "0", 0)],
)
def test_only_a_choice_of_an_open_question_is_an_answer(room, now, question, choice):
    seat = room.join()
    room.survey("before", QUESTIONS)
    with pytest.raises(ValueError, match=r"closed|not an answer"):
        room.answer(seat, now, question, choice)
    assert room.answers() == []


def test_who_has_no_seat_has_no_sheet_and_who_is_taken_off_leaves_none(room):
    mia = room.join("Mia")
    room.survey("before", QUESTIONS)
    answer(room, mia, "before", 0, 0)
    with pytest.raises(RoomError) as refused:
        room.answer("nobody", "before", 0, 0)
    assert refused.value.seat
    room.remove(1)
    assert room.answers() == []


def test_a_chapters_question_and_the_study_take_each_others_place(room):
    seat = room.join()
    room.survey("before", QUESTIONS)
    room.ask(Poll("accept", "How often?", ("never", "half")))
    assert room.look(seat)["survey"] is None and room.look(seat)["poll"]
    room.survey("after", QUESTIONS)
    assert room.look(seat)["survey"] and room.look(seat)["poll"] is None
    room.survey("at noon", QUESTIONS)
    assert room.look(seat)["survey"] is None
