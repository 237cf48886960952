"""What is printed: every chapter has an exercise with a key, pages are whole, what is a student's holds no answer, and the picture of a
round is drawn from the round alone."""

import re
from dataclasses import replace
from html import escape

import pytest

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.page.learn.chapter import Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.figures import guesses_figure, places, round_figure
from specviz.page.learn.lesson import RECORDED, excerpts, for_browser, homework, stops
from specviz.page.learn.pack import FIGURES, TASKS, pack, sheet
from specviz.page.learn.printed import facts
from specviz.page.learn.study import PRINTED, QUESTIONS, UNSURE, study_sheets
from specviz.page.learn.tab import study_questions
from tests.fake_trace import fake_trace
from tests.fake_tree import tree_trace
from tests.view import view

each = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.key)


@pytest.fixture(scope="module")
def printed():
    return pack(excerpts())


def test_the_lesson_takes_fifty_minutes_in_six_stops_and_the_other_chapters_are_homework():
    assert stops()[-1].end == 50
    met = [CHAPTERS[stop.chapter - 1].key if stop.chapter else None for stop in stops()]
    assert met == ["alone", "verify", "accept", "residual", None, "speed", "busy"]  # accept and residual are one stop
    assert sorted([*homework(), *(stop.chapter for stop in stops() if stop.chapter)]) == [*range(1, len(CHAPTERS) + 1)]


@each
def test_the_students_pages_hold_the_tasks_and_no_answer(printed, chapter):
    students, _, teachers = printed.partition('<section class="teacher">')
    exercise = chapter.exercise
    assert all(escape(task) in students for task in (*exercise.task, *exercise.able, chapter.question.ask))
    for hidden in (*exercise.key, *chapter.notes, chapter.question.why):
        assert escape(hidden) not in students and escape(hidden) in teachers
    if isinstance(chapter.question, Question):
        assert escape(chapter.question.choices[chapter.question.right]) in teachers


def test_the_file_is_whole_runs_nothing_and_asks_nobody(printed):
    assert "<script" not in printed and "default-src 'none'" in printed
    assert re.findall(r"(?:src|href)=|url\(|@import", printed) == []
    assert "{" not in re.sub(r"<style>.*?</style>", "", printed, flags=re.DOTALL)  # every name is filled in
    assert len(printed.encode()) < 5_100 * len(CHAPTERS)


def test_names_of_a_run_are_printed_as_text():
    trace = fake_trace(seed=3)
    hostile = replace(trace, header=replace(trace.header, target=replace(trace.header.target, name="<b>target</b> {x}")))
    text = pack(excerpts(dict.fromkeys(RECORDED, view(hostile))))
    assert "<b>" not in text and "&lt;b&gt;target&lt;/b&gt; {x}" in text


def test_what_a_chapter_says_of_its_run_is_the_same_on_the_page_and_on_paper():
    """The c of chapter 3 is that of the run that it shows."""
    by_chapter = excerpts()
    drafting = next(chapter for chapter in CHAPTERS if chapter.key == "draft")
    assert facts(by_chapter, drafting)["c"] == f"{by_chapter['draft']['c']:.2f}" != f"{by_chapter['speed']['c']:.2f}"
    assert f"takes c = {by_chapter['draft']['c']:.2f} of a target pass" in pack(by_chapter)


# ---- the student's sheet ----


@pytest.fixture(scope="module")
def students():
    return sheet(excerpts())


def test_the_sheet_has_a_line_for_a_name_every_stop_and_figures_to_fill_in(students):
    assert "Name <span>" in students and students.count('<svg class="figure"') == 4
    titles = [CHAPTERS[stop.chapter - 1].title for stop in stops() if stop.chapter]
    at = [students.index(escape(title)) for title in titles]
    assert at == sorted(at) and "The room" in students
    assert all(f"<dt>{symbol}</dt>" in students for symbol in "pqKuβαcv")


def test_the_sheet_asks_what_the_work_sheets_ask_and_holds_no_answer(students):
    for chapter in CHAPTERS:
        for i in TASKS.get(chapter.key, ()):
            assert escape(chapter.exercise.task[i]) in students
        assert not any(escape(key) in students for key in chapter.exercise.key)
        assert escape(chapter.question.why) not in students


# ---- the study: what the lesson teaches is asked before and after it ----


def test_eight_questions_of_no_chapter_are_asked_and_no_place_of_the_right_choice_can_be_guessed():
    assert len(QUESTIONS) == 8 and all(len(one.choices) == 3 for one in QUESTIONS)
    assert {sum(one.right == place for one in QUESTIONS) for place in range(3)} <= {2, 3}
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
    assert study["right"] == [one.right for one in QUESTIONS] and len(study["questions"]) == 8


# ---- a round on paper ----


VERDICTS = "✓✗↻"


def rounds(trace) -> list[dict]:
    return [r for r in view(trace)["lanes"]["speculative"]["rounds"] if r["drafted"]]


def letters(figure: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", figure)


def test_a_leaf_has_a_row_of_its_own_and_a_parent_stands_in_the_middle_of_its_children():
    assert places([-1, 0, 1]) == [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert places([-1, -1, 0, 0]) == [(0, 1.25), (1, 0.5), (1, 2), (2, 0), (2, 1)]
    for r in rounds(tree_trace("3-2-1-1", K=4)):
        spots = places([d["parent"] for d in r["drafted"]])
        assert len(set(spots)) == len(spots)


@pytest.mark.parametrize("trace", [fake_trace(K=4), tree_trace("3-2-1", K=3)], ids=["chain", "tree"])
def test_a_students_round_has_every_guess_with_its_chances_and_no_verdict(trace):
    for r in rounds(trace):
        texts = letters(round_figure(r, "before", verdicts=False))
        assert texts[0] == "before" and not set("".join(texts)) & set(VERDICTS)
        assert sum(line.startswith("p ") for line in texts) == len(r["drafted"])
        filled = letters(round_figure(r, "before", verdicts=True))
        marks = [line[-1] for line in filled if line[-1] in "✓✗–"]
        assert len(marks) == len(r["drafted"]) and marks.count("✓") == sum(d["verdict"] == "accepted" for d in r["drafted"])
        assert filled[-1] == r["emitted"][-1]["role"] or r["emitted"][-1]["role"] == "accepted"


def test_the_mask_is_empty_for_students_and_filled_along_the_path_to_each_guess_for_teachers():
    r = rounds(tree_trace("2-2", K=2))[0]
    n, squares = len(r["drafted"]) + 1, 1
    depth = {-1: 0}
    for i, d in enumerate(r["drafted"]):
        depth[i] = depth[d["parent"]] + 1
        squares += 1 + depth[i]
    empty, filled = (round_figure(r, "x", decided, mask=True) for decided in (False, True))
    assert 'class="filled"' not in empty and len(letters(empty)) == len(letters(round_figure(r, "x", False))) + n
    assert filled.split('class="filled"')[1].count("z") == squares


def test_guesses_are_numbered_by_the_drafts_chance_along_their_paths():
    guesses = [
        {"text": text, "parent": parent, "p": 0.5, "q": q} for text, parent, q in (("a", -1, 0.3), ("b", -1, 0.6), ("c", 1, 0.9))
    ]
    numbered = [line for line in letters(guesses_figure(guesses, "x", True)) if re.match(r"\d\. ", line)]
    assert numbered == ["3. a", "1. b", "2. c"]
    assert not [line for line in letters(guesses_figure(guesses, "x", False)) if re.match(r"\d\. ", line)]


def test_a_token_is_printed_as_text():
    r = rounds(fake_trace(K=4))[0]
    assert "<b>" not in round_figure(r, "<b>", verdicts=True) and "&lt;b&gt;" in round_figure(r, "<b>", verdicts=True)


def test_the_chapters_about_a_round_have_its_picture_once_for_students_and_once_for_teachers():
    students, _, teachers = pack(excerpts()).partition('<section class="teacher">')
    assert {"verify", "accept", "residual", "rounds", "ways"} == set(FIGURES)
    assert students.count("<svg") == teachers.count("<svg") == 7
    assert not set("".join(letters(students))) & set(VERDICTS) and set(VERDICTS) <= set("".join(letters(teachers)))
