"""What Learn prints, as a browser prints it."""

import re

import pytest

from specviz.page.learn.lesson import excerpts
from specviz.page.learn.sheet import sheet
from specviz.page.learn.study_sheets import study_sheets

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_students_sheet_is_two_pages(page, paper):
    page.set_content(sheet(excerpts()))
    assert len(re.findall(rb"/Type */Page\b", page.pdf(format=paper))) == 2


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_study_is_a_page_before_a_page_after_and_one_for_the_teacher(page, paper):
    page.set_content(study_sheets())
    assert len(re.findall(rb"/Type */Page\b", page.pdf(format=paper))) == 3
