"""The teacher's pack: every chapter has an exercise with a key, what is printed is whole, and what is a student's holds no answer."""

import re
from dataclasses import replace
from html import escape

import pytest

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.page.learn.chapter import Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import RECORDED, excerpts
from specviz.page.learn.pack import pack
from specviz.page.learn.path import homework, stops
from specviz.page.learn.printed import facts
from specviz.page.learn.sheet import TASKS, sheet
from tests.view import view

from ...fake_trace import fake_trace

each = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.key)


@pytest.fixture(scope="module")
def printed():
    return pack(excerpts())


def test_the_lesson_takes_fifty_minutes_in_six_stops_and_the_other_chapters_are_homework():
    assert sum(stop.minutes for stop in stops()) == 50
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
    named = replace(trace, header=replace(trace.header, target=replace(trace.header.target, name="<b>target</b> {x}")))
    text = pack(excerpts(dict.fromkeys(RECORDED, view(named))))
    assert "<b>" not in text and "&lt;b&gt;target&lt;/b&gt; {x}" in text


def test_the_numbers_in_the_keys_can_be_worked_out():
    def said(key: str, *phrases: str) -> bool:
        exercise = next(chapter.exercise for chapter in CHAPTERS if chapter.key == key)
        return all(phrase in " ".join(exercise.key) for phrase in phrases)

    assert said("alone", "16 ms: 62.5 tokens") and 1000 / (8e9 * 2 / 1e12 * 1000) == 62.5
    p, q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)
    assert said("draft", "8 × 0.12 = 0.96")
    excess = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
    assert said("residual", "(0, 1/2, 1/3, 1/6)", "0.52 instead of 0.40")
    assert [e / sum(excess) for e in excess] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 6])
    assert said("accept", "1, 0.5 and 0", "Their average, 0.7.") and sum((1, 0.5, 0.6)) / 3 == pytest.approx(0.7)
    tokens = expected_tokens(0.8, 4)
    assert said("speed", "= 3.36 tokens", "= 2.40×", "= 2.14×")
    assert (tokens, expected_speedup(tokens, 4, 0.1), expected_speedup(3, 4, 0.1)) == (
        pytest.approx(3.36, abs=0.005),
        pytest.approx(2.40, abs=0.005),
        pytest.approx(2.14, abs=0.005),
    )


def test_what_a_chapter_says_of_its_run_is_the_same_on_the_page_and_on_paper():
    """The c of chapter 3 is that of the run that it shows."""
    found = excerpts()
    drafting = next(chapter for chapter in CHAPTERS if chapter.key == "draft")
    assert facts(found, drafting)["c"] == f"{found['draft']['c']:.2f}" != f"{found['speed']['c']:.2f}"
    assert f"takes c = {found['draft']['c']:.2f} of a target pass" in pack(found)


# ---- the student's sheet ----


@pytest.fixture(scope="module")
def students():
    return sheet(excerpts())


def test_the_sheet_has_a_line_for_a_name_every_stop_and_figures_to_fill_in(students):
    assert "Name <span>" in students and students.count('<svg class="figure"') == 4
    titles = [CHAPTERS[stop.chapter - 1].title for stop in stops() if stop.chapter]
    places = [students.index(escape(title)) for title in titles]
    assert places == sorted(places) and "The room" in students
    assert all(f"<dt>{symbol}</dt>" in students for symbol in "pqKuβαcv")


def test_the_sheet_asks_what_the_work_sheets_ask_and_holds_no_answer(students):
    for chapter in CHAPTERS:
        for i in TASKS.get(chapter.key, ()):
            assert escape(chapter.exercise.task[i]) in students
        assert not any(escape(key) in students for key in chapter.exercise.key)
        assert escape(chapter.question.why) not in students
