"""The picture of a round on paper: drawn from the round alone, without a verdict for students, filled in for teachers."""

import re

import pytest

from specviz.page.learn.lesson import excerpts
from specviz.page.learn.pack import FIGURES, pack
from specviz.page.learn.round_figure import guesses_figure, places, round_figure
from tests.fake_trace import fake_trace
from tests.fake_tree import tree_trace
from tests.view import view

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
        said = letters(round_figure(r, "before", decided=False))
        assert said[0] == "before" and not set("".join(said)) & set(VERDICTS)
        assert sum(line.startswith("p ") for line in said) == len(r["drafted"])
        filled = letters(round_figure(r, "before", decided=True))
        marks = [line[-1] for line in filled if line[-1] in "✓✗–"]
        assert len(marks) == len(r["drafted"]) and marks.count("✓") == sum(d["verdict"] == "accepted" for d in r["drafted"])
        assert filled[-1] == r["emitted"][-1]["role"] or r["emitted"][-1]["role"] == "accepted"


def test_the_mask_is_empty_for_students_and_filled_along_the_path_to_each_guess_for_teachers():
    r = rounds(tree_trace("2-2", K=2))[0]
    n, seen = len(r["drafted"]) + 1, 1
    depth = {-1: 0}
    for i, d in enumerate(r["drafted"]):
        depth[i] = depth[d["parent"]] + 1
        seen += 1 + depth[i]
    empty, filled = (round_figure(r, "x", decided, mask=True) for decided in (False, True))
    assert 'class="filled"' not in empty and len(letters(empty)) == len(letters(round_figure(r, "x", False))) + n
    assert filled.split('class="filled"')[1].count("z") == seen


def test_guesses_are_numbered_by_the_drafts_chance_along_their_paths():
    guesses = [
        {"text": text, "parent": parent, "p": 0.5, "q": q} for text, parent, q in (("a", -1, 0.3), ("b", -1, 0.6), ("c", 1, 0.9))
    ]
    numbered = [line for line in letters(guesses_figure(guesses, "x", True)) if re.match(r"\d\. ", line)]
    assert numbered == ["3. a", "1. b", "2. c"]
    assert not [line for line in letters(guesses_figure(guesses, "x", False)) if re.match(r"\d\. ", line)]


def test_a_token_is_printed_as_text():
    r = rounds(fake_trace(K=4))[0]
    assert "<b>" not in round_figure(r, "<b>", decided=True) and "&lt;b&gt;" in round_figure(r, "<b>", decided=True)


def test_the_chapters_about_a_round_have_its_picture_once_for_students_and_once_for_teachers():
    students, _, teachers = pack(excerpts()).partition('<section class="teacher">')
    assert {"verify", "accept", "residual", "rounds", "ways"} == set(FIGURES)
    assert students.count("<svg") == teachers.count("<svg") == 7
    assert not set("".join(letters(students))) & set(VERDICTS) and set(VERDICTS) <= set("".join(letters(teachers)))
