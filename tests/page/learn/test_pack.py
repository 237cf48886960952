"""What is printed: every chapter has an exercise with a key, pages are whole, and what is a student's holds no answer."""

import re
from dataclasses import replace
from html import escape

import pytest

from specviz.page.learn.chapter import Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import RECORDED, excerpts, homework, stops
from specviz.page.learn.pack import TASKS, pack, sheet
from specviz.page.learn.printed import facts
from tests.fake_trace import fake_trace
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
    assert len(printed.encode()) < 4_500 * len(CHAPTERS)


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


@pytest.fixture(scope="module")
def students():
    return sheet(excerpts())


def test_the_sheet_asks_what_the_work_sheets_ask_and_holds_no_answer(students):
    for chapter in CHAPTERS:
        for i in TASKS.get(chapter.key, ()):
            assert escape(chapter.exercise.task[i]) in students
        assert not any(escape(key) in students for key in chapter.exercise.key)
        assert escape(chapter.question.why) not in students
