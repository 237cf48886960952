"""All panels, as they open."""

import pytest

from specviz.page.lab.panels import PANELS

from ..person import objections, opened_panel


@pytest.mark.parametrize("panel", [one.key for one in PANELS])
def test_axe_objects_to_nothing_in_a_panel(quiet, app, panel):
    opened_panel(quiet, app, panel)
    assert objections(quiet, f"#lab-{panel}") == []
