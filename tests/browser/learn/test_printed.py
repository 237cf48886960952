"""What Learn prints, as a browser prints it."""

import re

import pytest

from specviz.page.learn.lesson import excerpts
from specviz.page.learn.pack import sheet
from specviz.page.learn.study import study_sheets


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_students_sheet_is_two_pages_and_the_study_one_before_one_after_and_one_for_the_teacher(page, paper):
    for text, pages in ((sheet(excerpts()), 2), (study_sheets(), 3)):
        page.set_content(text)
        assert len(re.findall(rb"/Type */Page\b", page.pdf(format=paper))) == pages
