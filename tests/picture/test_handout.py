"""The hand-out's note: when the run was measured, and whether its text is the target's own in law."""

import pytest

from specviz.picture.handout import handout

from ..fake_trace import fake_trace


@pytest.mark.parametrize(("verifier", "marked"), [("rejection", False), ("block", False), ("typical", True), ("threshold", True)])
def test_a_run_by_a_rule_that_is_not_exact_says_so_under_the_heading(verifier, marked):
    page = handout(fake_trace(verifier=verifier))
    assert ("the text does not follow" in page.split("</header>")[0]) is marked


@pytest.mark.parametrize("settings", [{"temperature": 0}, {"K": 0}], ids=str)
def test_where_a_rule_has_nothing_to_bend_it_is_not_marked(settings):
    page = handout(fake_trace(verifier="typical", **settings))
    assert "the text does not follow" not in page.split("</header>")[0]
