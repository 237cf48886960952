"""What Learn prints, as a browser prints it."""

import re

import pytest

from specviz.page.learn.lesson import excerpts
from specviz.page.learn.pack import pack, sheet
from tests.fake_trace import fake_trace


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_students_sheet_is_two_pages_and_the_pack_has_a_page_for_each_work_sheet(page, paper):
    def pages(html):
        page.set_content(html)
        return len(re.findall(rb"/Type */Page\b", page.pdf(format=paper)))

    assert pages(sheet(excerpts())) == 2
    assert pages(pack(excerpts())) <= 24


def test_bars_are_printed_with_their_colours(reading):
    page = reading(fake_trace())
    page.locator(".sv-token[data-role=accepted]").first.click()
    bars = page.locator(".sv-bars .sv-fill")
    assert bars.count()
    assert set(bars.evaluate_all("all => all.map((bar) => getComputedStyle(bar).printColorAdjust)")) == {"exact"}
