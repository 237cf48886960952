"""The study asks what the lesson teaches, its key is right, and its sheets hold no answer but the teacher's."""

from html import escape

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import for_browser
from specviz.page.learn.study import PRINTED, QUESTIONS, UNSURE
from specviz.page.learn.study_sheets import study_sheets
from specviz.page.learn.tab import study_questions


def test_eight_questions_are_asked_and_no_place_of_the_right_choice_can_be_guessed():
    assert len(QUESTIONS) == 8 and all(len(one.choices) == 3 for one in QUESTIONS)
    assert {sum(one.right == place for one in QUESTIONS) for place in range(3)} <= {2, 3}


def test_no_question_is_that_of_a_chapter():
    assert not {one.ask for one in QUESTIONS} & {chapter.question.ask for chapter in CHAPTERS}


def test_the_key_is_calculated_right():
    keys = [one.choices[one.right] for one in QUESTIONS]
    assert keys[1] == str(3 + 1)
    assert keys[3] == "1 time in 4" and 0.2 / 0.8 == 0.25
    a, b = (expected_speedup(expected_tokens(alpha, 4), 4, c) for alpha, c in ((0.7, 0.02), (0.9, 0.5)))
    assert keys[6] == "Draft A" and f"{a:.2f}× for A and {b:.2f}× for B" in QUESTIONS[6].why


def test_phones_are_asked_what_stands_on_paper_and_may_say_that_they_do_not_know():
    paper = study_sheets()
    for one in study_questions():
        assert one.choices[-1] == UNSURE and paper.count(escape(one.ask)) == 2
        assert all(paper.count(f"<li>{escape(choice)}</li>") >= 2 for choice in one.choices)


def test_a_students_sheets_hold_no_answer_and_no_line_for_a_name():
    students, _, teachers = study_sheets().partition('<section class="teacher')
    assert students.count(escape(PRINTED["word"])) == 2 and PRINTED["how"] in students
    for one in QUESTIONS:
        assert escape(one.why) not in students and escape(one.why) in teachers


def test_the_page_that_counts_knows_the_key_of_each_question():
    study = for_browser()["study"]
    assert study["right"] == [one.right for one in QUESTIONS] and len(study["asked"]) == 8
