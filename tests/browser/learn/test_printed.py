"""What Learn prints, as a browser prints it."""

import re

import pytest

from specviz.page.learn.lesson import excerpts
from specviz.page.learn.pack import sheet


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_students_sheet_is_two_pages(page, paper):
    page.set_content(sheet(excerpts()))
    assert len(re.findall(rb"/Type */Page\b", page.pdf(format=paper))) == 2
