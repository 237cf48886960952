"""The teacher's pack: every chapter has an exercise with a key, what is printed is whole, and what is a student's holds no answer."""

import re
from dataclasses import replace
from html import escape

import pytest

from specviz.acceptance import expected_speedup, expected_tokens
from specviz.page.keep import recorded
from specviz.page.learn.chapter import Question
from specviz.page.learn.chapters import CHAPTERS
from specviz.page.learn.lesson import excerpts
from specviz.page.learn.pack import pack, plan
from specviz.page.learn.words import DEFINITIONS
from specviz.trace.header import Trace

from ...fake_trace import fake_trace

each = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.key)


@pytest.fixture(scope="module")
def printed():
    return pack(excerpts(recorded.load))


@each
def test_each_task_has_its_key_and_each_chapter_something_to_be_able_to_do(chapter):
    exercise = chapter.exercise
    assert len(exercise.task) == len(exercise.key) >= 1 and exercise.able
    assert all(key.endswith(".") for key in exercise.key) and all(task[-1] in ".?" for task in exercise.task)


def test_the_plan_takes_fifty_minutes_and_visits_every_chapter_in_order():
    assert sum(minutes for minutes, _, _ in plan()) == 50
    assert [n for _, numbers, _ in plan() for n in numbers] == [*range(1, len(CHAPTERS) + 1)]


def test_every_symbol_of_the_chapters_is_defined_on_the_sheet():
    words = {word for name, _ in DEFINITIONS for word in name.split(", ")}
    assert {"p", "q", "K", "u", "α", "β", "c", "v", "residual", "bonus", "prefill"} <= words


@each
def test_the_students_pages_hold_the_tasks_and_no_answer(printed, chapter):
    students, _, teachers = printed.partition('<section class="teacher">')
    exercise = chapter.exercise
    assert all(escape(task) in students for task in (*exercise.task, *exercise.able, chapter.question.ask))
    for hidden in (*exercise.key, *chapter.notes, chapter.question.why):
        assert escape(hidden) not in students and escape(hidden) in teachers
    if isinstance(chapter.question, Question):
        assert escape(chapter.question.choices[chapter.question.right]) in teachers


def test_a_work_sheet_a_chapter_and_definitions_and_plan_begin_a_page_each(printed):
    assert printed.count("<section") == len(CHAPTERS) + 2
    assert "break-before: page" in re.search(r"section \{[^}]*\}", printed)[0]


def test_the_file_is_whole_runs_nothing_and_asks_nobody(printed):
    assert "<script" not in printed and "default-src 'none'" in printed
    assert re.findall(r"(?:src|href)=|url\(|@import", printed) == []
    assert "{" not in re.sub(r"<style>.*?</style>", "", printed, flags=re.DOTALL)  # every name is filled in
    assert len(printed.encode()) < 60_000


def test_names_of_a_run_are_printed_as_text():
    def load(_) -> Trace:
        trace = fake_trace(seed=3)
        return replace(trace, header=replace(trace.header, target=replace(trace.header.target, name="<b>target</b> {x}")))

    text = pack(excerpts(load))
    assert "<b>" not in text and "&lt;b&gt;target&lt;/b&gt; {x}" in text


def test_the_numbers_in_the_keys_can_be_worked_out():
    def said(key: str, *phrases: str) -> bool:
        exercise = next(chapter.exercise for chapter in CHAPTERS if chapter.key == key)
        return all(phrase in " ".join(exercise.key) for phrase in phrases)

    assert said("alone", "16 ms: 62.5 tokens") and 1000 / (8e9 * 2 / 1e12 * 1000) == 62.5
    p, q = (0.4, 0.3, 0.2, 0.1), (0.7, 0.15, 0.1, 0.05)
    assert said("draft", "= .70 with q", "= .35 without it")
    assert (sum(map(min, p, q)), sum(a * b for a, b in zip(p, q, strict=True))) == (pytest.approx(0.70), pytest.approx(0.35))
    excess = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
    assert said("residual", "(0, 1/2, 1/3, 1/6)", ".52 instead of .40")
    assert [e / sum(excess) for e in excess] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 6])
    assert said("accept", "1, .5 and 0", "Their mean, .7.") and sum((1, 0.5, 0.6)) / 3 == pytest.approx(0.7)
    tokens = expected_tokens(0.8, 4)
    assert said("speed", "= 3.36 tokens", "= 2.40×", "= 2.14×")
    assert (tokens, expected_speedup(tokens, 4, 0.1), expected_speedup(3, 4, 0.1)) == (
        pytest.approx(3.36, abs=0.005),
        pytest.approx(2.40, abs=0.005),
        pytest.approx(2.14, abs=0.005),
    )
