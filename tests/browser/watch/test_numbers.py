"""A person reads the numbers of a run by keys, in a table that fits, and times a disturbed run again."""

import pytest
from playwright.sync_api import expect

from ..components import run
from ..person import run as run_on_app

pytestmark = pytest.mark.browser


def test_every_figure_is_opened_by_keys_and_a_position_takes_one_line(still):
    run(still, K=4)
    for figure in still.locator(".sv-figure").all():
        expect(figure.locator("p")).to_be_hidden()
        figure.locator("summary").focus()
        still.keyboard.press("Enter")
        expect(figure.locator("p")).to_be_visible()
    for width in (390, 1440):
        still.set_viewport_size({"width": width, "height": 900})
        assert max(still.locator(".sv-positions tbody tr").evaluate_all("l => l.map(e => e.offsetHeight)")) < 40


def test_one_button_times_a_disturbed_run_again(visit):
    run_on_app(visit, "busy machine")
    visit.locator("#prompt textarea").fill("quiet machine")
    again = visit.locator(".sv-run-again")
    again.focus()
    visit.keyboard.press("Enter")
    expect(visit.locator(".sv-verdict")).to_contain_text("×")
    expect(again).to_have_count(0)
